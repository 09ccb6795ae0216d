"""Join paper runs made in parts, by seed or by cell of a grid, into the record that one run of the whole would leave.

Parts must be the same run but for the lists that they divide among them: same code, versions, device, precision, data
and other parameters. Together they must hold each cell of the whole once. What becomes of a metric:

- one value per seed, and the parts divide the seeds: values are put in the order of the seeds, the interval is computed
  again;
- otherwise all parts that have it must agree, as exactly as the metric repeats on another machine; if only some have
  it, its key must name a value that only they were given (`accuracy.eps0.05` and ε = 0.05);
- what needs a whole list (a count over all seeds, a difference to the next ε) cannot be joined. No program can see that
  in a record: two parts may count the same by chance. So `params.yaml` names these metrics, under `parts`, for each
  list that a run may be divided by, and lists that it does not name may not be divided.

Metrics that cannot be joined are left out. If a claim rests on one of them, there is no record.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trustnlp.files.path_collisions import PathCollisionError, check_distinct
from trustnlp.reproduce.checks.agreement import SLACK
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import UserError, nearest, project_root, shown
from trustnlp.reproduce.records.measurement import covers, exactness, summary
from trustnlp.reproduce.records.recording import complete, load_record, write_record
from trustnlp.reproduce.runs.params import SEEDS, NotebookParams, committed, load_params, question
from trustnlp.reproduce.runs.part_checks import (
    Parts,
    check_cells,
    check_declared,
    check_part,
    check_same,
    check_seeds,
    other_parameters,
)
from trustnlp.reproduce.runs.sweep import sweep_folder

# Where and when a part was run: what may differ between parts, and is kept of each.
_PLACE = ("started", "git_commit", "hardware", "device", "instructions", "seconds", "peak_memory_mb", "digest")


@dataclass(frozen=True)
class Joined:
    """A joined record, how many parts it has, and why each metric or array that is not in it was left out."""

    record: dict[str, Any]
    parts: int
    left_out: Mapping[str, str]


def join_files(
    chapter: str, notebook: str, paths: Sequence[Path] = (), grid: str | None = None, out: Path | None = None
) -> tuple[Joined, Path]:
    """Join records and write the result; nothing is written unless everything agrees.

    Parameters
    ----------
    paths
        Records of the parts; by default each paper record in `_build/sweeps` and `_build/runs` that is a part of it.
    grid
        Name of the sweep whose question the record answers; by default that of the paper profile.
    out
        Where to write; by default the chapter's committed record.

    Raises
    ------
    UserError
        If given parts that do not fit together or leave a hole, or a claim that rests on a metric that cannot be
        joined.
    """
    entry = load_params(chapter).notebook(notebook)
    asked = _asked(entry, grid)
    parts = paths or list(_parts_of(entry, asked))
    if not parts:
        raise UserError(
            f"no paper run in {shown(sweep_folder(chapter, notebook))} is a part of this; make some, such as "
            f"`trustnlp run {chapter}/{notebook} --profile paper --seeds 0`, or name their records"
        )
    place = out or committed(chapter, notebook)
    try:
        check_distinct({f"part {number}": path for number, path in enumerate(parts, start=1)}, {"the record": place})
    except PathCollisionError as error:
        raise UserError(str(error)) from None
    joined = join({shown(path): load_record(path) for path in parts}, entry, asked)
    _refuse_claims_without_metric(joined, entry)
    write_record(place, joined.record)
    return joined, place


def _asked(entry: NotebookParams, grid: str | None) -> dict[str, Any]:
    """Parameters of the whole: the paper profile's, or what a sweep makes of it."""
    if grid is None:
        return question(entry.resolve("paper"))
    sweeps = load_params(entry.chapter).sweeps.values()
    known = {sweep.name: sweep for sweep in sweeps if sweep.completes and sweep.notebook == entry.name}
    if grid not in known:
        raise UserError(
            f"'{grid}' is no sweep of {entry.chapter}/{entry.name} with `completes: true`{nearest(grid, known)} "
            f"(known: {', '.join(known) or 'none'})"
        )
    return question(entry.resolve("paper", known[grid].whole()))


def _parts_of(entry: NotebookParams, asked: Mapping[str, Any]) -> Iterator[Path]:
    runs = project_root() / "_build" / "runs" / entry.chapter
    candidates = [*sweep_folder(entry.chapter, entry.name).glob("*.json"), *runs.glob(f"{entry.name}.paper*.json")]
    for path in sorted(candidates):
        if ".part." not in path.name:
            record = load_record(path)
            if record["profile"] == "paper" and not other_parameters(question(record["parameters"]), asked):
                yield path


