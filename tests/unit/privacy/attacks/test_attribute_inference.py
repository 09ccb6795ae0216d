"""Attackers on representations: they find what was planted, nothing else, and know the noise of the released code."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from on_gpu import CLOSE, GPU, needs_gpu
from refusals import assert_refused
from torch import Tensor

from trustnlp.privacy.attacks.attribute_inference import (
    KNOWING,
    PAPER,
    TUNED,
    Attacker,
    Prediction,
    Released,
    attack,
    subtract_minimum,
)
from trustnlp.privacy.attacks.attribute_metrics import empirical_privacy
from trustnlp.privacy.mechanisms.representation import noise_layer, normalise

K = 24
QUICK = Attacker("quick", hidden=32, epochs=12, learning_rates=(5e-3,))
SMALL = Attacker("small", hidden=8, epochs=3, learning_rates=(1e-2,), batch=16)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def planted(n: int, seed: int) -> tuple[Tensor, Tensor]:
    """Scaled representations `(n, K)`, and two attributes: one they show, one they know nothing of."""
    source = seeded(seed)
    vectors = normalise(torch.randn(n, K, generator=source))
    shown = vectors[:, :4].sum(1) > vectors[:, 4:8].sum(1)
    return vectors, torch.stack([shown, torch.rand(n, generator=source) < 0.5], dim=1).long()


TRAIN, TRAIN_Y = planted(2000, 1)
DEV, DEV_Y = planted(400, 2)
TEST, TEST_Y = planted(1000, 3)


def attacked(attacker: Attacker, train: Any = TRAIN, test: Any = TEST, seed: int = 0) -> Prediction:
    """Trained without dev."""
    return attack(Released(train, TRAIN_Y), None, test, attacker, kind="demographic", generator=seeded(seed))


def accuracies(prediction: Prediction) -> np.ndarray:
    return (prediction.predicted == TEST_Y.numpy()).mean(axis=0)


def run(attacker: Attacker, variant: str, epsilon: float) -> np.ndarray:
    layer = noise_layer(variant, epsilon, K)  # type: ignore[arg-type]

    def release(vectors: Tensor):
        return lambda generator: layer(vectors, generator=generator)

    train, dev = Released(release(TRAIN), TRAIN_Y), Released(release(DEV), DEV_Y)
    return accuracies(attack(train, dev, release(TEST), attacker, kind="demographic", generator=seeded()))


def test_what_is_shown_is_found_and_what_is_not_is_not() -> None:
    shown, independent = accuracies(attacked(QUICK))
    assert shown > 0.95
    assert abs(independent - 0.5) < 0.06  # four standard errors of 1,000 coins


def test_the_released_noise_stops_the_naive_attacker_and_not_the_knowing_one() -> None:
    """ε = 0.05, one Laplace value of scale 20 on all coordinates: nothing of the vector is hidden from who looks."""
    without = run(PAPER, "none", 0.05)[0]
    naive, knowing = run(PAPER, "released", 0.05)[0], run(KNOWING, "released", 0.05)[0]
    assert without > 0.9
    assert naive < without - 0.15
    assert knowing > 0.95


def test_independent_noise_stops_the_knowing_one_too() -> None:
    assert abs(run(KNOWING, "calibrated", 1.0)[0] - 0.5) < 0.1


def test_standardised_inputs_find_what_raw_ones_hide() -> None:
    """A shift and a scale hide nothing: an attacker that fails for want of scaling has not met any privacy."""
    train, test = 500 + 1e-2 * TRAIN, 500 + 1e-2 * TEST
    scaled = dataclasses.replace(QUICK, standardise=True)
    assert accuracies(attacked(QUICK, train, test))[0] < 0.7
    assert accuracies(attacked(scaled, train, test))[0] > 0.95


def test_subtracting_the_minimum_recovers_the_vector() -> None:
    released = TEST + 20 * torch.randn(len(TEST), 1, generator=seeded())
    torch.testing.assert_close(subtract_minimum(released), TEST, atol=1e-5, rtol=0)
    torch.testing.assert_close(subtract_minimum(TEST), TEST)


def test_noise_is_fresh_in_every_epoch_and_drawn_once_for_dev_and_test() -> None:
    seen: dict[str, list[Tensor]] = {"train": [], "dev": [], "test": []}

    def release(vectors: Tensor, split: str):
        def draw(generator: torch.Generator) -> Tensor:
            seen[split].append(vectors + torch.randn(len(vectors), 1, generator=generator))
            return seen[split][-1]

        return draw

    train, dev = Released(release(TRAIN, "train"), TRAIN_Y), Released(release(DEV, "dev"), DEV_Y)
    attack(train, dev, release(TEST, "test"), SMALL, kind="demographic", generator=seeded())
    # Once for the width and the scale of the inputs, then once an epoch.
    assert [len(draws) for draws in seen.values()] == [1 + SMALL.epochs, 1, 1]
    first = torch.stack([draw[:, 0] for draw in seen["train"]])
    assert len(first.unique(dim=0)) == len(first)


def test_the_epochs_noise_is_what_is_trained_on() -> None:
    """Vectors that change from one epoch to the next must change the result; a constant draw is a plain tensor."""
    plain = attacked(SMALL)
    constant = attacked(SMALL, lambda _: TRAIN, lambda _: TEST)
    np.testing.assert_array_equal(plain.scores, constant.scores)
    shifts = iter([0.0, 0.0, 0.0, 5.0])
    moved = attacked(SMALL, lambda _: TRAIN + next(shifts))
    assert np.abs(plain.scores - moved.scores).max() > 1e-3


def test_seeds() -> None:
    torch.manual_seed(0)
    before = torch.get_rng_state()
    first, again, other = (attacked(SMALL, seed=seed).scores for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert torch.equal(torch.get_rng_state(), before)  # no global random state


def test_attackers_of_one_seed_see_the_same_test_vectors() -> None:
    drawn: list[Tensor] = []

    def draw(generator: torch.Generator) -> Tensor:
        drawn.append(TEST + torch.randn(len(TEST), 1, generator=generator))
        return drawn[-1]

    for attacker in (SMALL, dataclasses.replace(SMALL, epochs=1, hidden=4)):
        attacked(attacker, test=draw, seed=5)
    assert torch.equal(drawn[0], drawn[1])


def slow_attack(attacker: Attacker, generator: torch.Generator) -> np.ndarray:
    """The obvious way: modules of torch, one loss per attribute, the same generator in the same order."""
    k, hidden, a = K, attacker.hidden, TRAIN_Y.shape[1]
    net = torch.nn.Sequential(torch.nn.Linear(k, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, a))
    for parameter, inputs in zip(net.parameters(), (k, k, hidden, hidden), strict=True):
        parameter.data.uniform_(-(inputs**-0.5), inputs**-0.5, generator=generator)
    optimiser = torch.optim.Adam(net.parameters(), attacker.learning_rates[0], fused=False, foreach=False)
    for _ in range(attacker.epochs):
        for rows in torch.randperm(len(TRAIN), generator=generator).split(attacker.batch):
            probability = torch.sigmoid(net(TRAIN[rows]))
            losses = [
                torch.nn.functional.binary_cross_entropy(probability[:, j], TRAIN_Y[rows, j].float()) for j in range(a)
            ]
            optimiser.zero_grad()
            sum(losses).backward()  # type: ignore[union-attr]
            optimiser.step()
    scores: np.ndarray = torch.sigmoid(net(TEST)).detach().numpy()
    return scores


def test_the_attack_is_the_slow_loop() -> None:
    with torch.random.fork_rng(devices=[]):
        slow = slow_attack(SMALL, seeded(7))
    np.testing.assert_allclose(attacked(SMALL, seed=7).scores, slow, atol=2e-4)


def slow_released_attack(attacker: Attacker, generator: torch.Generator) -> np.ndarray:
    """The released code's way: a network for each attribute, a softmax over two outputs, one clipping for all."""
    hidden, a, clip = attacker.hidden, TRAIN_Y.shape[1], attacker.clip
    assert clip is not None
    nets = [
        torch.nn.Sequential(torch.nn.Linear(K, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 2)) for _ in range(a)
    ]
    # The fast way draws each kind of weights for all attributes together.
    for place, inputs in ((0, K), (1, K), (2, hidden), (3, hidden)):
        shape = (a, *list(nets[0].parameters())[place].shape)
        drawn = torch.empty(shape).uniform_(-(inputs**-0.5), inputs**-0.5, generator=generator)
        for net, values in zip(nets, drawn, strict=True):
            list(net.parameters())[place].data.copy_(values)
    parameters = [parameter for net in nets for parameter in net.parameters()]
    optimiser = torch.optim.Adam(parameters, attacker.learning_rates[0], fused=False, foreach=False)
    for _ in range(attacker.epochs):
        for rows in torch.randperm(len(TRAIN), generator=generator).split(attacker.batch):
            losses = [
                torch.nn.functional.cross_entropy(net(TRAIN[rows]), TRAIN_Y[rows, j]) for j, net in enumerate(nets)
            ]
            optimiser.zero_grad()
            sum(losses).backward()  # type: ignore[union-attr]
            torch.nn.utils.clip_grad_norm_(parameters, clip)
            optimiser.step()
    scores: np.ndarray = torch.stack([net(TEST).softmax(1)[:, 1] for net in nets], 1).detach().numpy()
    return scores


