"""Paired timings that are printed as they come and that say when they are worth nothing.

A machine that others use drifts by tens of per cent within minutes. So ours and a peer are timed in turn, in one
process, the first of each pair changing from pair to pair; the figure is the median of the pairs' ratios. It is printed
with the range of the ratios that holds the true median with 90 % confidence (all of them, where they are few).

A figure is marked worthless where, in half of its pairs or more, other processes took the cores, or where that range
is wider than a factor of `WIDE`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

WIDE = 1.5  # a ratio between 1.2 and 1.8 does not tell who is faster by how much
WAITING = 0.1  # share of a run's time
SAMPLE = 0.1  # seconds: jobs shorter than this are repeated within one timing
COUNTED = 1.0  # seconds: a first call longer than this is no warm-up but the first measurement

Job = Callable[[], object]
say = partial(print, flush=True)


@dataclass(frozen=True)
class Reading:
    """Seconds: of the clock, of this process and its ended children, of all processes (not a number if unknown)."""

    wall: float
    own: float
    busy: float


def read_machine() -> Reading:
    """The clocks now."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    try:
        ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        # User, nice, system; then interrupts and what other virtual machines took. Idle and waiting for disks are left.
        busy = (sum(ticks[:3]) + sum(ticks[5:8])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        busy = math.nan
    return Reading(time.perf_counter(), sum(use.ru_utime + use.ru_stime for use in used), busy)


@dataclass(frozen=True)
class Run:
    """One timing: wall and CPU seconds of one call, and how many cores other processes used meanwhile."""

    wall: float
    cpu: float
    others: float
    cores: int

    def taken(self) -> str:
        """How other processes disturbed this run; empty if they did not."""
        own = self.cpu / self.wall
        if own < 1 - WAITING:
            return f"the run waited {1 - own:.0%} of its time for a core"
        if self.others > WAITING * self.cores and own + self.others > (1 - WAITING / 2) * self.cores:
            return f"other processes used {self.others:.1f} of {self.cores} cores and left none over"
        return ""


def timed(job: Job, calls: int = 1, *, read: Callable[[], Reading] = read_machine, cores: int | None = None) -> Run:
    """Time some calls of a job, which has to be one that computes: sleeping counts as waiting for a core."""
    cores = cores or os.cpu_count() or 1
    before = read()
    for _ in range(calls):
        job()
    after = read()
    wall, own, busy = after.wall - before.wall, after.own - before.own, after.busy - before.busy
    # The kernel counts all processes in steps of 10 ms: too coarse for short runs.
    others = max(0.0, busy - own) / wall if wall >= SAMPLE / 2 and not math.isnan(busy) else 0.0
    return Run(max(wall, 1e-9) / calls, own / calls, others, cores)


def middle(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, and the order statistics that hold the true median with 90 % confidence, or else all values."""
    ranked, n, cut = sorted(values), len(values), 0
    while cut + 1 < n / 2 and 2 * sum(math.comb(n, k) for k in range(cut + 2)) <= 0.1 * 2**n:
        cut += 1
    return statistics.median(ranked), ranked[cut], ranked[n - 1 - cut]


def worthless(pairs: Sequence[Sequence[Run]], figures: Sequence[float] | None) -> str:
    """Why figures measured in these pairs of runs cannot be trusted; empty if they can.

    `figures` are one for each pair, and None where they differ for other reasons than the machine's.
    """
    disturbed = [next(filter(None, (run.taken() for run in pair)), "") for pair in pairs]
    found = [reason for reason in disturbed if reason]
    if 2 * len(found) >= len(pairs):
        return f"{found[len(found) // 2]} ({len(found)} of {len(pairs)} pairs disturbed)"
    if figures is not None:
        _, low, high = middle(figures)
        if high > WIDE * low:
            return f"repeated figures lie between {low:.3g} and {high:.3g}"
    return ""


def duration(seconds: float) -> str:
    """Seconds with a unit that suits them."""
    return f"{1e3 * seconds:.3f} ms" if seconds < 1 else f"{seconds:.2f} s"


class Bench:
    """Timings of one script: prints each at once, and counts the worthless.

    Parameters
    ----------
    title
        First line.
    repeat
        Pairs for each figure.
    json_file
        Every figure is appended here, one object a line.
    """

    def __init__(
        self,
        title: str,
        repeat: int,
        json_file: Path | None = None,
        packages: Sequence[str] = ("numpy",),
        *,
        read: Callable[[], Reading] = read_machine,
        cores: int | None = None,
    ) -> None:
        self.repeat, self.figures, self.bad = repeat, 0, 0
        self._json, self._title = json_file, title
        self._timed = partial(timed, read=read, cores=cores or os.cpu_count() or 1)
        self._load = os.getloadavg()[0]
        said = ", ".join(f"{name} {_version(name)}" for name in packages)
        say(f"{title}; {said}, {os.cpu_count()} cores, load {self._load:.2f} before")

    def part(self, title: str) -> None:
        """Begin a table."""
        self._title = title
        say(f"\n{title}")

    def pair(
        self, name: str, peer: Job, ours: Job, *, scale: float = 1.0, note: str = "", repeat: int | None = None
    ) -> float:
        """Time a peer beside ours; `scale` is how often the peer's job goes into the whole. Returns the ratio."""
        say(f"  {name:<38}", end="")
        firsts = [self._first(peer), self._first(ours)]
        calls = [max(1, math.ceil(SAMPLE / run.wall)) for run in firsts]
        pairs = [firsts] if max(run.wall for run in firsts) > COUNTED else []
        for turn in range(len(pairs), repeat or self.repeat):
            jobs = [(0, peer), (1, ours)]
            runs = {at: self._timed(job, calls[at]) for at, job in (jobs if turn % 2 == 0 else jobs[::-1])}
            pairs.append([runs[0], runs[1]])
            say(".", end="")
        ratios = [scale * runs[0].wall / runs[1].wall for runs in pairs]
        ratio, low, high = middle(ratios)
        theirs, mine = (statistics.median(runs[at].wall for runs in pairs) for at in (0, 1))
        say(
            f" {ratio:>10,.2f} x ours ({low:,.2f} to {high:,.2f})   {duration(scale * theirs)}, ours {duration(mine)}"
            f"   {note}".rstrip()
        )
        self.judge(worthless(pairs, ratios))
        self.record(name=name, ratios=ratios, scale=scale, runs=[[asdict(run) for run in pair] for pair in pairs])
        return ratio

    def alone(self, name: str, job: Job, *, note: str = "", repeat: int | None = None) -> float:
        """Time a job that has no peer; returns its median seconds."""
        say(f"  {name:<38}", end="")
        first = self._first(job)
        runs = [first] if first.wall > COUNTED else []
        while len(runs) < (repeat or self.repeat):
            runs.append(self._timed(job, max(1, math.ceil(SAMPLE / first.wall))))
            say(".", end="")
        seconds, low, high = middle([run.wall for run in runs])
        say(f" {duration(seconds):>12} ({duration(low)} to {duration(high)})   {note}".rstrip())
        self.judge(worthless([[run] for run in runs], [run.wall for run in runs]))
        self.record(name=name, runs=[asdict(run) for run in runs])
        return seconds

    def _first(self, job: Job) -> Run:
        """A first call, or the second where the first was short: it may have imported or allocated something."""
        run = self._timed(job)
        return run if run.wall > COUNTED else self._timed(job)

    def judge(self, reason: str) -> None:
        """Count a figure, and mark it worthless if there is a reason."""
        self.figures += 1
        if reason:
            self.bad += 1
            say(f"    ^ WORTHLESS: {reason}")

    def missing(self, name: str, command: str = "make bench, then _build/peers/bin/python") -> None:
        """Say which peer is left out and how to get it."""
        say(f"  {name:<38} not installed: {command}")

    def record(self, **facts: Any) -> None:
        """Append figures to the file of the option `--json`."""
        if self._json is not None:
            line = {"title": self._title, **facts, "cores": os.cpu_count(), "load": os.getloadavg()}
            with self._json.open("a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")

    def finish(self) -> None:
        """Last line: how many figures count for nothing."""
        load = f"load {self._load:.2f} before, {os.getloadavg()[0]:.2f} after (this run itself included)"
        if self.bad:
            say(f"\n{self.bad} of {self.figures} figures are WORTHLESS; measure again on an idle machine. {load}")
        else:
            say(f"\nAll {self.figures} figures stand. {load}")


def options(doc: str | None, *, repeat: int) -> argparse.ArgumentParser:
    """The options that all scripts share."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the same ratios, less exactly, within a minute")
    parser.add_argument("--repeat", type=int, help=f"pairs for each figure ({repeat}; 3 with --quick)")
    parser.add_argument("--json", type=Path, help="append all figures to this file, one object a line")
    parser.set_defaults(usual_repeat=repeat)
    return parser


def start(title: str, arguments: argparse.Namespace, *packages: str) -> Bench:
    """A bench with the options given."""
    repeat = arguments.repeat or (3 if arguments.quick else arguments.usual_repeat)
    return Bench(title, repeat, arguments.json, packages)


def installed(module: str) -> bool:
    """Whether a module can be imported."""
    return find_spec(module) is not None


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"
