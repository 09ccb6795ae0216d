"""All printed tables of a chapter's ledger."""

from typing import Any

from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.project import chapter_dir
from trustnlp.reproduce.schemas import load_yaml


def all_printed(chapter: str) -> dict[str, Any]:
    return printed_tables(chapter, *load_yaml(chapter_dir(chapter) / "claims.yaml", "claims")["printed"])