def join(parts: Parts, entry: NotebookParams, asked: Mapping[str, Any]) -> Joined:
    """One record of checked records, by their names; `asked` are the parameters of the whole.

    Raises
    ------
    UserError
        If something does not fit: what, and in which part.
    """
    for name, part in parts.items():
        check_part(name, part, entry, asked)
    split = [name for name in asked if any(part["parameters"][name] != asked[name] for part in parts.values())]
    check_same(parts, split)
    check_cells(parts, split, asked)
    check_declared(entry, split)
    check_seeds(parts, split)
    # Two parts may start in the same second: then the name decides, not the order in which they were given.
    ordered = dict(sorted(parts.items(), key=lambda item: (item[1]["started"], item[0])))
    first = next(iter(ordered.values()))
    if len(parts) == 1:
        return Joined(dict(first), 1, {})
    seeds = list(asked[SEEDS]) if SEEDS in split else first[SEEDS]
    joiner = _Joiner(ordered, seeds, split, needing_all(entry, split))
    metrics, arrays = joiner.joined("metrics"), joiner.joined("arrays")
    record = complete(
        {
            **first,
            "parameters": {**first["parameters"], **asked},
            "seeds": seeds,
            "data": {name: files for part in ordered.values() for name, files in part["data"].items()},
            "metrics": metrics,
            "arrays": arrays,
            "deviations": _union(item for part in ordered.values() for item in part["deviations"]),
            "instructions": ", ".join(_union(filter(None, (p["instructions"] for p in ordered.values())))) or None,
            "cache_key": hashlib.sha256("".join(p["cache_key"] for p in ordered.values()).encode()).hexdigest(),
            "threads": max(part["threads"] for part in ordered.values()),
            "seconds": round(math.fsum(part["seconds"] for part in ordered.values()), 3),
            "peak_memory_mb": max(part["peak_memory_mb"] for part in ordered.values()),
            "verified": None,
            "parts": [
                {"parameters": {name: part["parameters"][name] for name in split}}
                | {field: part[field] for field in _PLACE}
                for part in ordered.values()
            ],
        }
    )
    return Joined(record, len(parts), joiner.left_out)


def needing_all(entry: NotebookParams, split: Iterable[str]) -> tuple[str, ...]:
    """First names of the metrics that need the whole of a list.

    What a verification that shortens it excepts does, too, unless it shortens another list as well, which may be why.
    """
    prefixes: tuple[str, ...] = ()
    for name in split:
        prefixes += tuple(entry.parts[name]) + (entry.verify_except if set(entry.verify or {}) == {name} else ())
    return tuple(dict.fromkeys(prefixes))


def _union(items: Iterable[Any]) -> list[Any]:
    """Each item once, in order; items need not be hashable."""
    union: list[Any] = []
    for item in items:
        if item not in union:
            union.append(item)
    return union


