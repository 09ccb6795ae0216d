"""A run killed half way leaves nothing half written, and `--resume` does only the rest."""

import csv
import signal
import subprocess
import sys

import pytest
from gate import BACKSTOP, needs_linux

from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.execution import clear_leftovers
from trustnlp.reproduce.runs.runner import plan


@pytest.fixture
def project(tiny):
    """Three notebooks that write nothing but their records."""
    names = ("one", "two", "three")
    scale = {"type": "float", "smoke": 1.0, "paper": 1.0, "help": "factor"}
    tiny.write_params(**{name: {"parameters": {"scale": scale}} for name in names})
    for name in names:
        tiny.write_notebook(name)
    return tiny


def trustnlp(*arguments):
    return [sys.executable, "-m", "trustnlp.tools.cli", *arguments]


def finish(command):
    """Run to the end with no gate in the way; what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=BACKSTOP)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def interrupt_the_second_notebook(gate, command, how):
    """Send `command`, which has one worker, a signal while its second notebook waits; its exit code and errors."""
    process = gate.start(command)
    gate.arrival(process)
    gate.let_through()
    second = gate.arrival(process)  # one worker: the first has ended
    process.send_signal(how)
    _, errors = process.communicate(timeout=BACKSTOP)
    second.wait_for_end()  # no orphan goes on writing
    return process.returncode, errors


def records_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("*.json") if ".part." not in path.name}


@needs_linux
def test_a_killed_run_is_resumed_where_it_stood(project, gate):
    code, _ = interrupt_the_second_notebook(gate, trustnlp("run", "tiny", "--workers", "1"), signal.SIGKILL)
    assert code == -signal.SIGKILL
    wanted = [spec.out_record for spec in plan("tiny")]
    finished = records_in(project.runs)
    assert list(finished) == wanted[:1]
    load_record(wanted[0])

    assert finish(trustnlp("run", "tiny", "--resume")).count("unchanged") == 1
    assert all(load_record(path)["metrics"]["doubled"]["mean"] == 2.0 for path in wanted)
    after = records_in(project.runs)
    assert sorted(after) == sorted(wanted) and finished.items() <= after.items()
    assert list(project.root.rglob("*.part.*")) == []


@needs_linux
def test_ctrl_c_is_one_line_and_ends_every_process(project, gate):
    code, errors = interrupt_the_second_notebook(gate, trustnlp("run", "tiny", "--workers", "1"), signal.SIGINT)
    assert code == 130
    assert errors.count("\n") == 1 and "--resume" in errors
    [finished] = records_in(project.runs)
    load_record(finished)


@needs_linux
def test_a_killed_sweep_is_resumed_where_it_stood(project, gate):
    command = trustnlp("sweep", "tiny/one", "--grid", "scale=1,2,3", "--workers")
    interrupt_the_second_notebook(gate, [*command, "1"], signal.SIGKILL)
    folder = project.root / "_build" / "sweeps" / "tiny" / "one"
    finished = records_in(folder)
    [first] = finished
    load_record(first)

    finish([*command, "2", "--resume"])
    assert finished.items() <= records_in(folder).items()
    with (folder / "index.csv").open() as stream:
        assert sorted(row["scale"] for row in csv.DictReader(stream)) == ["1.0", "2.0", "3.0"]
    assert list(folder.glob("*.part.*")) == []


def test_leftovers_of_a_killed_run_go_and_those_of_a_living_one_stay(tmp_path):
    from filelock import FileLock

    dead, living = tmp_path / "dead.smoke.part.json", tmp_path / "living.smoke.part.ipynb"
    half_written = tmp_path / ".living.smoke.part.json.0a1b.tmp"  # what an atomic write replaces its target with
    for path in (dead, living, half_written):
        path.write_text("{")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_LOCK, str(tmp_path / "living.smoke.lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        assert clear_leftovers(tmp_path) == [dead]
        assert living.exists() and half_written.exists() and not dead.exists()
    finally:
        holder.communicate()
    assert set(clear_leftovers(tmp_path)) == {living, half_written}
    assert FileLock(tmp_path / "living.smoke.lock", timeout=0).acquire()


HOLD_LOCK = """
import sys
from filelock import FileLock
with FileLock(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""
