"""Cells are computed once, kept by all that decides them, and fail alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from trustnlp.decoys.benchmark.debugging_cells import BenchmarkCell, run_cells

CELLS = [
    BenchmarkCell(name, decoy, "linear", seed)
    for name in ("lime", "occlusion")
    for decoy in ("text", "movie")
    for seed in (0, 1)
]


class Counted:
    """Computes rows, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[BenchmarkCell] = []

    def __call__(self, cell: BenchmarkCell) -> list[dict[str, Any]]:
        self.asked.append(cell)
        return [{"found_at": cell.seed + 1, "share": (0.1 + 0.2, float("nan"))}]


def test_cells_are_computed_once_and_what_is_read_is_what_was_computed(tmp_path: Path) -> None:
    compute = Counted()
    first = run_cells(CELLS, compute, tmp_path / "cells")
    again = run_cells(CELLS[::-1], compute, tmp_path / "cells")
    assert compute.asked == CELLS and [result.cell for result in first] == CELLS
    assert repr(again[::-1]) == repr(first)  # NaN is not equal to itself
    assert first[1].values[0]["found_at"] == 2 and first[1].values[0]["share"][0] == 0.1 + 0.2
    assert repr(run_cells(CELLS, Counted())) == repr(first)
    assert len(list((tmp_path / "cells").iterdir())) == len(CELLS)


def test_everything_that_is_in_a_cell_decides_it(tmp_path: Path) -> None:
    base = BenchmarkCell("lime", "text", "linear", 0, {"budget": 10, "rule": "first"})
    changes = [{"explainer": "shap"}, {"decoy": "video"}, {"model": "tuned"}, {"seed": 1}, {"settings": {"budget": 10}}]
    others = [replace(base, **change) for change in changes]
    compute = Counted()
    run_cells([base, *others], compute, tmp_path)
    assert compute.asked == [base, *others]
    run_cells([BenchmarkCell("lime", "text", "linear", 0, {"rule": "first", "budget": 10})], compute, tmp_path)
    assert len(compute.asked) == 6


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    done: list[BenchmarkCell] = []

    def stopped(cell: BenchmarkCell) -> int:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(cell)
        return cell.seed

    with pytest.raises(KeyboardInterrupt):
        run_cells(CELLS, stopped, tmp_path)
    compute = Counted()
    results = run_cells(CELLS, compute, tmp_path)
    assert compute.asked == CELLS[3:]
    assert [result.values for result in results[:3]] == [0, 1, 0] and not any(result.failure for result in results)


def test_an_explainer_that_raises_fails_its_own_cells_and_is_tried_again(tmp_path: Path) -> None:
    broken = True

    def compute(cell: BenchmarkCell) -> int:
        if broken and cell.explainer == "lime":
            raise ValueError("singular matrix\n  in a text of two words")
        return cell.seed

    results = run_cells(CELLS, compute, tmp_path)
    failed = [result for result in results if result.failure]
    assert [result.cell for result in failed] == CELLS[:4] and all(result.values is None for result in failed)
    assert {result.failure for result in failed} == {"lime: ValueError: singular matrix in a text of two words"}
    assert run_cells(CELLS[:1], Mock(side_effect=RuntimeError))[0].failure == "lime: RuntimeError"
    assert [result.values for result in results[4:]] == [0, 1, 0, 1] and len(list(tmp_path.iterdir())) == 4
    broken = False
    assert [result.values for result in run_cells(CELLS, compute, tmp_path)] == [0, 1] * 4


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt])
def test_a_machine_that_gives_up_ends_the_run(error: type[BaseException]) -> None:
    with pytest.raises(error):
        run_cells(CELLS, Mock(side_effect=error))
