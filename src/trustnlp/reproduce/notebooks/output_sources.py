"""Where each output of a notebook comes from: the committed record, this run, or a lesson's planted world.

Nobody says it of an output: it follows from the code (`trustnlp.reproduce.notebooks.value_flow`). An output is called
*record*
only if all that it is computed from is the committed record, the paper's printed numbers, literals, or code that gives
nothing of its own; what cannot be told is of the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.code.pure_code import Of
from trustnlp.reproduce.notebooks.value_flow import Flow

RECORD, RUN, LESSON = "record", "run", "lesson"
PRINT = "print"
# What an executed notebook shows and a page does not: `metadata.trustnlp.only` of such an output.
EXECUTED = "executed notebook"
Source = dict[str, str]
# The notebooks that teach on a world whose truth is planted.
LESSONS = frozenset({"method"})


@dataclass(frozen=True)
class CellSource:
    """Source of a code cell's result (the value of its last line), and of all else that it displays or prints."""

    result: Source
    shown: Source


def mark_outputs(notebook: Any, *, committed: bool, lesson: bool) -> None:
    """Write into each output of an executed notebook where it comes from, as `metadata.trustnlp.source`.

    An output of the run that rests on nothing but what the paper prints says so, too (`metadata.trustnlp.of`). Printed
    text has no metadata of its own: its source stands in the cell's. An output that says where it comes from keeps its
    word.

    Parameters
    ----------
    notebook
        As nbformat reads it; changed in place.
    committed
        Whether `evidence(record)` gave the committed record to this run.
    lesson
        Whether what this run computed is a lesson's.
    """
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = cell_sources(["".join(cell["source"]) for cell in cells], committed=committed, lesson=lesson)
    for cell, source in zip(cells, found, strict=True):
        for output in cell.get("outputs", []):
            own = source.result if output["output_type"] == "execute_result" else source.shown
            said = _marked(cell, output).setdefault("metadata", {}).setdefault("trustnlp", {})
            if "source" not in said:
                said |= own


def source_of(cell: Mapping[str, Any], output: Mapping[str, Any]) -> Source:
    """What `mark_outputs` wrote of an output; empty where nobody marked it."""
    said = _marked(cell, output).get("metadata", {}).get("trustnlp", {})
    return {name: said[name] for name in ("source", "of") if name in said}


def _marked(cell: Any, output: Any) -> Any:
    """Whose metadata holds an output's source."""
    return output if output["output_type"] in ("display_data", "execute_result") else cell


def cell_sources(cells: Iterable[str], *, committed: bool, lesson: bool) -> list[CellSource]:
    """Sources of the outputs of code cells, in their order.

    >>> imports = "from trustnlp.reproduce import Record\\nfrom trustnlp.reproduce.pages.page_evidence import evidence"
    >>> code = [f"{imports}\\nrecord = Record('a', 'b')", "n = evidence(record)", "n", "n, measured()"]
    >>> [cell.result["source"] for cell in cell_sources(code, committed=True, lesson=False)]
    ['run', 'run', 'record', 'run']
    """
    flow = Flow(Of.RECORD if committed else Of.RUN)
    run: Source = {"source": LESSON if lesson else RUN}
    said = {Of.RECORD: {"source": RECORD}, Of.PRINTED: {**run, "of": PRINT}}
    found = [flow.cell(code) for code in cells]
    return [CellSource(said.get(result, run), said.get(shown, run)) for result, shown in found]
