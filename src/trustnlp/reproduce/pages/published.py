"""A page from an executed notebook: the record as it is, the run that made the page under a band that says so.

Under a heading that names a table or figure of the paper stands the record alone. What the page's own smoke run gave
there is left out; where a notebook draws nothing from its record, the ledger's rows stand in its place, and where
there is no record yet, the command that makes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from trustnlp.data.origins import origins_in_words
from trustnlp.data.registry import Dataset, load_registry
from trustnlp.reproduce.notebooks.output_sources import EXECUTED, LESSON, LESSONS, PRINT, RECORD, RUN, Source, source_of
from trustnlp.reproduce.notebooks.paper_places import headings, named_places
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.page_evidence import evidence_file
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.params import NotebookParams, load_params

SAYS_RECORD = re.compile(r"committed\s+record(?P<hedge>,\s+where\s+there\s+is\s+one)?", re.IGNORECASE)
_MADE_UP = re.compile(r"made-up|stand-in|planted|generated", re.IGNORECASE)
_MODELS = ("trustnlp.encoders.", "trustnlp.data.annotation.english_tags.")
# A cell that only saves and sums up, whatever heading it stands under.
_SAVES = re.compile(r"\.save\(\)")


@dataclass(frozen=True)
class Page:
    """A page: its notebook, whether a record of it is committed, what its smoke run ran on, and its paper data."""

    chapter: str
    notebook: str
    committed: bool
    ran: str
    data: str = ""

    @property
    def name(self) -> str:
        return f"{self.chapter}/{self.notebook}"


def page_of(chapter: str, notebook: str, smoke: Path) -> Page:
    """The page of a notebook; `smoke` is the record of the run that made it, where there is one."""
    record = load_record(smoke) if smoke.is_file() else None
    entry = load_params(chapter).notebook(notebook)
    committed = evidence_file(chapter, notebook) is not None
    data = "" if entry.lesson else origins_in_words(entry.data["paper"])
    return Page(chapter, notebook, committed, what_ran(record, entry), data)


@dataclass
class _Section:
    """A part of a page under one heading that names the paper's tables or figures (`heading` is empty elsewhere)."""

    heading: str
    from_record: bool = False
    told: bool = False


def publish(cells: Sequence[Mapping[str, Any]], page: Page) -> list[dict[str, Any]]:
    """The cells of a page: bands over what its run gave, nothing of the run under the paper's tables.

    Parameters
    ----------
    cells
        Of an executed notebook, marked by `output_sources.mark_outputs`.

    Raises
    ------
    UserError
        If given an output without a source (the notebook was run before outputs had one), or a caption that says
        "committed record" over something else.
    """
    placed = list(_placed(map(_for_pages, cells)))
    for cell, section in placed:
        said = [_said(cell, output, page) for output in cell.get("outputs", [])]
        _check_caption(cell, said, page)
        section.from_record |= any(source["source"] == RECORD for source in said)
    published: list[dict[str, Any]] = []
    for cell, section in placed:
        if cell["cell_type"] != "code":
            published.append(dict(cell))
            continue
        outputs = cell.get("outputs", [])
        kept = [o for o in outputs if not section.heading or source_of(cell, o)["source"] != RUN]
        published += _banded({**cell, "outputs": kept}, page)
        if len(kept) < len(outputs) and not section.told and not _SAVES.search("".join(cell["source"])):
            published.append(_instead(cell, section, page))
            section.told = True
    return published


def lesson_line(cells: Sequence[Mapping[str, Any]]) -> str:
    """The line at the top of a lesson, said once for all of its outputs."""
    sources = [source_of(cell, output).get("source") for cell in cells for output in cell.get("outputs", [])]
    if LESSON not in sources:
        return ""
    line = "A lesson: this build computed its numbers, on examples and worlds that we made"
    return f"*{line}; what is of the committed record says so.*" if RECORD in sources else f"*{line}.*"


def what_ran(record: Mapping[str, Any] | None, entry: NotebookParams) -> str:
    """The data of a run in a few words: real data by name and size, made-up ones by their number.

    `record` is the run's own; without one, what `params.yaml` declares for `smoke` is named.
    """
    names = list(record["data"]) if record else list(entry.data["smoke"])
    parameters = record["parameters"] if record else entry.resolve("smoke")
    known = load_registry()
    data = [known[name] for name in names if name in known]
    sizes = [
        f"{parameters[name]:,} {re.split('[,;:(]', parameter.help)[0].strip()}"
        for name, parameter in entry.parameters.items()
        if name.startswith("n_") and type(parameters.get(name)) is int
    ]
    # A number of items says something only where the run made them up: of real data the title has it.
    made_up = [size for size in sizes if _MADE_UP.search(size)]
    parts = [re.sub(r"^(\S+) (.*) of the stand-in$", r"\1 made-up \2", size) for size in made_up]
    parts += [
        re.sub(r" \(from [^)]*\)$|: .*" if _is_model(dataset) else r" \(from [^)]*\)$", "", dataset.title)
        for dataset in data
    ]
    if not made_up and all(map(_is_model, data)):
        parts.insert(0, "made-up data")
    return "; ".join(parts)


