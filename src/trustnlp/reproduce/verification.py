"""Re-run the quick part of the `paper` profile and compare with the committed records: a regression test on real data.

How near the new number must come is what the record says of it (`repeats`):

- exact, float64: equal but for the last digits, seed by seed where both runs have a value for each seed;
- float32: processors add in another order, and a training goes on from there. A number without chance may differ in
  its fourth digit. The mean of m seeds may be t·s·√(1/n + 1/m) away from that of the record's n, whose standard
  deviation is s: the difference of two means has the errors of both. Student's t is taken at a level at which a
  notebook whose numbers are all sound fails once in a hundred times, however many it has (Bonferroni);
- timed: not compared.

A metric that one of the two records lacks is a difference too, save what `params.yaml` excepts from a partial run. A
run of the whole also has to give each claim the verdict it has.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trustnlp.reproduce.measurement import bounds, covers, exactness
from trustnlp.reproduce.params import load_params
from trustnlp.reproduce.project import UserError, chapters, git_commit, git_dirty, nearest, project_root
from trustnlp.reproduce.runner import plan, relocate, run_many
from trustnlp.reproduce.runs import OnEvent, RunResult, RunSpec
from trustnlp.reproduce.sources import results_of
from trustnlp.reproduce.standing import committed, doubts

# Relative and absolute differences that say nothing. Those of float32 were measured: effect sizes of MiniLM's states
# differ by up to 8.3e-4 between instruction sets, and their p-values by up to 5.4e-4.
SLACK = {"exact": (1e-12, 1e-12), "float64": (1e-6, 1e-9), "float32": (1e-3, 2e-3)}
FALSE_ALARMS = 0.01
# A bounded number of a training scatters by at least this part of its range: a tenth of a point, for per cent.
LEAST_SCATTER = 1000
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
        from trustnlp.reproduce.records import load_record

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
        A name that is none of the notebooks that `params.yaml` marks with `verify`.
    """
    found: dict[str, Check] = {}
    for chapter in chapters():
        for name, entry in load_params(chapter).notebooks.items():
            if entry.verify is None:
                continue
            [spec] = plan(chapter, name, "paper", entry.verify)
            spec = relocate(spec, project_root() / "_build" / "verify" / chapter, name)
            found[f"{chapter}/{name}"] = Check(spec, committed(chapter, name), entry.verify, entry.verify_except)
    for name in asked:
        if name not in found and name not in {known.partition("/")[0] for known in found}:
            raise UserError(f"nothing to verify in '{name}'{nearest(name, found)} (known: {', '.join(found)})")
    if asked:
        chosen = [known for known in found if known in asked or known.partition("/")[0] in asked]
    else:
        turn = quarter if quarter is not None else int(time.time() // 86400) % QUARTERS
        over = passed_over()
        found = {known: check for known, check in found.items() if known not in over}
        chosen = [known for known, its in _turns(found).items() if everything or its == turn or _in_doubt(found[known])]
    return sorted((found[name] for name in chosen), key=_seconds, reverse=True)


def passed_over() -> dict[str, str]:
    """Notebooks with a `verify` form that are verified by name only, and why: no record, or something is missing."""
    reasons: dict[str, str] = {}
    for entry in (entry for chapter in chapters() for entry in load_params(chapter).notebooks.values()):
        name = f"{entry.chapter}/{entry.name}"
        absent = [module for module in entry.verify_needs if not find_spec(module)]
        if absent:
            reasons[name] = f"{absent[0]} is not installed"
        elif entry.verify is not None and not committed(entry.chapter, entry.name).is_file():
            reasons[name] = "there is no record yet"
        elif not all(map(_kept, entry.verify_trained)):
            reasons[name] = f"its models are not trained on this machine; `trustnlp verify {name}` trains them first"
    return reasons


def _kept(module: str) -> bool:
    """Whether the cache has what today's code of a module has trained."""
    folder = results_of(module)
    return folder.is_dir() and any(folder.iterdir())


def _turns(found: dict[str, Check]) -> dict[str, int]:
    """The quarter of each check, 0 to 3: dealt out there and back from the longest on, so that quarters take alike."""
    longest_first = sorted(found, key=lambda name: _seconds(found[name]), reverse=True)
    there_and_back = [*range(QUARTERS), *reversed(range(QUARTERS))]
    return dict(zip(longest_first, itertools.cycle(there_and_back), strict=False))


def _seconds(check: Check) -> float:
    """What the whole run took: a verification may have found its trainings in the cache, unlike the next one."""
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
        Data are missing, or a stamp is asked for while other files than records are not committed.
    """
    if stamp and git_dirty(project_root()):
        raise UserError("a stamp says which code was verified: commit your changes first")
    results = run_many([check.spec for check in checks], workers=workers, resume=False, on_event=on_event)
    return [_compare_run(check, result, stamp) for check, result in zip(checks, results, strict=True)]


def _compare_run(check: Check, result: RunResult, stamp: bool) -> Verification:
    from trustnlp.reproduce.records import load_record

    if result.status == "failed":
        return Verification(check.spec.name, result.seconds, 0, (result.error or "failed",))
    if not check.committed.is_file():
        missing = f"there is no record yet; run `trustnlp run {check.spec.name} --profile paper`"
        return Verification(check.spec.name, result.seconds, 0, (missing,))
    old, new = load_record(check.committed), load_record(check.spec.out_record)
    differences = compare(old, new, left_out=check.left_out)
    if not check.changed:
        differences += _changed_verdicts(old, new)
    compared = len(_comparable(new, check.left_out))
    if not compared:
        differences.append("nothing was compared: every metric is timed or excepted")
    if stamp and not differences:
        _stamp(check, old, new, compared)
    return Verification(check.spec.name, result.seconds, compared, tuple(differences), stamp and not differences)


def compare(old: Mapping[str, Any], new: Mapping[str, Any], left_out: Collection[str] = ()) -> list[str]:
    """The metrics in which a new record differs from the committed one, one line each."""
    fresh = _comparable(new, left_out)
    chances = sum(metric["interval"] != "deterministic" for metric in fresh.values())
    differences = []
    both = new["metrics"].keys() & old["metrics"].keys()
    if any(exactness(new["repeats"], key) != exactness(old["repeats"], key) for key in both):
        differences.append(f"repeats: now {new['repeats']}, committed {old['repeats']}")
    absent = [key for key in new["metrics"] if key not in old["metrics"] and not _any_covers(left_out, key)]
    differences += [f"{key}: is not in the committed record" for key in absent]
    for key, metric in fresh.items():
        if key in old["metrics"]:
            exact, before = exactness(new["repeats"], key), old["metrics"][key]
            differences += [f"{key}: {text}" for text in _differs(before, metric, exact, old, new, chances)]
    if new["parameters"] == old["parameters"]:
        absent = [key for key in old["metrics"] if key not in new["metrics"]]
        differences += [f"{key}: is in the committed record only" for key in absent if not _any_covers(left_out, key)]
    return differences


def _comparable(record: Mapping[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """The metrics of a new record that can be held against the committed one."""
    return {
        key: metric
        for key, metric in record["metrics"].items()
        if not _any_covers(left_out, key) and exactness(record["repeats"], key) != "timed"
    }


def _any_covers(prefixes: Collection[str], key: str) -> bool:
    return any(covers(prefix, key) for prefix in prefixes)


def _differs(
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    exact: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    chances: int,
) -> list[str]:
    """What is wrong with one metric, or nothing."""
    if before["interval"] == "given" and len(before["values"]) == len(old["seeds"]) > 1:
        before = {**before, "interval": "t"}  # one value per seed says how they scatter, whatever the interval holds
    relative, absolute = SLACK[exact]
    pairs = _pairs(before, now, old["seeds"], new["seeds"]) if exact != "float32" else None
    if pairs is None:
        low, high = allowed(before, now["n"], exact, chances)
        if low <= now["mean"] <= high:
            return []
        return [f"now {now['mean']:.8g}, committed {before['mean']:.8g}, allowed {low:.8g} to {high:.8g} ({exact})"]
    return [
        f"{which}: now {mine:.8g}, committed {theirs:.8g} ({exact})"
        for which, mine, theirs in pairs
        if abs(mine - theirs) > max(relative * abs(theirs), absolute)
    ]


def _pairs(
    before: Mapping[str, Any], now: Mapping[str, Any], old: list[int], new: list[int]
) -> list[tuple[str, float, float]] | None:
    """Which value, the new and the committed one, where the two records hold the same: by seed, or one by one."""
    mine, theirs = now["values"], before["values"]
    if before["interval"] not in ("t", "bootstrap"):
        return None
    if len(theirs) == len(old) and len(mine) == len(new) and set(new) <= set(old):
        return [(f"seed {seed}", mine[at], theirs[old.index(seed)]) for at, seed in enumerate(new)]
    if len(mine) == len(theirs) and new == old:
        return [(f"value {at}", *pair) for at, pair in enumerate(zip(mine, theirs, strict=True), start=1)]
    return None


def allowed(before: Mapping[str, Any], n: int, exact: str, chances: int = 1) -> tuple[float, float]:
    """Between which ends the mean of `n` new values must lie, if `chances` such metrics are looked at."""
    relative, absolute = SLACK[exact]
    mean, known = before["mean"], before["n"]
    slack = max(relative * abs(mean), absolute)
    if before["interval"] not in ("t", "bootstrap") or known == 1:
        return mean - slack, mean + slack
    # Here, not above: what only lists chapters should not wait for scipy.
    from scipy.stats import t

    quantile = t.ppf(1 - FALSE_ALARMS / (2 * max(chances, 1)), known - 1)
    smallest, largest = bounds(before["unit"])
    # A share that no seed moved, such as 0 % in all, moves by a text or two in another training.
    least = (largest - smallest) / LEAST_SCATTER if exact == "float32" and math.isfinite(largest) else 0.0
    half = float(quantile) * max(statistics.stdev(before["values"]), least) * math.sqrt(1 / known + 1 / n)
    return mean - half - slack, mean + half + slack


def _changed_verdicts(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    from trustnlp.reproduce.claims import load_claims
    from trustnlp.reproduce.verdicts import judge

    name = f"{old['notebook']}.paper"
    found = []
    for claim in load_claims(old["chapter"]).claims:
        if claim.record == name:
            before, now = judge(claim, old), judge(claim, new)
            if before.verdict is not now.verdict:
                found.append(f"claim {claim.id}: now '{now.verdict}' ({now.why}), committed '{before.verdict}'")
    return found


def _stamp(check: Check, old: dict[str, Any], new: Mapping[str, Any], compared: int) -> None:
    """Let the committed record stand for the code that was just verified."""
    from trustnlp.reproduce.records import digest, write_record

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
    record = {**old, "deviations": deviations, "sources": new["sources"], "verified": stamp}
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
