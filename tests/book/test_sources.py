"""The book's sources: contents and bibliography are whole, and the extensions do what pages ask of them."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from trustnlp.reproduce.pages.staging import documents
from trustnlp.reproduce.project import chapters
from trustnlp.reproduce.runs.durations import duration_text

ROOT = Path(__file__).resolve().parents[2]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
PROSE = sorted([*ROOT.glob("book/**/*.md"), *ROOT.glob("chapters/*/*.md")])
BIB = (ROOT / "book" / "references.bib").read_text("utf-8")
KEYS = re.findall(r"^@\w+\{([^,]+),$", BIB, re.MULTILINE)


with pytest.MonkeyPatch.context() as _patch:
    _patch.syspath_prepend(str(ROOT / "book" / "_ext"))
    api = importlib.import_module("trustnlp_api")


def test_every_page_of_the_contents_has_a_source() -> None:
    made = {f"chapters/{slug}/ledger" for slug in chapters()}
    listed = [name for name in documents(TOC) if name not in made]
    missing = [name for name in listed if not any((ROOT / f"{name}{end}").is_file() for end in (".md", ".py"))]
    assert missing == []


def test_every_source_is_in_the_contents() -> None:
    listed = set(documents(TOC))
    written = {path.relative_to(ROOT).with_suffix("").as_posix() for path in PROSE}
    notebooks = {path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.glob("chapters/*/*.py")}
    ledgers = {f"chapters/{slug}/ledger" for slug in chapters()}
    assert (written | notebooks | ledgers) - listed == set()


def test_no_folder_makes_jupyter_book_load_everything_twice() -> None:
    assert not (ROOT / "_static").exists()


def test_the_bibliography_is_sorted_without_duplicates_and_complete() -> None:
    assert sorted(KEYS) == KEYS
    assert len(set(KEYS)) == len(KEYS)
    for entry in re.split(r"\n(?=@)", BIB.strip()):
        for field in ("title", "author", "year"):
            assert re.search(rf"^  {field}\s+= \{{.+\}},?$", entry, re.MULTILINE), f"{entry.splitlines()[0]}: {field}"


def test_every_citation_has_an_entry() -> None:
    sources = [*PROSE, *ROOT.glob("chapters/*/*.py")]
    cited = {
        key.strip()
        for path in sources
        for keys in re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", path.read_text("utf-8"))
        for key in keys.split(",")
    }
    assert cited - set(KEYS) == set()


@pytest.mark.parametrize(
    ("text", "rst"),
    [
        ("plain", "plain"),
        ("a `name` and ``another``", "a \\ ``name``\\  and \\ ``another``\\ "),
        ("`x`s", "\\ ``x``\\ s"),
        ("*args and **kwargs, word_ and |x|", "\\*args and \\*\\*kwargs, word\\_ and \\|x\\|"),
        ("a lone ` tick", "a lone \\` tick"),
    ],
)
def test_text_is_escaped_outside_code_only(text: str, rst: str) -> None:
    assert api.escape(text) == rst


def render(docstring: str) -> str:
    """A docstring through the translation and docutils, which must not complain."""
    from docutils.core import publish_parts

    settings = {"halt_level": 2, "report_level": 2, "input_encoding": "unicode"}
    body: str = publish_parts(
        "\n".join(api.to_rst(docstring.split("\n"))), writer_name="html5", settings_overrides=settings
    )["body"]
    return body


DOCSTRING = """Title with `code` and s(X, Y) = |a - b| * 2.

A paragraph with an `ids` and an aligned list:

ids        : (B, T) int64, token ids
rate       : float in [0, 1)
             [dimensionless]

* one *bullet
* another_

========  =====
what      much
========  =====

An equation::

    d = (a - b) / s   # not *markup*

Parameters
----------
words, more : sequence of `str`
    First paragraph.

    Second, with `code`.
bare

Raises
------
ValueError
    What is wrong.

>>> 1 + 1
2
"""


def test_a_docstring_keeps_its_shape_and_never_warns() -> None:
    html = render(DOCSTRING)
    assert html.count("<dt") == 5  # ids, rate, words, bare, ValueError
    assert html.count("<li>") == 2
    told = ["s(X, Y) = |a - b| * 2.", "[dimensionless]", "what      much", "not *markup*", "Second, with", "1 + 1"]
    assert [words for words in told if words not in html] == []


def test_every_docstring_of_the_package_translates_without_a_warning() -> None:
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                docstring = ast.get_docstring(node)
                if docstring and ":math:" not in docstring:
                    render(docstring)


LEDGER = """
paper: {key: k, title: A title, authors: Somebody, venue: Somewhere, year: 2021, url: "https://example.org/"}
claims:
  - {id: mean-most, where: p. 3, text: The mean reveals most., kind: untestable, paper: {text: most},
     reason: There is no record., expect: not testable here}
