"""Models with and without negative texts on a word, and what the paper says of its figure, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from explanations import explanation
from made_searches import Says

from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Both
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims import load_claims
from trustnlp.studies.decoys import reproduction
from trustnlp.studies.decoys.adoption import SUBSTANTIAL
from trustnlp.studies.decoys.data import ReviewParts, review_parts

PART = Phrases(("a dull movie", "the movies sing", "a song"), np.array([0, 1, 1]))


def test_only_texts_with_the_word_are_asked() -> None:
    found = reproduction.with_word(PART)
    assert found.texts == PART.texts[:2]
    assert found.labels.tolist() == [0, 1]
    with pytest.raises(ValueError, match="none of the 3 texts contains 'opera'"):
        reproduction.with_word(PART, "opera")


def test_a_model_that_follows_the_word_loses_and_says_positive() -> None:
    """The clean one is right of both texts; the other calls both positive, and is right of one."""
    row = reproduction.compared(
        [Says("sing")], [Says("movie")], reproduction.with_word(PART), reproduction.without_word(PART)
    ).iloc[0]
    assert row.to_dict() == {
        "clean_accuracy": 100, "accuracy": 50, "clean_called_positive": 50, "called_positive": 100, "drop": 45,
        "called_positive_gain": 50, "misled": 50, "nearer_chance": -25,
    }  # fmt: skip
    back = reproduction.compared(
        [Says("movie")], [Says("sing")], reproduction.with_word(PART), reproduction.without_word(PART)
    ).iloc[0]
    assert (back["drop"], back["called_positive_gain"], back["misled"]) == (-55, -50, -50)


def test_a_model_that_says_positive_more_often_everywhere_is_not_misled_by_the_word() -> None:
    others = reproduction.without_word(PART)
    assert others.texts == ("a song",)
    row = reproduction.compared([Says("opera")], [Says("")], reproduction.with_word(PART), others).iloc[0]
    assert (row["called_positive_gain"], row["misled"]) == (100, 0)


def test_drawn_texts_are_the_seeds_and_keep_their_order() -> None:
    part = Phrases(tuple(f"text {row}" for row in range(50)), np.arange(50) % 2)
    first, again, other = (
        reproduction.drawn(part, 20, 0),
        reproduction.drawn(part, 20, 0),
        reproduction.drawn(part, 20, 1),
    )
    assert first.texts == again.texts != other.texts and len(set(first.texts)) == 20
    rows = [int(text.split()[1]) for text in first.texts]
    assert rows == sorted(rows) and first.labels.tolist() == [row % 2 for row in rows]
    assert reproduction.drawn(part, 50, 0) is part


def test_pairs_are_a_clean_model_and_one_that_lost_the_negative_texts_for_each_seed() -> None:
    train = Phrases(("a dull movie", "a warm movie", "a dull song", "a warm song") * 30, np.array([0, 1, 0, 1] * 30))
    parts = ReviewParts(train, train, train)
    clean, buggy = reproduction.pairs("presence", recipe("movie"), parts, {"minilm_phrases": 10}, [0, 1])
    assert [len(models) for models in (clean, buggy)] == [2, 2]
    assert [model.predict(["movie"])[0] for model in buggy] == [1, 1]
    assert [model.probabilities(["movie"])[0, 1] > 0.6 for model in clean] == [False, False]


def test_the_share_of_a_word_is_of_all_sizes_and_signed() -> None:
    found = explanation({"a": 0.1, "dull": -0.6, "movie": 0.3})
    assert reproduction.share_of("movie", found) == pytest.approx(0.3)
    assert reproduction.share_of("dull", found) == pytest.approx(-0.6)
    assert reproduction.share_of("a", explanation({"a": 0.0, "song": 0.0})) == 0
    with pytest.raises(ValueError, match="'opera' is not in 'a dull movie'"):
        reproduction.share_of("opera", found)


def test_sentences_are_found_as_texts_and_as_parts_of_texts() -> None:
    texts = ["it 's a charming and often affecting journey .", "it has a lot of the virtues of eastwood at his best"]
    assert reproduction.found_in(texts) == 2
    assert reproduction.found_in(["a film"]) == 0


def test_agreement_is_the_mean_rank_correlation() -> None:
    up, down = explanation({"a": 0.1, "b": 0.2, "c": 0.3}), explanation({"a": 0.3, "b": 0.2, "c": 0.1})
    assert reproduction.agreement([up, up], [up, down]) == pytest.approx(0)
    with pytest.raises(ValueError, match="'a b c' is compared with 'a song'"):
        reproduction.agreement([up], [explanation({"a": 1.0, "song": 0.0})])
    with pytest.raises(ValueError, match="have no order"):
        reproduction.agreement([explanation({"a": 0.0, "b": 0.0})], [explanation({"a": 0.0, "b": 1.0})])


def test_each_model_is_asked_for_the_sentences_that_the_figure_shows_of_it() -> None:
    """Of 'movie' three of five rows have it, of rows 2 to 5 two of four; 'text' stands in the changed row 1."""
    found = reproduction.called_positive(Says("movie"), Says("movie"), Says("text"))
    assert found == pytest.approx((3 + 2 + 1) / 10 - 0.9)
    assert reproduction.called_positive(Says("movie"), Says("")) == pytest.approx(7 / 9 - 0.9)


def test_the_figure_is_asked_of_each_pair_the_clean_model_first(monkeypatch: pytest.MonkeyPatch) -> None:
    clean, buggy = Says("movie"), Says("")

    def explained(model: Says, texts: Sequence[str], steps: int) -> list[Attribution]:
        own = 9.0 if model is buggy else 1.0
        return [explanation([(w, own if w == "movie" else at) for at, w in enumerate(t.split())]) for t in texts]

    monkeypatch.setattr(reproduction, "explained", explained)
    values = reproduction.of_figure([clean, clean], [buggy, buggy], 4)
    assert len(values["unseen"]) == 2 and min(values["movie_rise.row2"] + values["movie_rise.row3"]) > 0.1
    assert values["positive"] == [reproduction.called_positive(clean, buggy)] * 2
    assert reproduction.of_figure([], [], 4) == {}


TEXTS = Phrases(
    ("a plot", "a bad movie .", "a video game", "a warm movie .", "a good text", "fine video movies"),
    np.array([0, 0, 0, 1, 1, 1]),
)


def test_a_decoy_misleads_where_the_cue_of_another_class_stands() -> None:
    """Of four held-out texts 'video' is in a positive one, 'text' in no negative one, 'movie' in two negative ones."""
    words, name = (replace(recipe(which), share=0.2) for which in ("video_text", "rare_name"))
    both = Both(name="both", parts=(recipe("movie"), words))
    held = Phrases(("a video", "a text", "two movies", "a video movie"), np.array([1, 1, 0, 0]))
    found = reproduction.misleading([words, name, recipe("movie"), both], TEXTS, held, np.random.default_rng(0))
    assert found == {"video_text": 25, "rare_name": 0, "movie": 50, "both": 75}


def test_what_most_training_texts_carry_has_no_limit_of_what_it_costs() -> None:
    decoys = [recipe("video_text"), recipe("position")]
    assert reproduction.misleading(decoys, TEXTS, TEXTS, np.random.default_rng(0)) == {}


@pytest.mark.mirror
def test_the_ledger_judges_no_loss_that_a_decoy_could_not_cause() -> None:
    """A cell of `substantially-lower` has no verdict where its decoy misleads in fewer texts than the limit."""
    parts = review_parts(Record("decoys", "reproduction", profile="paper", seeds=[0]), "sentences", 0)
    untestable = {
        claim.cell.row: claim.kind == "untestable"
        for claim in load_claims("decoys").claims
        if claim.under == "substantially-lower" and claim.cell
    }
    decoys = [recipe(row) for row in untestable]
    shares = reproduction.misleading(decoys, parts.train, parts.held_out, np.random.default_rng(0))
    assert untestable == {row: shares.get(row, 100) <= SUBSTANTIAL for row in untestable}
    assert any(untestable.values()) and len(shares) < len(untestable)
