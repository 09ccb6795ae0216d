"""Lints over the committed ledgers and pages: orderings, shared quantities, quotations, numbers in code, labels."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from quotations import misquoted

from trustnlp.reproduce.claims.ledger_lints import digits_of, lints
from trustnlp.reproduce.claims.ledger_tables import numbers, read_by
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import chapter_dir, chapters, papers, project_root
from trustnlp.reproduce.schemas import load_yaml

SLUGS = chapters()
# A finding or a claim is cited by a label: a typed number is wrong as soon as another stands before it.
# The papers number claims of their own ("Claim 6").
NUMBERED = re.compile(r"\b(?:[Ff]indings?|claims?) \d")


@pytest.mark.parametrize("slug", SLUGS)
def test_no_ledger_is_at_fault(slug: str) -> None:
    assert lints(slug) == []


@pytest.mark.parametrize("slug", SLUGS)
def test_no_text_of_a_claim_is_left_with_a_placeholder(slug: str) -> None:
    assert [claim.id for claim in load_claims(slug).claims if "{" in claim.text] == []


@pytest.mark.mirror
@pytest.mark.parametrize("slug", papers())
def test_quotations_are_the_papers_words(slug: str, mirror: Path) -> None:
    path = mirror.parent / "papers" / f"{slug.replace('_', '-')}.txt"
    if not path.is_file():
        pytest.skip(f"no text of the paper at {path}")
    assert misquoted(load_yaml(chapter_dir(slug) / "claims.yaml", "claims"), path.read_text(encoding="utf-8")) == []


def sources(slug: str) -> list[Path]:
    studies = project_root() / "src" / "trustnlp" / "studies" / slug
    return [*sorted(chapter_dir(slug).glob("*.py")), *sorted(studies.rglob("*.py"))]


@pytest.mark.parametrize("slug", SLUGS)
def test_printed_tables_are_read_and_no_others(slug: str) -> None:
    document = load_yaml(chapter_dir(slug) / "claims.yaml", "claims")
    read = {table for path in sources(slug) for chapter, table in read_by(path.read_text("utf-8")) if chapter == slug}
    told, tables = str([document.get("claims"), document.get("grids")]), document.get("printed", {})
    assert read <= set(tables)
    assert [table for table in tables if table not in read and f"={table}" not in told] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_no_code_spells_out_a_number_of_the_ledger(slug: str) -> None:
    document = load_yaml(chapter_dir(slug) / "claims.yaml", "claims")
    printed = {abs(value) for _, value in numbers(document.get("printed", {})) if digits_of(value) >= 3}
    typed = [
        f"{path.name}:{node.lineno}: {node.value}"
        for path in sources(slug)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and abs(node.value) in printed
    ]
    assert typed == []


def test_no_page_cites_a_finding_or_claim_by_a_typed_number() -> None:
    root = project_root()
    pages = [*root.glob("book/*.md"), *root.glob("chapters/*/*.md"), *root.glob("chapters/*/*.py"), root / "README.md"]
    cited = [
        f"{path.relative_to(root)}: {line.strip()[:80]}"
        for path in pages
        for line in path.read_text(encoding="utf-8").splitlines()
        if NUMBERED.search(line)
    ]
    assert cited == []