"""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A project with one chapter of one claim that has no record, and a page that may ask for it."""
    for place, content in {
        "_config.yml": "title: x\n",
        "_toc.yml": "format: jb-book\nroot: src/index\n",
        "book/in-work.yaml": "- {slug: b, title: To come}\n- {slug: a, title: Has come}\n",
        "chapters/a/claims.yaml": LEDGER,
        "src/conf.py": "extensions = ['myst_parser', 'trustnlp_book', 'trustnlp_roles']\nhtml_theme = 'basic'\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(content)
    return tmp_path


def sphinx(root: Path, page: str) -> tuple[str, str]:
    """Warnings and HTML of a book with this one page."""
    (root / "src" / "index.md").write_text(f"# Page\n\n{page}\n")
    path = os.pathsep.join([str(ROOT / "book" / "_ext"), *sys.path])
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(root / "src"), str(root / "html")],
        env={**os.environ, "PYTHONPATH": path, "TRUSTNLP_ROOT": str(root), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr, (root / "html" / "index.html").read_text("utf-8")


def test_pages_get_their_verdicts_from_the_ledger(book: Path) -> None:
    page = "{claim}`the mean <a/mean-most>` ({verdict}`a/mean-most`). {paper}`a/mean-most`\n"
    for directive in ("ledger} a", "headlines} a", "verdict-dashboard}", "run-banner} a/method", "data-card} minilm"):
        page += f"\n```{{{directive}\n```\n"
    warnings, html = sphinx(book, page)
    assert warnings == ""
    chip = re.search(r'<a class="([^"]*tn-verdict-value[^"]*)" href="([^"]*)"', html)
    assert chip and {"tn-verdict", "tn-not-testable-here"} <= set(chip[1].split())
    assert chip[2] == "chapters/a/ledger.html#claim-mean-most"
    assert re.search(r'href="chapters/a/ledger.html#claim-mean-most">the mean</a>', html)
    assert re.search(r'<span class="tn-nowrap">\(<a [^>]*tn-verdict-value.*?</a>\)\.</span>', html)
    for part in ('id="claim-mean-most"', 'href="chapters/a/index.html"', "To come", "not made yet", 'id="data-minilm"'):
        assert part in html
    assert "Has come" not in html


def test_a_page_says_how_long_runs_took(book: Path) -> None:
    folder, names = book / "chapters" / "a", ("method", "critique")
    (folder / "results").mkdir()
    (folder / "params.yaml").write_text(json.dumps({"notebooks": {name: {} for name in names}}))
    seconds = []
    for name in names:
        (folder / f"{name}.py").touch()
        record = (ROOT / "chapters" / "_template" / "results" / f"{name}.paper.json").read_text("utf-8")
        (folder / "results" / f"{name}.paper.json").write_text(record)
        seconds.append(json.loads(record)["seconds"])
    warnings, html = sphinx(book, "{duration}`a/method.paper` and {duration}`a | paper`")
    assert warnings == ""
    told = re.findall(r'tn-duration-value">([^<]+)<', html)
    assert told == [duration_text(seconds[0]), duration_text(sum(seconds))]


ABSENT = [
    ("{ours}`a/mean-mots`", "chapter 'a' has no claim 'mean-mots'; did you mean 'mean-most'?"),
    ("{ours}`mean-most`", "'mean-most' stands outside a chapter; write CHAPTER/mean-most"),
    ("{ours}`aa/mean-most`", "unknown chapter 'aa'; did you mean 'a'?"),
    ("{ours}`a/mean-most | whi`", "no value 'whi'"),
    ("{metric}`a/reproduction.paper:x`", "chapter 'a' has no record 'reproduction.paper'"),
    ("{metric}`a/x`", "'x': expected RECORD:KEY"),
    ("{duration}`a/method.paper`", "chapter 'a' has no record 'method.paper'"),
    ("```{ledger} b\n```", "unknown chapter 'b'"),
    ("```{run-banner} method\n```", "'method': expected CHAPTER/NOTEBOOK"),
    ("```{data-card} minilmm\n```", "unknown data set 'minilmm'; did you mean 'minilm'?"),
]


def test_what_is_not_there_is_a_warning_with_the_nearest_name(book: Path) -> None:
    warnings, _ = sphinx(book, "\n\n".join(page for page, _ in ABSENT))
    lines = sorted(warnings.splitlines(), key=lambda line: int(re.search(r"index\.md:(\d+): WARNING", line)[1]))
    assert len(lines) == len(ABSENT)
    for line, (page, warning) in zip(lines, ABSENT, strict=True):
        assert warning in line, page


def test_api_pages_show_commands_without_the_internals_of_their_command_line() -> None:
    source = ["```{api-modules} trustnlp.tools\n```"]
    api.expand_packages(None, "book/api/tools", source)
    of = dict(re.findall(r"automodule:: (\S+)\n(.*?)```", source[0], re.DOTALL))
    assert not of["trustnlp.tools.cli"] and not of["trustnlp.tools.cli_privacy"]
    assert ":members:" in of["trustnlp.tools.user_files"] and ":members:" in of["trustnlp.tools.report_files"]
