"""BLEU against several references: NLTK's value, the same from counts, and refusals."""

from math import exp, log

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.evaluation.reference_overlap import (
    bleu_of_counts,
    corpus_bleu,
    exact_matches,
    ngram_counts,
    resample_weights,
    resampled_bleu,
    sentence_bleu,
)

bleu_score = pytest.importorskip("nltk.translate.bleu_score")


def tokens(text):
    return text.split()


BORN = tokens('( K ) " was " " born " ( S )')
DIED = tokens('( K ) " was " " died " ( S )')
TITLE = tokens("( S ) ( K )")


def test_by_hand():
    """One token of twelve is wrong, the eighth: lost are one single token, and each longer n-gram that holds it."""
    assert len(BORN) == 12 and [i for i in range(12) if BORN[i] != DIED[i]] == [7]
    there, matched = [12, 11, 10, 9], [12 - 1, 11 - 2, 10 - 3, 9 - 4]
    expected = 100 * exp(sum(log(m / t) for m, t in zip(matched, there, strict=True)) / 4)
    assert sentence_bleu([BORN], DIED) == pytest.approx(expected)


def test_a_second_reference_helps_and_order_is_free():
    one = corpus_bleu([[BORN], [TITLE]], [DIED, TITLE])
    two = corpus_bleu([[BORN, DIED], [TITLE]], [DIED, TITLE])
    assert one < two == pytest.approx(100)
    assert corpus_bleu([[DIED, BORN], [TITLE]], [DIED, TITLE]) == two


def test_a_corpus_is_no_mean_of_sentences():
    right, said = [[BORN], [TITLE]], [BORN, tokens("( x ) ( K )")]
    mean = np.mean([sentence_bleu(r, c) for r, c in zip(right, said, strict=True)])
    assert corpus_bleu(right, said) > mean + 5


def nltks(references, candidates, longest=4):
    return 100 * bleu_score.corpus_bleu(references, candidates, weights=(1 / longest,) * longest)


def test_the_value_is_that_of_nltk_and_rows_of_zeros_add_nothing():
    right, said = [[TITLE, BORN], [TITLE], [DIED]], [DIED, TITLE, BORN[:-2]]  # the second reference is the near one
    for longest in (1, 2, 4):
        assert corpus_bleu(right, said, longest=longest) == pytest.approx(nltks(right, said, longest), rel=1e-12)
    counts = ngram_counts(right, said)
    assert counts.shape == (3, 10)
    padded = np.vstack([counts, np.zeros((2, 10), int)])
    assert bleu_of_counts(padded.sum(0)) == corpus_bleu(right, said)
    assert bleu_of_counts(np.zeros(10)) == corpus_bleu([[tokens("a b c d")]], [tokens("a x b y")]) == 0


def test_resampling_by_weights_is_resampling_of_items():
    right, said = [[BORN], [TITLE], [DIED]], [DIED, TITLE, BORN]
    weights = np.array([[2, 0, 1], [0, 3, 0]])
    found = resampled_bleu(ngram_counts(right, said), weights)
    drawn = [right[0], right[0], right[2]], [said[0], said[0], said[2]]
    assert found[0] == pytest.approx(corpus_bleu(*drawn)) and found[1] == pytest.approx(100)
    draws = resample_weights(3, rng=np.random.default_rng(0), resamples=50)
    assert draws.shape == (50, 3) and (draws.sum(axis=1) == 3).all()
    assert (draws == resample_weights(3, rng=np.random.default_rng(0), resamples=50)).all()
    assert (draws != resample_weights(3, rng=np.random.default_rng(1), resamples=50)).any()


def test_exact():
    assert exact_matches([[BORN, DIED], [TITLE]], [tuple(DIED), BORN]).tolist() == [True, False]


def test_refusals():
    rows = [
        ([], [], "at least one candidate"),
        ([[BORN]], [BORN, DIED], "1 for 2"),
        ([[]], [BORN], "item 0 has no reference"),
        ([[BORN]], ["( K )"], "got text"),
    ]
    for score in (corpus_bleu, exact_matches, ngram_counts):
        assert_refused(score, rows)
    assert_refused(
        lambda call: call(),
        [
            (lambda: corpus_bleu([[BORN]], [BORN], longest=0), "longest=0"),
            (lambda: bleu_of_counts(np.ones(5)), "shape"),
            (lambda: bleu_of_counts(-np.ones(10)), "negative"),
            (lambda: resampled_bleu(ngram_counts([[BORN]], [BORN]), np.ones((4, 2))), "1 items"),
            (lambda: resample_weights(0, rng=np.random.default_rng(0)), "at least one"),
        ],
    )
