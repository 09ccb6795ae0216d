"""A run, its outcome and the events while it lasts; the runner and its worker processes share these."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trustnlp.reproduce.project import chapter_dir, shown
from trustnlp.reproduce.runs.params import committed


@dataclass(frozen=True)
class RunSpec:
    """One run: which notebook with which parameters, and where its two files go."""

    chapter: str
    notebook: str
    profile: str
    parameters: Mapping[str, Any]
    out_record: Path
    out_notebook: Path
    lesson: bool = False

    @property
    def name(self) -> str:
        return f"{self.chapter}/{self.notebook}"

    @property
    def twin(self) -> Path:
        return chapter_dir(self.chapter) / f"{self.notebook}.ipynb"

    @property
    def part_notebook(self) -> Path:
        return self.out_notebook.with_suffix(".part.ipynb")

    @property
    def part_record(self) -> Path:
        return self.out_notebook.with_suffix(".part.json")

    @property
    def failed_notebook(self) -> Path:
        return self.out_notebook.with_suffix(".failed.ipynb")

    @property
    def is_record(self) -> bool:
        """Whether what it measures becomes the committed record."""
        return self.out_record == committed(self.chapter, self.notebook)

    @property
    def injected(self) -> dict[str, Any]:
        """The values that papermill writes into the notebook: the parameters and, but for a lesson, the profile."""
        return dict(self.parameters) if self.lesson else {"profile": self.profile, **self.parameters}

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "out_record": str(self.out_record), "out_notebook": str(self.out_notebook)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RunSpec":
        return cls(**{**data, **{key: Path(data[key]) for key in ("out_record", "out_notebook")}})


@dataclass(frozen=True)
class RunResult:
    """How a run ended. `record` is None and `error` says why when `status` is "failed"."""

    spec: RunSpec
    seconds: float
    record: Path | None
    status: Literal["done", "cached", "failed"] = "done"
    error: str | None = None

    @classmethod
    def failed(cls, spec: RunSpec, error: str) -> "RunResult":
        """The result of a run that came to nothing."""
        return cls(spec, 0.0, None, "failed", error)


@dataclass(frozen=True)
class Event:
    """A step that `run_many` and `sweep` tell while they work; `cell` of `cells` are done after a "cell" event."""

    kind: Literal["cached", "start", "cell", "done", "failed"]
    spec: RunSpec
    cell: int = 0
    cells: int = 0
    seconds: float = 0.0
    message: str = ""


OnEvent = Callable[[Event], None]


class NotebookFailed(RuntimeError):  # noqa: N818 - it reads as what happened
    """A notebook did not finish: which cell, its source, and the traceback without colour codes."""

    def __init__(
        self, spec: RunSpec, what: str, cell: int | None = None, source: str = "", traceback: str = ""
    ) -> None:
        self.spec, self.what, self.cell, self.source, self.traceback = spec, what, cell, source, traceback
        place = f" in cell {cell}" if cell is not None else ""
        lines = [f"{spec.name} ({spec.profile}) failed{place}: {what}"]
        if source:
            lines += ["", *(f"    {line}" for line in source.splitlines())]
        if traceback:
            lines += ["", traceback]
        if spec.failed_notebook.is_file():
            lines += ["", f"The notebook up to there: {shown(spec.failed_notebook)}"]
        super().__init__("\n".join(lines))