@pytest.mark.parametrize("clip", [0.05, 1e9])
def test_the_released_codes_attack_is_its_slow_loop(clip: float) -> None:
    attacker = dataclasses.replace(SMALL, separate=True, clip=clip)
    with torch.random.fork_rng(devices=[]):
        slow = slow_released_attack(attacker, seeded(7))
    np.testing.assert_allclose(attacked(attacker, seed=7).scores, slow, atol=2e-4)


def test_early_stopping_keeps_the_best_epoch_and_the_best_candidate() -> None:
    """Few texts and a high rate overfit: the last epoch is not the best one, and a rate of 1e-9 learns nothing."""
    train, dev = Released(TRAIN[:60], TRAIN_Y[:60]), Released(DEV, DEV_Y)
    stops = Attacker("stops", hidden=64, epochs=60, learning_rates=(1e-9, 1e-2), batch=8, patience=3)

    def loss_on_dev(**changes: Any) -> float:
        changed = dataclasses.replace(stops, **changes)
        scores = torch.tensor(attack(train, dev, DEV, changed, kind="demographic", generator=seeded()).scores)
        return float(torch.nn.functional.binary_cross_entropy(scores, DEV_Y.float(), reduction="sum")) / len(DEV)

    stopped = loss_on_dev()
    assert stopped < loss_on_dev(learning_rates=(1e-2,), patience=None)
    assert stopped < loss_on_dev(learning_rates=(1e-9,)) - 0.05


