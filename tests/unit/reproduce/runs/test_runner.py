"""Of many runs only those that are not finished are executed, and each result stands in the place of its run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trustnlp.reproduce.runs import runner
from trustnlp.reproduce.runs.run_states import OnEvent, RunResult, RunSpec


def test_finished_runs_are_not_repeated_and_results_keep_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = runner.plan("xer")
    for name in ("check_twins", "require_data"):
        monkeypatch.setattr(runner, name, lambda specs: None)
    monkeypatch.setattr(runner, "is_finished", lambda spec: spec.notebook in (specs[1].notebook, specs[3].notebook))
    executed: list[RunSpec] = []

    def run(waiting: Sequence[RunSpec], workers: int, tell: OnEvent) -> list[RunResult]:
        executed.extend(waiting)
        return [RunResult(spec, 1.0, spec.out_record) for spec in waiting]

    results = runner.run_many(specs, run=run)
    assert [result.spec for result in results] == specs
    assert executed == [spec for spec, result in zip(specs, results, strict=True) if result.status == "done"]
    assert [place for place, result in enumerate(results) if result.status == "cached"] == [1, 3]
    assert {result.status for result in runner.run_many(specs, resume=False, run=run)} == {"done"}
