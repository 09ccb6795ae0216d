"""A student finds what is planted, reads the states it should, is kept and goes on, and belongs to one teacher."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from on_gpu import CLOSE, needs_gpu, on_both
from planted_films import BAG, NEGATING, VOCABULARY, film_texts, word_by_word
from refusals import assert_refused
from tiny_bert import CPU, tiny_encoder, word_tokenizer
from transformers import RobertaConfig, RobertaModel

from trustnlp.attribution.students import student_training
from trustnlp.attribution.students.influence_student import SPAN_LENGTH, InfluenceStudent, contexts_once
from trustnlp.attribution.students.masked_spans import MaskedPairs, MaskedSpan, masked_pairs
from trustnlp.attribution.students.span_predictions import all_correct, predict_words
from trustnlp.attribution.students.student_training import train_student
from trustnlp.attribution.students.text_teacher import Recipe
from trustnlp.encoders.pretrained import Encoder
from trustnlp.training.loop import seeded

RECIPE = Recipe(epochs=2, keep="best", batch_size=32, learning_rate=3e-3, max_length=32)
TRAIN, DEV, TEST = film_texts(200, 0), film_texts(20, 1), film_texts(60, 2)
FEW = TRAIN[:40]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return tiny_encoder(VOCABULARY)


@pytest.fixture(scope="module")
def pairs() -> MaskedPairs:
    return masked_pairs(BAG, word_by_word(TRAIN))


@pytest.fixture(scope="module")
def few() -> MaskedPairs:
    return masked_pairs(BAG, word_by_word(FEW))


@pytest.fixture(scope="module")
def student(encoder: Encoder, pairs: MaskedPairs) -> InfluenceStudent:
    return train_student(BAG, encoder, pairs, DEV, replace(RECIPE, epochs=6), seed=0)


def train_few(encoder: Encoder, few: MaskedPairs, *, seed: int = 0, **options: Any) -> InfluenceStudent:
    return train_student(BAG, encoder, few, DEV[:6], RECIPE, seed=seed, **options)


# --- what is learned --------------------------------------------------------------------------------------------------


def test_a_planted_bag_of_words_is_found(student: InfluenceStudent) -> None:
    """R² of the influence 0.99, all-correct accuracy 1.00, and 0.55 from the context alone were measured."""
    found = predict_words(BAG, student, TEST)
    exact = masked_pairs(BAG, word_by_word(TEST)).influence
    r = torch.cat([text.influence for text in found])
    assert float(1 - (r - exact).pow(2).sum() / (exact - exact.mean(0)).pow(2).sum()) > 0.95
    reference = [text.teacher_labels[0] for text in found]
    alone = all_correct([text.context_labels for text in found], reference).mean()
    together = all_correct([text.labels for text in found], reference).mean()
    assert alone < 0.7 and together > 0.9
    assert len(student.dev_scores) == 6 and max(student.dev_scores).all_correct > 0.9


def test_the_best_epoch_on_dev_is_kept(student: InfluenceStudent, encoder: Encoder, pairs: MaskedPairs) -> None:
    """By all-correct accuracy, then by loss: what is kept has the best score again."""
    best = max(student.dev_scores, key=lambda score: (score.all_correct, -score.loss))
    dev = predict_words(BAG, student, DEV)
    share = all_correct([text.labels for text in dev], [text.teacher_labels[0] for text in dev]).mean()
    loss = (torch.cat([text.influence for text in dev]) - masked_pairs(BAG, word_by_word(DEV)).influence).pow(2).mean()
    assert (share, float(loss)) == pytest.approx(best, abs=1e-6)


# --- what is computed -------------------------------------------------------------------------------------------------


def test_the_state_at_the_mask_and_at_the_first_position(student: InfluenceStudent, encoder: Encoder) -> None:
    spans = [MaskedSpan(words, at, at + 1) for words in TEST[:5] for at in (0, len(words) - 1)]
    contexts, tokens = student.contexts(spans), student.tokens([span.token for span in spans])
    assert contexts.shape == tokens.shape == (10, 16)
    for row, span in enumerate(spans):
        ids = encoder.tokenizer(span.masked_text("[MASK]"), return_tensors="pt")
        alone = encoder.tokenizer(span.token, return_tensors="pt")
        with torch.no_grad():
            state = student.context_processor(**ids).last_hidden_state[0, span.start + 1]
            first = student.token_processor(**alone).last_hidden_state[0, 0]
        torch.testing.assert_close(contexts[row], state, atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(tokens[row], first, atol=1e-5, rtol=1e-4)


def test_a_training_step_computes_what_prediction_computes(student: InfluenceStudent, pairs: MaskedPairs) -> None:
    rows = np.array([40, 3, 77, 5, 900])
    contexts, masks = student.tokenised_contexts(pairs.spans)
    tokens = student.tokenised_spans([span.token for span in pairs.spans])
    with torch.no_grad():
        found = student(contexts, masks, tokens, rows)
    spans = [pairs.spans[row] for row in rows]
    torch.testing.assert_close(found, student.span_influences(spans, pairs.masked[rows]), atol=1e-5, rtol=1e-4)


def test_a_roberta_student_with_its_own_mask(few: MaskedPairs) -> None:
    tokenizer = word_tokenizer(VOCABULARY, mask=False)
    tokenizer.add_special_tokens({"mask_token": "<mask>"})
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    with seeded(0, CPU):
        model = RobertaModel(RobertaConfig(vocab_size=len(tokenizer), pad_token_id=0, **shape)).eval()
    encoder = Encoder("tiny RoBERTa", model, tokenizer, CPU, "random")
    student = train_student(BAG, encoder, few, DEV[:6], replace(RECIPE, epochs=1), seed=0)
    assert student.mask == "<mask>" and len(predict_words(BAG, student, TEST[:3])) == 3


# --- kept, stopped, repeated ------------------------------------------------------------------------------------------


def test_seeds_and_what_is_left_as_it_was(few: MaskedPairs) -> None:
    encoder = tiny_encoder(VOCABULARY)
    before = {name: value.clone() for name, value in encoder.model.state_dict().items()}
    state = torch.get_rng_state()
    first, again, other = (train_few(encoder, few, seed=seed) for seed in (0, 0, 1))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert torch.equal(state, torch.get_rng_state())
    assert all(torch.equal(value, before[name]) for name, value in encoder.model.state_dict().items())
    assert encoder.model.pooler is not None


def test_a_finished_student_is_read_and_not_trained_again(
    encoder: Encoder, few: MaskedPairs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train_few(encoder, few, folder=tmp_path)
    assert not list(tmp_path.glob("*.checkpoint"))
    monkeypatch.setattr(student_training, "fit", lambda *_, **__: pytest.fail("trained again"))
    read = train_few(encoder, few, folder=tmp_path)
    assert whole.fingerprint == read.fingerprint and whole.dev_scores == read.dev_scores


def test_contexts_are_kept_for_the_student_that_made_them(
    student: InfluenceStudent, encoder: Encoder, few: MaskedPairs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = contexts_once(student, few.spans, tmp_path)
    assert torch.equal(first, student.contexts(few.spans))
    assert not torch.equal(contexts_once(InfluenceStudent(encoder, BAG), few.spans, tmp_path), first)
    assert torch.equal(contexts_once(student, few.spans[:7], tmp_path), student.contexts(few.spans[:7]))
    monkeypatch.setattr(InfluenceStudent, "contexts", lambda *_: pytest.fail("computed again"))
    assert torch.equal(contexts_once(student, few.spans, tmp_path), first)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_student_of_another_teacher_is_refused(
    student: InfluenceStudent, encoder: Encoder, pairs: MaskedPairs
) -> None:
    with pytest.raises(ValueError, match="learned from another teacher"):
        predict_words(NEGATING, student, TEST)
    with pytest.raises(ValueError, match="representations of another teacher"):
        train_student(NEGATING, encoder, pairs, DEV, RECIPE, seed=0)


def test_bad_input_is_explained(encoder: Encoder) -> None:
    student = InfluenceStudent(encoder, BAG, max_length=8)
    words = ("the", "film", "is", "good") * 3
    assert_refused(
        student.contexts,
        [([MaskedSpan(("a", "[MASK]", "film"), 0, 1)], r"1 of 1 contexts; the first masks 'a': it holds \[MASK\]")],
    )
    with (
        pytest.warns(UserWarning, match="2 of 2 texts have more than 8 tokens"),
        pytest.raises(ValueError, match="1 of 2 contexts; the first masks 'film': it has its mask beyond the 8 tokens"),
    ):
        student.contexts([MaskedSpan(words, 2, 3), MaskedSpan(words, 9, 10)])
    assert_refused(
        student.tokens,
        [(["good", " "], "not blank; number 1 is ' '")],
    )
    with pytest.warns(UserWarning, match=f"1 of 1 texts have more than {SPAN_LENGTH} tokens"):
        student.tokens(["good " * 60])
    with pytest.raises(ValueError, match="tokenizer of tiny BERT has no mask token"):
        InfluenceStudent(tiny_encoder(VOCABULARY, mask=False), BAG)


@pytest.mark.gpu
@needs_gpu
def test_on_a_gpu_the_student_learns_the_same(few: MaskedPairs) -> None:
    students = [train_few(each, few) for each in on_both(tiny_encoder(VOCABULARY))]
    found = [torch.cat([text.influence.cpu() for text in predict_words(BAG, each, TEST[:8])]) for each in students]
    torch.testing.assert_close(found[1], found[0], **CLOSE)
