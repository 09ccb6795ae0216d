"""What shows the record says so, and every other output is of the run, or of a lesson."""

from __future__ import annotations

import json

import pytest

from trustnlp.reproduce.notebooks.output_sources import mark_outputs, source_of

SAID = {"trustnlp": {"source": "record"}}
OUTPUTS = [
    {"output_type": "display_data", "data": {}, "metadata": SAID},
    {"output_type": "execute_result", "data": {}, "metadata": {}},
    {"output_type": "stream", "name": "stdout", "text": "1\n"},
]


@pytest.mark.parametrize(("lesson", "own"), [(False, "run"), (True, "lesson")])
def test_an_output_keeps_its_word_and_is_of_the_run_otherwise(lesson: bool, own: str) -> None:
    cell = {"cell_type": "code", "source": "", "metadata": {}, "outputs": json.loads(json.dumps(OUTPUTS))}
    mark_outputs({"cells": [cell]}, lesson=lesson)
    assert [source_of(cell, output)["source"] for output in cell["outputs"]] == ["record", own, own]


def test_marking_again_changes_nothing() -> None:
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [{"output_type": "stream"}]}]}
    mark_outputs(notebook, lesson=False)
    before = json.dumps(notebook)
    mark_outputs(notebook, lesson=True)
    assert json.dumps(notebook) == before


def test_an_unmarked_output_has_no_source() -> None:
    assert source_of({"metadata": {}}, {"output_type": "stream"}) == {}
