"""Re-run the quick part of the `paper` profile and compare with the committed records: a regression test on real data.

How near the new number must come is what the record says of it (`trustnlp.reproduce.checks.agreement`). A metric that
one of the two records lacks is a difference too, save what `params.yaml` excepts from a partial run. A run of the whole
also has to give each claim the verdict it has.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trustnlp.reproduce.checks.agreement import comparable, compare
from trustnlp.reproduce.checks.standing import doubts
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.reproduce.project import UserError, chapters, git_commit, git_dirty, nearest, project_root
from trustnlp.reproduce.runs.params import committed, load_params
from trustnlp.reproduce.runs.run_states import OnEvent, RunResult, RunSpec
from trustnlp.reproduce.runs.runner import only_fetched, plan, relocate, run_many

QUARTERS = 4


@dataclass(frozen=True)
class Verification:
    """One notebook: how many metrics were compared and which differ."""

    name: str
    seconds: float
    compared: int
    differences: tuple[str, ...]
    stamped: bool = False


@dataclass(frozen=True)
class Check:
    """One notebook's verification: the run, the record it is compared with, and what is not comparable."""

    spec: RunSpec
    committed: Path
    changed: Mapping[str, Any]
    left_out: tuple[str, ...] = ()

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """The committed record as it was at the first look, None where there is none."""
        from trustnlp.reproduce.records.recording import load_record

        return load_record(self.committed) if self.committed.is_file() else None


