"""Re-run the quick part of the `paper` profile and compare with the committed records: a regression test on real data.

The rule, for each metric of the new record:

- deterministic: equal to the committed value to a relative 1e-6 or an absolute 1e-9;
- with an interval [low, high] of n values: the new mean of m values lies in that interval widened at both ends by
  (√(1 + n/m) − 1) times its half width. The interval alone is about the committed mean; the difference of two means has
  the errors of both, and the new run may have fewer seeds.

A metric that one of the two records lacks is a difference too, save that a run with overrides may record fewer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustnlp.reproduce.params import load_params
from trustnlp.reproduce.project import chapters, project_root, shown
from trustnlp.reproduce.runner import OnEvent, RunResult, RunSpec, plan, relocate, run_many

RELATIVE, ABSOLUTE = 1e-6, 1e-9


@dataclass(frozen=True)
class Verification:
    """One notebook: how many metrics were compared and which differ."""

    name: str
    seconds: float
    compared: int
    differences: tuple[str, ...]


@dataclass(frozen=True)
class _Check:
    spec: RunSpec
    committed: Path
    whole: bool


def verify(workers: int = 2, on_event: OnEvent | None = None) -> list[Verification]:
    """Run what `params.yaml` marks with `verify` into `_build/verify` and compare; raises `UserError` without data."""
    checks = planned()
    results = run_many([check.spec for check in checks], workers=workers, resume=False, on_event=on_event)
    return [_compare_run(check, result) for check, result in zip(checks, results, strict=True)]


def planned() -> list[_Check]:
    """The runs of a verification, in the order of the chapters."""
    found = []
    for chapter in chapters():
        for name, entry in load_params(chapter).notebooks.items():
            if entry.verify is None:
                continue
            [spec] = plan(chapter, name, "paper", entry.verify)
            committed = project_root() / "chapters" / chapter / "results" / f"{name}.paper.json"
            folder = project_root() / "_build" / "verify" / chapter
            found.append(_Check(relocate(spec, folder, name), committed, whole=not entry.verify))
    return found


def _compare_run(check: _Check, result: RunResult) -> Verification:
    from trustnlp.reproduce.records import load_record

    if result.status == "failed":
        return Verification(check.spec.name, result.seconds, 0, (result.error or "failed",))
    if not check.committed.is_file():
        missing = f"there is no {shown(check.committed)}; run `trustnlp run {check.spec.name} --profile paper`"
        return Verification(check.spec.name, result.seconds, 0, (missing,))
    fresh = load_record(check.spec.out_record)["metrics"]
    differences = compare(load_record(check.committed)["metrics"], fresh, whole=check.whole)
    return Verification(check.spec.name, result.seconds, len(fresh), tuple(differences))


def compare(committed: Mapping[str, Any], fresh: Mapping[str, Any], *, whole: bool) -> list[str]:
    """The metrics that differ, one line each; `whole` when both runs had the same parameters."""
    differences = []
    for key, new in fresh.items():
        if key not in committed:
            differences.append(f"{key}: is not in the committed record")
        elif not within(committed[key], new):
            old = committed[key]
            low, high = _allowed(old, new["n"])
            differences.append(
                f"{key}: now {new['mean']:.8g}, committed {old['mean']:.8g}, allowed {low:.8g} to {high:.8g}"
            )
    if whole:
        differences += [f"{key}: is in the committed record only" for key in committed if key not in fresh]
    return differences


def within(committed: Mapping[str, Any], fresh: Mapping[str, Any]) -> bool:
    """Whether a new metric agrees with the committed one by the rule of this module."""
    low, high = _allowed(committed, fresh["n"])
    return bool(low <= fresh["mean"] <= high)


def _allowed(committed: Mapping[str, Any], n: int) -> tuple[float, float]:
    mean, low, high = committed["mean"], committed["low"], committed["high"]
    slack = max(RELATIVE * abs(mean), ABSOLUTE)
    if committed["interval"] == "deterministic" or low is None:
        return mean - slack, mean + slack
    extra = (math.sqrt(1 + committed["n"] / n) - 1) * (high - low) / 2
    return low - extra - slack, high + extra + slack
