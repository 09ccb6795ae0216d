"""Tasks on privatised text: who gets what noise, features by hand, and scores where the answer is known."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from planted_inventory import two_ways

from trustnlp.data.words.words_in_context import ContextPair, Occurrence
from trustnlp.encoders.pretrained import MINILM, Encoder, load_encoder
from trustnlp.privacy.text.text_pieces import cut
from trustnlp.privacy.text.text_privatiser import privatiser
from trustnlp.studies.sense_privatization import data, tasks
from trustnlp.studies.sense_privatization.data import SOURCES, Part, ScoredTask, planted_task
from trustnlp.studies.sense_privatization.standins import planted_senses


def recorder(seen):
    """Remembers what it is asked for; answers with noise."""

    def encode(texts, spans):
        seen.append((list(texts), spans))
        states = np.random.default_rng(0).standard_normal((len(texts), 2)).astype(np.float32)
        return tasks.States(states, None if spans is None else states)

    return encode


def pair():
    first, second = Occurrence(("By", "the", "bank", "."), 2), Occurrence(("Bank", "!"), 0)
    return data._of_pairs([ContextPair("bank", "n", first, second, True)])


def test_without_noise_texts_are_as_they_were_and_spans_are_those_of_the_word_meant():
    seen = []
    tasks.features_of(pair(), recorder(seen))
    assert seen == [(["By the bank .", "Bank !"], [(7, 11), (0, 4)])]


@pytest.mark.parametrize("arm", ["word", "sense"])
def test_with_noise_unknown_words_are_masked_and_spans_move_with_the_words(arm):
    inventory, vectors = two_ways()
    seen = []
    tasks.features_of(pair(), recorder(seen), tasks.release_of(arm, vectors, inventory, 1e-3), seed=1)
    [(texts, spans)] = seen
    for text, (start, end), place in zip(texts, spans, (2, 0), strict=True):
        assert text.split(" ")[place] == text[start:end] and text[start:end].lower() in vectors
    assert texts[0].split(" ")[1] == "[UNK]" and texts[0].endswith(" .") and texts[1].endswith(" !")


def test_texts_to_train_on_have_noise_by_seed_and_those_to_score_on_have_none():
    _, vectors = two_ways()
    part, seen = Part((pair().sides[0] * 200,), None, np.arange(200) % 2), []
    clean = tasks.features_of(part, recorder(seen))
    for seed in (0, 1, 0):
        tasks.score_of(
            ScoredTask("accuracy", part, part), recorder(seen), clean, privatiser(vectors=vectors, epsilon=1e-3), seed
        )
    as_they_are, *released = [texts for texts, _ in seen]
    assert set(as_they_are) == {"By the bank ."} and len(released) == 3
    assert released[0] == released[2] != released[1] and as_they_are not in released


def test_features_of_a_pair_by_hand():
    _, vectors = two_ways()
    found = tasks.features_of(pair(), partial(tasks.static_states, vectors))
    # `By` and `Bank` are not looked up in this case; the first text has bank alone, the second nothing.
    u, v = vectors["bank"], np.zeros(2)
    assert found[0] == pytest.approx([*u, *v, *u, *v, *u, *v, *u, *v, 0])
    both = np.array([[1, -2], [3, 1]], dtype=np.float32)
    found = tasks.features_of(pair(), lambda texts, spans: tasks.States(both, both))
    compared = [1, -2, 3, 1, 2, 3, 3, -2]
    assert found[0] == pytest.approx([*compared, *compared, 1 / np.sqrt(50)])


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
    assert ScoredTask("accuracy", part, part).majority == 0.75
    assert ScoredTask("mcc", part, part).majority == ScoredTask("spearman", part, part).majority == 0


@pytest.mark.parametrize("metric", ["accuracy", "mcc", "spearman"])
def test_scores_are_one_where_features_tell_all_and_near_chance_where_they_tell_nothing(metric):
    rng = np.random.default_rng(0)
    known, truth = rng.standard_normal((2, 1500))
    if metric != "spearman":
        known, truth = (known > 0).astype(int), (truth > 0).astype(int)
    noise = rng.standard_normal((2, 1500, 4)).astype(np.float32)
    telling = [np.column_stack([of, part]) for of, part in zip(noise, (100 * known, 100 * truth), strict=True)]
    assert tasks.fitted_score(metric, telling[0], known, telling[1], truth) > 0.97
    assert abs(tasks.fitted_score(metric, noise[0], known, noise[1], truth) - 0.5 * (metric == "accuracy")) < 0.15


def test_a_model_that_answers_the_same_to_all_has_no_rank_correlation():
    known = np.array([0.0, 1, 2, 3])
    assert tasks.fitted_score("spearman", np.zeros((4, 2), np.float32), known, np.zeros((4, 2), np.float32), known) == 0


@pytest.mark.parametrize("name", SOURCES)
def test_planted_tasks_are_solved_without_noise_and_not_with_a_lot(name):
    planted = planted_senses(np.random.default_rng(0), words=300)
    task = planted_task(name, planted, 150, np.random.default_rng(1))
    assert (task.train.places is not None) == (name == "WiC")
    encode = partial(tasks.static_states, planted.vectors)
    evaluation = tasks.features_of(task.evaluation, encode)
    clean, noisy = (
        tasks.score_of(task, encode, evaluation, noise)
        for noise in (None, privatiser(vectors=planted.vectors, epsilon=0.01))
    )
    assert clean > task.majority + 0.2 > noisy


TEXTS = [cut(text) for text in ("the river bank is wet", "bank", "money in the bank, river money")] * 20


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize("arm", ["word", "sense"])
def test_words_and_senses_are_released_as_by_the_slower_mechanisms(arm, epsilon):
    inventory, vectors = two_ways()
    asked = {"mechanism": f"nearest_{arm}"} | ({"inventory": inventory} if arm == "sense" else {})
    slow = privatiser(vectors=vectors, epsilon=epsilon, **asked)
    assert tasks.release_of(arm, vectors, inventory, epsilon).release(TEXTS, 3) == slow.release(TEXTS, 3)


def test_without_context_each_word_has_its_most_probable_sense():
    inventory, vectors = two_ways()
    inventory = replace(inventory, prior=np.array([1, 1, 0.4, 0.6, 0.5, 0.5, 1]))
    words = {"river": 0, "money": 1, "bank": 3}
    expected = [words.get(piece.text, -1) for text in TEXTS for piece in text if piece.is_word]
    assert tasks.release_of("prior", vectors, inventory, 1.0)._senses(inventory, TEXTS).tolist() == expected
    assert (tasks.release_of("sense", vectors, inventory, 1.0)._senses(inventory, TEXTS) != expected).any()


def test_a_score_is_computed_once_for_the_same_content(tmp_path, monkeypatch):
    inventory, vectors = two_ways()
    monkeypatch.setattr(tasks, "results_of", lambda what: tmp_path)
    part, asked = Part((TEXTS,), None, np.arange(len(TEXTS)) % 2), []
    clean = tasks.features_of(part, recorder(asked))
    task = ScoredTask("accuracy", part, part)
    other_texts = replace(task, train=replace(part, targets=part.targets[::-1].copy()))
    word, *others = (tasks.release_of(arm, vectors, inventory, 1.0) for arm in tasks.ARMS)
    cells = [(task, word, 0), (task, word, 1), (other_texts, word, 0), *((task, other, 0) for other in others)]
    cells += [(task, tasks.release_of("word", vectors, inventory, 2.0), 0)]
    first, again = (
        [tasks.kept_score(of, recorder(asked), clean, release, seed) for of, release, seed in cells] for _ in range(2)
    )
    assert again == first and len(asked) == 1 + len(cells) == 1 + len(list(tmp_path.iterdir()))


ENCODED = ["the bank of the river was steep and green", "a bank", "[UNK] ran to the bank ."]


SPANS = [(4, 8), (2, 6), (17, 21)]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder(MINILM, "cpu")


def test_a_text_has_its_states_whatever_is_encoded_with_it(encoder):
    together = tasks.encoder_states(encoder, ENCODED, SPANS, batch_size=2)
    assert together.targets is not None
    for row, (text, span) in enumerate(zip(ENCODED, SPANS, strict=True)):
        alone = encoder.model(**encoder.tokenizer(text, return_tensors="pt")).last_hidden_state[0].detach()
        place = encoder.tokenizer.tokenize(text).index("bank") + 1  # after the first special token
        assert text[slice(*span)] == "bank"
        assert together.targets[row] == pytest.approx(alone[place].numpy(), abs=1e-5)
        unit = torch.nn.functional.normalize(alone.mean(dim=0), dim=0)
        assert together.sentences[row] == pytest.approx(unit.numpy(), abs=1e-5)
    assert tasks.encoder_states(encoder, ENCODED).targets is None


def test_a_word_of_several_pieces_has_their_mean_and_one_of_none_its_text(encoder):
    text = "unputdownable \u200b"
    found = tasks.encoder_states(encoder, [text, text], [(0, 13), (14, 15)])
    states = encoder.model(**encoder.tokenizer(text, return_tensors="pt")).last_hidden_state[0].detach()
    assert len(states) > 4
    assert found.targets[0] == pytest.approx(states[1:-1].mean(dim=0).numpy(), abs=1e-5)
    assert found.targets[1] == pytest.approx(states.mean(dim=0).numpy(), abs=1e-5)
