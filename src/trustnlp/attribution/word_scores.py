"""Scores of the words of one text, and how they are shown.

Neither the text form nor the one for notebooks needs colour to be understood. As text each word has a signed number and
a bar of plus or minus signs. In HTML the background tells the sign by hue and the size by strength; the underline,
solid or dotted, tells the sign too, and the number is the word's title. Backgrounds are translucent, so that a page's
own text colour stays readable on them, be it light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.model_calls import Floats, Words

_LONGEST_BAR = 20
# Blue and vermilion of Okabe and Ito, which all kinds of colour vision tell apart.
_FOR, _AGAINST = "0, 114, 178", "213, 94, 0"
_STRONGEST = 0.45


@dataclass(frozen=True, eq=False)
class Attribution:
    """How much each word of a text speaks for a label.

    Attributes
    ----------
    words
        Of the text, as the model saw them.
    scores
        `(n,)` float64: positive where a word speaks for the label. Words that are removed together have one score,
        which stands at each of them.
    units
        `(n,)` which words are removed together: those with the same number.
    label, label_name
        What is explained.
    method
        How, as `trustnlp.attribution.attribution.METHODS` has it.
    quantity
        Of what the scores are parts: the label's `probability`, or its `score` before the softmax.
    value, baseline
        The quantity for the whole text, and with all words removed; None where the method does not ask for that.
    removed
        What a removed word is, in words.
    passes
        What the explanation cost: distinct texts that the model saw; of gradients, forward and backward passes.
    fit
        R² of LIME's regression: how well a sum over words describes the model near the text. None for other methods.
    """

    words: Words
    scores: Floats
    units: NDArray[np.int64]
    label: int
    label_name: str
    method: str
    quantity: Literal["probability", "score"]
    value: float
    baseline: float | None
    removed: str
    passes: int
    fit: float | None = None

    def __post_init__(self) -> None:
        for values in (self.scores, self.units):
            values.setflags(write=False)

    @property
    def total(self) -> float:
        """Sum of the scores, words that are removed together counted once.

        For Shapley values and KernelSHAP it is `value - baseline`, for integrated gradients as well but for the error
        of the integral. Other methods promise no such thing.
        """
        return float(self.scores[self._firsts()].sum())

    def ranked(self) -> list[tuple[str, float]]:
        """Words and scores, the largest size first; words that are removed together once."""
        firsts = self._firsts()
        order = firsts[np.argsort(-np.abs(self.scores[firsts]), kind="stable")]
        return [(self.words[at], float(self.scores[at])) for at in order]

    def text(self) -> str:
        """The explanation as text: of what and how, then a line for each word."""
        return "\n".join([*self._head(), *bars(self.words, self.scores)])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        head = "<br>".join(escape(line) for line in self._head())
        return (
            f'<div class="trustnlp-attribution"><p style="margin:0"><small>{head}</small></p>'
            f'<p style="line-height:1.9">{spans(self.words, self.scores)}</p></div>'
        )

    def _firsts(self) -> NDArray[np.int64]:
        return np.unique(self.units, return_index=True)[1]

    def _head(self) -> list[str]:
        without = "" if self.baseline is None else f", {self.baseline:.3f} without words"
        passes = f"{self.passes:,} pass{'' if self.passes == 1 else 'es'}"
        lines = [
            f"{self.label_name}: {self.quantity} {self.value:.3f}{without}",
            f"{self.method}; {self.removed}; {passes}",
        ]
        if self.fit is not None:
            lines.append(f"a sum over words describes the model near this text with R² = {self.fit:.2f}")
        if self.method == "integrated_gradients" and self.baseline is not None:
            missed = abs(self.total - (self.value - self.baseline))
            lines.append(f"the scores add up to {self.total:.3f}, which is {missed:.1g} off the difference")
        return lines


def bars(words: Sequence[str], scores: Floats) -> list[str]:
    """A line for each word.

    >>> bars(["very", "slow"], np.array([-0.1, 0.4]))
    ['very  -0.100  -----', 'slow  +0.400  ++++++++++++++++++++']
    """
    numbers = [_number(score) for score in scores]
    width, wide = (max(len(text) for text in column) for column in (words, numbers))
    rows = zip(words, numbers, scores, _sizes(scores), strict=True)
    return [
        f"{word:<{width}}  {number:>{wide}}  {('+' if score > 0 else '-') * round(_LONGEST_BAR * size)}".rstrip()
        for word, number, score, size in rows
    ]


def spans(words: Sequence[str], scores: Floats) -> str:
    """The words as HTML, escaped, each with its background, underline and title."""
    return " ".join(_span(*row) for row in zip(words, scores, _sizes(scores), strict=True))


def _span(word: str, score: float, size: float) -> str:
    hue, line = (_FOR, "solid") if score > 0 else (_AGAINST, "dotted")
    marked = f";background:rgba({hue}, {_STRONGEST * size:.2f});text-decoration:underline {line}" if size else ""
    return f'<span style="padding:0.1em 0.15em{marked}" title="{_number(score)}">{escape(word)}</span>'


def _sizes(scores: Floats) -> Floats:
    """Sizes as fractions of the largest; those that no bar could show are 0."""
    largest = np.abs(scores).max()
    sizes = np.abs(scores) / largest if largest > 0 else np.zeros(len(scores))
    return np.where(sizes * _LONGEST_BAR < 0.5, 0.0, sizes)


def _number(score: float) -> str:
    """With its sign and three digits after the point, or one digit where that would show none."""
    if score == 0:
        return "0"
    return f"{score:+.3f}" if abs(score) >= 5e-4 else f"{score:+.0e}"
