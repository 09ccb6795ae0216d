"""Training and the trained extractor: the planted truth, seeds, checkpoints, files, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_relations import FILLERS, made_relations
from on_gpu import CLOSE, GPU, needs_gpu
from refusals import assert_refused

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.embeddings.static import WordVectors
from trustnlp.relations import joint_training
from trustnlp.relations.joint_training import relation_f1, train_extractor
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.trained_extractor import ExtractorRecipe, TrainedExtractor, load_extractor
from trustnlp.training import loop

SIZES = RelationSizes(width=32, dropout=0.2, input_dropout=0.0)
RECIPE = ExtractorRecipe(SIZES, learning_rate=0.02, first_sum=0.0, epochs=20, batch_size=40)
SMALL = replace(RECIPE, sizes=RelationSizes(width=6), epochs=3, batch_size=8)
TRAIN, RULES = made_relations(600, 0)
DEV, DEV_RULES = made_relations(100, 1)
TEST, TEST_RULES = made_relations(150, 2)
FEW, FEW_RULES = TRAIN[:30], RULES[:30]


@pytest.fixture(scope="module")
def trained() -> TrainedExtractor:
    return train_extractor(TRAIN, RULES, DEV, RECIPE, seed=0)


def small(**given: Any) -> TrainedExtractor:
    values = {"examples": FEW, "targets": FEW_RULES, "dev": DEV[:20], "recipe": SMALL, "seed": 0, **given}
    return train_extractor(**values)


# --- the planted truth -----------------------------------------------------------------------------------------------


def test_it_finds_the_planted_relations_and_writes_the_planted_rules(trained: TrainedExtractor) -> None:
    relations, probabilities = trained.predict(TEST)
    gold = np.array([example.relation for example in TEST])
    assert probabilities.shape == (150, 4) and np.allclose(probabilities.sum(1), 1)
    assert trained.vocabulary.relations[0] == NO_RELATION and np.mean(gold == relations) > 0.97
    decoded = trained.decode(TEST)
    exact = [found == rule for found, rule in zip(decoded, TEST_RULES, strict=True) if rule]
    assert np.mean(exact) > 0.97
    assert min(trained.dev_losses) < 0.03


# --- ablations and forms ---------------------------------------------------------------------------------------------


def test_without_decoder_or_classifier_and_in_the_released_form() -> None:
    alone = small(recipe=replace(SMALL, sizes=replace(SMALL.sizes, decoder=False)), targets=[None] * 30)
    assert len(alone.predict(DEV[:5])[0]) == 5
    assert_refused(lambda: alone.decode(DEV[:5]), [("without a decoder",)])
    writer = small(recipe=replace(SMALL, sizes=replace(SMALL.sizes, classifier=False)), dev_targets=DEV_RULES[:20])
    assert len(writer.decode(DEV[:5])) == 5 and writer.dev_losses[-1] < writer.dev_losses[0]
    assert_refused(lambda: writer.predict(DEV[:5]), [("without a classifier",)])
    released = small(recipe=replace(SMALL, sizes=replace(SMALL.sizes, form="released")))
    assert all(len(rule) <= 100 for rule in released.decode(DEV[:5]))
    assert_refused(lambda: released.score_rules(DEV[:1], [[("a",)]]), [("depends on the other examples",)])


def test_the_rate_falls_where_f1_does_not_rise(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    losses = iter([0.9, 0.7, 0.7, 0.8, 0.6])
    monkeypatch.setattr(joint_training, "_dev_loss", lambda *_: next(losses))
    step = torch.optim.Adagrad.step

    def noted(self: torch.optim.Adagrad, *given: Any) -> Any:
        seen.append(self.param_groups[0]["lr"])
        return step(self, *given)

    monkeypatch.setattr(torch.optim.Adagrad, "step", noted)
    small(recipe=replace(SMALL, epochs=5, learning_rate=0.1, batch_size=30))
    assert seen == pytest.approx([0.1, 0.1, 0.1, 0.09, 0.081])


def test_micro_f1_leaves_out_right_negatives() -> None:
    gold, predicted = np.array([0, 0, 1, 2, 2, -1]), np.array([0, 1, 1, 2, 0, 1])
    precision, recall = 2 / 4, 2 / 4
    assert relation_f1(gold, predicted, 0) == pytest.approx(2 * precision * recall / (precision + recall))
    assert relation_f1(np.zeros(3, dtype=int), np.zeros(3, dtype=int), 0) == 0


# --- seeds, checkpoints, files ---------------------------------------------------------------------------------------


def weights(extractor: TrainedExtractor) -> dict[str, torch.Tensor]:
    return extractor._network.state_dict()


def assert_same(one: TrainedExtractor, other: TrainedExtractor) -> None:
    assert one.dev_losses == other.dev_losses
    for (name, value), found in zip(weights(one).items(), weights(other).values(), strict=True):
        assert torch.equal(value, found), name


class _Killed(Exception):  # noqa: N818
    pass


def killed_after(epochs: int) -> Callable[..., None]:
    save, saved = loop._Progress.save, []

    def saving(self: Any, path: Path) -> None:
        save(self, path)
        saved.append(path)
        if len(saved) == epochs:
            raise _Killed

    return saving


def test_a_killed_training_ends_as_if_it_had_not_been(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate falls in the meantime, and the words' sums of squares are gone on from."""
    recipe = replace(SMALL, epochs=5, learning_rate=0.1, decay=0.5)
    whole = small(recipe=recipe)
    with monkeypatch.context() as patch:
        patch.setattr(loop._Progress, "save", killed_after(3))
        with pytest.raises(_Killed):
            small(recipe=recipe, folder=tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".checkpoint"]
    assert_same(small(recipe=recipe, folder=tmp_path), whole)
    assert [path.suffix for path in tmp_path.iterdir()] == [".pt"]
    assert_same(small(recipe=recipe, folder=tmp_path), whole)
    assert any(later >= earlier for earlier, later in zip(whole.dev_losses[:3], whole.dev_losses[1:], strict=False))


