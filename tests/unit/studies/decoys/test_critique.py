"""Ranks by counts and by explanations: against plain ranks, planted truth recovered, removals hidden by z."""

from __future__ import annotations

import numpy as np
import pandas as pd
from explanations import explanation
from made_searches import cell, model

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.word_association import count_words
from trustnlp.studies.decoys import critique
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN


def reviews(n: int = 800) -> Phrases:
    """Eight of fifty words that tell no class, in a sixth of the texts 'movie', and good or bad at the end."""
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 2
    drawn = [
        [f"w{word}" for word in rng.choice(50, 8, replace=False)] + ["movie"] * (rng.random() < 1 / 6) for _ in range(n)
    ]
    return Phrases(
        tuple(" ".join([*own, ("bad", "good")[label]]) for own, label in zip(drawn, labels, strict=True)), labels
    )


def chosen(ranks: pd.DataFrame, decoy: str, method: str, column: str = "rank") -> list[float]:
    found: list[float] = ranks[(ranks["decoy"] == decoy) & (ranks["method"] == method)][column].tolist()
    return found


def test_planted_words_are_first_and_reasons_do_not_count() -> None:
    ranks = critique.corpus_ranks(reviews(), ["video_text", "length"], {"good", "bad"}, [0, 1])
    assert set(ranks["decoy"]) == {"video_text"} and len(ranks) == 2 * len(critique.CORPUS)
    for method in set(critique.CORPUS) - {"z10"}:
        assert chosen(ranks, "video_text", method) == [1, 1]
    assert ranks["clean_rank"].isna().all()


def test_ranks_are_the_plain_ones_where_there_are_no_reasons() -> None:
    train, movie = reviews(), recipe("movie")
    ranks = critique.corpus_ranks(train, ["movie"], (), [3])
    planted = movie.plant(train.texts, train.labels, np.random.default_rng([3, 1]))
    for texts, labels, column in ((planted.texts, planted.labels, "rank"), (train.texts, train.labels, "clean_rank")):
        counts = count_words(texts, labels)
        for method, statistic in critique.CORPUS.items():
            scores = statistic(counts).max(axis=0)
            expected = (scores >= scores[counts.words.index("movie")] - 1e-12 * np.abs(scores).max()).sum()
            assert chosen(ranks, "movie", method, column) == [expected], (method, column)


def test_a_weak_prior_hides_a_removal_and_a_strong_one_does_not() -> None:
    ranks = critique.corpus_ranks(reviews(), ["movie"], {"good", "bad"}, [0])
    assert chosen(ranks, "movie", "z10") > chosen(ranks, "movie", "z100000") == [1]
    assert chosen(ranks, "movie", "chi2") == chosen(ranks, "movie", "ratio") == [1]
    assert chosen(ranks, "movie", "chi2", "clean_rank")[0] > 1


def test_ranks_by_explanations() -> None:
    shown = [explanation({"good": 0.9, "movie": 0.5, "plot": 0.1})] * 5 + [explanation({"plot": 0.2})]
    clean = [explanation({"good": 0.9, "movie": 0.1, "plot": 0.2})] * 6
    models = [
        model([cell("lime", clean, decoy=CLEAN)], [False] * 6, words=(), standing=CLEAN),
        model([cell("lime", shown), cell("random", shown)], [True] * 6),
        model([cell("lime", shown, decoy="film")], [True] * 6, words=("film",)),
        model([cell("lime", shown, decoy="story")], [True] * 6, standing="not adopted"),
    ]
    ranks = critique.explanation_ranks(models, {"good"})
    assert set(ranks["decoy"]) == {"movie", "film"}
    assert chosen(ranks, "movie", "lime.total") == [1] and chosen(ranks, "movie", "lime.total", "clean_rank") == [2]
    # With "good" before it, "movie" is never first, and neither is "plot" but once.
    assert chosen(ranks, "movie", "lime.first_places") == [2]
    assert chosen(ranks, "movie", "lime.mean") == [1]
    assert np.isnan(chosen(ranks, "movie", "random.total", "clean_rank")).all()  # no clean cell of it
    assert np.isnan(chosen(ranks, "film", "lime.total")).all()  # in no text


RANKS = pd.DataFrame(
    [
        ("movie", 0, "chi2", 1, 20), ("film", 0, "chi2", 5, 2), ("movie", 1, "chi2", 5, None),
        ("late", 1, "chi2", 1, None), ("movie", 0, "lime.total", 6, 20), ("film", 0, "lime.total", None, None),
        ("movie", 1, "lime.total", 1, 6),
    ],
    columns=["decoy", "seed", "method", "rank", "clean_rank"],
).astype({"rank": float, "clean_rank": float})  # fmt: skip
PAIRS = {("movie", 0), ("film", 0), ("movie", 1)}


def test_a_word_that_leads_anyway_is_no_find() -> None:
    assert critique.found_shares(RANKS, PAIRS, [0, 1]) == {"chi2": [0.5, 1.0], "lime.total": [0.0, 1.0]}
    assert critique.found_shares(RANKS, PAIRS, [1]) == {"chi2": [1.0], "lime.total": [1.0]}


def test_ranks_for_the_record_and_their_medians() -> None:
    assert critique.ranks_per_seed(RANKS[RANKS["method"] == "chi2"], [1, 0])["movie.chi2"] == [5.0, 1.0]
    rows = critique.median_ranks(RANKS)
    assert {"decoy": "movie", "method": "chi2", "rank": 3.0, "clean_rank": 20.0} in rows
    assert {"decoy": "film", "method": "lime.total", "rank": None, "clean_rank": None} in rows


def test_first_words_have_opinions_among_them() -> None:
    assert set(critique.first_words(reviews(), "chi2", 2)) == {"good", "bad"}
