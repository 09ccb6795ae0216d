"""How a verdict looks on a page: a word with a symbol and a class, counts of them as chips, as a bar, as words.

Colour never speaks alone. Classes begin with `tn-`; their styles are in book/_assets/custom.css.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from trustnlp.reproduce.claims import LETTERS, Verdict
from trustnlp.reproduce.verdicts import Judgement

# Plain text signs: none of them has an emoji form that a browser could prefer.
SYMBOLS = dict(zip(Verdict, "✓≈→✗?–○≠", strict=True))
LETTER_OF = {verdict: letter for letter, verdict in LETTERS.items()}


def verdict_class(verdict: Verdict) -> str:
    """CSS class of a verdict: `tn-reproduced`, `tn-direction-only`, …"""
    return "tn-" + verdict.value.replace(" ", "-")


def counts(judgements: Iterable[Judgement]) -> dict[Verdict, int]:
    """How many claims got each verdict, in the verdicts' order; verdicts nobody got are left out."""
    found = Counter(judgement.verdict for judgement in judgements)
    return {verdict: found[verdict] for verdict in Verdict if found[verdict]}


def counts_text(judgements: Iterable[Judgement]) -> str:
    """The counts as words: `12 reproduced, 3 close`."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counts(judgements).items()) or "no claims yet"


def chip(verdict: Verdict, count: int | None = None) -> str:
    """One verdict as a coloured word, with how many got it."""
    number = "" if count is None else f"{count} "
    return (
        f'<span class="tn-verdict {verdict_class(verdict)}">'
        f'<span class="tn-symbol" aria-hidden="true">{SYMBOLS[verdict]}</span> {number}{verdict}</span>'
    )


def verdict_strip_html(judgements: Iterable[Judgement], ledger: str = "") -> str:
    """A chapter's verdicts in one line of counted chips, each a link into its ledger page if there is one."""
    found = counts(judgements)
    if not found:
        return '<p class="tn-strip-empty">No claims yet.</p>'
    chips = {verdict: chip(verdict, count) for verdict, count in found.items()}
    if ledger:
        address = escape(ledger)
        chips = {verdict: f'<a href="{address}#{verdict_class(verdict)}">{text}</a>' for verdict, text in chips.items()}
    items = "".join(f"<li>{text}</li>" for text in chips.values())
    return f'<ul class="tn-strip" aria-label="Verdicts by count">{items}</ul>'


def bar(judgements: Sequence[Judgement]) -> str:
    """The counts as a stacked bar, described in words."""
    parts = "".join(
        f'<div class="tn-bar-part {verdict_class(verdict)}" style="flex-grow:{count}">{SYMBOLS[verdict]}</div>'
        for verdict, count in counts(judgements).items()
    )
    return f'<div class="tn-bar" role="img" aria-label="{counts_text(judgements)}">{parts}</div>'


def legend() -> str:
    """All verdicts with the letters that stand for them in grids."""
    items = "".join(f"<li>{chip(verdict)} <span>({LETTER_OF[verdict]})</span></li>" for verdict in Verdict)
    return f'<ul class="tn-legend" aria-label="The verdicts">{items}</ul>'


def anchor(claim_id: str) -> str:
    """Place of a claim on its ledger page; a dash for every dot, as scripts of the page read anchors as selectors."""
    return escape(f"claim-{claim_id.replace('.', '-')}")
