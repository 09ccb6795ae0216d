"""What shows the record says so, and every other output is of the run, or of a lesson."""

from __future__ import annotations

import copy

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
    cell = {"cell_type": "code", "source": "", "metadata": {}, "outputs": copy.deepcopy(OUTPUTS)}
    assert source_of(cell, cell["outputs"][1]) == {}
    for again in (False, True):  # marked once, it stays so
        mark_outputs({"cells": [cell]}, lesson=lesson != again)
        assert [source_of(cell, output)["source"] for output in cell["outputs"]] == ["record", own, own]
