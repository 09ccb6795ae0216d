"""Made-up reviews: their true score, their parts, trees and tags, and what repeats for a seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.annotation.english_tags import CLOSED_TAGS, OPEN_TAGS, treebank_words
from trustnlp.data.texts import review_standins
from trustnlp.data.texts.review_standins import (
    INTENSIFIERS,
    NEGATIONS,
    VOCABULARY,
    WEIGHTS,
    planted_reviews,
    planted_score,
)

NEUTRAL = {review_standins.CONTROL_WORD, *review_standins.PROBE_WORDS, *review_standins.PLACEBO_WORDS}
ALL_WORDS = [word for words in VOCABULARY.values() for word in words]


def slow_score(words: list[str]) -> float:
    """Every word with a weight looks back: over words that play no part, as far as a modifier reaches, to modifiers."""
    score = 0.0
    for place, word in enumerate(words):
        weight, back, free = WEIGHTS.get(word, 0.0), place - 1, review_standins.REACH - 1
        while back >= 0 and weight:
            if words[back] in NEGATIONS or words[back] in INTENSIFIERS:
                weight *= INTENSIFIERS.get(words[back], -1.0)
                free = review_standins.REACH - 1
            elif words[back] in WEIGHTS or free == 0:
                break
            else:
                free -= 1
            back -= 1
        score += weight
    return score


@example(["not", "a", "rather", "good", "film"])  # out of reach
@given(st.lists(st.sampled_from([*ALL_WORDS, "[MASK]", "unplanted"]), max_size=12))
def test_the_score_is_that_of_the_slow_reading(words: list[str]) -> None:
    assert planted_score(words) == slow_score(words)


@pytest.mark.parametrize(("n", "sizes"), [(40, (32, 4, 4)), (101, (81, 10, 10)), (400, (320, 40, 40))])
def test_parts_have_the_planned_sizes_and_labels(n: int, sizes: tuple[int, int, int]) -> None:
    parts = list(planted_reviews(n, np.random.default_rng(0)).sst2.splits.values())
    assert tuple(map(len, parts)) == sizes
    assert [int(part.labels.sum()) for part in parts] == [(size + 1) // 2 for size in sizes]
    texts = [text for part in parts for text in part.texts]
    assert len(set(texts)) == n
    scores = np.array([planted_score(text.split(" ")) for text in texts])
    assert (scores != 0).all() and ((scores > 0) == np.concatenate([part.labels for part in parts])).all()
    assert parts[2].texts[0].endswith(" .") and not all(text.endswith(" .") for text in parts[0].texts)


def test_every_text_has_a_tree_and_tags_and_only_planted_words() -> None:
    reviews = planted_reviews(200, np.random.default_rng(1))
    assert tuple(reviews.vocabulary) == OPEN_TAGS + CLOSED_TAGS
    for name, part in reviews.sst2.splits.items():
        for text, tagged in zip(part.texts, reviews.tagged[name], strict=True):
            spans = reviews.trees.spans_of(tagged.words)
            assert spans is not None and len(spans) == 2 * len(tagged.words) - 2
            assert tagged.words == treebank_words(text) == tuple(text.split(" "))
            assert all(word in reviews.vocabulary[tag] for word, tag in zip(tagged.words, tagged.tags, strict=True))


def test_the_words_of_the_paper_and_the_placebos_play_no_part_and_stand_before_words_without_one() -> None:
    assert set(VOCABULARY["ADJ"]) >= NEUTRAL and not NEUTRAL & WEIGHTS.keys()
    assert len(set(ALL_WORDS)) == len(ALL_WORDS), "one tag a word"
    acting = [*WEIGHTS, *NEGATIONS, *INTENSIFIERS]
    assert set(acting) <= set(ALL_WORDS) and len(acting) == len(set(acting))
    texts = planted_reviews(1000, np.random.default_rng(3)).tagged["test"]
    pairs = [pair for text in texts for pair in zip(text.words, text.words[1:], strict=False)]
    followers = {following for word, following in pairs if word in NEUTRAL}
    assert followers and followers <= set(VOCABULARY["NOUN"]) - WEIGHTS.keys()


def test_the_context_often_tells_the_label_and_not_always() -> None:
    """What a baseline that never sees the masked word has: more than half of the texts whole, not all."""
    test = planted_reviews(2000, np.random.default_rng(4)).sst2.test
    right = []
    for text, label in zip(test.texts, test.labels, strict=True):
        words = text.split(" ")
        masked = [[*words[:place], "[MASK]", *words[place + 1 :]] for place in range(len(words))]
        right.append(all((planted_score(context) > 0) == label for context in masked))
    assert 0.45 < np.mean(right) < 0.75


def test_a_seed_repeats_and_another_differs() -> None:
    first, again, other = (planted_reviews(60, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert first.sst2.train.texts == again.sst2.train.texts != other.sst2.train.texts
    assert first.tagged == again.tagged
    assert [tree.words for tree in first.trees.trees] == [tree.words for tree in again.trees.trees]


def test_too_few_texts_are_refused() -> None:
    assert_refused(lambda: planted_reviews(39, np.random.default_rng(0)), [("39 texts are too few.*at least 40",)])
