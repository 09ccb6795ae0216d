"""What must turn `trustnlp verdicts --check` red: wrong code, a forged record, a misspelt key, a stale record."""

import copy
import dataclasses
import json
import shutil
from itertools import chain
from pathlib import Path

import pytest
import yaml
from tiny_project import CLAIMS, PARAMETERS
from typer.testing import CliRunner

import trustnlp
from trustnlp.reproduce.checks import standing, verification
from trustnlp.reproduce.code import reach
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import digest, load_record, write_record
from trustnlp.reproduce.runs.run_states import RunResult
from trustnlp.tools.cli import app

CALL = """
# %%
from trustnlp.evaluation.intervals import t_interval

record.array("interval", t_interval([1.0, 2.0, 4.0]))
"""


def cli(*arguments):
    return CliRunner().invoke(app, list(arguments))


def green():
    result = cli("verdicts", "--check")
    assert result.exit_code == 0, result.stderr
    assert "as the ledgers expect, and every record stands" in result.stderr


def red(message, code=1):
    """The check fails with a line that says why, and no traceback."""
    result = cli("verdicts", "--check")
    assert result.exit_code == code, result.stderr
    assert isinstance(result.exception, SystemExit)
    assert message in result.stderr, result.stderr


def edited(path, change):
    """A record as somebody with an editor would leave it."""
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


