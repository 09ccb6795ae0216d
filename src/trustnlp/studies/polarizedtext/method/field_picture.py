"""Words of two owners on their two axes while the field grows: a picture with a slider, self-contained and offline.

Each strength of the field is a state of its own, computed beforehand; the page only chooses among them. Without scripts
a table shows the weakest and the strongest.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.polarised.polarised_corpus import Documents, encode
from trustnlp.embeddings.polarised.polarised_training import Form, train_polarised
from trustnlp.studies.polarizedtext.method.field_energy import (
    Energy,
    SpinGraph,
    energy,
    exclusive_and_common,
    spin_graph,
    unit_vectors,
)

_SIDE, _EDGE, _DOT = 320, 40, 6
_SCRIPT = """
(() => {
  const box = document.getElementById(ID), states = STATES, slider = box.querySelector("input");
  const output = box.querySelector("output"), marks = [...box.querySelectorAll("g[data-word]")];
  const show = () => {
    const state = states[+slider.value];
    marks.forEach((mark, i) => mark.setAttribute("transform", `translate(${state.places[i].join(" ")})`));
    output.textContent = state.text;
    slider.setAttribute("aria-valuetext", state.text);
  };
  slider.addEventListener("input", show);
  box.querySelector("p").hidden = false;
  show();
})();
"""
_SHAPES = (
    f'<circle r="{_DOT}" fill="#0072B2" fill-opacity=".75"/>',
    f'<rect x="-{_DOT}" y="-{_DOT}" width="{2 * _DOT}" height="{2 * _DOT}" fill="#D55E00" fill-opacity=".75"/>',
    f'<path d="M0 -{_DOT + 1}L{_DOT + 1} {_DOT}H-{_DOT + 1}Z" fill="#666666" fill-opacity=".75"/>',
)


@dataclass(frozen=True, eq=False)
class FieldPath:
    """States of some words at rising strengths of the field.

    Attributes
    ----------
    fields
        `F` strengths λ.
    groups
        Two owners with words of their own, then "shared", each with its words.
    cosines
        `(F, n, 2)` cosine of each word, in the order of the groups, with the axes of the two owners.
    energies
        `F` energies per token of the whole text.

    Raises
    ------
    ValueError
        The shapes do not fit, or not three groups.
    """

    fields: tuple[float, ...]
    groups: Mapping[str, Sequence[str]]
    cosines: NDArray[np.float64]
    energies: tuple[Energy, ...]

    def __post_init__(self) -> None:
        expected = (len(self.fields), sum(map(len, self.groups.values())), 2)
        if self.cosines.shape != expected or len(self.energies) != len(self.fields) or len(self.groups) != 3:
            raise ValueError(
                f"expected cosines {expected}, {len(self.fields)} energies and 3 groups, got {self.cosines.shape}, "
                f"{len(self.energies)} and {len(self.groups)}"
            )

    def _repr_html_(self) -> str:
        """A scatter plot with a slider for λ, and a table for readers without scripts."""
        span = _SIDE - 2 * _EDGE
        # From -1 … 1 to the drawing, the second axis upwards.
        places = [[[_at(x, span), _SIDE - _at(y, span)] for x, y in state] for state in self.cosines]
        states = json.dumps([{"places": at, "text": text} for at, text in zip(places, self._said(), strict=True)])
        key = "field-" + hashlib.sha256(states.encode()).hexdigest()[:10]
        first, second, _ = self.groups
        kinds = [kind for kind, words in enumerate(self.groups.values()) for _ in words]
        words = [word for group in self.groups.values() for word in group]
        marks = "".join(
            f'<g data-word transform="translate({x} {y})">{_SHAPES[kind]}<title>{html.escape(word)}</title></g>'
            for kind, word, (x, y) in zip(kinds, words, places[0], strict=True)
        )
        legend = (
            f"Circles: words of {html.escape(first)} alone; squares: words of {html.escape(second)} alone; triangles: "
            "words that most owners use"
        )
        middle = _SIDE / 2
        frame = (
            f'<path d="M{_EDGE} {middle}H{_SIDE - _EDGE}M{middle} {_EDGE}V{_SIDE - _EDGE}" stroke="currentColor" '
            f'stroke-opacity=".4"/><text x="{_SIDE - _EDGE}" y="{middle + 20}" text-anchor="end" font-size="11" '
            f'fill="currentColor">axis of {html.escape(first)}</text><text x="{middle + 12}" y="{_EDGE - 6}" '
            f'font-size="11" fill="currentColor">axis of {html.escape(second)}</text>'
        )
        rows = "".join(
            f'<tr><th scope="row">{html.escape(word)}</th>'
            + "".join(f"<td>{self.cosines[state, at, axis]:.2f}</td>" for state in (0, -1) for axis in (0, 1))
            + "</tr>"
            for at, word in enumerate(words)
        )
        heads = "".join(
            f'<th scope="col">{html.escape(name)}, λ = {self.fields[state]:g}</th>'
            for state in (0, -1)
            for name in (first, second)
        )
        script = _SCRIPT.replace("ID", json.dumps(key)).replace("STATES", states)
        return (
            f'<div id="{key}"><p hidden><label>Strength of the field <input type="range" min="0" '
            f'max="{len(self.fields) - 1}" value="0" style="width: 12em"></label> <output></output></p>'
            f'<svg viewBox="0 0 {_SIDE} {_SIDE}" width="{_SIDE}" style="max-width: 100%" role="img" aria-label="'
            f'Cosines of words with the axes of {html.escape(first)} and {html.escape(second)}">{frame}{marks}</svg>'
            f"<p>{legend}.</p><details><summary>The weakest and the strongest field as a table</summary><table><thead>"
            f'<tr><th scope="col">word</th>{heads}</tr></thead><tbody>{rows}</tbody></table></details>'
            f"<script>{script}</script></div>"
        )

    def _said(self) -> list[str]:
        return [
            f"λ = {field:g}: energy per token {found.total:.3f}, binding {found.binding:.3f}, field {found.field:.3f}"
            for field, found in zip(self.fields, self.energies, strict=True)
        ]


def trained_path(
    documents: Documents,
    labels: Sequence[str],
    owners: tuple[str, str],
    fields: Sequence[float],
    *,
    form: Form = "as_written",
    dim: int,
    epochs: int,
    most: int,
    seed: int,
    min_count: int = 5,
) -> FieldPath:
    """Trained vectors at each strength, from one seed; the energy is that of their directions."""
    train = partial(
        train_polarised, documents, labels, form=form, dim=dim, epochs=epochs, min_count=min_count, seed=seed
    )
    graph = spin_graph(encode(documents, labels, min_count=min_count))
    states, axes = [], []
    for field in fields:
        vectors = train(field=field)
        states.append(unit_vectors(vectors.stack(graph.words)))
        axes.append(np.stack([vectors.axis(label) for label in graph.labels]).astype(np.float64))
    return _path(graph, owners, fields, states, axes, most)


def _path(
    graph: SpinGraph,
    owners: tuple[str, str],
    fields: Sequence[float],
    states: Sequence[NDArray[np.float64]],
    axes: Sequence[NDArray[np.float64]],
    most: int,
) -> FieldPath:
    groups = exclusive_and_common(graph, owners, most)
    rows = [graph.words.index(word) for words in groups.values() for word in words]
    two = [graph.labels.index(owner) for owner in owners]
    return FieldPath(
        tuple(fields),
        groups,
        np.stack([state[rows] @ axis[two].T for state, axis in zip(states, axes, strict=True)]),
        tuple(energy(graph, state, axis, field) for state, axis, field in zip(states, axes, fields, strict=True)),
    )


def _at(cosine: float, span: float) -> float:
    return round(_EDGE + span * (float(cosine) + 1) / 2, 1)