def test_a_fitted_threshold_gains_f1_where_evidence_is_weak() -> None:
    """A rare attribute half hidden by noise: from one half on hardly anything is found."""
    layer = noise_layer("as_written", 4.0, K)
    source = seeded(9)
    train, dev, test = (layer(vectors, generator=source) for vectors in (TRAIN, DEV, TEST))
    rare = [(v[:, :4].sum(1) > v[:, 4:8].sum(1) + 0.6).long()[:, None] for v in (TRAIN, DEV, TEST)]
    half = dataclasses.replace(TUNED, fit_threshold=False)
    privacies = {}
    for name, attacker in {"half": half, "fitted": TUNED}.items():
        for kind in ("entities", "demographic"):
            splits = Released(train, rare[0]), Released(dev, rare[1]), test
            prediction = attack(*splits, attacker, kind=kind, generator=seeded())
            privacies[name, kind] = empirical_privacy(rare[2], prediction.predicted, "entities")
            assert (prediction.threshold < 0.45) == (name == "fitted" and kind == "entities")
    assert privacies["fitted", "entities"] < privacies["half", "entities"] - 2
    assert privacies["fitted", "demographic"] == privacies["half", "entities"]


def test_a_coordinate_that_never_changes_does_not_divide_by_zero() -> None:
    train = torch.cat([TRAIN, torch.full((len(TRAIN), 1), 3.0)], dim=1)
    test = torch.cat([TEST, torch.full((len(TEST), 1), 3.0)], dim=1)
    assert accuracies(attacked(dataclasses.replace(QUICK, standardise=True), train, test))[0] > 0.95


def test_attributes_of_a_data_set_may_be_read_only_arrays() -> None:
    given = TRAIN_Y.numpy().copy()
    given.setflags(write=False)
    train = Released(TRAIN.double(), given)
    prediction = attack(train, None, TEST.double(), SMALL, kind="demographic", generator=seeded())
    assert prediction.scores.dtype == np.float32


def test_attack_refuses() -> None:
    good = Released(TRAIN, TRAIN_Y)
    assert_refused(
        lambda train, dev, test, attacker: attack(train, dev, test, attacker, kind="demographic", generator=seeded()),
        [
            (good, None, TEST / 0, SMALL, "test: a vector holds NaN or infinity"),
            (Released(TRAIN, 2 * TRAIN_Y), None, TEST, SMALL, "train attributes: expected 0 and 1, got 2"),
            (Released(TRAIN, TRAIN_Y[1:]), None, TEST, SMALL, "2000 vectors need as many attributes, got 1999"),
            (good, None, TEST[:, 1:], SMALL, "24 coordinates and test 23"),
            (good, Released(DEV, DEV_Y[:, :1]), TEST, SMALL, "2 attributes and dev 1"),
            (good, None, TEST, TUNED, "attacker 'tuned' chooses on dev"),
            (Released(TRAIN.half(), TRAIN_Y), None, TEST, SMALL, TypeError, "train: vectors are .*float16"),
        ],
    )
    with pytest.raises(ValueError, match="unknown kind of attributes 'names': use entities or demographic"):
        attack(good, None, TEST, SMALL, kind="names", generator=seeded())  # type: ignore[arg-type]


def test_a_loss_that_is_not_finite_stops_with_its_epoch_and_name() -> None:
    wild = Attacker("wild", hidden=8, epochs=2, learning_rates=(1e38,), batch=500)
    with pytest.raises(FloatingPointError, match=r"attacker 'wild', 8 hidden units, learning rate 1e\+38: .* epoch 1"):
        attacked(wild)


def test_settings_refuse() -> None:
    assert_refused(
        lambda settings: Attacker("x", **settings),
        [
            ({"hidden": 0}, "attacker 'x': hidden is 1 or more"),
            ({"patience": 0}, "patience is 1 or more"),
            ({"clip": 0.0}, "gradients are clipped to a length above 0"),
            ({"learning_rates": (float("nan"),)}, "learning rates are above 0"),
        ],
    )


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("separate", [False, True])
def test_on_a_gpu_the_attacker_learns_the_same(separate: bool) -> None:
    attacker = dataclasses.replace(SMALL, separate=separate)
    cpu, gpu = (attacked(attacker, TRAIN.to(device), TEST.to(device)) for device in ("cpu", GPU))
    np.testing.assert_allclose(gpu.scores, cpu.scores, **CLOSE)
