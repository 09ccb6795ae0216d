"""How a verdict looks on a page: a word with a symbol and a class, tallies of them as chips and as a bar.

Colour never speaks alone. Classes begin with `tn-`; their styles are in book/_assets/custom.css.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from trustnlp.reproduce.claims import LETTERS, Verdict
from trustnlp.reproduce.tallies import group_in_words, in_words, tally
from trustnlp.reproduce.verdicts import Judgement

# Plain text signs: none of them has an emoji form that a browser could prefer.
SYMBOLS = dict(zip(Verdict, "✓≈→✗?–○≠Δ", strict=True))
LETTER_OF = {verdict: letter for letter, verdict in LETTERS.items()}


def verdict_class(verdict: Verdict) -> str:
    """CSS class of a verdict: `tn-reproduced`, `tn-direction-only`, …"""
    return "tn-" + verdict.value.replace(" ", "-")


def chip(verdict: Verdict, count: int | None = None) -> str:
    """One verdict as a coloured word, with how many got it."""
    number = "" if count is None else f"{count} "
    return (
        f'<span class="tn-verdict {verdict_class(verdict)}">'
        f'<span class="tn-symbol" aria-hidden="true">{SYMBOLS[verdict]}</span> {number}{verdict}</span>'
    )


def verdict_strip_html(judgements: Iterable[Judgement], ledger: str = "") -> str:
    """A chapter's tally: its first group as counted chips, each a link into the ledger page if there is one; the rest
    in words.
    """
    groups = list(tally(judgements).items())
    if not groups:
        return '<p class="tn-strip-empty">No claims yet.</p>'
    (first, numbers), *others = groups
    chips = {verdict: chip(verdict, count) for verdict, count in numbers.items()}
    if ledger:
        address = escape(ledger)
        chips = {verdict: f'<a href="{address}#{verdict_class(verdict)}">{text}</a>' for verdict, text in chips.items()}
    items = "".join(f"<li>{text}</li>" for text in chips.values())
    rest = "".join(f'<p class="tn-counts">{group_in_words(group, found)}</p>' for group, found in others)
    return (
        f'<div class="tn-tally"><p class="tn-counts">{first}: {sum(numbers.values())}</p>'
        f'<ul class="tn-strip" aria-label="{first}: verdicts by count">{items}</ul>{rest}</div>'
    )


def bar(numbers: Mapping[Verdict, int]) -> str:
    """Numbers of claims by verdict as a stacked bar, described in words."""
    parts = "".join(
        f'<div class="tn-bar-part {verdict_class(verdict)}" style="flex-grow:{count}">{SYMBOLS[verdict]}</div>'
        for verdict, count in numbers.items()
    )
    return f'<div class="tn-bar" role="img" aria-label="{in_words(numbers)}">{parts}</div>'


def legend() -> str:
    """All verdicts with the letters that stand for them in grids."""
    items = "".join(f"<li>{chip(verdict)} <span>({LETTER_OF[verdict]})</span></li>" for verdict in Verdict)
    return f'<ul class="tn-legend" aria-label="The verdicts">{items}</ul>'


def anchor(claim_id: str) -> str:
    """Place of a claim on its ledger page; a dash for every dot, as scripts of the page read anchors as selectors."""
    return escape(f"claim-{claim_id.replace('.', '-')}")
