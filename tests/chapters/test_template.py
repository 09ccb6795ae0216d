"""The template runs, agrees with its records, and makes a chapter that runs."""

import shutil

import pytest
import yaml

from trustnlp.reproduce import twins
from trustnlp.reproduce import verify as verification
from trustnlp.reproduce.claims import load_claims
from trustnlp.reproduce.new_chapter import new_chapter
from trustnlp.reproduce.params import load_params
from trustnlp.reproduce.project import UserError, chapters, project_root
from trustnlp.reproduce.records import load_record
from trustnlp.reproduce.runner import plan, run_many
from trustnlp.reproduce.verdicts import judge_chapter


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The project's root files and its template in a folder of their own."""
    source, root = project_root(), tmp_path / "book"
    shutil.copytree(source / "chapters" / "_template", root / "chapters" / "_template")
    for name in ("_config.yml", "_toc.yml"):
        shutil.copyfile(source / name, root / name)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(root))
    return root


def test_the_template_agrees_with_its_committed_record(copy):
    params = copy / "chapters" / "_template" / "params.yaml"
    text = params.read_text()
    assert text.count("verify: {}") == 3  # `make verify` runs all three; one is enough here
    params.write_text(text.replace("    verify: {}\n", "").replace("  critique:\n", "  critique:\n    verify: {}\n"))
    [result] = verification.verify()
    assert (result.name, result.differences, result.compared) == ("_template/critique", (), 4)

    record = copy / "chapters" / "_template" / "results" / "critique.paper.json"
    record.write_text(record.read_text().replace("gender.offset_length", "gender.offset_size"))
    [check] = verification.planned()
    differences = verification.compare(
        load_record(record)["metrics"], load_record(check.spec.out_record)["metrics"], whole=True
    )
    assert [line.partition(":")[0] for line in differences] == ["gender.offset_length", "gender.offset_size"]


def test_a_new_chapter_is_entered_and_runs_in_smoke(copy):
    toc = (copy / "_toc.yml").read_text()
    written = new_chapter("king_and_queen")
    folder = copy / "chapters" / "king_and_queen"
    assert set(written) == {path for path in folder.iterdir() if path.is_file()} | {copy / "_toc.yml"}
    assert chapters() == ["king_and_queen", "_template"]
    assert "_template" not in "".join(path.read_text() for path in folder.glob("*.*"))
    assert twins.check("king_and_queen") == []

    entered = (copy / "_toc.yml").read_text()
    block = toc[toc.index("      - file: chapters/_template/index") :]
    assert block.count("\n") == 5
    assert entered == toc.replace(block, block.replace("_template", "king_and_queen") + block)
    assert yaml.safe_load(entered)["parts"][-1]["chapters"][0]["file"] == "chapters/king_and_queen/index"

    judged = judge_chapter("king_and_queen")  # no records yet, and the ledger says so
    assert len(judged) == len(load_claims("_template").claims) and all(j.as_expected for j in judged)

    results = run_many(plan("king_and_queen"))
    assert [result.status for result in results] == ["done"] * 3, [result.error for result in results]
    assert load_record(results[1].record)["chapter"] == "king_and_queen"
    assert load_params("king_and_queen").sweeps["noise"].notebook == "method"


@pytest.mark.parametrize("slug", ["_template", "Caps", "with-dash", "../up", "a__b", "9lives", "", "a b"])
def test_an_unfit_slug_writes_nothing(copy, slug):
    before = sorted(path for path in copy.rglob("*"))
    with pytest.raises(UserError, match="expected lower-case words"):
        new_chapter(slug)
    assert sorted(path for path in copy.rglob("*")) == before


def test_a_taken_slug_and_a_toc_without_template_write_nothing(copy):
    new_chapter("taken")
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    with pytest.raises(UserError, match="chapters/taken is there already"):
        new_chapter("taken")
    toc = copy / "_toc.yml"
    text = toc.read_text()
    toc.write_text(text.replace("chapters/_template/index", "chapters/other/index"))
    with pytest.raises(UserError, match=r"_toc\.yml does not list"):
        new_chapter("another")
    toc.write_text(text)
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == before


def metric(mean, low=None, high=None, n=1, interval="deterministic"):
    ends = {"low": mean if low is None else low, "high": mean if high is None else high}
    return {"values": [mean] * n, "mean": mean, **ends, "n": n, "interval": interval, "unit": None}


@pytest.mark.parametrize(
    ("committed", "fresh", "agree"),
    [
        (metric(1.0), metric(1.0 + 5e-7), True),
        (metric(1.0), metric(1.0 + 5e-6), False),
        (metric(0.0), metric(5e-10), True),
        (metric(0.0), metric(5e-9), False),
        (metric(1.0, 0.9, 1.1, 5, "t"), metric(1.13, n=5), True),  # 1.1 + (√2 − 1)·0.1
        (metric(1.0, 0.9, 1.1, 5, "t"), metric(1.15, n=5), False),
        (metric(1.0, 0.9, 1.1, 5, "t"), metric(1.2, n=1), True),  # one seed against five: √6
        (metric(1.0, 0.9, 1.1, 5, "t"), metric(1.25, n=1), False),
        (metric(1.0, 0.9, 1.3, 5, "bootstrap"), metric(0.85, n=5), True),
        (metric(1.0, 0.9, 1.3, 5, "bootstrap"), metric(0.80, n=5), False),
    ],
)
def test_the_rule_of_verify(committed, fresh, agree):
    assert verification.within(committed, fresh) is agree


def test_a_random_value_without_interval_must_stay_the_same():
    alone = {**metric(1.0, interval="t"), "low": None, "high": None}
    assert verification.within(alone, metric(1.0)) and not verification.within(alone, metric(1.01))


def test_missing_metrics_are_differences():
    one, two = {"a": metric(1.0)}, {"a": metric(1.0), "b": metric(2.0)}
    assert verification.compare(one, two, whole=False) == ["b: is not in the committed record"]
    assert verification.compare(two, one, whole=True) == ["b: is in the committed record only"]
    assert verification.compare(two, one, whole=False) == []
    [line] = verification.compare(one, {"a": metric(2.0)}, whole=True)
    assert line.startswith("a: now 2, committed 1, allowed")
