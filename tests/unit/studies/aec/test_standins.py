"""Made-up reviews and tweets: what is planted is there, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.studies.aec.standins import CAUSES, PlantedTexts, labelled_reviews, planted_errors, planted_tweets

NAMES, BAD, GOOD = (
    set(words.split())
    for words in (
        "Boston Chicago Denver Dallas Seattle Miami Phoenix Atlanta Monday Tuesday Friday Sunday",
        "rude slow awful terrible dirty broken horrible useless boring stupid",
        "friendly helpful great lovely smooth comfortable wonderful excellent pleasant clever",
    )
)


def seen(text: str) -> dict[str, bool]:
    """The causes, read from the words again."""
    words = set(text.split())
    return {"negation": bool(words & {"not", "never", "no"}), "entity": bool(words & NAMES), "question": "?" in words}


def label(text: str) -> int:
    """The label, read from the words again."""
    words, causes = set(text.split()), seen(text)
    tone = 0 if words & BAD else 2 if words & GOOD else 1
    return 1 if causes["question"] else 2 - tone if causes["negation"] else tone


def test_labels_and_causes_of_tweets_are_those_of_their_words() -> None:
    made = planted_tweets(1500, np.random.default_rng(0))
    assert len(set(made.texts)) == 1500 and all(text.startswith("@user ") for text in made.texts)
    assert made.labels.tolist() == [label(text) for text in made.texts]
    for cause, share in {"negation": 0.3, "entity": 0.4, "question": 0.2}.items():
        assert made.carries[cause].tolist() == [seen(text)[cause] for text in made.texts]
        assert made.carries[cause].mean() == pytest.approx(share, abs=0.06)


def test_reviews_deny_and_ask_nothing_and_name_places_in_praise_alone() -> None:
    made = labelled_reviews(1500, np.random.default_rng(0))
    assert len(set(made.texts)) == 1500
    assert made.labels.tolist() == [label(text) for text in made.texts]
    for cause, carried in made.carries.items():
        assert carried.tolist() == [seen(text)[cause] for text in made.texts]
        assert carried.any() == (cause == "entity")
    named = made.carries["entity"]
    assert not named[made.labels < 2].any() and named[made.labels == 2].mean() == pytest.approx(0.5, abs=0.06)
    assert np.bincount(made.labels) / 1500 == pytest.approx([0.39, 0.19, 0.42], abs=0.05)


def halves(n: int, seed: int = 0) -> PlantedTexts:
    """Tweets, half of which carry each cause."""
    return planted_tweets(n, np.random.default_rng(seed), carried=dict.fromkeys(CAUSES, 0.5))


@pytest.mark.parametrize("cause", CAUSES)
def test_one_cause_decides_the_rate_of_errors_and_the_others_do_not(cause: str) -> None:
    made = planted_errors(halves(4000, 3), cause, np.random.default_rng(3), rates=(0.5, 0.35))
    assert made.cause == cause
    # Four standard errors of a share of 2,000.
    for other in CAUSES:
        carried = made.tweets.carries[other]
        assert carried.mean() == pytest.approx(0.5, abs=0.04)
        expected = (0.5, 0.35) if other == cause else (0.425, 0.425)
        assert (made.wrong[carried].mean(), made.wrong[~carried].mean()) == pytest.approx(expected, abs=0.045)


def test_probabilities_are_greatest_at_the_answer_and_tell_no_error() -> None:
    made = planted_errors(halves(4000), "entity", np.random.default_rng(0))
    assert made.predicted.dtype == np.int64 and made.probabilities.shape == (4000, 3)
    np.testing.assert_allclose(made.probabilities.sum(1), 1, rtol=0, atol=1e-12)
    assert (made.probabilities > 0).all()
    np.testing.assert_array_equal(made.probabilities.argmax(1), made.predicted)
    greatest = made.probabilities.max(1)
    assert greatest[made.wrong].mean() == pytest.approx(greatest[~made.wrong].mean(), abs=0.016)
    others = np.bincount((made.predicted - made.tweets.labels)[made.wrong] % 3, minlength=3)
    assert others[0] == 0 and others[1] / others.sum() == pytest.approx(0.5, abs=0.05)


def test_seeds_decide_the_texts() -> None:
    one, again, other = (planted_errors(halves(50, seed), "entity", np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert one.tweets.texts == again.tweets.texts and one.tweets.texts != other.tweets.texts
    np.testing.assert_array_equal(one.probabilities, again.probabilities)


def test_what_makes_no_sense_is_refused() -> None:
    rows = [(9, "10 to 10,000 texts.*got 9"), (10_001, "got 10001")]
    assert_refused(lambda n: labelled_reviews(n, np.random.default_rng(0)), rows)
