"""Source sentences against a search through all pairs, and intervals against resampling by hand and planted truth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.studies.moxie.source_sentences import SourceSentences, Words, ratio_interval


def holds(long: Words, short: Words) -> bool:
    return any(long[start : start + len(short)] == short for start in range(len(long) - len(short) + 1))


PHRASES = st.lists(st.lists(st.sampled_from(["a", "b", "c", "aa"]), min_size=1, max_size=6).map(tuple), min_size=1)


@given(PHRASES)
def test_each_phrase_belongs_to_the_first_of_the_longest_that_hold_it(phrases: list[Words]) -> None:
    sources = SourceSentences(phrases)
    for words, number in zip(phrases, sources.of(phrases), strict=True):
        candidates = [other for other in phrases if holds(other, words)]
        assert sources.sentences[number] == max(candidates, key=len)  # max takes the first
    distinct = set(phrases)
    whole = {words for words in distinct if not any(other != words and holds(other, words) for other in distinct)}
    assert set(sources.sentences) == whole and len(sources.sentences) == len(whole)


def test_words_are_held_in_a_row_and_whole() -> None:
    sources = SourceSentences([("a", "charming", "film"), ("charm",), ("a", "film"), ("charming", "film")])
    assert sources.sentences == [("a", "charming", "film"), ("a", "film"), ("charm",)]
    assert sources.of([("charming", "film"), ("film",), ("charm",)]).tolist() == [0, 0, 2]


def test_a_text_that_no_phrase_holds_is_named() -> None:
    sources = SourceSentences([("a", "charming", "film")])
    assert_refused(
        sources.of,
        [
            ([("a",), ("a", "film")], "no phrase holds the words of text 1, 'a film', in a row"),
            ([("new",)], "is a word of it replaced"),
            ([()], "text 0 is"),
        ],
    )
    assert_refused(
        SourceSentences,
        [
            ([], "at least one phrase"),
            ("a film", "at least one phrase"),
            (["a film"], "expected its words"),
            ([("a film",)], "holds a blank"),
            ([("a", "")], "is empty"),
        ],
    )


def test_the_interval_is_that_of_resampled_groups() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 15, size=80)
    top, bottom = rng.random(80), rng.integers(0, 2, size=80)
    found = ratio_interval(top, bottom, groups, rng=np.random.default_rng(1), resamples=4000)
    names, by_hand = np.unique(groups), []
    for _ in range(4000):
        rows = np.concatenate([np.flatnonzero(groups == name) for name in rng.choice(names, size=len(names))])
        by_hand.append(top[rows].sum() / bottom[rows].sum())
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(by_hand, [0.025, 0.975])), abs=0.08)
    assert found.value == pytest.approx(top.sum() / bottom.sum()) and found.sentences == len(names)
    assert found.low < found.value < found.high


def test_repeated_contexts_of_a_sentence_tell_nothing_new() -> None:
    """Each context five times over: the interval by sentences stays, that by contexts would shrink."""
    rng = np.random.default_rng(2)
    hits = rng.integers(0, 2, size=60)
    once = ratio_interval(hits, np.ones(60), np.arange(60), rng=np.random.default_rng(3))
    five = ratio_interval(hits.repeat(5), np.ones(300), np.arange(60).repeat(5), rng=np.random.default_rng(3))
    naive = ratio_interval(hits.repeat(5), np.ones(300), np.arange(300), rng=np.random.default_rng(3))
    assert once == five
    assert naive.high - naive.low < 0.6 * (five.high - five.low)


def test_intervals_cover_a_planted_rate() -> None:
    rng, covered = np.random.default_rng(4), 0
    for _ in range(200):
        rates = rng.beta(2, 2, size=50)
        sizes = rng.integers(1, 8, size=50)
        groups = np.arange(50).repeat(sizes)
        hits = rng.random(len(groups)) < rates[groups]
        found = ratio_interval(hits, np.ones(len(hits)), groups, rng=rng, resamples=400)
        covered += found.low <= 0.5 <= found.high
    assert covered >= 178  # of 200 at 95 %


def test_a_denominator_that_few_sentences_have_leaves_the_interval_open() -> None:
    found = ratio_interval([1, 1, 1], [1, 0, 0], [0, 1, 2], rng=np.random.default_rng(0))
    assert found.value == 3 and math.isinf(found.high) and found.low < 3
    rare = ratio_interval([1, 0, 0], [1, 0, 0], [0, 1, 2], rng=np.random.default_rng(0))
    assert (rare.low, rare.high) == (1, 1)  # resamples of nothing over nothing tell nothing


def test_seeds_decide_the_interval() -> None:
    hits, groups = np.arange(30) % 3 == 0, np.arange(30)
    one, again, other = (
        ratio_interval(hits, np.ones(30), groups, rng=np.random.default_rng(seed), resamples=50) for seed in (1, 1, 2)
    )
    assert one == again and (one.low, one.high) != (other.low, other.high)


def test_bad_numbers_are_explained() -> None:
    def attempt(top: object, bottom: object, groups: object, level: float = 0.95, resamples: int = 10) -> None:
        ratio_interval(top, bottom, groups, rng=np.random.default_rng(0), level=level, resamples=resamples)  # type: ignore[arg-type]

    assert_refused(
        attempt,
        [
            ([1, 2], [1], [0, 1], r"three arrays \(n,\), got shapes \(2,\), \(1,\) and \(2,\)"),
            ([1, np.nan], [1, 1], [0, 1], "numerators and denominators are finite"),
            ([1, 1], [1, -1], [0, 1], "denominators not negative"),
            ([1, 1], [0, 0], [0, 1], "not all 0"),
            ([1, 1], [1, 1], [7, 7], "at least two of them, got 1"),
            ([1, 1], [1, 1], [0, 1], 1.0, "a level between 0 and 1"),
            ([1, 1], [1, 1], [0, 1], 0.9, 0, "at least one resample"),
        ],
    )


@pytest.mark.mirror
def test_phrases_of_sst2_come_from_some_seven_thousand_sentences(mirror: Path) -> None:
    from trustnlp.data.texts.film_reviews import read_sst2

    phrases = [tuple(text.split()) for text in read_sst2().train.texts]
    sources = SourceSentences(phrases)
    numbers = sources.of(phrases)
    assert 6500 < len(sources.sentences) < 7000 and numbers.max() == len(sources.sentences) - 1
    padded = [f" {' '.join(words)} " for words in phrases]
    for row in np.random.default_rng(0).integers(len(phrases), size=30):
        longest = max(len(words) for words, text in zip(phrases, padded, strict=True) if padded[row] in text)
        assert len(sources.sentences[numbers[row]]) == longest
