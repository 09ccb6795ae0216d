"""Whether a quotation stands in a paper's text, as far as a scan can tell.

Texts come from scans: words are joined over line ends, ligatures, quotation marks, dashes, Greek letters and LaTeX
differ. So both sides are brought to letters, digits and a few signs, without spaces, and compared as they are then.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from trustnlp.reproduce.claims.ledger_tables import is_reference

_LATEX = {
    r"\epsilon": "ϵ", r"\varepsilon": "ϵ", r"\mu": "μ", r"\delta": "δ", r"\gamma": "γ", r"\beta": "β",
    r"\tau": "τ", r"\kappa": "κ", r"\eta": "η", r"\omega": "ω", r"\lambda": "λ", r"\Delta": "δ",
    r"\phi": "φ", r"\Phi": "φ", r"\Omega": "ω", r"\log": "log",
    r"\leq": "≤", r"\le": "≤", r"\geq": "≥", r"\ge": "≥", r"\times": "×",
}  # fmt: skip
_SAME = str.maketrans({"ε": "ϵ", "∈": "ϵ", "€": "ϵ", "µ": "μ", "∆": "δ", "Δ": "δ", "′": "'"})
_KEPT = re.compile(r"[^a-z0-9%.ϵμδγβτκηωλφ≤≥×?!=<>+′-]")
_COMMANDS = re.compile(
    r"\\(math(?:bf|rm|cal|bb)|text(?:bf|it)?|boldsymbol|operatorname|left(?:arrow)?|right|l?dots|cdots?|hat|tilde|bar"
    r"|quad|sqrt)\b"
)
_HYPHEN = re.compile(r"[-‐‑­]\s*\n\s*")
# So many captions, tables and page numbers may stand between two parts of a sentence.
_FURNITURE = 25
_ELLIPSIS = re.compile(r"…|\.\.\.|\[…\]")


def flow(text: str) -> str:
    """A scan's text with sentences that a page break, figure or table divides joined, beside the parts as they stand.

    A paragraph that ends within a sentence goes on in a later one that begins with a small letter.
    """
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    joined = []
    for place, paragraph in enumerate(paragraphs):
        joined.append(paragraph)
        if paragraph[-1].isalnum() or paragraph[-1] in ",;-$":
            later = paragraphs[place + 1 : place + _FURNITURE]
            joined += [f"{paragraph}\n{other}" for other in later if other[0].islower()]
    return "\n\n".join(joined)


def plain(text: str) -> str:
    """The text as it is compared: no spaces, no marks that scans get wrong, lower case."""
    for name, sign in _LATEX.items():
        text = re.sub(re.escape(name) + r"(?![A-Za-z])", sign, text)
    text = _HYPHEN.sub("", _COMMANDS.sub("", text))
    text = unicodedata.normalize("NFKD", text).lower().translate(_SAME)
    text = re.sub(r"[‐‑‒–—−-]", "", text)
    return _KEPT.sub("", text).replace(".", "").replace("'", "")


def occurs(quotation: str, text: str) -> bool:
    """Whether all parts of a quotation, between its ellipses, stand in a text in their order; `text` is `plain`."""
    start = 0
    for part in _ELLIPSIS.split(quotation):
        wanted = plain(part)
        found = text.find(wanted, start)
        if found < 0:
            return False
        start = found + len(wanted)
    return True


def quoted(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The quotations of a ledger as it was typed, each with the id of its claim or grid, row and column.

    A text in square brackets is ours, and so is one that is put together from printed numbers (`{=TABLE/…}`).
    """
    for entry in document.get("claims", ()):
        yield entry["id"], entry.get("paper", {}).get("text")
    for grid in document.get("grids", ()):
        for row, cells in grid["paper"].items():
            for column, cell in zip(grid["columns"], cells, strict=True):
                yield f"{grid['id']}-{column['id']}-{row}", cell


def misquoted(document: Mapping[str, Any], text: str) -> list[str]:
    """One line for each quotation of a ledger that does not occur in the paper's text."""
    paper = plain(flow(text))
    return [
        f"{place}: these are not the paper's words: {told!r}; quote it, or put words of yours in [brackets]"
        for place, told in quoted(document)
        if isinstance(told, str) and not is_reference(told) and "{=" not in told
        if not (told.startswith("[") and told.endswith("]")) and not occurs(told, paper)
    ]
