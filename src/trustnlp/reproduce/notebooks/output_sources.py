"""Where each output of a notebook comes from: the committed record, this run, or a lesson's planted world.

What shows the record says so (`Record.show`, `Record.table`, `Record.plot`); every other output is of the run. A test
doctors a record and sees that what is called the record's changes with it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RECORD, RUN, LESSON = "record", "run", "lesson"
PRINT = "print"
# What an executed notebook shows and a page does not: `metadata.trustnlp.only` of such an output.
EXECUTED = "executed notebook"
Source = dict[str, str]
# The notebooks that teach on a world whose truth is planted.
LESSONS = frozenset({"method"})


def mark_outputs(notebook: Any, *, lesson: bool) -> None:
    """Write into each output of an executed notebook where it comes from, as `metadata.trustnlp.source`.

    Printed text has no metadata of its own: its source stands in the cell's. An output that says where it comes from
    keeps its word.

    Parameters
    ----------
    notebook
        As nbformat reads it; changed in place.
    lesson
        Whether what this run computed is a lesson's.
    """
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            said = _marked(cell, output).setdefault("metadata", {}).setdefault("trustnlp", {})
            said.setdefault("source", LESSON if lesson else RUN)


def source_of(cell: Mapping[str, Any], output: Mapping[str, Any]) -> Source:
    """The source that `mark_outputs` wrote of an output; empty where nobody marked it."""
    said = _marked(cell, output).get("metadata", {}).get("trustnlp", {})
    return {name: said[name] for name in ("source", "of") if name in said}


def _marked(cell: Any, output: Any) -> Any:
    """Whose metadata holds an output's source."""
    return output if output["output_type"] in ("display_data", "execute_result") else cell
