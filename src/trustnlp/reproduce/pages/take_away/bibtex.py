"""BibTeX of the book's chapters, and the entries of its bibliography by key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

# Markdown → TeX.
_PLAIN = {r"([&%#_])": r"\\\1", r"\*(.+?)\*": r"\\emph{\1}", r'"(.+?)"': r"``\1''"}


def citation(root: Path) -> Mapping[str, Any]:
    """How the book is cited: its CITATION.cff."""
    told: Mapping[str, Any] = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    return told


def entries(bib: str) -> dict[str, str]:
    """Key → entry of a BibTeX file whose entries begin with `@` and end with `}` at the start of a line."""
    return {found[1]: found[0] for found in re.finditer(r"^@\w+\{([^,\s]+),.*?^\}", bib, re.MULTILINE | re.DOTALL)}


def chapter_entry(slug: str, title: str, cff: Mapping[str, Any], address: str | None) -> str:
    """The BibTeX entry of a chapter, from the book's CITATION.cff and, where it is known, the address of this copy.

    >>> cff = {"title": "A Book", "version": "1.0", "date-released": "2026-11-21", "authors": [{"name": "Its authors"}]}
    >>> print(chapter_entry("dpnr", "Can noise hide?", cff, None))
    @incollection{a-book-dpnr,
      author    = {{Its authors}},
      title     = {Can noise hide?},
      booktitle = {A Book},
      year      = {2026},
      note      = {Version 1.0}
    }
    """
    names = " and ".join(f"{{{each['name']}}}" for each in cff["authors"])
    for pattern, plain in _PLAIN.items():
        title = re.sub(pattern, plain, title)
    fields = {
        "author": names,
        "title": title,
        "booktitle": cff["title"],
        "year": str(cff["date-released"])[:4],
        "note": f"Version {cff['version']}",
    }
    if address is not None:
        fields["url"] = f"{address}/tree/v{cff['version']}/chapters/{slug}"
    key = re.sub(r"[^a-z]+", "-", str(cff["title"]).lower()).strip("-")
    told = ",\n".join(f"  {name:<9} = {{{value}}}" for name, value in fields.items())
    return f"@incollection{{{key}-{slug},\n{told}\n}}"
