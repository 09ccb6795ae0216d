"""Whether a new run agrees with the committed record, metric by metric.

How near the new number must come is what the record says of it (`repeats`):

- exact, float64: equal but for the last digits, seed by seed where both runs have a value for each seed;
- float32: processors add in another order, and a training goes on from there. A number without chance may differ in
  its fourth digit. The mean of m seeds may be t·s·√(1/n + 1/m) away from that of the record's n, whose standard
  deviation is s: the difference of two means has the errors of both. Student's t is taken at a level at which a
  notebook whose numbers are all sound fails once in a hundred times, however many it has (Bonferroni);
- timed: not compared.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Mapping
from typing import Any

from trustnlp.reproduce.records.measurement import bounds, covers, exactness

# Relative and absolute differences that say nothing. Those of float32 were measured: effect sizes of MiniLM's states
# differ by up to 8.3e-4 between instruction sets, and their p-values by up to 5.4e-4.
SLACK = {"exact": (1e-12, 1e-12), "float64": (1e-6, 1e-9), "float32": (1e-3, 2e-3)}
FALSE_ALARMS = 0.01
# A bounded number of a training scatters by at least this part of its range: a tenth of a point, for per cent.
LEAST_SCATTER = 1000


def compare(old: Mapping[str, Any], new: Mapping[str, Any], left_out: Collection[str] = ()) -> list[str]:
    """The metrics in which a new record differs from the committed one, one line each."""
    differing = []
    both = [key for key in new["metrics"] if key in old["metrics"]]
    if any(exactness(new["repeats"], key) != exactness(old["repeats"], key) for key in both):
        differing.append(f"repeats: now {new['repeats']}, committed {old['repeats']}")
    differing += [f"{key}: is not in the committed record" for key in _lacking(old, new, left_out)]
    units = {key: (new["metrics"][key]["unit"], old["metrics"][key]["unit"]) for key in both}
    differing += [f"{key}: its unit is now {now}, committed {was}" for key, (now, was) in units.items() if now != was]
    by_key = differences(old, new, left_out)
    differing += [f"{key}: {text}" for key, texts in by_key.items() for text in texts]
    if new["parameters"] == old["parameters"]:
        differing += [f"{key}: is in the committed record only" for key in _lacking(new, old, left_out)]
    return differing


def _lacking(record: Mapping[str, Any], other: Mapping[str, Any], left_out: Collection[str]) -> list[str]:
    """The metrics of another record that a record lacks."""
    return [key for key in other["metrics"] if key not in record["metrics"] and not _any_covers(left_out, key)]


def differences(old: Mapping[str, Any], new: Mapping[str, Any], left_out: Collection[str] = ()) -> dict[str, list[str]]:
    """The faults of each metric that two records have and that can be compared; an empty list where it agrees."""
    fresh = comparable(new, left_out)
    chances = sum(metric["interval"] != "deterministic" for metric in fresh.values())
    return {
        key: _faults(old["metrics"][key], metric, exactness(new["repeats"], key), old, new, chances)
        for key, metric in fresh.items()
        if key in old["metrics"]
    }


def comparable(record: Mapping[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """The metrics of a new record that can be held against the committed one."""
    return {
        key: metric
        for key, metric in record["metrics"].items()
        if not _any_covers(left_out, key) and exactness(record["repeats"], key) != "timed"
    }


def _any_covers(prefixes: Collection[str], key: str) -> bool:
    return any(covers(prefix, key) for prefix in prefixes)


def _faults(
    before: Mapping[str, Any], now: Mapping[str, Any], exact: str, old: Mapping[str, Any], new: Mapping[str, Any],
    chances: int,
) -> list[str]:  # fmt: skip
    """The faults of one metric, or nothing."""
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
