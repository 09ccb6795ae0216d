"""A run killed half way leaves nothing half written, and `--resume` does only the rest."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trustnlp.reproduce.records import load_record
from trustnlp.reproduce.runner import clear_leftovers, plan

NAMES = ("one", "two", "three")


@pytest.fixture
def project(tiny):
    """Three notebooks of a good half second each."""
    pause = {"type": "float", "smoke": 0.7, "paper": 0.0, "help": "seconds of sleep"}
    keep = {name: {"parameters": {"pause": pause}} for name in NAMES}
    tiny.write_params(**keep)
    for name in NAMES:
        tiny.write_notebook(name)
    return tiny


def trustnlp(*arguments):
    return [sys.executable, "-m", "trustnlp.reproduce.cli", *arguments]


def running_kernels(marker):
    """Process ids whose environment names this project: workers and kernels of the test, and nobody else's."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment, command = ((process / name).read_bytes() for name in ("environ", "cmdline"))
        except OSError:  # not ours to read, or gone meanwhile
            continue
        if marker.encode() in environment and (b"ipykernel" in command or b"reproduce.workers" in command):
            found.append(int(process.name))
    return found


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def interrupt_after_the_first_record(project, how):
    """Start a run, send it a signal during its second notebook; the process, its errors, and what had finished."""
    process = subprocess.Popen(
        trustnlp("run", "tiny", "--workers", "1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    records = [spec.out_record for spec in plan("tiny")]
    wait_until(lambda: records[0].is_file() and any(project.runs.glob("two*.lock")))
    process.send_signal(how)
    _, errors = process.communicate(timeout=30)
    wait_until(lambda: not running_kernels(str(project.root)), seconds=15)  # no orphan goes on writing
    finished = [path for path in records if path.is_file()]
    assert 1 <= len(finished) < len(records)
    for path in finished:
        load_record(path)
    assert not [path for path in project.runs.glob("*.json") if path not in finished and ".part." not in path.name]
    return process.returncode, errors.decode(), finished


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_run_is_resumed_where_it_stood(project):
    code, _, finished = interrupt_after_the_first_record(project, signal.SIGKILL)
    assert code == -signal.SIGKILL
    stamps = {path: path.stat().st_mtime_ns for path in finished}

    done = subprocess.run(trustnlp("run", "tiny", "--resume"), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("unchanged") == len(finished)
    assert all(load_record(spec.out_record)["metrics"]["doubled"]["mean"] == 2.0 for spec in plan("tiny"))
    assert stamps == {path: path.stat().st_mtime_ns for path in finished}
    assert list(project.root.rglob("*.part.*")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_is_one_line_and_ends_every_process(project):
    code, errors, _ = interrupt_after_the_first_record(project, signal.SIGINT)
    assert code == 130
    assert errors.count("\n") == 1 and "--resume" in errors


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_sweep_is_resumed_where_it_stood(project):
    command = trustnlp("sweep", "tiny", "--notebook", "one", "--grid", "pause=0.1,1.5,1.6", "--workers", "1")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    folder = project.root / "_build" / "sweeps" / "tiny" / "one"
    wait_until(lambda: any(folder.glob("*.json")) and len(list(folder.glob("*.lock"))) > 1)
    process.kill()
    process.wait()
    wait_until(lambda: not running_kernels(str(project.root)), seconds=15)
    finished = {path: path.stat().st_mtime_ns for path in folder.glob("*.json") if ".part." not in path.name}
    assert 1 <= len(finished) < 3
    for path in finished:
        load_record(path)

    done = subprocess.run([*command[:-1], "2", "--resume"], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert finished == {path: path.stat().st_mtime_ns for path in finished}
    index = json.loads((folder / "index.json").read_text())
    assert sorted(run["parameters"]["pause"] for run in index["runs"]) == [0.1, 1.5, 1.6]
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
