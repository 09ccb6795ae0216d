"""The plain training loop: it learns what is planted, goes on where it was stopped, and stops where it must."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from trustnlp.training import loop
from trustnlp.training.batches import Tokens
from trustnlp.training.classification import Labelled, scores_of, train_classifier
from trustnlp.training.loop import Draws, Schedule, Task, fit, seeded
from trustnlp.training.text_classifiers import ConvolutionClassifier

CPU = torch.device("cpu")
GOOD, BAD = ("good", "funny", "warm", "clever"), ("bad", "dull", "cold", "empty")
FILL = ("the film", "this story", "a quiet ending", "the cast and its music", "all of it in the end")
WORDS = {word: at for at, word in enumerate(sorted({"is", "not", *GOOD, *BAD, *" ".join(FILL).split()}))}
SCHEDULE = Schedule(epochs=3, batch_size=16)


def sentences(n: int, seed: int) -> tuple[list[str], Tensor]:
    """Opinions like SST-2's, as many good as bad; one in five is turned by "not", which no single word tells."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for at in range(n):
        good, turned = at % 2 == 0, rng.random() < 0.2
        word = rng.choice(GOOD if good != turned else BAD)
        more = f" {rng.choice(FILL)} is" if rng.random() < 0.5 else ""
        texts.append(f"{rng.choice(FILL)} is{more} {'not ' if turned else ''}{word}")
        labels.append(int(good))
    return texts, torch.tensor(labels)


def labelled(n: int, seed: int) -> Labelled:
    texts, labels = sentences(n, seed)
    return Labelled.of(Tokens.of([[WORDS[word] for word in text.split()] for text in texts]), labels)


@pytest.fixture(scope="module")
def parts() -> tuple[Labelled, Labelled, Labelled]:
    return labelled(640, 0), labelled(100, 1), labelled(200, 2)