def test_seeds_decide_and_leave_torch_s_own_numbers_alone() -> None:
    torch.manual_seed(5)
    one = small()
    drawn = torch.rand(1)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(1))
    torch.manual_seed(6)
    assert_same(one, small())
    assert not np.array_equal(one.predict(DEV)[1], small(seed=1).predict(DEV)[1])


def test_a_saved_extractor_is_the_same_and_a_damaged_one_is_refused(trained: TrainedExtractor, tmp_path: Path) -> None:
    path = tmp_path / "extractor.safetensors"
    trained.save(path)
    again = load_extractor(path)
    assert_same(again, trained)
    assert again.recipe == trained.recipe and again.vocabulary == trained.vocabulary
    np.testing.assert_array_equal(again.predict(TEST)[1], trained.predict(TEST)[1])
    frozen = small(recipe=replace(SMALL, tune_words=False))
    frozen.save(tmp_path / "frozen.safetensors")
    assert_same(load_extractor(tmp_path / "frozen.safetensors"), frozen)
    whole = path.read_bytes()
    turned = bytearray(whole)
    turned[-1000] ^= 1
    for wrong in (whole[:-7], bytes(turned)):
        path.write_bytes(wrong)
        assert_refused(lambda: load_extractor(path), [("cannot be read",)])
    with pytest.raises(FileNotFoundError, match="train an extractor"):
        load_extractor(tmp_path / "none")


# --- words -----------------------------------------------------------------------------------------------------------


def test_words_start_from_vectors_and_stay_there_if_they_are_frozen() -> None:
    vectors = WordVectors([*FILLERS, "unseen"], np.random.default_rng(0).normal(size=(len(FILLERS) + 1, 5)), "made up")
    other = replace(DEV[0], tokens=("unseen",) * len(DEV[0].tokens))
    for tuned in (False, True):
        found = small(recipe=replace(SMALL, tune_words=tuned), vectors=vectors, others=[other])
        rows = weights(found)["encoder.words.rows"]
        words = found.vocabulary.words
        np.testing.assert_array_equal(rows[words.index("unseen")], vectors["unseen"])
        assert np.array_equal(rows[words.index("green")], vectors["green"]) != tuned


# --- what is refused -------------------------------------------------------------------------------------------------


def test_what_makes_no_sense_is_refused(trained: TrainedExtractor) -> None:
    decoder_only = replace(SMALL, sizes=replace(SMALL.sizes, classifier=False))
    assert_refused(
        lambda call: call(),
        [
            (lambda: ExtractorRecipe(learning_rate=0.0), "the learning rate is positive.*got 0.0"),
            (lambda: ExtractorRecipe(longest_rule=0), "longest_rule=0"),
            (lambda: small(targets=[None] * 30), "no example has one: train with sizes.decoder=False"),
            (lambda: small(targets=FEW_RULES[:-1]), "30 examples need as many rules"),
            (lambda: small(recipe=decoder_only), "give dev_targets"),
            (lambda: trained.beam(TEST[:1], 2, 3), "gives 1 to 2 rules, 3 were"),
            (lambda: trained.score_rules(TEST[:2], [[("a",)]]), "2 examples need as many lists"),
            (lambda: trained.score_rules(TEST[:2], [[("a",)], []]), "needs at least one rule"),
            (lambda: trained.predict([]), "no examples"),
        ],
    )


@pytest.mark.gpu
@needs_gpu
def test_on_a_gpu_the_extractor_learns_the_same() -> None:
    recipe = replace(SMALL, sizes=RelationSizes(width=6, dropout=0.0, input_dropout=0.0))
    probabilities = [small(recipe=recipe, device=device).predict(TEST)[1] for device in ("cpu", GPU)]
    np.testing.assert_allclose(probabilities[1], probabilities[0], **CLOSE)
