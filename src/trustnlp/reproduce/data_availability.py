"""Which `paper` notebooks anyone can run, and what has to come over the network for each."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from trustnlp.data.origins import Origin, hardest, origins_in_words, transfer_bytes
from trustnlp.reproduce.project import papers
from trustnlp.reproduce.runs.params import load_params


@dataclass(frozen=True)
class Availability:
    """Of a notebook's `paper` profile: from where its data come, their bytes over the network, and their names."""

    notebook: str
    origin: Origin
    bytes: int
    data_sets: tuple[str, ...]

    @property
    def words(self) -> str:
        """From where, and how much."""
        return origins_in_words(self.data_sets)

    def as_json(self) -> dict[str, object]:
        """With the keys `notebook`, `from`, `bytes`, `data_sets`."""
        fields = asdict(self)
        return {"notebook": fields.pop("notebook"), "from": fields.pop("origin"), **fields}


def availability(only: str | None = None) -> list[Availability]:
    """Each notebook of each chapter, or of `only` one, by its `paper` profile, which a lesson has not."""
    rows = []
    for chapter in [only] if only else papers():
        for name, notebook in load_params(chapter).notebooks.items():
            if notebook.lesson:
                continue
            names = tuple(notebook.data["paper"])
            rows.append(Availability(f"{chapter}/{name}", hardest(names), transfer_bytes(names), names))
    return rows
