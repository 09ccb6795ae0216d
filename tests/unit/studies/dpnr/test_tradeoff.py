"""Utility and leakage of honest releases on planted vectors, and the comparisons."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts
from trustnlp.privacy.attacks.attribute_inference import Attacker
from trustnlp.privacy.mechanisms.low_dimensional import ClippedRelease, LabelRelease
from trustnlp.studies.dpnr import tradeoff as honest
from trustnlp.studies.dpnr.models import main_task_after
from trustnlp.training.fine_tuning import Trained

QUICK = Attacker("quick", hidden=16, epochs=8, learning_rates=(3e-2,), batch=300, fit_threshold=True, standardise=True)
SETTINGS = {"delta": 1e-6, "dimensions": 4, "quantile": 0.25}


@pytest.fixture(scope="module")
def planted() -> tuple[AttributeSet, Trained]:
    """Three topics in coordinates 0 to 2, two persons in 3 and 4, whatever the topic; the other eight hold nothing."""
    rng = np.random.default_rng(0)
    parts, vectors = [], {}
    for name, n in (("train", 900), ("dev", 300), ("test", 600)):
        labels = np.arange(n) % 3
        attributes = rng.integers(0, 2, (n, 2))
        values = 0.5 + 0.02 * rng.standard_normal((n, 13))
        values[np.arange(n), labels] += 0.3
        values[:, 3:5] += 0.2 * attributes
        vectors[name] = torch.from_numpy(values.astype(np.float32))
        parts.append(AttributeTexts(tuple(f"{name} {row}" for row in range(n)), labels, attributes))
    data = AttributeSet("planted", ("a", "b", "c"), ("p", "q"), *parts)
    return data, Trained(vectors, torch.eye(3, 13), torch.zeros(3), (), 0.0)


def test_every_release_has_the_guarantee_it_is_named_for(planted) -> None:
    made = {name: honest.honest_release(name, planted[1], 3.0, **SETTINGS) for name in honest.RELEASES}
    for name, release in made.items():
        assert release.guarantee.epsilon == 3.0
        assert release.guarantee.delta == (1e-6 if name.endswith("gaussian") else 0.0)
    assert len(made["principal_laplace"].directions) == 4 and len(made["discriminant_laplace"].directions) == 2
    assert isinstance(made["label"], LabelRelease) and isinstance(made["principal_gaussian"], ClippedRelease)


def test_fewer_directions_are_worth_more_at_equal_epsilon(planted) -> None:
    data, trained = planted

    def accuracy(name: str, epsilon: float) -> float:
        release = honest.honest_release(name, trained, epsilon, **SETTINGS)
        return main_task_after(release, trained.representations, data, seed=0).test

    label, few, all_of = (accuracy(name, 3.0) for name in ("label", "discriminant_laplace", "calibrated"))
    # A label is right with e³ / (e³ + 2), but for the sampling of 1800 answers.
    assert label == accuracy("label", 3.0) == pytest.approx(100 * math.exp(3) / (math.exp(3) + 2), abs=2.5)
    assert label > few + 5 and few > all_of + 10 and all_of == pytest.approx(100 / 3, abs=5)
    assert min(accuracy(name, 1000.0) for name in ("calibrated", "discriminant_laplace", "label")) > 97


def test_a_server_that_learns_nothing_names_the_commonest_topic(planted) -> None:
    """Under noise that drowns all, no head beats MAJORITY by more than chance, and none is far below it."""
    data, trained = planted
    uneven = [replace(part, labels=np.where(np.arange(len(part)) % 5 < 3, 0, part.labels)) for part in (
        data.train, data.dev, data.test)]  # fmt: skip
    data = AttributeSet("uneven", data.label_names, data.attribute_names, *uneven)
    drowned = honest.honest_release("calibrated", trained, 0.01, **SETTINGS)
    majority = 100 * np.mean(data.test.labels == 0)
    assert main_task_after(drowned, trained.representations, data, seed=0).test == pytest.approx(majority, abs=2)


def test_what_is_not_sent_is_not_found(planted) -> None:
    data, trained = planted

    def left(name: str, epsilon: float) -> float:
        release = honest.honest_release(name, trained, epsilon, **SETTINGS) if name else None
        return honest.privacy_after(release, trained.representations, data, "entities", seed=0, attacker=QUICK)

    assert left("", 0.0) < 2 and left("principal_laplace", 1000.0) < 10
    # Guessing "present" always: F1 is 2/3.
    assert min(left("label", 1000.0), left("discriminant_laplace", 1000.0), left("calibrated", 1.0)) > 28


def test_a_table_has_a_row_for_each_run_and_attacks_where_asked(planted) -> None:
    asked = {"epsilons": [1.0, 1000.0], "attacks": {"label": [1000.0]}}
    table = honest.try_releases({7: planted[1]}, planted[0], "entities", **asked, **SETTINGS)
    assert len(table) == len(honest.RELEASES) * 2
    assert table["privacy"].dropna().index.tolist() == [("label", 1000.0, 7)]


def test_the_smallest_epsilon_is_interpolated_over_its_logarithm() -> None:
    epsilons = [1.0, 10.0, 100.0]
    assert honest.smallest_epsilon(epsilons, [50, 60, 80], 70) == pytest.approx(math.sqrt(1000))
    assert honest.smallest_epsilon(epsilons, [50, 60, 80], 60) == pytest.approx(10)
    assert honest.smallest_epsilon(epsilons, [50, 60, 80], 50) == 1.0
    assert honest.smallest_epsilon(epsilons, [50, 60, 80], 80.1) is None
    # "From which on": a lucky small ε does not count.
    assert honest.smallest_epsilon(epsilons, [75, 60, 80], 70) == pytest.approx(math.sqrt(1000))


def test_accuracy_is_read_off_where_the_attack_is_equal() -> None:
    epsilons, left, useful = [1.0, 10.0, 100.0], [48.0, 40.0, 20.0], [58.0, 70.0, 76.0]
    assert honest.accuracy_at(epsilons, left, useful, 44.0) == pytest.approx(64)
    assert honest.accuracy_at(epsilons, left, useful, 25.0) == pytest.approx(74.5)
    assert honest.accuracy_at(epsilons, left, useful, 48.5) is None
    assert honest.accuracy_at(epsilons, left, useful, 5.0) == 76.0
    # A privacy that rises with ε is chance: the second point stands where the first does.
    assert honest.accuracy_at(epsilons, [40.0, 45.0, 20.0], useful, 30.0) == pytest.approx(73)
