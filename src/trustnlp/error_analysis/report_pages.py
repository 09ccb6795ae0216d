"""The report of a characterisation as one HTML page that can be opened without a network, now or in ten years.

No script, no picture, no font, no link to another host. Colours are the browser's own, light or dark, as the reader has
set it; wide tables scroll inside themselves, so that the page fits 400 pixels. Directions are written as words, and not
in colour. No text of the data is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from trustnlp.error_analysis.error_reports import Characterisation, RankedFeature
from trustnlp.error_analysis.error_slices import ErrorSlice, wilson_interval

_SHOWN = 20
_STYLE = """
:root { color-scheme: light dark }
body { background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto;
  max-width: 60rem; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal }
th, td { border-bottom: 1px solid GrayText; padding: .25rem 1rem .25rem 0; text-align: right; vertical-align: top }
td { white-space: nowrap }
th:first-child, td:first-child { text-align: left; min-width: 8rem; white-space: normal }
svg { display: block }
"""
_STRATEGIES = {
    "least_confidence": "least confidence",
    "margin": "margin",
    "entropy": "entropy",
    "aec": "error classifier",
    "aec_with_probabilities": "error classifier with probabilities",
    "probabilities": "probabilities, learned from",
    "confidence": "confidence, learned from",
    "predicted_class": "error rate of the predicted label",
}


def report_page(found: Characterisation) -> str:
    """The page, from `<!doctype html>` on."""
    rate = found.errors / found.texts
    parts = [
        f"<h1>Errors of a classifier: {found.errors:,} of {found.texts:,} texts, {_percent(rate)}</h1>",
        *(f"<p>{escape(note)}</p>" for note in found.notes),
        "<h2>By predicted label</h2>",
        _table(
            "How often each label was predicted, and how often wrongly.",
            ("label", "texts", "errors", "error rate", "95 % interval"),
            ((name, f"{support:,}", *_share(errors, support)) for name, (support, errors) in found.by_class.items()),
        ),
        "<h2>Where errors are more or less frequent</h2>",
        _slices(found, rate),
        "<h2>What the error classifier goes by</h2>",
        _features(found),
        "<h2>Errors among the first k texts</h2>",
        _precision(found),
    ]
    if found.left_out:
        parts.append(f"<p>Left out, since they are the same in all texts: {escape(', '.join(found.left_out))}.</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Errors of a classifier</title><style>{_STYLE}</style></head>\n<body><main>\n"
        + "\n".join(parts)
        + "\n</main></body></html>\n"
    )


def _slices(found: Characterisation, rate: float) -> str:
    tests = found.slices
    said = (
        f"Of {len(tests.slices)} features that could be tested, {len(tests.found)} differ at a false-discovery rate of "
        f"{_percent(tests.false_discovery_rate)}; {len(tests.found) - len(tests.causes)} of these come with a stronger "
        "one and make no difference beside it."
    )
    if not tests.causes:
        return (
            f"<p>{said} Nothing is found: errors may have no cause among these features, or the texts are too few.</p>"
        )
    head = (
        "texts that", "texts", "errors", "error rate", "95 % interval", "against others", "z", "adjusted p", "where",
    )  # fmt: skip
    worst = sorted(tests.causes, key=lambda each: -each.effect)
    rows = (
        (
            _with_twins(each, tests.twins_of(each.name)),
            f"{each.support:,}",
            *_share(each.errors, each.support),
            _points(each.effect),
            _signed(each.z, 1),
            f"{each.adjusted:.2g}",
            _strip(each, rate),
        )
        for each in worst
    )
    legend = "The last column: the interval, the rate (dot) and the rate of all texts (tick), from 0 to 100 %."
    return f"<p>{said}</p>" + _table(f"The slice with most errors first. {legend}", head, rows, escaped=8)


def _features(found: Characterisation) -> str:
    unsure = (
        "That is within what chance gives: the order below says nothing."
        if found.area <= found.area_by_chance
        else f"Chance gives up to {found.area_by_chance:.3f}."
    )
    caption = (
        f"The {min(_SHOWN, len(found.features))} of {len(found.features)} features whose shuffling costs most: fall of "
        "the area under the ROC curve of unseen texts, with its standard deviation over folds."
    )
    head = ("feature", "kind", "fall", "±", "rank by impurity", "more of it", "error rate against others")
    rows = (_feature(each) for each in found.features[:_SHOWN])
    return f"<p>Area under the ROC curve of the error classifier: {found.area:.3f}. {unsure}</p>" + _table(
        caption, head, rows
    )


def _feature(each: RankedFeature) -> tuple[str, ...]:
    return (
        each.name,
        each.group,
        _signed(each.importance, 4),
        f"{each.deviation:.4f}",
        "–" if each.impurity_rank is None else str(each.impurity_rank),
        "more errors" if each.direction > 0 else "fewer errors" if each.direction < 0 else "no difference",
        "too few texts" if each.slice is None else _points(each.slice.effect),
    )


def _precision(found: Characterisation) -> str:
    by_chance = _percent(found.errors / found.texts)
    caption = (
        f"Errors among the texts that each strategy picks first, with 95 % intervals; at random {by_chance}. What is "
        "learned is learned from the labels of the other texts; least confidence, margin and entropy need none."
    )
    rows = (
        (_STRATEGIES[name], *(_of(int(errors), k) for errors, k in zip(counts, found.ks, strict=True)))
        for name, counts in found.counts.items()
    )
    return _table(caption, ("strategy", *(f"first {k}" for k in found.ks)), rows)


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], escaped: int | None = None) -> str:
    """A table that scrolls inside itself; the cells of column `escaped` are HTML already."""
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell if at == escaped else escape(cell)}</td>" for at, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    name = escape(caption.split(".")[0], quote=True)
    # The caption stands before the part that scrolls: in a narrow window it would be cut off.
    return (
        f'<p>{escape(caption)}</p>\n<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _strip(each: ErrorSlice, rate: float) -> str:
    said = f"{_percent(each.low)} to {_percent(each.high)}"
    return (
        f'<svg width="104" height="16" viewBox="-2 0 104 16" role="img" aria-label="{said}" stroke="currentColor">'
        f'<path d="M0 14H100" opacity=".3"/><path d="M{100 * rate:.1f} 3V14" stroke-dasharray="2"/>'
        f'<path d="M{100 * each.low:.1f} 8H{100 * each.high:.1f}"/>'
        f'<circle cx="{100 * each.rate:.1f}" cy="8" r="2.5" fill="currentColor"/></svg>'
    )


def _with_twins(each: ErrorSlice, twins: Sequence[str]) -> str:
    return f"{each.rule} (and with it: {', '.join(twins)})" if twins else each.rule


def _share(errors: int, support: int) -> tuple[str, str, str]:
    if not support:
        return "0", "–", "–"
    low, high = wilson_interval(np.array([errors]), np.array([support]))
    return f"{errors:,}", _percent(errors / support), f"{_percent(low[0])} to {_percent(high[0])}"


def _of(errors: int, k: int) -> str:
    low, high = wilson_interval(np.array([errors]), np.array([k]))
    return f"{errors} ({100 * low[0]:.0f} to {100 * high[0]:.0f} %)"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _points(difference: float) -> str:
    return f"{_signed(100 * difference, 1)} points"


def _signed(number: float, digits: int) -> str:
    return f"{number:+.{digits}f}".replace("-", "−")