@pytest.fixture
def evidence(tiny):
    """A record that stands; its notebook calls a method of the package."""
    tiny.write_notebook("one", (tiny.chapter / "one.py").read_text() + CALL)
    tiny.commit()
    green()
    return tiny.chapter / "results" / "one.paper.json"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package whose code is asked for in the place of ours."""
    copied = shutil.copytree(Path(trustnlp.__file__).parent, tmp_path / "copy" / "trustnlp")
    monkeypatch.setattr(standing, "package_at", lambda _: reach.package_at(copied))
    monkeypatch.setattr(standing, "PACKAGE", copied)  # nothing is kept of a copy
    return copied


def test_a_wrong_function(evidence, package):
    green()
    path = package / "evaluation" / "intervals.py"
    text = path.read_text()
    path.write_text(text + "\n# a comment computes nothing\n")
    green()
    path.write_text(text.replace("def t_interval", "def t_interval(*_: object) -> float:\n    return 0\n\n\ndef _was"))
    red("tiny/one: code changed since this record: trustnlp.evaluation.intervals:t_interval")
    path.write_text(text)
    green()


def test_a_wrong_cell_and_none_that_only_shows(tiny, evidence):
    text = (tiny.chapter / "one.py").read_text()
    tiny.write_notebook("one", text.replace("import sys\n", "import json\nimport sys\n") + "\n# %%\nprint(scale)\n")
    green()
    tiny.write_notebook("one", text.replace("2 * scale", "3 * scale"))
    red("tiny/one: code changed since this record: chapters/tiny/one.py")


def test_a_file_of_the_chapter_that_the_notebook_reads(tiny):
    printed, cell = tiny.chapter / "printed.yaml", '\n# %%\nrecord.array("printed", open("printed.yaml").read())\n'
    printed.write_text("a: 1\n")
    tiny.write_notebook("one", (tiny.chapter / "one.py").read_text() + cell)
    tiny.commit()
    green()
    printed.write_text("a: 2\n")
    red("code changed since this record: chapters/tiny/printed.yaml")


EDITED = "its content does not have the digest it carries: it was edited after the run"


@pytest.mark.parametrize(
    ("part", "name", "change", "message"),
    [
        ("metrics", "doubled", {"mean": 2.01}, "mean is 2.01, but the values give 2.0"),
        ("metrics", "doubled", {"values": [2.04], "mean": 2.04, "low": 2.04, "high": 2.04}, EDITED),
        ("metrics", "given", {"high": 0.7}, EDITED),
        ("parameters", None, {"scale": 2.0}, EDITED),
    ],
)
def test_a_forged_record_gets_no_verdict_at_all(evidence, part, name, change, message):
    edited(evidence, lambda record: (record[part][name] if name else record[part]).update(change))
    red(message, code=2)
    assert cli("verdicts").exit_code == 2


def test_a_deviation_that_was_taken_out(evidence):
    edited(evidence, lambda record: record["deviations"].clear())
    red(EDITED, code=2)


def test_a_misspelt_key(tiny, evidence):
    [claim] = CLAIMS["claims"]
    claim = {**claim, "measure": {**claim["measure"], "key": "doubeld"}}
    (tiny.chapter / "claims.yaml").write_text(yaml.safe_dump({**CLAIMS, "claims": [claim]}))
    red("the record one.paper has no metric 'doubeld'; did you mean 'doubled'?; mend the ledger's")
    red("trustnlp: 1 of 1 verdicts are not what the ledgers expect")


def test_a_stale_record_by_its_parameters(tiny, evidence):
    scale = PARAMETERS["scale"] | {"paper": 1.5}
    tiny.write_params(one={"parameters": PARAMETERS | {"scale": scale}, "verify": {}})
    red("tiny/one: it was run with other parameters than today's paper profile: scale")
    parameters = {name: entry for name, entry in PARAMETERS.items() if name != "scale"}
    tiny.write_params(one={"parameters": parameters})
    red("today's paper profile: one too many")


def test_the_device_is_no_question(tiny):
    device = {"type": "str", "choices": ["cpu", "cuda"], "smoke": "cpu", "paper": "cpu", "help": "device"}
    tiny.write_params(one={"parameters": PARAMETERS | {"device": device}})
    tiny.commit()
    tiny.write_params(one={"parameters": PARAMETERS | {"device": device | {"paper": "cuda"}}})
    green()


def test_a_stale_record_by_its_data(tiny, evidence):
    def other(record):
        record["data"] = {"wefe_googlenews": {"x": "0" * 64}, "gone": {"x": "0" * 64}}
        record["digest"] = digest(record)

    edited(evidence, other)
    red("its data are not today's: wefe_googlenews; its data are not today's: gone")


def test_several_doubts_are_all_told(tiny):
    tiny.commit(git_dirty=True, sources={})
    red("tiny/one: it was made with uncommitted changes; code changed since this record: chapters/tiny/one.py")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"{", "not valid JSON"), (b"[1]", "expected a mapping"), (b'{"seconds": NaN}', "holds NaN")],
)
def test_a_record_that_cannot_be_read(tiny, evidence, content, message):
    evidence.write_bytes(content)
    result = cli("verdicts", "--check")
    assert result.exit_code == 2 and message in result.stderr and result.stderr.count("\n") == 1
    assert result.stderr.startswith("trustnlp: chapters/tiny/results/one.paper.json: ")
    told = cli("run", "tiny/one", "--resume", "--dry-run")
    assert (told.exit_code, told.stderr.count("\n")) in [(0, 0), (2, 1)], told.stderr


def test_a_cell_that_is_no_python(tiny, evidence):
    tiny.write_notebook("one", (tiny.chapter / "one.py").read_text() + "\n# %%\nx = (\n")
    red("was never closed", code=2)


# Stamps ------------------------------------------------------------------------------------------------------------


def change_the_code(tiny, old="2 * scale", new="scale * 2"):
    text = (tiny.chapter / "one.py").read_text()
    assert text.count(old) == 1
    tiny.write_notebook("one", text.replace(old, new))


def test_a_verification_that_agrees_renews_a_record_and_one_that_differs_does_not(tiny):
    path = tiny.commit()
    old = load_record(path)
    change_the_code(tiny)
    result = cli("verify", "tiny/one")
    assert result.exit_code == 0 and "tiny/one: 2 metrics, all agree" in result.stdout, result.stdout
    assert load_record(path) == old, "without --stamp nothing is written"
    red("code changed since this record: chapters/tiny/one.py")
    assert cli("verify", "tiny/one", "--stamp").exit_code == 0
    green()
    stamped = load_record(path)
    assert (stamped["verified"]["compared"], stamped["verified"]["parameters"]) == (2, {})
    renewed = {name: stamped[name] for name in ("sources", "verified")}
    assert stamped == old | renewed, "a stamp touches no number"

    change_the_code(tiny, "scale * 2", "scale * 2.001")
    result = cli("verify", "tiny/one", "--stamp")
    assert result.exit_code == 1
    assert "doubled: now 2.001, committed 2" in result.stdout and "1 differ" in result.stdout
    assert load_record(path) == stamped
    red("code changed since this record: chapters/tiny/one.py")


def test_a_stamp_drops_parameters_and_data_that_the_notebook_has_no_more(tiny):
    """What is measured without it agrees: it was no part of the question."""
    path = tiny.commit()
    record = load_record(path)
    record["parameters"]["gone"] = 3
    record["data"]["minilm"] = {}
    write_record(path, {**record, "digest": digest(record)})
    red("today's paper profile: one too many")
    assert cli("verify", "tiny/one", "--stamp").exit_code == 0
    green()
    stamped = load_record(path)
    assert "gone" not in stamped["parameters"] and not stamped["data"]


def test_no_stamp_from_uncommitted_code(tiny, monkeypatch):
    """The stamp would name a commit that does not hold what was verified."""
    path = tiny.commit()
    before = path.read_bytes()
    monkeypatch.setattr(verification, "git_dirty", lambda root: True)
    result = cli("verify", "tiny/one", "--stamp")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1) and "commit your changes first" in result.stderr
    assert not (tiny.root / "_build" / "verify").exists() and path.read_bytes() == before


def told_of(new, *, changed=(), status="done", left_out=()):
    """What a verification that stamps says of a run whose record is `new`."""
    [check] = verification.planned(["tiny/one"])
    check = dataclasses.replace(check, changed=dict(changed), left_out=left_out)
    if new is not None:
        check.spec.out_record.parent.mkdir(parents=True, exist_ok=True)
        write_record(check.spec.out_record, new | {"digest": digest(new)})
    error = "what went wrong" if status == "failed" else None
    result = RunResult(check.spec, 1.0, check.spec.out_record, status, error)
    return verification._compare_run(check, result, stamp=True)


def test_nothing_is_stamped_without_an_agreement(tiny):
    path = tiny.commit()
    old = load_record(path)
    wrong = copy.deepcopy(old)
    wrong["metrics"]["doubled"] |= {"values": [1.9], "mean": 1.9, "low": 1.9, "high": 1.9}
    for new, options, message in [
        (None, {"status": "failed"}, "what went wrong"),
        (wrong, {}, "doubled: now 1.9, committed 2"),
        (old, {"left_out": ("doubled", "given")}, "nothing was compared: every metric is timed or excepted"),
        (old | {"metrics": {}}, {"changed": {"scale": 2.0}}, "nothing was compared"),
        (old | {"repeats": {"": "timed"}}, {}, "repeats: now {'': 'timed'}"),
    ]:
        found = told_of(new, **options)
        assert any(line.startswith(message) for line in found.differences), (message, found)
        assert not found.stamped
    assert load_record(path) == old
    found = told_of(old, left_out=("given",))
    assert found.stamped and found.compared == 1 and load_record(path)["verified"]["compared"] == 1
    path.unlink()
    found = told_of(old)
    assert found.differences == ("there is no record yet; run `trustnlp run tiny/one --profile paper`",)
    assert not path.exists()


def test_a_run_of_the_whole_has_to_give_each_claim_its_verdict(tiny):
    """Numbers may agree and a verdict change all the same: here a word that the data have lost meanwhile."""
    old = load_record(tiny.commit())
    lost = {"text": "A word is gone.", "keys": ["doubled"], "lacks": True}
    new = old | {"deviations": [*old["deviations"], lost]}
    assert told_of(new).differences == (
        "claim doubled: now 'not testable here' (A word is gone.), committed 'reproduced'",
    )
    assert told_of(new, changed={"scale": 1.0}).differences == (), "a part may lack what the whole has"


def test_a_stamp_takes_no_doubt_away_but_that_of_the_code(tiny):
    path = tiny.commit(git_dirty=True)
    change_the_code(tiny)
    assert len(standing.doubts(load_record(path))) == 2
    record = load_record(path)
    fresh = record | {"sources": standing.sources_of("tiny", "one")}  # as the run that was compared has noted them
    verification._stamp(verification.planned(["tiny/one"])[0], record, fresh, 2)
    assert standing.doubts(load_record(path)) == ["it was made with uncommitted changes"]


# Which notebooks are verified --------------------------------------------------------------------------------------


@pytest.fixture
def many(tiny):
    """Five notebooks with a `verify` form, all with records that stand."""
    names = ["one", *(f"n{i}" for i in range(4))]
    tiny.write_params(**{name: {"parameters": PARAMETERS, "verify": {"scale": 2.0}} for name in names}, two={})
    for name in names[1:]:
        (tiny.chapter / f"{name}.py").write_text((tiny.chapter / "one.py").read_text())
    twins.sync("tiny")
    for name in names:
        tiny.commit(name)
    return names


def chosen(*asked, **how):
    return [check.spec.notebook for check in verification.planned(asked, **how)]


def test_four_quarters_are_the_whole_go_round_with_the_days_and_hold_what_is_doubtful(tiny, many, monkeypatch):
    quarters, days = [chosen(quarter=quarter) for quarter in range(4)], []
    for day in range(4):
        monkeypatch.setattr(verification.time, "time", lambda day=day: 86400.0 * (1000 + day) + 1)
        days.append(chosen())
    assert sorted(chain(*quarters)) == sorted(many) == sorted(chosen(everything=True)) == sorted(chain(*days))
    assert max(map(len, quarters)) == 2
    change_the_code(tiny)
    for quarter in range(4):
        assert {"one", *quarters[quarter]} == set(chosen(quarter=quarter))


def test_a_notebook_without_a_record_is_verified_by_name_only(tiny, many):
    """There is nothing to compare: whether its ledger may wait for the record is for `verdicts --check` to say."""
    tiny.chapter.joinpath("results", "n0.paper.json").unlink()
    assert "n0" not in chosen(everything=True) and chosen("tiny/n0") == ["n0"]
    assert verification.passed_over() == {"tiny/n0": "there is no record yet"}


def test_what_needs_a_module_that_is_missing_is_left_out_and_named(tiny, many):
    form = {"parameters": PARAMETERS, "verify": {"scale": 2.0}}
    tiny.write_params(one=form, n0={**form, "verify_needs": ["json"]}, n1={**form, "verify_needs": ["json", "nowhere"]})
    assert verification.passed_over() == {"tiny/n1": "nowhere is not installed"}
    assert sorted(chosen(everything=True)) == ["n0", "one"]
    assert chosen("tiny/n1") == ["n1"], "who asks for it by name is told by the notebook what to install"
    tiny.chapter.joinpath("results", "n1.paper.json").unlink()
    result = cli("verify", "--quarter", "0")
    assert "tiny/n1: not verified, as nowhere is not installed" in result.stdout


def test_what_needs_a_training_that_nobody_kept_is_left_out_and_named(tiny, many, tmp_path, monkeypatch):
    monkeypatch.setattr(verification, "results_of", lambda module: tmp_path / module)
    form = {"parameters": PARAMETERS, "verify": {"scale": 2.0}}
    tiny.write_params(one=form, n0={**form, "verify_trained": ["trustnlp.training.loop"]})
    (tmp_path / "trustnlp.training.loop").mkdir()  # an empty folder keeps nothing
    [(name, reason)] = verification.passed_over().items()
    assert name == "tiny/n0" and "`trustnlp verify tiny/n0` trains them first" in reason
    assert chosen(everything=True) == ["one"] and chosen("tiny/n0") == ["n0"]
    (tmp_path / "trustnlp.training.loop" / "teacher.pt").touch()
    assert not verification.passed_over() and sorted(chosen(everything=True)) == ["n0", "one"]


def test_what_needs_data_that_only_a_person_may_bring_is_left_out_and_named(tiny, many, monkeypatch):
    monkeypatch.setattr(verification, "only_fetched", lambda name: ["its file"])
    form = {"parameters": PARAMETERS, "verify": {"scale": 2.0}}
    tiny.write_params(one=form, n0={**form, "data": {"paper": ["its_data"]}})
    result = cli("verify", "--all", "--at-least", "2")
    assert result.exit_code == 2 and "too little can be verified here: 1 notebooks, not 2" in result.stderr
    assert "tiny/n0: not verified, as its_data is not here; `trustnlp data fetch its_data` brings it" in result.stdout


def test_what_is_asked_for_is_chosen_and_nothing_else(many):
    assert chosen("tiny/n3", "tiny/one") == ["one", "n3"], "in the order of the chapter"
    assert chosen("tiny") == many
    [check] = verification.planned(["tiny/n3"])
    assert check.spec.parameters == {"scale": 2.0, "trouble": "none"} and check.spec.profile == "paper"
    assert check.spec.out_record.parent.parts[-3:] == ("_build", "verify", "tiny")
    for wrong in ("", "tiny/", "tiny/two", "one"):
        with pytest.raises(UserError, match=f"nothing to verify in '{wrong}'"):
            chosen(wrong)
    result = cli("verify", "tiny/on")
    assert result.exit_code == 2 and "did you mean 'tiny/one'?" in result.stderr
