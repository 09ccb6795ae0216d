"""Calls of a model: once for each distinct text, in order, and refused where the answer has another shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from refusals import assert_refused

from trustnlp.attribution.model_calls import (
    check_scores,
    labels_by,
    predicted_labels,
    predicted_probabilities,
)

TEXTS = ["a film", "dull", "a film", "a dull film"]


class Counted:
    """The number of letters of a text, or shares of two classes; keeps what it was asked."""

    def __init__(self, shares: bool = False) -> None:
        self.asked: list[list[str]] = []
        self.shares = shares

    def __call__(self, texts: Sequence[str]) -> Any:
        self.asked.append(list(texts))
        lengths = np.array([len(text) for text in texts])
        return np.stack([1 - lengths / 16, lengths / 16], axis=1) if self.shares else lengths


def test_each_distinct_text_is_asked_once_and_all_are_answered_in_order() -> None:
    model = Counted()
    assert predicted_labels(model, TEXTS).tolist() == [6, 4, 6, 11]
    assert model.asked == [["a film", "dull", "a dull film"]]
    shares = Counted(shares=True)
    assert predicted_probabilities(shares, TEXTS)[:, 1].tolist() == [6 / 16, 4 / 16, 6 / 16, 11 / 16]
    assert shares.asked == model.asked
    assert predicted_probabilities(model, []).shape == (0, 0) and predicted_labels(model, []).shape == (0,)
    assert len(model.asked) == 1 and labels_by(shares)(TEXTS).tolist() == [0, 0, 0, 1]
    assert predicted_labels(lambda texts: torch.ones(len(texts), dtype=torch.int64), TEXTS).tolist() == [1] * 4


def test_labels_of_another_kind_are_refused() -> None:
    assert_refused(
        lambda answer: predicted_labels(lambda texts: answer, TEXTS),
        [
            (np.zeros((3, 2)), r"given 3 texts and returned an array of shape \(3, 2\)"),
            (["positive"] * 3, "expected one whole number"),
        ],
    )
    with pytest.raises(ValueError, match="expected a list of texts, got the one text 'a film'"):
        predicted_labels(Counted(), "a film")


def test_probabilities_of_another_kind_are_refused() -> None:
    assert_refused(
        lambda answer: predicted_probabilities(lambda texts: answer, TEXTS),
        [
            (np.full((3, 1), 1.0), r"shape \(3, 1\); expected \(3, c\) with c of at least 2"),
            (np.array([[0.5, 0.5], [0.2, 0.2], [0.5, 0.5]]), r"row \[0.2 0.2\]: no probabilities; apply a softmax"),
            (np.array([[0.5, 0.5], [0.5, 0.5], [np.nan, 1.0]]), "NaN"),
        ],
    )


def test_scores_are_one_finite_number_a_word() -> None:
    text = ("a", "film")
    assert check_scores([text], [[1, 2]])[0].dtype == np.float64
    assert_refused(
        lambda texts, scores: check_scores(texts, scores),
        [
            ([text], [], "1 texts need as many lists of scores, got 0"),
            ([text], [[1.0]], r"text 0 has 2 words and scores of shape \(1,\)"),
            ([text, text], [[1.0, 2.0], [0.0, np.nan]], "a score of text 1 is NaN"),
            (["a film"], [[0.0] * 6], "expected its words"),
        ],
    )
