"""A table of effect sizes that a reader can explore in a static page: no external script, readable without any.

The table for the first embedding stands in the HTML itself. A few lines of inline JavaScript let the reader choose
another embedding, switch from effect sizes to p-values, and point at a cell to read it in words.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.studies.weat_measures.reproduction.effects import EffectGrid

_SCRIPT = """
(function (root) {
  const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const [which, what] = root.querySelectorAll('select');
  const cells = [...root.querySelectorAll('tbody td')];
  const note = root.querySelector('.tn-heat-note');
  const words = (i) => {
    const g = data[which.value], d = g.d[i], p = g.p[i];
    if (d === null) return g.cells[i] + ': not measured with these vectors';
    return g.cells[i] + ': effect size ' + d.toFixed(2) + ', p = ' + p.toPrecision(2);
  };
  const draw = () => cells.forEach((cell, i) => {
    const g = data[which.value], effect = what.value === 'd', x = effect ? g.d[i] : g.p[i];
    cell.textContent = x === null ? '–' : effect ? x.toFixed(2) : x < 0.001 ? x.toExponential(0) : x.toFixed(3);
    const share = x === null ? 0 : effect ? Math.min(Math.abs(x) / 2, 1) : Math.min(-Math.log10(x) / 6, 1);
    cell.style.setProperty('--tn-heat', (55 * share).toFixed(0) + '%');
    cell.classList.toggle('tn-heat-significant', g.p[i] !== null && g.p[i] <= ALPHA);
  });
  which.onchange = what.onchange = draw;
  cells.forEach((cell, i) => { cell.onmouseenter = cell.onfocus = () => { note.textContent = words(i); }; });
  root.querySelector('.tn-heat-controls').hidden = false;
  draw();
})(document.currentScript.parentElement);
"""


def _plain(values: ArrayLike) -> list[float | None]:
    flat = np.asarray(values, dtype=float).ravel()
    return [float(f"{x:.6g}") if np.isfinite(x) else None for x in flat]


def explorer_html(
    grids: Mapping[str, EffectGrid],
    rows: Sequence[str],
    groups: Mapping[str, Sequence[str]],
    *,
    caption: str,
    alpha: float = 0.01,
) -> str:
    """HTML of the table to explore.

    Parameters
    ----------
    grids
        Embedding name → grid of shape `(len(rows), total number of columns)`; the first is shown without JavaScript.
    rows
        Row labels (tests).
    groups
        Column group (measure) → its columns (statistics), in order.
    caption
        What to see; becomes the table's caption.
    alpha
        Cells with p ≤ alpha get a frame.

    Raises
    ------
    ValueError
        A grid's shape does not fit the labels.
    """
    columns: list[str] = [f"{group}, {column}" for group, names in groups.items() for column in names]
    payload = {}
    for name, grid in grids.items():
        if grid.effect_sizes.shape != (len(rows), len(columns)):
            raise ValueError(
                f"grid {name!r} is {grid.effect_sizes.shape}, the labels ask for {(len(rows), len(columns))}"
            )
        cells = [f"{name}, {row}, {column}" for row in rows for column in columns]
        payload[name] = {"d": _plain(grid.effect_sizes), "p": _plain(grid.p_values), "cells": cells}

    def select(label: str, options: Mapping[str, str]) -> str:
        inner = "".join(f'<option value="{html.escape(k)}">{html.escape(v)}</option>' for k, v in options.items())
        return f"<label>{label} <select>{inner}</select></label>"

    first = next(iter(grids.values()))
    shown = iter(zip(_plain(first.effect_sizes), _plain(first.p_values), strict=True))

    def cell() -> str:
        d, p = next(shown)
        mark = ' class="tn-heat-significant"' if isinstance(p, float) and p <= alpha else ""
        share = min(abs(d) / 2, 1) * 55 if isinstance(d, float) else 0
        text = f"{d:.2f}" if isinstance(d, float) else "–"
        return f'<td tabindex="0"{mark} style="--tn-heat: {share:.0f}%">{text}</td>'

    body = "".join(
        f'<tr><th scope="row">{html.escape(row)}</th>{"".join(cell() for _ in columns)}</tr>' for row in rows
    )
    tops = "".join(f'<th scope="colgroup" colspan="{len(names)}">{html.escape(g)}</th>' for g, names in groups.items())
    subs = "".join(f'<th scope="col">{html.escape(c)}</th>' for names in groups.values() for c in names)
    embedded = json.dumps(payload, ensure_ascii=False).replace("</", "<\\/")
    return (
        '<div class="tn-heat">'
        f'<p class="tn-heat-controls" hidden>{select("Embedding", {k: k for k in payload})} '
        f"{select('Show', {'d': 'effect size', 'p': 'p-value'})}</p>"
        f'<div class="tn-scroll"><table><caption>{html.escape(caption)}</caption>'
        f'<thead><tr><td rowspan="2"></td>{tops}</tr><tr>{subs}</tr></thead><tbody>{body}</tbody></table></div>'
        '<p class="tn-heat-note" aria-live="polite">Point at a cell to read it in words.</p>'
        f'<script type="application/json">{embedded}</script>'
        f"<script>{_SCRIPT.replace('ALPHA', repr(alpha))}</script></div>"
    )
