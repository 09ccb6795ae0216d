"""The teacher: z and C are those of the plain BERT, training is kept and goes on, and what cannot be is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from on_gpu import CLOSE, needs_gpu, on_both
from refusals import assert_refused
from tiny_bert import tiny_encoder

from trustnlp.attribution.students import text_teacher
from trustnlp.attribution.students.text_teacher import BertTeacher, Recipe, Teacher, representations_once, train_teacher
from trustnlp.encoders.pretrained import Encoder

FILL = ("the", "a", "film", "is", "story")
WORDS = (*FILL, "good", "bad")
RECIPE = Recipe(epochs=2, keep="last", batch_size=16, learning_rate=3e-3, max_length=12)


def texts(n: int, seed: int) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n).tolist()
    return [
        " ".join([*rng.choice(FILL, 1 + at % 5), "good" if label else "bad"]) for at, label in enumerate(labels)
    ], labels


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return tiny_encoder(WORDS, layers=2)


def train(encoder: Encoder, recipe: Recipe = RECIPE, *, n: int = 96, seed: int = 0, **options: Any) -> BertTeacher:
    return train_teacher(encoder, *texts(n, 0), *texts(20, 1), recipe, seed=seed, **options)


@pytest.fixture(scope="module")
def teacher(encoder: Encoder) -> BertTeacher:
    return train(encoder, replace(RECIPE, epochs=6), n=192)


def test_it_learns_and_labels_come_in_the_order_of_the_texts(teacher: BertTeacher) -> None:
    found, labels = texts(60, 2)
    assert teacher.predict(found).tolist() == labels
    assert teacher.predict(found[::-1]).tolist() == labels[::-1]
    assert len(teacher.dev_losses) == 6 and teacher.dev_losses[-1] < teacher.dev_losses[0]


def test_z_is_the_pooled_vector_and_c_is_linear_in_it(teacher: BertTeacher, encoder: Encoder) -> None:
    found = texts(20, 3)[0]
    z = teacher.representations(found)
    assert z.shape == (20, 16) and z.dtype == torch.float32 and not z.is_inference()
    for row in (0, 7):
        ids = encoder.tokenizer(found[row], return_tensors="pt")
        with torch.no_grad():
            alone = teacher.model.body(ids["input_ids"], ids["attention_mask"])[0]
        torch.testing.assert_close(z[row], alone, atol=1e-5, rtol=1e-5)
    y = z.double() @ teacher.weight.double().T + teacher.bias.double()
    np.testing.assert_allclose(teacher.logits(z), y, atol=1e-5)
    np.testing.assert_allclose(teacher.probabilities(found), y.softmax(1), atol=1e-5)
    np.testing.assert_allclose(teacher.probabilities(found).sum(1), 1.0, atol=1e-12)


def test_seeds_and_what_is_left_as_it_was(encoder: Encoder) -> None:
    before = {name: value.clone() for name, value in encoder.model.state_dict().items()}
    state = torch.get_rng_state()
    first, again, other = (train(encoder, seed=seed) for seed in (0, 0, 1))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert torch.equal(first.weight, again.weight) and torch.equal(state, torch.get_rng_state())
    assert all(torch.equal(value, before[name]) for name, value in encoder.model.state_dict().items())


def test_what_training_computes_is_noticed_when_it_changes(encoder: Encoder) -> None:
    """Kept teachers carry `_VERSION`. When these losses change, raise it, so that none of them is taken for new."""
    assert text_teacher._VERSION == 1
    assert train(encoder).dev_losses == pytest.approx(GOLDEN, abs=1e-4)


GOLDEN = (0.67443, 0.66275)


@pytest.mark.parametrize("change", [{"max_length": 11}, {"precision": "bfloat16"}])
def test_the_fingerprint_is_of_all_that_decides_z(encoder: Encoder, change: dict[str, Any]) -> None:
    assert train(encoder).fingerprint != train(encoder, replace(RECIPE, **change)).fingerprint


def test_a_finished_teacher_is_read_and_not_trained_again(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = train(encoder, folder=tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".pt"]
    monkeypatch.setattr(text_teacher, "train_classifier", lambda *_, **__: pytest.fail("trained again"))
    second = train(encoder, folder=tmp_path)
    assert (first.fingerprint, first.dev_losses) == (second.fingerprint, second.dev_losses)
    with pytest.raises(pytest.fail.Exception, match="trained again"):
        train(encoder, n=95, folder=tmp_path)


def test_a_long_text_is_cut_where_one_can_see_it(teacher: BertTeacher) -> None:
    long = "good " * 30
    with pytest.warns(UserWarning, match=r"1 of 2 texts have more than 12 tokens.*begins 'good good"):
        z = teacher.representations([long, "good"])
    torch.testing.assert_close(z[:1], teacher.representations(["good " * 10]), atol=1e-6, rtol=1e-5)


def test_equal_texts_are_read_once_and_kept(teacher: BertTeacher, tmp_path: Path) -> None:
    class Counting(Teacher):
        mask, weight, bias = teacher.mask, teacher.weight, teacher.bias
        fingerprint = "counting"

        def representations(self, texts: Sequence[str]) -> torch.Tensor:
            asked.append(len(texts))
            return teacher.representations(texts)

    asked: list[int] = []
    counting, found = Counting(), ["good film", "bad", "good film"]
    first = representations_once(counting, found, tmp_path)
    again = representations_once(counting, found, tmp_path)
    assert asked == [2] and torch.equal(first, again)
    torch.testing.assert_close(first, teacher.representations(found), atol=1e-6, rtol=1e-5)
    representations_once(counting, ["good film", "bad film"], tmp_path)
    assert asked == [2, 2]


def test_bad_input_is_explained(teacher: BertTeacher, encoder: Encoder) -> None:
    def attempt(used: Encoder, train_texts: Any, train_labels: Any, dev_labels: Any) -> object:
        return train_teacher(used, train_texts, train_labels, ["good"], dev_labels, RECIPE, seed=0)

    mute = tiny_encoder(WORDS, mask=False)
    two = ["good film", "bad film"]
    assert_refused(
        attempt,
        [
            (mute, two, [1, 0], [1], "tokenizer of tiny BERT has no mask token"),
            (encoder, two, [1, 1], [1], r"at least two labels.*train has \[1\]"),
            (encoder, two, [1, 0], [2], r"dev no other.*dev \[2\]"),
        ],
    )
    with pytest.raises(ValueError, match="got the single text 'good film'; put it into a list"):
        teacher.predict("good film")
    with pytest.raises(ValueError, match="no texts were given"):
        teacher.predict([])
    with pytest.raises(ValueError, match=r"learning rate.*got 0"):
        replace(RECIPE, learning_rate=0.0)


def test_weights_that_are_not_numbers_are_noticed(encoder: Encoder) -> None:
    teacher = train(encoder)
    with torch.no_grad():
        teacher.model.body.pooler.dense.bias[0] = float("nan")
    with pytest.raises(FloatingPointError, match="2 of 2 vectors of texts of the teacher are not finite"):
        teacher.predict(["good", "bad film"])


@pytest.mark.gpu
@needs_gpu
def test_on_a_gpu_the_teacher_learns_the_same(encoder: Encoder) -> None:
    found = [train(each).probabilities(texts(20, 3)[0]) for each in on_both(encoder)]
    np.testing.assert_allclose(found[1], found[0], **CLOSE)
