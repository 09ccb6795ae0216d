"""The prose of chapters: no result of ours is typed, and terms of the glossary link where they come first."""

from collections.abc import Iterator
from functools import cache

import jupytext
import pytest
from prose import EVERYDAY, glossary_terms, hidden_words, spelled_results, typed_results, unlinked_terms

from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.project import chapter_dir, chapters, project_root

each_chapter = pytest.mark.parametrize("slug", chapters())

GLOSSARY = glossary_terms((project_root() / "book" / "glossary.md").read_text(encoding="utf-8"))


@cache
def cells(slug, notebook):
    return jupytext.read(chapter_dir(slug) / f"{notebook}.py", fmt="py:percent").cells


def texts(slug) -> Iterator[tuple[str, str]]:
    """Places and texts of a chapter: its front page, the Markdown cells and the captions of its notebooks."""
    yield "index.md", (chapter_dir(slug) / "index.md").read_text(encoding="utf-8")
    for source in twins.sources(slug):
        for number, cell in enumerate(cells(slug, source.stem), start=1):
            place = f"{source.name}, cell {number}"
            if cell.cell_type == "markdown":
                yield place, cell.source
            elif caption := cell.metadata.get("mystnb", {}).get("figure", {}).get("caption"):
                yield f"{place}, caption", caption


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The effect is 1.54 here.", ["1.54"]),
        ("significant (p < 0.05)", ["p < 0"]),
        ("In 2013, §4.2, Table 3 and WEAT 6 with 8 words", []),
        ("`x = 1.5`, $d = 1.5$, {ours}`a-1.5`, [a](https://x.org/1.5)", []),
        ("```python\nx = 1.5\n```\nand 2.5", ["2.5"]),
        ("It fell by 12 %. {holds}`a between 11 13`", []),
        ("It fell by 12 %. {holds}`a above 11`", ["12 %"]),  # twice as much would pass
        ("It fell by 12 %. {holds}`a between 11 23`", ["12 %"]),
        ("It fell by 12 %. {holds}`a between -11 13`", ["12 %"]),
        ("- It fell by 12 %.\n- {holds}`a between 11 13`", ["12 %"]),
    ],
)
def test_the_check_for_typed_results_sees_what_it_should(text, expected):
    assert typed_results(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Calibration is worth ten points of F1.", ["ten points"]),
        ("The lead is a tenth of a point, or half a point.", ["tenth of a point", "half a point"]),
        ("twenty-five per cent; a ninefold cost", ["twenty-five per cent", "ninefold"]),
        ("(seven times as long, twice as many)", ["seven times as", "twice as"]),
        ("About one true pair in twenty has no score.", ["one true pair in twenty"]),
        ("Table 4 is the paper's two and a half hours, not the printed one and a third of a point.", []),
        ("Worse by eight points {holds}`a between 7 9`, or half a point {holds}`b between 0.4 0.6`.", []),
        ("It leads by ninefold in three of nine. {holds}`3 of 9 a-* above 0`", []),
        ("Eight times eight pairs, two in all, on two cores; drawn ten times; three tests; the second half.", []),
    ],
)  # fmt: skip
def test_the_check_for_spelled_results_sees_what_it_should(text, expected):
    assert spelled_results(text) == expected


@each_chapter
@pytest.mark.parametrize("faults", [typed_results, spelled_results])
def test_no_result_is_typed_or_spelled_out_in_prose(slug, faults):
    """Say it with a role or without the number; a clause that names the paper, or a limit, may spell one out."""
    found = {place: faults(text) for place, text in texts(slug)}
    assert not {place: numbers for place, numbers in found.items() if numbers}


READ_FIRST = [
    "README.md",
    *(f"book/{page}.md" for page in ("intro", "findings", "errors-in-print", "how-to-read", "how-to-run", "own-data")),
    *(f"chapters/{slug}/index.md" for slug in chapters()),
]


@pytest.mark.parametrize("page", READ_FIRST)
def test_pages_that_are_read_first_hide_nothing_in_words(page):
    assert hidden_words((project_root() / page).read_text(encoding="utf-8")) == []


@each_chapter
def test_notebooks_hide_nothing_in_words(slug):
    told = {place: hidden_words(text) for place, text in texts(slug)}
    assert not {place: words for place, words in told.items() if words}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("That it hides it is {verdict}`a/b`.", "a badge as predicate"),
        ("ahead by −3 (below zero: behind)", "true whatever the sign"),
        ("What was seen: the lines above.", "what was seen"),
        ("The two cannot be told apart.", "can be told"),
        ("The row is to show a time.", "is to"),
    ],
)
def test_the_check_for_hidden_words_sees_what_it_should(text, kind):
    assert [found.partition(":")[0] for found in hidden_words(text)] == [kind]
    assert hidden_words(f'```python\n# {text}\n```\nPaper: "{text}" {{verdict}}`a/b` It holds.') == []


@pytest.mark.parametrize("page", ["intro", "findings"])
def test_no_result_is_typed_into_a_page_across_chapters(page):
    text = (project_root() / "book" / f"{page}.md").read_text(encoding="utf-8")
    assert not typed_results(text) + spelled_results(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A clique is small.", ["clique"]),
        ("A {term}`clique`, then cliques.", []),
        ("{term}`Cliques <clique>` are small. A clique", []),
        ("Clique\npartitioning is hard.", ["clique partitioning"]),
        ("# A clique\n\n`clique`, $clique$, [clique](page), {doc}`clique`, <a id='clique'>", []),
        ('*"The Clique Problem"*, on {doc}`x` and {term}`graphs <graph>` and {term}`clique` and $n$ cliques', []),
        ("semi-clique, cliqued, clique-wise", []),
    ],
)
def test_the_check_for_terms_sees_what_it_should(text, expected):
    assert unlinked_terms(text, ["clique", "clique partitioning"]) == expected


def test_the_everyday_terms_are_some_of_the_glossary():
    assert set(GLOSSARY) > EVERYDAY


@each_chapter
def test_a_term_links_to_the_glossary_where_it_comes_first(slug):
    pages = {"index": (chapter_dir(slug) / "index.md").read_text(encoding="utf-8")}
    for source in twins.sources(slug):
        pages[source.stem] = "\n\n".join(c.source for c in cells(slug, source.stem) if c.cell_type == "markdown")
    terms = [term for term in GLOSSARY if term not in EVERYDAY]
    found = {page: unlinked for page, text in pages.items() if (unlinked := unlinked_terms(text, terms))}
    assert not found, "write {term}`…` at the first use in running text"