class Bag(nn.Module):
    """The mean of word vectors, and a linear layer: order is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.classifier = nn.Embedding(len(WORDS), 16), nn.Linear(16, 2)

    def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
        kept = attended[..., None].to(self.words.weight.dtype)
        return self.classifier((self.words(ids) * kept).sum(1) / kept.sum(1))


def convolutions() -> nn.Module:
    return ConvolutionClassifier(nn.Embedding(len(WORDS), 16), 2, widths=(2, 3), maps=16, dropout=0.2)


def train(
    parts: tuple[Labelled, ...],
    make: Callable[[], nn.Module] = convolutions,
    schedule: Schedule = SCHEDULE,
    *,
    rate: float = 1e-2,
    seed: int = 0,
    checkpoint: Path | None = None,
) -> tuple[nn.Module, tuple[float, ...]]:
    with seeded(seed, CPU):
        model = make()
    trained = [value for value in model.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(trained, rate, weight_decay=0.0, fused=True)
    losses = train_classifier(
        model, optimiser, *parts[:2], schedule, device=CPU, seed=seed, name=f"net, rate {rate:g}", checkpoint=checkpoint
    )
    return model, losses


def accuracy(model: nn.Module, part: Labelled) -> float:
    return float((scores_of(model, part.inputs, SCHEDULE, CPU).argmax(1) == part.labels).double().mean())


def same(one: nn.Module, other: nn.Module) -> bool:
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    return all(torch.equal(*pair) for pair in pairs)


# --- what is learned --------------------------------------------------------------------------------------------------


def test_a_bag_reads_words_and_convolutions_read_not(parts: tuple[Labelled, ...]) -> None:
    """Half of the texts are good. By the word alone four fifths can be had, by pairs of words all."""
    schedule = replace(SCHEDULE, epochs=6)
    by_words, by_pairs = (accuracy(train(parts, make, schedule)[0], parts[2]) for make in (Bag, convolutions))
    assert 0.7 < by_words < 0.9
    assert by_pairs > 0.98


def test_scores_come_in_the_order_of_the_texts(parts: tuple[Labelled, ...]) -> None:
    model, inputs = Bag(), parts[2].inputs
    alone = [model(*inputs.batch(np.array([row]), torch.Generator())) for row in (0, 7, 3)]
    torch.testing.assert_close(scores_of(model, inputs, SCHEDULE, CPU)[[0, 7, 3]], torch.cat(alone).detach())


def test_seeds_and_the_generator_of_the_caller(parts: tuple[Labelled, ...]) -> None:
    state = torch.get_rng_state()
    first, again, other = (train(parts, seed=seed)[0] for seed in (0, 0, 1))
    assert same(first, again) and not same(first, other)
    assert torch.equal(state, torch.get_rng_state())


def test_precision_is_what_is_declared(parts: tuple[Labelled, ...]) -> None:
    seen = []

    class Noted(Bag):
        def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
            scores = super().forward(ids, attended)
            seen.append(scores.dtype)
            return scores

    runs = {}
    for precision in ("float32", "bfloat16"):
        schedule = replace(SCHEDULE, epochs=1, precision=precision)
        runs[precision] = train(parts, Noted, schedule)
        assert set(seen) == {getattr(torch, precision)}
        seen.clear()
        assert {value.dtype for value in runs[precision][0].state_dict().values()} == {torch.float32}
    exact, rough = (losses for _, losses in runs.values())
    assert exact != rough and exact == pytest.approx(rough, abs=0.02)


# --- the loop by itself, on one weight --------------------------------------------------------------------------------


def one_weight(
    losses: list[float], loss: Callable[[nn.Linear, int], Tensor] | None = None, rate: float = 1.0
) -> tuple[nn.Linear, Task]:
    """Four batches of one text an epoch, which move the weight by 1 each; dev losses as given, epoch by epoch."""
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    steps, given = iter(range(1, 1000)), iter(losses)

    def moved(rows: Any, draws: Draws) -> Tensor:
        step = next(steps)
        return -model.weight.sum() if loss is None else loss(model, step)

    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    return model, Task("one weight", model, optimiser, CPU, np.ones(4, dtype=np.int64), moved, lambda: next(given))


@pytest.mark.parametrize(
    ("keep", "patience", "losses", "trained", "kept"),
    [
        ("best", None, [1.0, 0.5, 0.7, 0.6], 4, 2),
        ("last", None, [1.0, 0.5, 0.7, 0.6], 4, 4),
        ("best", 1, [1.0, 0.5, 0.7, 0.1], 3, 2),
        ("best", 2, [1.0, 0.5, 0.7, 0.6], 4, 2),
        ("best", 2, [1.0, 1.1, 1.0, 0.1], 3, 3),  # as low as the best is no better, but of two such the later is kept
        ("last", 1, [1.0, 1.1, 0.1, 0.1], 2, 2),
    ],
)
def test_which_epoch_is_kept_and_when_it_stops(
    keep: Any, patience: int | None, losses: list[float], trained: int, kept: int
) -> None:
    model, task = one_weight(losses)
    found = fit(task, Schedule(4, 1, keep=keep, patience=patience, clip=2.0), seed=0, settings={})
    assert found == tuple(losses[:trained])
    assert float(model.weight.detach()) == 4 * kept


def test_gradients_are_cut_to_the_length() -> None:
    model, task = one_weight([0.0], lambda model, _: -100 * model.weight.sum())
    fit(task, Schedule(1, 1, clip=0.5), seed=0, settings={})
    assert float(model.weight.detach()) == pytest.approx(4 * 0.5)


def test_every_epoch_has_draws_of_its_own() -> None:
    seen: list[tuple[float, ...]] = []

    def noted(model: nn.Linear, _: int) -> Tensor:
        seen.append((float(torch.rand(())),))
        return model.weight.sum()

    for seed in (0, 0, 1):
        fit(one_weight([0.0, 0.0], noted)[1], Schedule(2, 1), seed=seed, settings={})
    first, again, other = seen[:8], seen[8:16], seen[16:]
    assert first == again and not set(first) & set(other)
    assert len(set(first)) == 8


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_names_the_place(value: float, tmp_path: Path) -> None:
    path = tmp_path / "one.checkpoint"
    broken = one_weight([1.0, 0.5], lambda model, step: model.weight.sum() * (value if step == 7 else 1.0) + step)[1]
    with pytest.raises(FloatingPointError, match=r"loss is (nan|-?inf) at step 3 of epoch 2 of one weight.*smaller"):
        fit(broken, Schedule(2, 1), seed=0, settings={}, checkpoint=path)
    whole = one_weight([0.5])[1]
    assert fit(whole, Schedule(2, 1), seed=0, settings={}, checkpoint=path) == (1.0, 0.5)


def test_an_infinite_gradient_under_a_finite_loss_is_found_before_it_harms() -> None:
    model, task = one_weight([1.0], lambda model, _: model.weight.sum().abs().sqrt())
    nn.init.zeros_(model.weight)
    with pytest.raises(FloatingPointError, match=r"gradient's length is (nan|inf) at step 1 of epoch 1 of one weight"):
        fit(task, Schedule(1, 1), seed=0, settings={})
    assert float(model.weight.detach()) == 0


def test_a_loss_on_dev_that_is_not_a_number_is_no_best_epoch() -> None:
    with pytest.raises(FloatingPointError, match="loss on dev is nan after the last step of epoch 2 of one weight"):
        fit(one_weight([1.0, math.nan])[1], Schedule(2, 1), seed=0, settings={})


@pytest.mark.parametrize(
    "change",
    [{"epochs": 0}, {"batch_size": 0}, {"clip": 0.0}, {"patience": 0}, {"keep": "first"}, {"precision": "float16"}],
)
def test_schedules_that_make_no_sense(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="got"):
        replace(SCHEDULE, **change)


# --- checkpoints ------------------------------------------------------------------------------------------------------


def stopped(parts: tuple[Labelled, ...], path: Path, monkeypatch: pytest.MonkeyPatch, after: int = 1) -> None:
    """Leave the checkpoint of a training that was killed in the middle of an epoch."""
    original, calls = loop._epoch, []

    def killed(*arguments: Any) -> None:
        calls.append(1)
        original(*arguments)
        if len(calls) > after:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loop, "_epoch", killed)
        with pytest.raises(KeyboardInterrupt):
            train(parts, checkpoint=path)


@pytest.mark.parametrize("after", [1, 2])
def test_a_killed_training_ends_as_one_that_was_not(
    parts: tuple[Labelled, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path = tmp_path / "net.checkpoint"
    whole, losses = train(parts)
    stopped(parts, path, monkeypatch, after)
    torch.manual_seed(99)
    resumed, found = train(parts, checkpoint=path)
    assert same(whole, resumed) and found == losses
    monkeypatch.setattr(loop, "_epoch", lambda *_: pytest.fail("trained again"))
    read, found = train(parts, checkpoint=path)
    assert same(whole, read) and found == losses
    assert [file.name for file in tmp_path.iterdir()] == ["net.checkpoint"]


def test_a_damaged_checkpoint_is_named_and_the_way_out(
    parts: tuple[Labelled, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.checkpoint"
    stopped(parts, path, monkeypatch)
    whole = path.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle], whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], b"text"):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"net\.checkpoint cannot be read \(.*damaged.*; delete it") as refusal:
            train(parts, checkpoint=path)
        assert "\n" not in str(refusal.value) and refusal.value.__suppress_context__
    torch.save({"weights": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match=r"net\.checkpoint cannot be read \(KeyError.*something else; delete it"):
        train(parts, checkpoint=path)


def test_no_code_is_run_from_a_checkpoint(parts: tuple[Labelled, ...], tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "harm",))

    torch.save({"settings": Harm()}, tmp_path / "net.checkpoint")
    with pytest.raises(ValueError, match=r"cannot be read \(UnpicklingError"):
        train(parts, checkpoint=tmp_path / "net.checkpoint")
    assert not (tmp_path / "harm").exists()


def test_a_checkpoint_of_other_settings_is_refused(
    parts: tuple[Labelled, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "net.checkpoint"
    stopped(parts, path, monkeypatch)
    turned = (replace(parts[0], labels=1 - parts[0].labels), *parts[1:])
    for expected, arguments in (
        ("first weights", {"make": Bag}),
        ("first weights", {"seed": 1}),
        ("name", {"rate": 2e-2}),
        ("schedule.precision is 'float32'", {"schedule": replace(SCHEDULE, precision="bfloat16")}),
        ("texts for training", {"parts": turned}),
    ):
        with pytest.raises(ValueError, match=rf"belongs to another training: its {expected}.*delete the file"):
            train(**{"parts": parts, "checkpoint": path, **arguments})


def test_labels_are_one_for_each_text(parts: tuple[Labelled, ...]) -> None:
    with pytest.raises(ValueError, match="640 texts need as many int64 labels, got"):
        Labelled(parts[0].inputs, parts[1].labels)
    with pytest.raises(ValueError, match="every text at least one token"):
        Tokens.of([[1], []])
