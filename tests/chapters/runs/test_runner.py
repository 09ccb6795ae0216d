"""The runner: real kernels on a tiny chapter."""

import json
import signal
import sys
import threading
import time

import pytest
from tiny_project import PARAMETERS

from trustnlp.reproduce.checks.standing import sources_of
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs import execution
from trustnlp.reproduce.runs.execution import execute
from trustnlp.reproduce.runs.run_states import NotebookFailed
from trustnlp.reproduce.runs.runner import is_finished, plan, run_many
from trustnlp.reproduce.runs.workers import _Worker


def leftovers(folder):
    return sorted(path.name for path in folder.rglob("*.part.*"))


def test_a_run_leaves_a_complete_record_and_the_executed_notebook(tiny):
    [spec] = plan("tiny", "one", overrides={"scale": "3"})
    begun = time.perf_counter()
    result = execute(spec)
    whole = time.perf_counter() - begun
    record = load_record(result.record)
    assert record["metrics"]["doubled"]["mean"] == 6.0
    assert record["arrays"] == {"python": sys.executable, "threads": "1"}  # the kernel is this Python's, one thread
    assert record["parameters"] == {"scale": 3.0, "trouble": "none"}
    assert record["cache_key"] == execution.key_of(spec)
    assert record["sources"] == sources_of("tiny", "one") and "reproduce/records/recording.py" not in record["sources"]
    assert (record["device"], record["precision"], record["instructions"]) == ("cpu", None, None), "no torch was loaded"
    assert record["environment"]["python"] and record["environment"]["numpy"]
    assert 0 < record["seconds"] < whole
    assert 20 < record["peak_memory_mb"] < 2000  # a Python with numpy, not this test process with all it has loaded
    notebook = json.loads(spec.out_notebook.read_text())
    assert ["injected-parameters"] in [cell["metadata"].get("tags", []) for cell in notebook["cells"]]
    assert str(tiny.root) not in json.dumps(notebook["metadata"])
    assert leftovers(tiny.root) == []


def test_paper_defaults_make_the_committed_record_on_any_device_and_changes_do_not(tiny):
    [default] = plan("tiny", "one", "paper")
    [changed] = plan("tiny", "one", "paper", {"scale": 2})
    assert default.out_record == tiny.chapter / "results" / "one.paper.json"
    assert changed.out_record.parent == tiny.runs and changed.out_record.name.startswith("one.paper.")
    [smoke], [same] = plan("tiny", "one"), plan("tiny", "one", overrides={"scale": "1.0"})
    assert smoke.out_record == same.out_record == tiny.runs / "one.smoke.json"
    device = {"type": "str", "choices": ["auto", "cpu"], "smoke": "auto", "paper": "auto", "help": "device"}
    tiny.write_params(one={"parameters": {"device": device}})
    [elsewhere] = plan("tiny", "one", "paper", device="cpu")
    assert (elsewhere.parameters, elsewhere.out_record) == ({"device": "cpu"}, default.out_record)


def test_a_failing_cell_is_told_with_its_number_source_and_traceback(tiny):
    [spec] = plan("tiny", "one", overrides={"trouble": "raise"})
    with pytest.raises(NotebookFailed) as caught:
        execute(spec)
    error = caught.value
    cells = json.loads((tiny.chapter / "one.ipynb").read_text())["cells"]
    assert "asked to fail" in "".join(cells[error.cell - 1]["source"]) and "asked to fail" in error.source
    assert "ValueError" in error.traceback and "\x1b" not in str(error)
    assert spec.failed_notebook.is_file() and not spec.out_record.exists() and not spec.out_notebook.exists()
    assert leftovers(tiny.root) == []


def test_a_failure_leaves_the_last_good_record(tiny):
    [good] = plan("tiny", "one")
    execute(good)
    before = good.out_record.read_bytes()
    tiny.write_notebook("one", (tiny.chapter / "one.py").read_text() + "\n# %%\n1 / 0\n")
    with pytest.raises(NotebookFailed, match="ZeroDivisionError"):
        execute(good)
    assert good.out_record.read_bytes() == before
    assert not is_finished(good)  # the cells have changed


def test_a_notebook_that_saves_no_record_or_names_another_is_a_failure(tiny):
    [spec] = plan("tiny", "one", overrides={"trouble": "forget"})
    with pytest.raises(NotebookFailed, match=r"record\.save"):
        execute(spec)
    tiny.write_notebook("one", (tiny.chapter / "two.py").read_text())
    with pytest.raises(NotebookFailed, match=r"'two'.*'one'"):
        execute(plan("tiny", "one")[0])
    assert not spec.out_record.exists()


LESSON = """
# %% [markdown]
# # A lesson

# %%
two = {two}
print(1 + two)
"""


def test_a_lesson_runs_without_a_record_and_is_not_repeated(tiny):
    tiny.write_params(one={"parameters": PARAMETERS}, two={"lesson": True})
    tiny.write_notebook("two", LESSON.replace("{two}", "2"))
    [spec] = plan("tiny", "two")
    result = execute(spec)
    assert load_record(result.record)["metrics"] == {} and is_finished(spec)
    cells = json.loads(spec.out_notebook.read_text())["cells"]
    assert ["injected-parameters"] not in [cell["metadata"].get("tags", []) for cell in cells]
    assert [each.notebook for each in plan("tiny", profile="paper")] == ["one"]
    with pytest.raises(UserError, match="a lesson and keeps no record"):
        plan("tiny", "two", "paper")
    tiny.write_notebook("two", LESSON.replace("{two}", "'2'"))
    assert not is_finished(spec)
    with pytest.raises(NotebookFailed, match="TypeError") as caught:
        execute(spec)
    source = json.loads((tiny.chapter / "two.ipynb").read_text())["cells"][caught.value.cell - 1]["source"]
    assert "".join(source) == caught.value.source


