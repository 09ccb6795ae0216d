"""How a verdict looks on a page: a word with a symbol and a class.

Colour never speaks alone. Classes begin with `tn-`; their styles are in book/_assets/custom.css.
"""

from __future__ import annotations

from markupsafe import Markup

from trustnlp.reproduce.claims.ledgers import LETTERS, Verdict

# Plain text signs: none of them has an emoji form that a browser could prefer.
SYMBOLS = dict(zip(Verdict, "✓≈→✗?–○≠Δ", strict=True))
LETTER_OF = {verdict: letter for letter, verdict in LETTERS.items()}


def verdict_class(verdict: Verdict) -> str:
    """CSS class of a verdict: `tn-reproduced`, `tn-direction-only`, …"""
    return "tn-" + verdict.value.replace(" ", "-")


def chip(verdict: Verdict) -> Markup:
    """One verdict as a coloured word."""
    return Markup(
        f'<span class="tn-verdict {verdict_class(verdict)}">'
        f'<span class="tn-symbol" aria-hidden="true">{SYMBOLS[verdict]}</span> {verdict}</span>'
    )


def legend() -> Markup:
    """All verdicts with the letters that stand for them in grids."""
    items = "".join(f"<li>{chip(verdict)} <span>({LETTER_OF[verdict]})</span></li>" for verdict in Verdict)
    return Markup(f'<ul class="tn-legend" aria-label="The verdicts">{items}</ul>')


def anchor(claim_id: str) -> str:
    """Place of a claim on its ledger page; a dash for every dot, as scripts of the page read anchors as selectors."""
    return f"claim-{claim_id.replace('.', '-')}"
