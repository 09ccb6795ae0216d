"""Tasks on privatised text: who gets what noise, features by hand, and scores where the answer is known."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from planted_inventory import two_ways

from trustnlp.data.words.words_in_context import ContextPair, Occurrence
from trustnlp.privacy.text.text_privatiser import privatiser
from trustnlp.studies.sense_privatization import data
from trustnlp.studies.sense_privatization.data import SOURCES, Part, Task, planted_task
from trustnlp.studies.sense_privatization.standins import planted_senses
from trustnlp.studies.sense_privatization.tasks import States, features_of, fitted_score, score_of, static_states


def recorder(seen):
    def encode(texts, spans):
        seen.append((list(texts), spans))
        return States(np.zeros((len(texts), 2), np.float32), None if spans is None else np.zeros((len(texts), 2)))

    return encode


def pair(same=True):
    first, second = Occurrence(("By", "the", "bank", "."), 2), Occurrence(("Bank", "!"), 0)
    return data._of_pairs([ContextPair("bank", "n", first, second, same)])


def test_without_noise_texts_are_as_they_were_and_spans_are_those_of_the_word_meant():
    seen = []
    features_of(pair(), recorder(seen))
    assert seen == [(["By the bank .", "Bank !"], [(7, 11), (0, 4)])]


def test_with_noise_unknown_words_are_masked_and_spans_move_with_the_words():
    inventory, vectors = two_ways()
    for options in ({"mechanism": "nearest_word"}, {"mechanism": "nearest_sense", "inventory": inventory}):
        seen = []
        features_of(pair(), recorder(seen), privatiser(vectors=vectors, epsilon=1e-3, **options), seed=1)
        [(texts, spans)] = seen
        for text, (start, end), place in zip(texts, spans, (2, 0), strict=True):
            assert text.split(" ")[place] == text[start:end]
            assert text[start:end].lower() in vectors
        assert texts[0].split(" ")[1] == "[UNK]" and texts[0].endswith(" .") and texts[1].endswith(" !")


def test_texts_to_train_on_have_noise_by_seed_and_those_to_score_on_have_none():
    _, vectors = two_ways()
    part = Part((pair().sides[0] * 200,), None, np.arange(200) % 2)
    task, seen = Task("accuracy", part, part), []

    def encode(texts, spans):
        seen.append(list(texts))
        return States(np.random.default_rng(0).standard_normal((len(texts), 2)).astype(np.float32), None)

    clean = features_of(part, encode)
    for seed in (0, 1, 0):
        score_of(task, encode, clean, privatiser(vectors=vectors, epsilon=1e-3), seed)
    as_they_are, *released = seen
    assert set(as_they_are) == {"By the bank ."} and len(released) == 3
    assert released[0] == released[2] != released[1] and as_they_are not in released


def test_features_of_a_pair_by_hand():
    _, vectors = two_ways()
    found = features_of(pair(), partial(static_states, vectors))
    # `By` and `Bank` are not looked up in this case; the first text has bank alone, the second nothing.
    u, v = vectors["bank"], np.zeros(2)
    assert found[0] == pytest.approx([*u, *v, *u, *v, *u, *v, *u, *v, 0])


def test_some_rows_keep_texts_places_and_targets_together():
    task = planted_task("WiC", planted_senses(np.random.default_rng(0), words=300), 40, np.random.default_rng(1))
    few = task.train.some(7, np.random.default_rng(0))
    assert len(few) == 7 and few.some(7, np.random.default_rng(1)) is few
    rows = [task.train.sides[0].index(text) for text in few.sides[0]]
    assert rows == sorted(rows)
    assert [task.train.sides[1][row] for row in rows] == few.sides[1]
    assert [[side[row] for row in rows] for side in task.train.places] == list(few.places)
    assert (task.train.targets[rows] == few.targets).all()


def test_a_constant_answer_scores_the_larger_class_or_nothing():
    part = Part(([],), None, np.array([0, 1, 1, 1]))
    assert Task("accuracy", part, part).majority == 0.75
    assert Task("mcc", part, part).majority == Task("spearman", part, part).majority == 0


@pytest.mark.parametrize("metric", ["accuracy", "mcc", "spearman"])
def test_scores_are_one_where_features_tell_all_and_near_chance_where_they_tell_nothing(metric):
    rng = np.random.default_rng(0)
    known, truth = rng.standard_normal((2, 1500))
    if metric != "spearman":
        known, truth = (known > 0).astype(int), (truth > 0).astype(int)
    noise = rng.standard_normal((2, 1500, 4)).astype(np.float32)
    telling = [np.column_stack([of, part]) for of, part in zip(noise, (100 * known, 100 * truth), strict=True)]
    assert fitted_score(metric, telling[0], known, telling[1], truth) > 0.97
    assert abs(fitted_score(metric, noise[0], known, noise[1], truth) - 0.5 * (metric == "accuracy")) < 0.15


def test_a_model_that_answers_the_same_to_all_has_no_rank_correlation():
    known = np.array([0.0, 1, 2, 3])
    assert fitted_score("spearman", np.zeros((4, 2), np.float32), known, np.zeros((4, 2), np.float32), known) == 0


def test_a_class_too_small_to_choose_a_penalty_is_refused():
    with pytest.raises(ValueError, match=r"two classes of 3 rows.*\[5, 1\]"):
        fitted_score("accuracy", np.zeros((6, 2)), np.array([0, 0, 0, 0, 0, 1]), np.zeros((2, 2)), np.array([0, 1]))


def test_an_encoder_that_forgets_the_words_is_told():
    with pytest.raises(ValueError, match="gave none"):
        features_of(pair(), lambda texts, spans: States(np.zeros((2, 2), np.float32), None))


@pytest.mark.parametrize("name", SOURCES)
def test_planted_tasks_are_solved_without_noise_and_not_with_a_lot(name):
    planted = planted_senses(np.random.default_rng(0), words=300)
    task = planted_task(name, planted, 150, np.random.default_rng(1))
    assert (task.train.places is not None) == (name == "WiC")
    encode = partial(static_states, planted.vectors)
    evaluation = features_of(task.evaluation, encode)
    clean, noisy = (
        score_of(task, encode, evaluation, noise) for noise in (None, privatiser(vectors=planted.vectors, epsilon=0.01))
    )
    assert clean > task.majority + 0.2 > noisy
