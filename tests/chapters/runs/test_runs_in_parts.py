"""A notebook run by seed and joined from the command line, against one run of the whole: real kernels."""

from typer.testing import CliRunner

from trustnlp.reproduce.checks.standing import doubts
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.execution import execute
from trustnlp.reproduce.runs.runner import plan
from trustnlp.reproduce.runs.sweep import read_grid, sweep_specs
from trustnlp.tools.cli import app

NOTEBOOK = """
# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
scale = 1.0

# %%
import numpy as np
from trustnlp.reproduce import Record

record = Record("tiny", "one", profile=profile, seeds=seeds)
record.metric("doubled", 2 * scale)
noise = [np.random.default_rng(seed).normal() for seed in seeds]
record.metric("noise", noise, interval="t")
record.metric("largest", max(noise))
record.array("noise", {str(seed): value for seed, value in zip(seeds, noise)})
record.save()
"""


def trustnlp(*arguments):
    return CliRunner().invoke(app, list(arguments))


PARAMS = """
notebooks:
  one:
    parts: {seeds: [largest]}
    parameters:
      seeds: {type: "list[int]", smoke: [0], paper: [0], help: one draw each}
      scale: {type: float, smoke: 1.0, paper: 2.0, help: factor}
sweeps:
  by_seed: {notebook: one, profile: paper, grid: {scale: [1.0], seeds: [[0], [1, 2]]}, completes: true}
"""


def test_a_sweep_by_seed_is_joined_into_the_record_of_the_whole(tiny):
    (tiny.chapter / "two.py").unlink()
    (tiny.chapter / "two.ipynb").unlink()
    (tiny.chapter / "params.yaml").write_text(PARAMS)
    tiny.write_notebook("one", NOTEBOOK)
    [spec] = plan("tiny", "one", "paper", {"scale": 1.0}, seeds=[0, 1, 2])
    execute(spec)
    whole = load_record(spec.out_record)
    spec.out_record.unlink()

    for spec in sweep_specs("tiny", read_grid("tiny", ["by_seed"])):
        execute(spec)
    swept = trustnlp("sweep", "tiny", "--grid", "by_seed", "--resume")
    assert swept.exit_code == 0 and "trustnlp join tiny/one --grid by_seed" in swept.output
    done = trustnlp("join", "tiny/one", "--grid", "by_seed")
    assert done.exit_code == 0, done.output
    assert "left out: largest: needs the whole" in done.output
    assert "2 parts, 2 metrics: record chapters/tiny/results/one.paper.json" in done.output

    joined = load_record(tiny.chapter / "results" / "one.paper.json")
    del whole["metrics"]["largest"]
    for field in ("metrics", "arrays", "seeds", "parameters", "sources", "conditions", "deviations"):
        assert joined[field] == whole[field], field
    # Parts stand in the order in which they were started, or of their names where that was the same second.
    assert sorted(part["parameters"]["seeds"] for part in joined["parts"]) == [[0], [1, 2]]
    assert all(part["parameters"].keys() == {"seeds"} for part in joined["parts"])
    assert doubts(joined) == []
    assert trustnlp("join", "tiny").exit_code == 2
