"""The template runs, agrees with its records, and makes a chapter that runs and builds."""

import re
import shutil

import pytest
import yaml
from typer.testing import CliRunner

from trustnlp.reproduce.checks import verification
from trustnlp.reproduce.checks.standing import standings
from trustnlp.reproduce.claims.ledgers import Verdict, load_claims, parse_claims
from trustnlp.reproduce.claims.verdicts import judge_chapter
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.notebooks.chapter_template import new_chapter
from trustnlp.reproduce.pages import book
from trustnlp.reproduce.pages.built.page_checks import check_pages
from trustnlp.reproduce.pages.staging import stage
from trustnlp.reproduce.project import UserError, chapters, project_root
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.params import load_params, read_params
from trustnlp.reproduce.runs.runner import plan, run_many
from trustnlp.tools.cli import app

PROJECT = project_root()
LABEL = re.compile(r'(?:^:label: |"name": "|^\()((?:fig|eq)-[\w-]+)', re.MULTILINE)  # unique in a book


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The project's root files and its template in a folder of their own."""
    source, root = PROJECT, tmp_path / "book"
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


def trustnlp(*arguments):
    return CliRunner().invoke(app, list(arguments))


def contents(root):
    """What a person wrote: not the answers that checks keep under `_build`."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if "_build" not in path.relative_to(root).parts}


def test_a_new_chapter_is_entered_and_waits_for_its_records(copy):
    toc = (copy / "_toc.yml").read_text()
    written = new_chapter("king_and_queen")
    folder, template = copy / "chapters" / "king_and_queen", copy / "chapters" / "_template"
    assert set(written) == {path for path in folder.iterdir() if path.is_file()} | {copy / "_toc.yml"}
    assert chapters() == ["king_and_queen", "_template"]
    pages, theirs = ("".join(path.read_text() for path in each.glob("*.*")) for each in (folder, template))
    assert "_template" not in pages
    assert LABEL.findall(theirs) and not set(LABEL.findall(pages)) & set(LABEL.findall(theirs))
    assert twins.check("king_and_queen") == []

    entered = (copy / "_toc.yml").read_text()
    block = toc[toc.index("      - file: chapters/_template/index") :]
    assert entered == toc.replace(block, block.replace("_template", "king_and_queen") + block)
    last = yaml.safe_load(entered)["parts"][-1]["chapters"]
    assert [chapter["file"].split("/")[1] for chapter in last[-2:]] == ["king_and_queen", "_template"]

    judged = judge_chapter("king_and_queen")  # no records yet, and the ledger says so
    assert len(judged) == len(load_claims("_template").claims) and all(j.as_expected for j in judged)
    waiting = [j for j in judged if j.verdict is Verdict.NOT_MEASURED]
    assert waiting and all("`trustnlp run king_and_queen --profile paper`" in j.why for j in waiting)
    assert load_params("king_and_queen").sweeps["noise"].notebook == "method"


def test_the_command_enters_a_chapter_that_is_judged_and_waits(copy):
    made = trustnlp("new-chapter", "king_and_queen")
    assert made.exit_code == 0 and "wrote chapters/king_and_queen/claims.yaml" in made.stdout
    judged = trustnlp("verdicts").stdout
    assert "king_and_queen\n  Not tried here: 4 (1 not testable here, 3 not measured)\n" in judged
    assert [name for name in standings() if name.startswith("king_and_queen")] == []


BESIDE = ("add-a-chapter", "data", "how-to-read", "methods")  # pages of the book that a chapter links to


def test_the_pages_of_a_new_chapter_build_without_a_warning(copy):
    for folder in ("_ext", "_assets"):
        shutil.copytree(PROJECT / "book" / folder, copy / "book" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for page in ("glossary.md", "references.md", "references.bib"):
        shutil.copyfile(PROJECT / "book" / page, copy / "book" / page)
    shutil.copyfile(PROJECT / "CITATION.cff", copy / "CITATION.cff")
    for page in BESIDE:
        (copy / "book" / f"{page}.md").write_text(f'# {page}\n\n<a id="data-wefe_googlenews"></a>\n')
    shutil.copytree(PROJECT / "src" / "trustnlp" / "embeddings", copy / "src" / "trustnlp" / "embeddings")
    new_chapter("king_and_queen")
    toc = yaml.safe_load((copy / "_toc.yml").read_text())
    chapter = toc["parts"][-1]["chapters"][-2]
    pages = [{"file": f"book/{page}"} for page in ("references", *BESIDE)]
    toc = {"format": "jb-book", "root": "book/glossary", "chapters": [*pages, chapter]}
    (copy / "_toc.yml").write_text(yaml.safe_dump(toc))

    results = run_many(plan("king_and_queen"))
    assert [result.status for result in results] == ["done"] * 3, [result.error for result in results]
    assert load_record(results[1].record)["chapter"] == "king_and_queen"
    executed = {f"chapters/king_and_queen/{r.spec.notebook}": r.spec.out_notebook for r in results}
    stage(copy, copy / "_build" / "stage", executed)
    assert book._render(copy, copy / "_build" / "stage") == (0, [])
    assert check_pages(copy / "_build" / "html", private=str(copy)) == []
    front = (copy / "_build" / "html" / "chapters" / "king_and_queen" / "index.html").read_text()
    assert 'id="finding-fig-king-and-queen-king"' in front and "Nothing is measured yet" in front
    assert len(re.findall(r'class="[^"]*tn-verdict tn-not-measured', front)) >= 3


def test_the_examples_for_authors_are_valid():
    page = (PROJECT / "book" / "add-a-chapter.md").read_text()
    ledger, params = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    [claim] = parse_claims(ledger, "x", "add-a-chapter.md").claims
    assert claim.headline == 0 and claim.record == "reproduction.paper"
    assert read_params("x", params).notebook("reproduction").verify == {"seeds": [0, 1]}


@pytest.mark.parametrize("slug", ["_template", "with-dash", "../up", ""])
def test_an_unfit_slug_writes_nothing(copy, slug):
    before = contents(copy)
    with pytest.raises(UserError, match="expected lower-case words"):
        new_chapter(slug)
    assert contents(copy) == before


def test_a_taken_slug_and_a_toc_without_template_write_nothing(copy):
    new_chapter("taken")
    toc = copy / "_toc.yml"
    toc.write_text(toc.read_text().replace("chapters/_template/index", "chapters/other/index"))
    before = contents(copy)
    for slug, told in (("taken", "chapters/taken is there already"), ("another", r"_toc\.yml does not list")):
        with pytest.raises(UserError, match=told):
            new_chapter(slug)
    assert contents(copy) == before