class _Joiner:
    """Metrics and arrays of the parts, joined by key; `left_out` fills up with what cannot be."""

    def __init__(self, parts: Parts, seeds: list[int], split: Sequence[str], whole: Sequence[str]) -> None:
        self.parts, self.seeds, self.split = parts, seeds, split
        self.left_out: dict[str, str] = {}
        for prefix in whole:
            self.left_out[prefix] = "needs the whole, as params.yaml says"

    def joined(self, field: str) -> dict[str, Any]:
        of: Any = self._metric if field == "metrics" else self._array
        whole = tuple(self.left_out)
        united = {}
        for key in dict.fromkeys(key for part in self.parts.values() for key in part[field]):
            if any(covers(prefix, key) for prefix in whole):
                continue
            holders = [part for part in self.parts.values() if key in part[field]]
            try:
                if len(holders) < len(self.parts) and not self._named(key, holders):
                    raise _NotJoined("only some parts have it, and it names nothing that only they were given")
                united[key] = of(key, holders)
            except _NotJoined as why:
                self.left_out[key] = str(why)
        return united

    def _named(self, key: str, holders: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the key names a value that these parts were given and no other was."""
        others = [part for part in self.parts.values() if part not in holders]
        for name in self.split:
            if name == SEEDS:
                continue
            theirs = {value for part in others for value in part["parameters"][name]}
            own = {value for part in holders for value in part["parameters"][name]} - theirs
            if any(names(key, value) for value in own):
                return True
        return False

    def _metric(self, key: str, holders: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        metrics = [part["metrics"][key] for part in holders]
        kind, unit = metrics[0]["interval"], metrics[0]["unit"]
        if any((metric["interval"], metric["unit"]) != (kind, unit) for metric in metrics):
            raise _NotJoined("parts differ in its unit or in the kind of its interval")
        exact = exactness(holders[0]["repeats"], key)
        if (
            SEEDS in self.split
            and kind in ("t", "bootstrap")
            and all(metric["n"] == len(part[SEEDS]) for metric, part in zip(metrics, holders, strict=True))
        ):
            values = self._by_seed(metrics, holders, exact)
            return summary(values, kind, unit=unit, seeds=self.seeds)
        for metric in metrics[1:]:
            _agree(metric["values"], metrics[0]["values"], exact)
            if kind == "given":
                _agree([metric["low"], metric["high"]], [metrics[0]["low"], metrics[0]["high"]], exact)
        interval = (metrics[0]["low"], metrics[0]["high"]) if kind == "given" else kind
        return summary(metrics[0]["values"], interval, unit=unit, seeds=self.seeds)

    def _by_seed(
        self, metrics: Sequence[Mapping[str, Any]], holders: Sequence[Mapping[str, Any]], exact: str
    ) -> list[float]:
        values: dict[int, float] = {}
        for metric, part in zip(metrics, holders, strict=True):
            for seed, value in zip(part[SEEDS], metric["values"], strict=True):
                _agree([value], [values.setdefault(seed, value)], exact)
        missing = [str(seed) for seed in self.seeds if seed not in values]
        if missing:
            raise _NotJoined(f"no part has it for seed {', '.join(missing)}")
        return [values[seed] for seed in self.seeds]

    def _array(self, key: str, holders: Sequence[Mapping[str, Any]]) -> Any:
        """The value that all holders have alike; mappings are united, if no two say different things of one name."""
        united, *others = (part["arrays"][key] for part in holders)
        for other in others:
            if other == united:
                continue
            if not (isinstance(united, dict) and isinstance(other, dict)) or any(
                united[name] != other[name] for name in united.keys() & other.keys()
            ):
                raise _NotJoined("an array that differs between parts")
            united = {**united, **other}
        return united


class _NotJoined(Exception):  # noqa: N818 - not an error: the reason why a metric is left out
    """Why one metric or array has no place in the joined record."""


def _agree(mine: Sequence[float], theirs: Sequence[float], exact: str) -> None:
    """Raise `_NotJoined` unless two parts have the same values, as exactly as these repeat; clocks only if equal."""
    relative, absolute = SLACK.get(exact, (0.0, 0.0))
    same = len(mine) == len(theirs) and all(
        math.isclose(one, other, rel_tol=relative, abs_tol=absolute) for one, other in zip(mine, theirs, strict=True)
    )
    if not same:
        texts = [", ".join(f"{value:.8g}" for value in values) for values in (theirs, mine)]
        raise _NotJoined(f"parts do not agree ({texts[0]} and {texts[1]}, {exact}): it may need the whole")


def names(key: str, value: Any) -> bool:
    """Whether a key names a value.

    >>> names("accuracy.eps0.5.mu0", 0.5), names("accuracy.eps0.5.mu0", 5), names("accuracy.plain", "plain")
    (True, False, True)
    """
    if isinstance(value, str):
        return re.search(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", key) is not None
    text = re.escape(f"{value:g}")
    return re.search(rf"(?<!\d)(?<!\d\.){text}(?!\d)(?!\.\d)", key) is not None


def _refuse_claims_without_metric(joined: Joined, entry: NotebookParams) -> None:
    """A record without a claim's metric would lower its verdict for the way the run was made."""
    record = f"{entry.name}.paper"
    resting = []
    for claim in load_claims(entry.chapter).claims:
        if claim.record == record and claim.key and claim.key not in joined.record["metrics"]:
            if claim.not_measured or claim.lacking:
                continue
            why = next((why for name, why in joined.left_out.items() if covers(name, claim.key)), None)
            resting += [f"{claim.id} ({claim.key}: {why})"] if why else []
    if resting:
        more = f" and {len(resting) - 5} more" if len(resting) > 5 else ""
        raise UserError(
            f"claims rest on metrics that cannot be joined: {'; '.join(resting[:5])}{more}. Run the whole once more "
            "in one piece where the parts ran: trainings that the parts saved are read from the cache"
        )
