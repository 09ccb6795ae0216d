"""Counterfactuals of a student: contexts, the numbers of the claims, ranks."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.attribution.students.counterfactuals import TurningWords
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie import counterfactuals
from trustnlp.studies.moxie.models import Explained


def named(*turned: bool) -> TurningWords:
    words = tuple(f"w{at}" for at in range(len(turned)))
    return TurningWords(MaskedSpan(("a", "b"), 0, 1), 1, words, np.ones(len(words)), np.array(turned, bool), len(words))


def test_contexts_are_words_with_a_dictionary(reviews: Reviews) -> None:
    contexts = counterfactuals.contexts_of_dev(reviews, 5)
    assert len(contexts.spans) == sum(
        bool(reviews.vocabulary.get(t)) for x in reviews.tagged["dev"][:5] for t in x.tags
    )
    chosen = contexts.chosen(np.array([2, 0]))
    assert chosen.spans == (contexts.spans[2], contexts.spans[0]) and chosen.tags[1] == contexts.tags[0]


def test_the_numbers_of_the_claims(found: Explained, reviews: Reviews) -> None:
    contexts = counterfactuals.contexts_of_dev(reviews, 6)
    ten = counterfactuals.top_ten(found, found.student, reviews, contexts)
    result = counterfactuals.compared(found, reviews, contexts, ten, ten, 3, 5, np.random.default_rng(0))
    some = [context for context in ten if context.words]
    assert some and (result["contexts.all"], result["contexts"]) == (len(contexts.spans), len(some))
    assert result["better.accuracy_gain"] == 0
    assert result["accuracy.student"] == pytest.approx(np.mean([100 * c.turned.mean() for c in some]))
    assert result["accuracy.above_random"] == pytest.approx(result["accuracy.student"] - result["accuracy.random"])


def test_students_are_compared_where_both_name_a_word(found: Explained, reviews: Reviews) -> None:
    contexts = counterfactuals.contexts_of_dev(reviews, 6)
    nobody = [named()] * (len(contexts.spans) - 4)
    better = [named(True, True), named(True, False), named(), named(True), *nobody]
    lesser = [named(True, False), named(False), named(True), named(), *nobody]
    result = counterfactuals.compared(found, reviews, contexts, better, lesser, 3, 5, np.random.default_rng(0))
    assert result["better.accuracy_gain"] == pytest.approx(50)


def test_a_gain_counts_for_the_student_that_is_better(
    found: Explained, reviews: Reviews, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counterfactuals, "predictions_of", lambda found, student, reviews, texts: student)
    monkeypatch.setattr(counterfactuals, "accuracy_of", lambda student: 70.0 if student is found.student else lesser)
    for lesser, follows in ((60.0, 4.0), (75.0, -4.0), (70.0, 0.0)):
        result = counterfactuals.better_student(found, None, reviews, 5, 4.0)  # type: ignore[arg-type]
        assert result == {"better.all_correct_gain": 70.0 - lesser, "better.follows": follows}


def test_ranks_are_shares_of_the_words_named_there() -> None:
    assert counterfactuals.by_rank([named(True, False), named(False), named()]) == {1: 50.0, 2: 0.0}


def test_table_10_takes_the_adjective_that_turns_the_answer_most(
    found: Explained, reviews: Reviews, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = next(text for text in reviews.tagged["dev"] if len(text.positions("ADJ")) > 1)
    monkeypatch.setattr(counterfactuals, "TABLE_10", {" ".join(text.words): "awful", "not there": "fine"})
    replaced = [" ".join([*text.words[:at], "awful", *text.words[at + 1 :]]) for at in text.positions("ADJ")]
    own = found.teacher.probabilities(replaced)[:, found.teacher.predict([" ".join(text.words)])[0]]
    assert own[0] != own[1] and counterfactuals.table10(found, reviews) == {"table10.awful": 0.5 - own.min()}
