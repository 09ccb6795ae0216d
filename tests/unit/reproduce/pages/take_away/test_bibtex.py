"""BibTeX that readers take along."""

import pytest

from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.pages.take_away.bibtex import chapter_entry, entries
from trustnlp.reproduce.project import papers, project_root

CFF = {"title": "A Book", "version": "1.0", "date-released": "2026-11-21", "authors": [{"name": "A"}, {"name": "B"}]}


def test_each_paper_has_an_entry() -> None:
    told = entries((project_root() / "book" / "references.bib").read_text("utf-8"))
    assert {load_claims(slug).paper.key for slug in papers()} <= set(told)
    assert all(entry.count("{") == entry.count("}") for entry in told.values())


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("Is *husband* a word?", r"Is \emph{husband} a word?"),
        ('What "near" means', "What ``near'' means"),
        ("A & B at 5 %", r"A \& B at 5 \%"),
        (r"How small is $\epsilon$?", r"How small is $\epsilon$?"),
    ],
)
def test_markdown_becomes_tex(title: str, told: str) -> None:
    assert f"title     = {{{told}}}," in chapter_entry("x", title, CFF, None)


def test_authors_and_address_are_told() -> None:
    told = chapter_entry("dpnr", "Title", CFF, "https://github.com/x/y")
    assert (
        "author    = {{A} and {B}}" in told and "url       = {https://github.com/x/y/tree/v1.0/chapters/dpnr}" in told
    )


def test_an_entry_ends_where_its_brace_does() -> None:
    told = entries("@misc{a,\n  title = {A {B}},\n}\n\n@book{b,\n  year = {1}\n}\n")
    assert list(told) == ["a", "b"] and told["b"].endswith("}")
