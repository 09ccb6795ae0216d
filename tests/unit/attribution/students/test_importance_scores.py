"""Influence scores and unlike ratios: by hand, against the slow way, and what the bias of C does to equation (4)."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from planted_films import BAG, VOCABULARY, film_texts, word_by_word
from refusals import assert_refused
from tiny_bert import CPU, tiny_encoder

from trustnlp.attribution.students.importance_scores import influence_scores, unlike_ratios
from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import MaskedPairs, masked_pairs
from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.loop import seeded

WORDS = {"ADJ": ["good", "bad", "dull", "superb"], "ADV": ["very", "not"], "NOUN": ["film", "plot", "good"]}


@pytest.fixture(scope="module")
def pairs() -> MaskedPairs:
    return masked_pairs(BAG, word_by_word(film_texts(12, 0)))


@pytest.fixture(scope="module")
def student() -> InfluenceStudent:
    """Untrained, but with influences: they turn labels, which is all that is needed here."""
    with seeded(0, CPU), torch.no_grad():
        found = InfluenceStudent(tiny_encoder(VOCABULARY), BAG)
        found.combine.output.weight.normal_(std=0.1)
    return found


def test_equation_4_by_hand() -> None:
    """Of the eight coordinates the first speaks for label 1, the fifth against; the bias adds .1 to y_1 - y_0."""
    r = torch.zeros(3, 8)
    r[0, 0], r[1, 4] = 1.0, 2.0
    expected = [math.tanh(x / 2) for x in (1.1, -1.9, 0.1)]  # 2 sigmoid(x) - 1
    np.testing.assert_allclose(influence_scores(BAG, r), expected, atol=1e-6)
    np.testing.assert_allclose(influence_scores(BAG, r, positive=0), np.negative(expected), atol=1e-6)


def test_no_influence_has_the_score_of_the_bias() -> None:
    """A fact about equation (4): r = 0 gives 0 only where C has no bias, or its bias is left out."""
    nothing = torch.zeros(1, 8)
    assert influence_scores(BAG, nothing)[0] == pytest.approx(math.tanh(0.05), abs=1e-6)
    assert influence_scores(BAG, nothing, with_bias=False)[0] == 0.0


@pytest.mark.parametrize("residual_to", ["full", "masked"])
def test_unlike_ratios_are_those_of_the_slow_way(
    student: InfluenceStudent, pairs: MaskedPairs, residual_to: str
) -> None:
    tags = [["ADJ", "ADV", "NOUN"][at % 3] for at in range(len(pairs))]
    dictionary = {tag: student.tokens(words) for tag, words in WORDS.items()}
    found = unlike_ratios(BAG, student, pairs, tags, dictionary, residual_to=residual_to)  # type: ignore[arg-type]
    base = pairs.full if residual_to == "full" else pairs.masked
    labels = BAG.logits(pairs.full).argmax(1)
    for at, span in enumerate(pairs.spans):
        context = student.contexts([span])
        turned = [
            BAG.logits(base[at] + student.influence(context, student.tokens([word])))[0].argmax() != labels[at]
            for word in WORDS[tags[at]]
        ]
        assert found[at] == pytest.approx(np.mean(turned), abs=1e-9)
    assert 0 < found.mean() < 1


def test_a_tag_without_words_has_no_ratio(student: InfluenceStudent, pairs: MaskedPairs) -> None:
    tags = ["NUM", "X", *["ADJ"] * (len(pairs) - 2)]
    dictionary = {"ADJ": student.tokens(WORDS["ADJ"]), "X": torch.zeros(0, 16)}
    found = unlike_ratios(BAG, student, pairs, tags, dictionary)
    assert np.isnan(found[:2]).all() and np.isfinite(found[2:]).all()


def test_bad_input_is_explained(student: InfluenceStudent, pairs: MaskedPairs) -> None:
    class Three(Teacher):
        mask, fingerprint = "[MASK]", "three labels"
        weight, bias = torch.zeros(3, 8), torch.zeros(3)

        def representations(self, texts: object) -> torch.Tensor:
            raise NotImplementedError

    assert_refused(
        influence_scores,
        [
            (Three(), torch.zeros(1, 8), "the scores of two labels, 0 and 1; this teacher has 3"),
            (BAG, torch.zeros(8), "finite rows of 8 numbers"),
        ],
    )
    tags, words = ["ADJ"] * len(pairs), {"ADJ": student.tokens(["good"])}
    assert_refused(
        lambda teacher, tags, to: unlike_ratios(teacher, student, pairs, tags, words, residual_to=to),
        [(BAG, tags[1:], "full", f"one tag for each of the {len(pairs)} spans is needed, got {len(pairs) - 1}")],
    )
