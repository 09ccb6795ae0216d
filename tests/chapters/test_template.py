"""The template runs, agrees with its records, and makes a chapter that runs."""

import shutil

import pytest
import yaml

from trustnlp.reproduce import twins, verification
from trustnlp.reproduce.chapter_template import new_chapter
from trustnlp.reproduce.claims import Verdict, load_claims
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
    [check] = verification.planned(["_template/critique"])
    [result] = verification.verify([check])
    assert (result.name, result.differences, result.compared) == ("_template/critique", (), 4)

    renamed = load_record(check.committed)
    renamed["metrics"] = {key.replace("offset_length", "offset_size"): m for key, m in renamed["metrics"].items()}
    differences = verification.compare(renamed, load_record(check.spec.out_record))
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
    waiting = [j for j in judged if j.verdict is Verdict.NOT_MEASURED]
    assert waiting and all("`trustnlp run king_and_queen --profile paper`" in j.why for j in waiting)

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
