"""Sweeps: the grid as typed, and real runs on this machine and on a Dask cluster."""

import csv
import sys

import pytest
from gate import BACKSTOP, needs_linux

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.sweep import read_grid, run_sweep, sweep_folder, sweep_specs


def test_a_grid_can_be_typed_or_named(tiny):
    points = [{"scale": 1.0}, {"scale": 2.0}, {"scale": 3.0}, {"scale": 4.0}]
    assert read_grid("tiny", ["scale=1,2,3,4"], "one").points() == points
    named = read_grid("tiny", ["scales"])
    assert (named.points(), named.notebook, named.profile) == (points, "one", "smoke")
    product = read_grid("tiny", ["scale=1,2", "trouble=none,raise"], "one", "paper")
    assert len(product.points()) == 4 and product.profile == "paper"


@pytest.mark.parametrize(
    ("grid", "notebook", "expected"),
    [
        (["scle=1"], None, "did you mean 'scale'"),
        (["scale=1"], None, "name one, as tiny/one"),
        (["scale=a"], "one", "expected float"),
        (["scale=99"], "one", "from 0 to 10"),
        (["scale=1,1.0"], "one", "twice"),
        (["scale=1", "scales"], "one", "k=a,b,c"),
        (["scals"], None, "did you mean 'scales'.*known: scales"),
    ],
)
def test_a_faulty_grid_is_one_line_and_writes_nothing(tiny, grid, notebook, expected):
    with pytest.raises(UserError, match=expected) as caught:
        read_grid("tiny", grid, notebook)
    assert "\n" not in str(caught.value)
    assert not (tiny.root / "_build").exists()


def test_a_sweep_makes_one_record_a_point_and_a_table(tiny):
    sweep = read_grid("tiny", ["scale=1,2", "trouble=none,raise"], "one")
    results = run_sweep("tiny", sweep, workers=2)
    assert [result.status for result in results] == ["done", "failed", "done", "failed"]
    assert "asked to fail" in results[1].error
    folder = sweep_folder("tiny", "one")
    with (folder / "index.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["scale"], row["doubled"]) for row in rows} == {("1.0", "2.0"), ("2.0", "4.0")}

    records = {spec.out_record: spec.out_record.stat().st_mtime_ns for spec in sweep_specs("tiny", sweep)[::2]}
    again = run_sweep("tiny", read_grid("tiny", ["scale=1,2"], "one"), resume=True)
    assert [result.status for result in again] == ["cached", "cached"]
    assert records == {path: path.stat().st_mtime_ns for path in records}
    assert list(folder.glob("*.part.*")) == []


def test_no_scheduler_at_the_address_is_one_line(tiny, monkeypatch):
    monkeypatch.setattr("trustnlp.reproduce.runs.sweep.CONNECT_SECONDS", 1)
    with pytest.raises(UserError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9"):
        run_sweep("tiny", read_grid("tiny", ["scale=1"], "one"), scheduler="tcp://127.0.0.1:9")
    with pytest.raises(UserError, match="no Dask scheduler answers at nonsense:"):
        run_sweep("tiny", read_grid("tiny", ["scale=1"], "one"), scheduler="nonsense://x")


@needs_linux
@pytest.mark.slow
def test_an_existing_cluster_gives_a_lost_workers_run_to_another(tiny, gate):
    """Two workers of a cluster that is not ours; one of them is killed while it runs a notebook."""
    from distributed import Client

    scheduler_file = tiny.root / "scheduler.json"
    gate.start(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--dashboard-address", "127.0.0.1:0",
         "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(scheduler_file)]
    )  # fmt: skip
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(scheduler_file),
              "--nthreads", "1", "--no-nanny", "--no-dashboard"]  # fmt: skip
    workers = {process.pid: process for process in (gate.start(worker), gate.start(worker))}
    with Client(scheduler_file=str(scheduler_file), timeout=BACKSTOP) as client:
        client.wait_for_workers(2, timeout=BACKSTOP)
        address = client.scheduler.address
    sweep = gate.start(
        [sys.executable, "-m", "trustnlp.tools.cli", "sweep", "tiny/one",
         "--grid", "scale=1,2", "--scheduler", address]
    )  # fmt: skip
    lost, kept = gate.arrival(sweep), gate.arrival(sweep)
    assert {lost.worker, kept.worker} == set(workers)
    workers[lost.worker].kill()
    lost.wait_for_end()
    gate.let_through()
    again = gate.arrival(sweep)
    assert again.worker == kept.worker and again.kernel != kept.kernel
    gate.let_through()
    output, errors = sweep.communicate(timeout=BACKSTOP)
    assert sweep.returncode == 0, output + errors
    folder = sweep_folder("tiny", "one")
    records = [load_record(path) for path in folder.glob("*.json")]
    assert sorted(record["metrics"]["doubled"]["mean"] for record in records) == [2.0, 4.0]
    assert list(folder.glob("*.part.*")) == []
