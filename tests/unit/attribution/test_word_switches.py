"""Every set of masked words has its answer; the example shows them without a network, and refuses what it cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.attribution.word_switches import WordSwitches, all_answers

WEIGHTS = {"good": 2.0, "not": -3.0, "<b>": 0.5}


def model(texts: Sequence[str]) -> list[list[float]]:
    found = [1 / (1 + np.exp(-sum(WEIGHTS.get(word, 0.0) for word in text.split()))) for text in texts]
    return [[1 - p, p] for p in found]


def test_each_set_has_the_models_answer() -> None:
    words = ("not", "good", "<b>")
    switches = all_answers(model, words, 1, "positive", mask="[MASK]")
    for masked in ([], [0], [1, 2], [2, 1], [0, 1, 2]):
        text = " ".join("[MASK]" if place in masked else word for place, word in enumerate(words))
        assert switches.probability(masked) == pytest.approx(model([text])[0][1])
    assert all_answers(model, words, 0, "negative", mask="[MASK]").probability([]) == pytest.approx(
        model(["not good <b>"])[0][0]
    )


def test_the_page_holds_all_answers_and_no_address() -> None:
    switches = all_answers(model, ("good", "<b>"), 1, "a & b", mask="[MASK]")
    page = switches._repr_html_()
    assert page.count("<button") == 2 and "&lt;b&gt;" in page and "a &amp; b" in page and "http" not in page
    (answers,) = re.findall(r"answers = (\[.*?\])", page)
    assert json.loads(answers) == pytest.approx(switches.probabilities.tolist(), abs=1e-4)
    assert page == all_answers(model, ("good", "<b>"), 1, "a & b", mask="[MASK]")._repr_html_()
    assert "<noscript>" in page and f"{switches.probability([0]):.2f}" in page


def test_bad_input() -> None:
    assert_refused(
        lambda words, label: all_answers(model, words, label, "positive", mask="[MASK]"),
        [
            (tuple("abcdefghijk"), 1, "11 words have 2,048 sets"),
            (("good",), 2, "has 2 labels"),
            (("good",), -1, "has 2 labels"),
        ],
    )
    with pytest.raises(ValueError, match="2 words have 4 sets"):
        WordSwitches(("a", "b"), np.zeros(3), "positive")