def planned(asked: Collection[str] = (), *, everything: bool = False, quarter: int | None = None) -> list[Check]:
    """The runs of a verification, the longest first.

    Parameters
    ----------
    asked
        Chapters, or notebooks as `CHAPTER/NOTEBOOK`; those and no others.
    everything
        All that can be verified here. Otherwise, if nothing is asked for: each notebook whose record is in doubt, and a
        quarter of the rest, another one each day. A notebook that has no record yet is verified by name only: whether
        a ledger may do without a record is for `verdicts --check` to say.
    quarter
        Which quarter, 0 to 3.

    Raises
    ------
    UserError
        If given a name that is none of the notebooks that `params.yaml` marks with `verify`.
    """
    checks: dict[str, Check] = {}
    for chapter in chapters():
        for name, entry in load_params(chapter).notebooks.items():
            if entry.verify is None:
                continue
            [spec] = plan(chapter, name, "paper", entry.verify)
            spec = relocate(spec, project_root() / "_build" / "verify" / chapter, name)
            checks[f"{chapter}/{name}"] = Check(spec, committed(chapter, name), entry.verify, entry.verify_except)
    for name in asked:
        if name not in checks and name not in {known.partition("/")[0] for known in checks}:
            raise UserError(f"nothing to verify in '{name}'{nearest(name, checks)} (known: {', '.join(checks)})")
    if asked:
        chosen = [known for known in checks if known in asked or known.partition("/")[0] in asked]
    else:
        turn = quarter if quarter is not None else int(time.time() // 86400) % QUARTERS
        over = passed_over()
        checks = {known: check for known, check in checks.items() if known not in over}
        chosen = [
            known for known, its in _turns(checks).items() if everything or its == turn or _in_doubt(checks[known])
        ]
    return sorted((checks[name] for name in chosen), key=_seconds, reverse=True)


def passed_over() -> dict[str, str]:
    """Notebooks with a `verify` form that are verified by name only, and why: no record, or something is missing."""
    reasons: dict[str, str] = {}
    # Many notebooks share a data set, whose files are hashed to see whether they are here.
    fetched = cache(only_fetched)
    for entry in (entry for chapter in chapters() for entry in load_params(chapter).notebooks.values()):
        name = f"{entry.chapter}/{entry.name}"
        absent = [module for module in entry.verify_needs if not find_spec(module)]
        if absent:
            reasons[name] = f"{absent[0]} is not installed"
        elif entry.verify is not None and not committed(entry.chapter, entry.name).is_file():
            reasons[name] = "there is no record yet"
        elif entry.verify is not None and (away := list(filter(fetched, entry.data["paper"]))):
            remedy = f"`trustnlp data fetch {away[0]}` brings it, or says who does"
            reasons[name] = f"{', '.join(away)} is not here; {remedy}"
        elif not all(map(_kept, entry.verify_trained)):
            reasons[name] = f"its models are not trained on this machine; `trustnlp verify {name}` trains them first"
    return reasons


def _kept(module: str) -> bool:
    """Whether the cache has what today's code of a module has trained."""
    folder = results_of(module)
    return folder.is_dir() and any(folder.iterdir())


def _turns(checks: dict[str, Check]) -> dict[str, int]:
    """The quarter of each check, 0 to 3: dealt out there and back from the longest on, so that quarters take alike."""
    longest_first = sorted(checks, key=lambda name: _seconds(checks[name]), reverse=True)
    there_and_back = [*range(QUARTERS), *reversed(range(QUARTERS))]
    return dict(zip(longest_first, itertools.cycle(there_and_back), strict=False))


def _seconds(check: Check) -> float:
    """The seconds of the whole run: a verification may have found its trainings in the cache, unlike the next one."""
    return float(check.record["seconds"]) if check.record else math.inf


def _in_doubt(check: Check) -> bool:
    return check.record is not None and bool(doubts(check.record))


def verify(
    checks: Collection[Check], *, workers: int = 2, stamp: bool = False, on_event: OnEvent | None = None
) -> list[Verification]:
    """Run the checks into `_build/verify` and compare; `stamp` lets records that agree stand for today's code.

    Raises
    ------
    UserError
        If data are missing, or a stamp is asked for while other files than records are not committed.
    """
    if stamp and git_dirty(project_root()):
        raise UserError("a stamp says which code was verified: commit your changes first")
    results = run_many([check.spec for check in checks], workers=workers, resume=False, on_event=on_event)
    return [_compare_run(check, result, stamp) for check, result in zip(checks, results, strict=True)]


def _compare_run(check: Check, result: RunResult, stamp: bool) -> Verification:
    from trustnlp.reproduce.records.recording import load_record

    if result.status == "failed":
        return Verification(check.spec.name, result.seconds, 0, (result.error or "failed",))
    if not check.committed.is_file():
        missing = f"there is no record yet; run `trustnlp run {check.spec.name} --profile paper`"
        return Verification(check.spec.name, result.seconds, 0, (missing,))
    old, new = load_record(check.committed), load_record(check.spec.out_record)
    differences = compare(old, new, left_out=check.left_out)
    if not check.changed:
        differences += _changed_verdicts(old, new)
    compared = len(comparable(new, check.left_out))
    if not compared:
        differences.append("nothing was compared: every metric is timed or excepted")
    if stamp and not differences:
        _stamp(check, old, new, compared)
    return Verification(check.spec.name, result.seconds, compared, tuple(differences), stamp and not differences)


def _changed_verdicts(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    from trustnlp.reproduce.claims.ledgers import load_claims
    from trustnlp.reproduce.claims.verdicts import judge

    name = f"{old['notebook']}.paper"
    changed = []
    for claim in load_claims(old["chapter"]).claims:
        if claim.record == name:
            before, now = judge(claim, old), judge(claim, new)
            if before.verdict is not now.verdict:
                changed.append(f"claim {claim.id}: now '{now.verdict}' ({now.why}), committed '{before.verdict}'")
    return changed


def _stamp(check: Check, old: dict[str, Any], new: Mapping[str, Any], compared: int) -> None:
    """Let the committed record stand for the code that was just verified."""
    from trustnlp.reproduce.records.recording import digest, write_record

    stamp = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "git_commit": git_commit(project_root()),
        "parameters": dict(check.changed),
        "compared": compared,
        "cpu": new["hardware"]["cpu"],
        "instructions": new["instructions"],
        "device": new["device"],
        "seconds": new["seconds"],
    }
    deviations = _kept_deviations(old["deviations"], new["deviations"], whole=not check.changed)
    # Parameters and data that the notebook has no more are no part of the question: the numbers agree without them.
    declared = load_params(old["chapter"]).notebook(old["notebook"]).data["paper"]
    record = {
        **old,
        "parameters": {name: value for name, value in old["parameters"].items() if name in new["parameters"]},
        "data": {name: files for name, files in old["data"].items() if name in declared},
        "deviations": deviations,
        "sources": new["sources"],
        "verified": stamp,
    }
    write_record(check.committed, {**record, "digest": digest(record)})


def _kept_deviations(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], *, whole: bool
) -> list[dict[str, Any]]:
    """The deviations of a stamped record: a run of the whole says which metrics each concerns, a partial run adds.

    A partial run does not measure all that the record holds, and names only keys of what it measured: what it leaves
    out says nothing, and no keys (all metrics, in a record) may just mean that it measured none of them.
    """
    concerned = {item["text"]: item["keys"] for item in new}
    kept = []
    for item in old:
        keys = concerned.get(item["text"], item["keys"])
        if not whole:
            keys = list(dict.fromkeys([*item["keys"], *keys])) if item["keys"] else []
        kept.append({**item, "keys": keys})
    return kept
