"""A sentence whose words can be masked and brought back by hand, with the model's answer to every choice stored.

All `2^n` answers are computed once, so the example works on a page without a network and without the model. Not in
Kumar, Dixit and Shah (2021): it lets a reader ask what their student predicts.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trustnlp.attribution.model_calls import (
    Floats,
    Probabilities,
    Words,
    check_words,
    masked_text,
    predicted_probabilities,
)

MOST_WORDS = 10
_SCRIPT = """
(() => {
  const box = document.getElementById(ID), answers = ANSWERS, output = box.querySelector("output");
  const buttons = [...box.querySelectorAll("button")];
  const show = () => {
    const mask = buttons.reduce((sum, b, i) => sum + (b.getAttribute("aria-pressed") === "true" ? 2 ** i : 0), 0);
    output.textContent = answers[mask].toFixed(2);
  };
  buttons.forEach(button => button.addEventListener("click", () => {
    const off = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", off ? "false" : "true");
    button.style.textDecoration = off ? "none" : "line-through";
    button.style.opacity = off ? "1" : ".55";
    show();
  }));
})();
"""


@dataclass(frozen=True, eq=False)
class WordSwitches:
    """A text and the probability of one label for each set of masked words.

    Attributes
    ----------
    probabilities
        `(2^n,)`: bit i of the place is set where word i is masked.
    label_name
        What the probability is of.

    Raises
    ------
    ValueError
        If there is not one probability for each set of words.
    """

    words: Words
    probabilities: Floats
    label_name: str

    def __post_init__(self) -> None:
        if np.shape(self.probabilities) != (1 << len(self.words),):
            raise ValueError(
                f"{len(self.words)} words have {1 << len(self.words)} sets, got probabilities of shape "
                f"{np.shape(self.probabilities)}"
            )

    def probability(self, masked: Sequence[int]) -> float:
        """Of the label with the words at these places masked."""
        return float(self.probabilities[sum(1 << place for place in set(masked))])

    def _repr_html_(self) -> str:
        """Buttons, one for each word; without scripts, a table of what each word alone changes."""
        name = html.escape(self.label_name)
        answers = json.dumps([round(float(value), 4) for value in self.probabilities])
        key = "switches-" + hashlib.sha256(f"{self.words} {answers}".encode()).hexdigest()[:10]
        buttons = " ".join(
            f'<button type="button" aria-pressed="false">{html.escape(word)}</button>' for word in self.words
        )
        rows = "".join(
            f"<tr><td>{html.escape(word)}</td><td>{self.probability([place]):.2f}</td></tr>"
            for place, word in enumerate(self.words)
        )
        script = _SCRIPT.replace("ID", json.dumps(key)).replace("ANSWERS", answers)
        return (
            f'<div id="{key}" class="tn-switches"><p>{buttons}</p>'
            f'<p>{name}: <output aria-live="polite">{self.probability([]):.2f}</output></p>'
            f"<noscript><table><caption>{name}, with one word masked</caption><tbody>{rows}</tbody></table></noscript>"
            f"<script>{script}</script></div>"
        )


def all_answers(probabilities: Probabilities, words: Words, label: int, label_name: str, *, mask: str) -> WordSwitches:
    """Ask a model about every set of masked words of a text.

    Parameters
    ----------
    probabilities
        Function of a list of texts to `(n, c)`.
    label
        Whose probability is kept.
    mask
        What stands in the place of a masked word.

    Raises
    ------
    ValueError
        If given a text without words or with more than `MOST_WORDS`, a label that the model has not, or a model that
        gives no probabilities.
    """
    check_words(words, 0)
    if len(words) > MOST_WORDS:
        raise ValueError(
            f"{len(words)} words have {1 << len(words):,} sets, which a page should not carry; take a text of at most "
            f"{MOST_WORDS} words"
        )
    sets = (np.arange(1 << len(words))[:, None] >> np.arange(len(words))) & 1 == 1
    answers = predicted_probabilities(probabilities, [masked_text(words, masked, mask) for masked in sets])
    if not 0 <= label < answers.shape[1]:
        raise ValueError(f"the model has {answers.shape[1]} labels, numbered from 0; got label {label}")
    return WordSwitches(words, answers[:, label], label_name)
