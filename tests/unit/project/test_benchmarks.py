"""The benchmark scripts start, and their timings say when they are worth nothing."""

import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
SCRIPTS = sorted(path.stem for path in BENCHMARKS.glob("bench_*.py"))


@pytest.fixture
def scripts(monkeypatch):
    """Import from the folder of scripts, which is no package, as Python does when it runs one of them."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module


@pytest.fixture
def timing(scripts):
    return scripts("_timing")


class Machine:
    """Clocks that stand still until a job spends time: its own CPU seconds, and what others take meanwhile."""

    def __init__(self, timing, others=0.0, waiting=0.0):
        self.timing, self.others, self.waiting = timing, others, waiting
        self.wall = self.own = self.busy = 0.0

    def job(self, seconds):
        """A job of so many CPU seconds on one core, of which it gets only a share."""

        def work():
            wall = seconds / (1 - self.waiting)
            self.wall, self.own = self.wall + wall, self.own + seconds
            self.busy += seconds + self.others * wall

        return work

    def read(self):
        return self.timing.Reading(self.wall, self.own, self.busy)

    def bench(self, repeat=5):
        return self.timing.Bench("Test", repeat, packages=(), read=self.read, cores=2)


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_names_the_quick_form(scripts, script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [script, "--help"])
    with pytest.raises(SystemExit) as end:
        scripts(script).main()
    said = capsys.readouterr().out
    assert end.value.code == 0 and "--quick " in said and "--repeat" in said


def test_a_quiet_machine_gives_the_ratio_and_no_mark(timing, capsys):
    machine = Machine(timing)
    bench = machine.bench()
    assert bench.pair("peer", machine.job(3.0), machine.job(2.0)) == pytest.approx(1.5)
    bench.finish()
    said = capsys.readouterr().out
    assert "1.50 x ours (1.50 to 1.50)" in said and "All 1 figures stand" in said and "WORTHLESS" not in said


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        ({"others": 1.0}, "other processes used 1.0 of 2 cores and left none over"),
        ({"others": 1.5, "waiting": 0.5}, "the run waited 50% of its time for a core"),
        ({"others": float("nan"), "waiting": 0.5}, "the run waited 50% of its time for a core"),  # no /proc/stat
        ({"others": 0.5}, ""),  # half a core is left over
    ],
)
def test_a_figure_is_worthless_where_others_took_the_cores(timing, capsys, load, reason):
    machine = Machine(timing, **load)
    bench = machine.bench()
    bench.pair("peer", machine.job(3.0), machine.job(2.0))
    bench.alone("ours", machine.job(3.0))
    bench.finish()
    said = capsys.readouterr().out
    assert ("2 of 2 figures are WORTHLESS" in said) == ("WORTHLESS" in said) == bool(reason)
    assert said.count(reason) >= 2


def test_a_figure_is_worthless_where_its_repeats_disagree(timing, capsys):
    machine = Machine(timing)
    seconds = iter([1.0, 1.0, 1.6, 1.0, 1.6, 1.0] * 2)
    bench = machine.bench()
    bench.alone("ours", lambda: machine.job(next(seconds))())
    assert "repeated figures lie between 1 and 1.6" in capsys.readouterr().out


def test_ours_and_the_peer_take_turns_and_a_short_job_has_two_calls_before(timing):
    machine, order = Machine(timing), []

    def job(name, seconds):
        return lambda: (order.append(name), machine.job(seconds)())

    machine.bench(repeat=4).pair("peer", job("peer", 2.0), job("ours", 2.0))
    assert order == ["peer", "ours", "ours", "peer", "peer", "ours", "ours", "peer"]
    machine.bench(repeat=4).alone("ours", job("short", 0.2))
    assert order.count("short") == 6


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [([2.0, 1.0, 3.0], 1.0, 3.0), (range(1, 6), 1, 5), (range(1, 9), 2, 7), (range(1, 21), 6, 15)],
)
def test_range_of_the_median(timing, values, low, high):
    """Order statistics as in the tables of the sign test: 90 % for n = 8 (2, 7) and n = 20 (6, 15)."""
    assert timing.middle(values)[1:] == (low, high)


def test_figures_are_kept_as_lines_of_json(timing, tmp_path):
    machine, path = Machine(timing), tmp_path / "figures.jsonl"
    bench = timing.Bench("Test", 3, path, (), read=machine.read, cores=2)
    bench.part("A table")
    bench.pair("peer", machine.job(3.0), machine.job(2.0), scale=2.0)
    line = json.loads(path.read_text())
    assert (line["title"], line["name"], line["ratios"]) == ("A table", "peer", pytest.approx([3.0] * 3))
