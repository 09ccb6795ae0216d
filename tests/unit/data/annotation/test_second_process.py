"""Two processes give what one gives, and nothing that happens to the second costs more than time."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import ModuleType

import pytest

from trustnlp.data.annotation.second_process import share

# What both processes import. The second is whichever is not FIRST.
PLANTED = """
import os, signal, sys, time

FIRST = {first}

def start():
    return work

def work(item):
    print("not an answer", item)
    return item * 2, os.getpid()

def at_item_3(what):
    return lambda item: what() if os.getpid() != FIRST and item == 3 else work(item)

def killed():
    return at_item_3(lambda: os.kill(os.getpid(), signal.SIGKILL))

def failing():
    return at_item_3(lambda: 1 / 0)

def ending_in_an_answer():
    return at_item_3(lambda: [bytes(1_000_000), Ending()])

class Ending:
    def __reduce__(self):
        os._exit(5)

def stuck():
    return at_item_3(lambda: time.sleep(10_000))

def slow_to_start():
    if os.getpid() != FIRST:
        time.sleep(10_000)
    return work

def failing_to_start():
    if os.getpid() != FIRST:
        raise MemoryError("no room")
    return work

def wrong():
    def work(item):
        raise ValueError(f"item {{item}} is wrong")
    return work
"""
ITEMS = list(range(8))


@pytest.fixture
def planted(tmp_path, monkeypatch) -> Iterator[ModuleType]:
    (tmp_path / "planted_work.py").write_text(PLANTED.format(first=os.getpid()))
    monkeypatch.syspath_prepend(tmp_path)
    import planted_work

    yield planted_work
    del sys.modules["planted_work"]
    assert "second process" not in [thread.name for thread in threading.enumerate()]


def test_results_come_in_order_and_from_both(planted, hold):
    hold(3)
    found = list(share(planted.start, ITEMS))
    assert [value for value, _ in found] == [item * 2 for item in ITEMS]
    processes = [process for _, process in found]
    # This process does item 0 again where the other one, while it is held, takes all there is.
    assert processes[1] == processes[2] != os.getpid()
    with pytest.raises(ProcessLookupError):  # it is gone
        os.kill(processes[1], 0)
    assert list(share(planted.start, [])) == []


def test_large_items_and_results_pass(planted, hold):
    hold(2)
    items = ["a" * 3_000_000, "b" * 3_000_000, "c"]
    assert [value for value, _ in share(planted.start, items)] == [item * 2 for item in items]


@pytest.mark.parametrize(
    ("start", "line"),
    [
        ("killed", "the second process was killed by signal 9; one that is killed has often run out of memory"),
        ("failing", "the second process ended with status 1 (ZeroDivisionError: division by zero)"),
        ("ending_in_an_answer", "the second process ended with status 5 (not an answer 2)"),
        ("failing_to_start", "the second process ended with status 1 (MemoryError: no room)"),
    ],
)
def test_a_second_process_that_ends_costs_one_line(start, line, planted, hold, caplog):
    hold(100)
    assert [value for value, _ in share(getattr(planted, start), ITEMS)] == [item * 2 for item in ITEMS]
    assert caplog.messages == [f"{line}; the first did the rest alone"]


def test_nothing_waits_for_a_second_process(planted, hold, caplog):
    assert [value for value, _ in share(planted.slow_to_start, ITEMS)] == [item * 2 for item in ITEMS]
    hold(3)
    assert [value for value, _ in share(planted.stuck, ITEMS)] == [item * 2 for item in ITEMS]
    assert caplog.messages == []


def test_what_fails_in_both_fails_here(planted, caplog):
    with pytest.raises(ValueError, match="item 0 is wrong"):
        list(share(planted.wrong, ITEMS))
    assert caplog.messages == []


SCRIPT = """
import os
os.environ["FIRST"] = str(os.getpid())
from unguarded_work import start
from trustnlp.data.annotation.second_process import share
print("begun", flush=True)
print(sum(share(start, range(1000))))
"""
SCRIPTS_WORK = """
import os, pathlib, time
def start():
    return work
def work(item):
    worked = pathlib.Path("the second has worked")
    if os.environ["FIRST"] != str(os.getpid()):
        worked.touch()
    while not worked.exists():
        time.sleep(0.01)
    return item
"""


@pytest.mark.parametrize("how", ["file", "stdin"])
def test_a_script_without_a_guard_is_run_once(how, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "unguarded_work.py").write_text(SCRIPTS_WORK)
    command = [sys.executable, "script.py" if how == "file" else "-"]
    given = None if how == "file" else SCRIPT
    done = subprocess.run(command, input=given, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert (done.stdout, done.stderr, done.returncode) == ("begun\n499500\n", "", 0)