def test_a_lesson_that_saves_a_record_is_a_failure(tiny):
    tiny.write_params(one={"parameters": PARAMETERS}, two={"lesson": True})
    tiny.write_notebook("two", LESSON.replace("{two}", "2") + """
from trustnlp.reproduce import Record
Record("tiny", "two", profile="smoke").save()
""")  # fmt: skip
    with pytest.raises(NotebookFailed, match="a lesson keeps no record"):
        execute(plan("tiny", "two")[0])


def test_a_cell_whose_imports_cannot_be_followed_is_one_line_before_a_kernel_starts(tiny):
    tiny.write_notebook("one", (tiny.chapter / "one.py").read_text() + "\n# %%\nx = (\n")
    [result] = run_many(plan("tiny", "one"))
    assert result.status == "failed" and "\n" not in result.error
    assert "tiny/one (smoke) failed: code cell 'x = (', line 1: '(' was never closed" in result.error


def test_a_record_that_the_schema_refuses_is_a_failure(tiny):
    """What `Record` lets through and the schema does not is told as the notebook's fault, and nothing is kept."""
    text = (tiny.chapter / "one.py").read_text()
    tiny.write_notebook("one", text + "\n# %%\nrecord._conditions['x'] = [1]\nrecord.save()\n")
    [spec] = plan("tiny", "one")
    with pytest.raises(NotebookFailed, match=r"record of tiny/one: conditions\.x: expected text or a number"):
        execute(spec)
    assert not spec.out_record.exists() and leftovers(tiny.root) == []


def test_a_dead_kernel_and_a_dead_process_lose_only_their_own_runs(tiny):
    [dying] = plan("tiny", "one", overrides={"trouble": "die"})
    [killing] = plan("tiny", "one", overrides={"trouble": "orphan"})
    kernel, process, fine = run_many([dying, killing, *plan("tiny", "two")], workers=1)
    assert kernel.status == "failed" and "kernel died" in kernel.error
    assert process.status == "failed" and "signal 9" in process.error and "memory" in process.error
    assert fine.status == "done" and fine.record.is_file()
    assert not killing.out_record.exists()
    assert leftovers(tiny.root) == []  # what the killed process left was cleared by the next run


def test_events_and_resume(tiny):
    events = []
    specs = plan("tiny")
    assert [spec.notebook for spec in specs] == ["one", "two"]
    first = run_many(specs, workers=2, on_event=events.append)
    assert [result.status for result in first] == ["done", "done"]
    kinds = [event.kind for event in events]
    assert kinds.count("start") == kinds.count("done") == 2
    cells = [event for event in events if event.kind == "cell" and event.spec.notebook == "one"]
    counted = [event.cell for event in cells]
    assert counted == sorted(counted) and counted[-1] == cells[0].cells

    again = run_many(specs, resume=True)
    assert [result.status for result in again] == ["cached", "cached"]

    tiny.write_notebook("two", (tiny.chapter / "two.py").read_text().replace("2 * scale", "3 * scale"))
    assert [result.status for result in run_many(specs, resume=True)] == ["cached", "done"]


@pytest.fixture
def heeds_ctrl_c():
    """Ctrl-C raises, though a shell that runs pytest in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="a signal to a thread")
def test_an_interrupt_leaves_each_worker_to_the_thread_that_reads_it(tiny, heeds_ctrl_c, monkeypatch):
    """Closed by another, its files fail that thread, which says so on stderr when there is time for it."""
    told, closed_by, close = [], [], _Worker.close

    def interrupt_once(event):
        if event.kind == "cell" and not told:
            told.append(event)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def note_and_close(worker):
        closed_by.append(threading.current_thread())
        close(worker)

    monkeypatch.setattr(_Worker, "close", note_and_close)
    with pytest.raises(KeyboardInterrupt):
        run_many(plan("tiny"), workers=2, on_event=interrupt_once)
    assert told and closed_by and threading.main_thread() not in closed_by
    assert not any(spec.out_record.exists() for spec in plan("tiny"))


def test_a_twin_that_drifted_is_refused_before_anything_runs(tiny):
    source = tiny.chapter / "one.py"
    source.write_text(source.read_text() + "\n# %%\n1 + 1\n")
    with pytest.raises(UserError, match="trustnlp twins"):
        run_many(plan("tiny"))
    assert not tiny.runs.exists()


@pytest.mark.parametrize("place", ["url", "missing"])
def test_data_that_must_be_downloaded_stop_the_run_and_name_licence_and_command(tiny, monkeypatch, place):
    tiny.write_params(one={"data": {"paper": ["weat_stimuli"]}})
    monkeypatch.setattr("trustnlp.data.store.where", lambda name: {"weat1": place})
    with pytest.raises(UserError, match=r"weat_stimuli.*'weat1'.*licence: .*trustnlp data fetch weat_stimuli"):
        run_many(plan("tiny", "one", "paper"))
    assert not tiny.runs.exists()
