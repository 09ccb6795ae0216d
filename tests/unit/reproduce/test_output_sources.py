"""Where an output comes from follows from the code: what is not proven to be of the record is of the run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trustnlp.reproduce.output_sources import cell_sources, mark_outputs, source_of

BEFORE = """
import numpy as np
import pandas as pd
import yaml
from trustnlp.plots import show
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims import printed_values
from trustnlp.reproduce.page_evidence import evidence, evidence_arrays
from trustnlp.reproduce.project import chapter_dir
from trustnlp.studies.dpnr import private_comparisons as compare
from trustnlp.studies.toy import NAMES, figure_of, table_of, train

seeds = [0]
record = Record("toy", "one", profile="smoke")
numbers, arrays = evidence(record), evidence_arrays(record)
trained = train(seeds)
printed = printed_values("toy", "one")
file = yaml.safe_load((chapter_dir("toy") / "printed.yaml").read_text())
"""
OF_THE_RECORD = [
    "numbers",
    "arrays['rates'][str(seeds[0])]",
    "pd.Series(numbers.series('{what}', 'mean')).round(3)",
    "table_of(numbers, printed, seeds).round(1)",
    "table_of(numbers, file['table1'])",
    "{name: numbers[name]['mean'] for name in NAMES if name in numbers}",
    "{e: numbers[compare.name_of('released', e)] for e in (1, 2)}",
    "part = numbers.series('{a}')\npart = {k: v for k, v in part.items()}\npart",
    "rows = []\nfor key in numbers:\n    rows.append(numbers[key])\nrows",
    "def of(name):\n    return table_of(numbers[name])\n\nof('a')",
    "frame = pd.DataFrame(arrays['x'])\nframe.apply(lambda row: table_of(row))",
    "table_of(numbers, np.random.default_rng(0))",
    "record.metric('a', trained)\nnumbers",
    "evidence(record).series('{a}')",
]
OF_THE_RUN = [
    "trained",
    "record",
    "record.metrics",
    "1 + 1",
    "printed",
    "table_of(seeds)",
    "table_of(numbers, trained)",
    "{name: (numbers[name], trained[name]) for name in NAMES}",
    "part = numbers\npart['x'] = trained\npart",
    "rows = []\nfor key in trained:\n    rows.append(numbers[key])\n    rows.append(key)\nrows",
    "whole = {}\nrow = whole.setdefault('a', [])\nrow.append(trained)\ntable_of(numbers, whole)",
    "held = dict(numbers)\ninner = held['a']\ninner['mean'] = trained\nheld",
    "if trained:\n    numbers = {}\nnumbers",
    "while trained:\n    numbers = {}\nnumbers",
    "def of(name):\n    return numbers[name], trained\n\nof('a')",
    "box = []\ntable_of.fill(box, trained)\ntable_of(numbers, box)",
    "table_of(numbers, np.random.rand(3))",
    "table_of(numbers, vars())",
    "table_of(numbers, open('x').read())",
    "table_of(numbers, unknown)",
    "with train(seeds) as numbers:\n    pass\nnumbers",
    "numbers += trained\nnumbers",
    "%time numbers",
    "class numbers:\n    pass\nnumbers",
]


def result(code: str, *, committed: bool = True, lesson: bool = False) -> dict[str, str]:
    return cell_sources([BEFORE, code], committed=committed, lesson=lesson)[1].result


@pytest.mark.parametrize("code", OF_THE_RECORD)
def test_what_is_computed_from_the_record_alone_is_of_the_record(code: str) -> None:
    assert result(code) == {"source": "record"}


@pytest.mark.parametrize("code", OF_THE_RECORD)
def test_without_a_record_the_same_is_of_the_run(code: str) -> None:
    """`evidence` then gives the run's own numbers: nothing may call them the committed record's."""
    assert result(code, committed=False)["source"] == "run"


@pytest.mark.parametrize("code", OF_THE_RUN)
def test_everything_else_is_of_the_run(code: str) -> None:
    assert result(code)["source"] == "run"
    assert result(code, lesson=True)["source"] == "lesson"


def test_what_the_paper_prints_is_said_to_be_print() -> None:
    assert result("table_of(printed)") == {"source": "run", "of": "print"}
    assert result("table_of(file)") == {"source": "run", "of": "print"}


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("show(*figure_of(numbers))", "record"),
        ("lines = {n: numbers[n] for n in NAMES}\nshow(*figure_of(lines))", "record"),
        ("record.metric('a', trained)\nshow(*figure_of(numbers))", "record"),
        ("found = train(seeds)\nshow(*figure_of(numbers))", "run"),
        ("show(*figure_of(trained))", "run"),
        ("print(trained)\nnumbers", "run"),
        ("for seed in trained:\n    show(*figure_of(numbers))", "run"),
    ],
)
def test_what_a_cell_displays_on_the_way_is_told_from_its_result(code: str, shown: str) -> None:
    assert cell_sources([BEFORE, code], committed=True, lesson=False)[1].shown["source"] == shown


def test_every_output_is_marked_and_one_that_says_its_source_keeps_it() -> None:
    outputs: list[dict[str, Any]] = [
        {"output_type": "stream", "name": "stdout", "text": "1"},
        {"output_type": "display_data", "data": {}, "metadata": {"trustnlp": {"source": "run", "only": "x"}}},
        {"output_type": "execute_result", "data": {}, "metadata": {}},
    ]
    cells = [
        {"cell_type": "markdown", "source": "# T", "metadata": {}},
        {"cell_type": "code", "source": BEFORE, "outputs": [], "metadata": {}},
        {"cell_type": "code", "source": ["print(1)\n", "numbers"], "outputs": outputs, "metadata": {}},
    ]
    notebook = {"cells": cells}
    mark_outputs(notebook, committed=True, lesson=False)
    told = [source_of(cells[2], output).get("source") for output in outputs]
    assert told == ["run", "run", "record"]
    assert "of" not in json.dumps(outputs[1])