def _is_model(dataset: Dataset) -> bool:
    """Whether it is something that reads texts rather than texts."""
    return dataset.reader.startswith(_MODELS)


def _placed(cells: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], _Section]]:
    """Each cell with its section: the nearest heading above it that names the paper's tables, itself or by its parts.

    A page's title names them for what stands before the first section, not for all of the page.
    """
    above: list[tuple[int, str]] = []
    section = _Section("")
    for cell in cells:
        if cell["cell_type"] == "markdown":
            for level, title in headings("".join(cell["source"])):
                above = [(of, text) for of, text in above if 1 < of < level] + [(level, title)]
                naming = [text for _, text in above if named_places(text)]
                heading = naming[-1] if naming else ""
                section = section if heading and heading == section.heading else _Section(heading)
        yield cell, section


def _said(cell: Mapping[str, Any], output: Mapping[str, Any], page: Page) -> Source:
    source = source_of(cell, output)
    if not source:
        raise UserError(
            f"{page.name}: an output of the cell '{''.join(cell['source']):.60}' does not say where it comes from; "
            f"run the notebook again: trustnlp run {page.name}"
        )
    return source


def _check_caption(cell: Mapping[str, Any], said: Sequence[Source], page: Page) -> None:
    """Refuse a caption that promises the committed record over a figure of anything else."""
    caption = cell["metadata"].get("mystnb", {}).get("figure", {}).get("caption", "")
    wrong = [source["source"] for source in said if source["source"] != RECORD]
    says = SAYS_RECORD.search(caption)
    if says and wrong and (page.committed or not says["hedge"]):
        why = "there is none yet" if not page.committed else "what it shows is of this run"
        raise UserError(
            f"{page.name}: the caption '{caption:.60}…' says \"committed record\", but {why}; draw the figure from "
            "evidence(record) alone, in a cell of its own, or mend the caption"
        )


def _for_pages(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    """A cell without what only an executed notebook shows."""
    if cell["cell_type"] != "code":
        return cell
    outputs = cell.get("outputs", ())
    own = [each for each in outputs if each.get("metadata", {}).get("trustnlp", {}).get("only") != EXECUTED]
    return {**cell, "outputs": own}


def _banded(cell: dict[str, Any], page: Page) -> list[dict[str, Any]]:
    """The cell with a band before the first output of the run; in a lesson, before the first of the record.

    A figure comes to stand in a cell of its own below its band: Sphinx gives caption and name to all outputs of a cell.
    """
    banded: list[Any] = []
    last: Source | None = None
    for output in cell["outputs"]:
        source = source_of(cell, output)
        if source != last and (band := _band(source, page)):
            said = {"trustnlp": dict(source)}
            banded.append({"output_type": "display_data", "data": {"text/html": band}, "metadata": said})
        banded.append(output)
        last = source
    if "figure" not in cell["metadata"].get("mystnb", {}) or len(banded) == len(cell["outputs"]):
        return [{**cell, "outputs": banded}]
    above = {**cell, "outputs": banded[:1]}
    above["metadata"] = {name: value for name, value in cell["metadata"].items() if name != "mystnb"}
    tags = [*cell["metadata"].get("tags", []), "remove-input", "tn-of-run"]
    below = {**cell, "id": f"{cell.get('id', 'cell')}-figure", "outputs": banded[1:]}  # without a source none is shown
    below["metadata"] = {**cell["metadata"], "tags": tags}
    return [above, below]


def _band(source: Source, page: Page) -> str:
    if source["source"] == RUN:
        on = "numbers that the paper prints" if source.get("of") == PRINT else page.ran
        return f'<p class="tn-band"><strong>This run</strong>, no evidence: {escape(on)}</p>'
    lesson = page.notebook in LESSONS
    return '<p class="tn-band tn-band-record">Committed record</p>' if source["source"] == RECORD and lesson else ""


def _instead(cell: Mapping[str, Any], section: _Section, page: Page) -> dict[str, Any]:
    """A cell of text in the place of what is left out."""
    if not page.committed:
        text = f"**No record yet.** `trustnlp run {page.name} --profile paper` makes one."
    elif section.from_record:
        text = "What the run of this page gave here is left out: it is no evidence."
    else:
        text = f"```{{record-table}} {page.name}\n{section.heading}\n```"
    return {"cell_type": "markdown", "id": f"{cell.get('id', 'cell')}-record", "metadata": {}, "source": text}
