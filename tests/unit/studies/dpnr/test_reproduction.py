"""Measures of a protected classifier on made-up representations, and the comparisons drawn from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts
from trustnlp.privacy.attacks.attribute_inference import KNOWING, TUNED, Attacker
from trustnlp.privacy.attacks.attribute_metrics import MajorityBaseline
from trustnlp.studies.dpnr import reproduction
from trustnlp.training.fine_tuning import Trained
from trustnlp.training.private_classifier import Defence

QUICK = Attacker("quick", hidden=16, epochs=20, learning_rates=(1e-2,))


def corpus() -> tuple[AttributeSet, dict[str, torch.Tensor]]:
    """Coordinate 1 is the label, coordinate 2 the attribute, the rest is noise; the first is 0 and the last 1."""
    rng = np.random.default_rng(0)
    parts, vectors = [], {}
    for name, n in (("train", 400), ("dev", 100), ("test", 200)):
        labels, attributes = rng.integers(0, 2, n), rng.integers(0, 2, (n, 1))
        x = torch.tensor(rng.uniform(0.2, 0.8, (n, 12)), dtype=torch.float32)
        x[:, 0], x[:, -1] = 0.0, 1.0
        x[:, 1], x[:, 2] = torch.tensor(labels) * 0.6 + 0.2, torch.tensor(attributes[:, 0]) * 0.6 + 0.2
        copied = {"train": n, "dev": 0, "test": n // 2}[name]
        texts = tuple(f"text {row}" if row < copied else f"{name} {row}" for row in range(n))
        parts.append(AttributeTexts(texts, labels, attributes))
        vectors[name] = x
    return AttributeSet("made up", ("no", "yes"), ("member",), *parts), vectors


def trained(vectors: dict[str, torch.Tensor]) -> Trained:
    weight = torch.zeros(2, 12)
    weight[1, 1], weight[0, 1] = 1.0, -1.0
    return Trained(vectors, weight, torch.tensor([0.5, -0.5]), (0.1,), 1.5)


@pytest.fixture(scope="module")
def made() -> tuple[AttributeSet, Trained]:
    data, vectors = corpus()
    return data, trained(vectors)


def setting(made: tuple[AttributeSet, Trained], *arguments: Any) -> reproduction.Setting:
    return reproduction.Setting(made[0], "demographic", Defence(*arguments), made[1])


def test_the_main_task_without_noise_is_exact(made: tuple[AttributeSet, Trained]) -> None:
    results = reproduction.main_task(setting(made), seed=0)
    assert results["accuracy"] == results["accuracy.seen"] == results["accuracy.unseen"] == 100
    assert results["fairness.member.absent"] == 100 and results["fairness.member.difference"] == 0


def test_noise_takes_accuracy_and_accuracy_is_that_of_the_draws(made: tuple[AttributeSet, Trained]) -> None:
    noisy = setting(made, "as_written", 0.5)
    results, again, other = (reproduction.main_task(noisy, seed=seed, draws=2) for seed in (3, 3, 4))
    assert results == again != other
    generator, truth = torch.Generator().manual_seed(3), torch.tensor(made[0].test.labels)
    right = [(made[1].predict(noisy.release("test", generator)) == truth).float().mean() for _ in range(2)]
    assert results["accuracy"] == pytest.approx(100 * np.mean(right)) and 50 < results["accuracy"] < 75
    assert (results["accuracy.seen"] + results["accuracy.unseen"]) / 2 == pytest.approx(results["accuracy"])


def test_shared_noise_leaves_a_balanced_classifier_alone(made: tuple[AttributeSet, Trained]) -> None:
    """The weights of the two labels sum to opposite values, so one number on all coordinates moves both scores."""
    data, model = made
    assert reproduction.main_task(setting(made, "released", 0.05), seed=0)["accuracy"] < 70
    weight = model.weight.clone()
    weight[:, 0] = -weight.sum(dim=1)
    even = setting((data, replace(model, weight=weight)), "released", 0.05)
    assert reproduction.main_task(even, seed=0)["accuracy"] > 99


def test_the_attack(made: tuple[AttributeSet, Trained]) -> None:
    plain, again = (reproduction.privacy_task(setting(made), [QUICK], seed=0) for _ in range(2))
    assert plain == again and plain["privacy.quick"] < 5 and plain["attack.quick.member.absent"] > 90
    assert 35 < reproduction.privacy_task(setting(made, "calibrated", 0.05), [QUICK], seed=0)["privacy.quick"] < 65


def test_only_the_knowing_attacker_takes_shared_noise_off(made: tuple[AttributeSet, Trained]) -> None:
    results = reproduction.privacy_task(setting(made, "released", 0.05), [TUNED, KNOWING], seed=0)
    assert results["privacy.knowing"] < 3 and results["privacy.tuned"] > 20


def test_a_table_of_defences_and_seeds(made: tuple[AttributeSet, Trained]) -> None:
    class Tuning:
        data = made[0]
        asked: list[tuple[str, int]] = []  # noqa: RUF012

        def trained(self, defence: Defence, seed: int) -> Trained:
            self.asked.append((defence.name, seed))
            return made[1]

    tuning: Any = Tuning()
    table = reproduction.measure(tuning, "demographic", {Defence(): [QUICK], Defence("released", 1.0): []}, [0, 1])
    assert table.index.tolist() == tuning.asked
    assert table.loc[("non_private", 0), "accuracy"] == 100
    assert table.loc[("non_private", 0), "refitted"] > 99
    assert table["privacy.quick"].notna().tolist() == [True, True, False, False]
    assert (table["seconds"] == 1.5).all()
    measured = reproduction.by_defence(table)
    assert measured["privacy.non_private.quick"].tolist() == table["privacy.quick"][:2].tolist()
    assert "privacy.released.eps1.mu0.quick" not in measured and len(measured["accuracy.released.eps1.mu0"]) == 2


def test_a_head_fitted_again_shows_what_a_bad_one_hides(made: tuple[AttributeSet, Trained]) -> None:
    """A head that says the opposite is right of nothing, though the vectors tell everything."""
    data, model = made
    wrong = reproduction.Setting(data, "demographic", Defence(), replace(model, weight=-model.weight, bias=-model.bias))
    assert reproduction.main_task(wrong, seed=0)["accuracy"] < 1
    assert reproduction.refitted_task(wrong, seed=0)["refitted"] > 99


# --- comparisons ------------------------------------------------------------------------------------------------------

MAJORITY = MajorityBaseline(label=0, accuracy=50.0, attributes=(1,), empirical_privacy=40.0)


def results(**columns: dict[str, list[float]]) -> pd.DataFrame:
    names = list(next(iter(columns.values())))
    index = pd.MultiIndex.from_product([names, [0, 1]], names=["defence", "seed"])
    return pd.DataFrame(
        {column.replace("_x_", "."): [v for name in names for v in by[name]] for column, by in columns.items()},
        index=index,
    )


def as_lists(pairs: Any) -> dict[str, list[float]]:
    return {key: values.round(6).tolist() for key, values in pairs}


def test_accuracy_by_epsilon() -> None:
    table = results(accuracy={"non_private": [80, 81], "released.eps0.05.mu0": [79, 75], "released.eps5.mu0": [80, 80]})
    assert as_lists(reproduction.accuracy_by_epsilon(table, "released", [0.05, 5.0])) == {
        "comparable.accuracy.released.eps0.05.mu0": [1, -4],
        "comparable.accuracy.released.eps5.mu0": [2, 1],
        "epsilon_flat.accuracy.released": [1, -3],
    }
    table = table.rename(columns={"accuracy": "refitted"})
    assert as_lists(reproduction.accuracy_by_epsilon(table, "released", [0.05], "refitted")) == {
        "comparable.refitted.released.eps0.05.mu0": [1, -4]
    }


def test_accuracy_by_rate() -> None:
    table = results(
        accuracy={"non_private": [80, 81], "released.eps1.mu0.1": [79, 75], "released.eps1.mu0.5": [70, 64]}
    )
    assert as_lists(reproduction.accuracy_by_rate(table, "released", 1.0, [0.1, 0.5], MAJORITY)) == {
        "drop.accuracy.released.eps1.mu0.5": [9, 11],
        "half_lead.accuracy.released.eps1.mu0.5": [5, -1.5],
    }


def test_against_the_baselines() -> None:
    table = results(
        accuracy={"non_private": [80, 81], "adversarial": [70, 71], "released.eps0.05.mu0": [79, 83]},
        privacy_x_paper={"non_private": [20, 21], "adversarial": [30, 31], "released.eps0.05.mu0": [39, 37]},
    )
    assert as_lists(reproduction.against_baselines(table, "released.eps0.05.mu0", ["paper"], MAJORITY)) == {
        "difference.accuracy.released.eps0.05.mu0": [-1, 2],
        "difference.privacy.released.eps0.05.mu0.paper": [19, 16],
        "comparable.privacy_to_majority.released.eps0.05.mu0.paper": [1, -1],
    }


def test_comparisons_of_attacks_and_groups() -> None:
    arms = ["non_private", "released.eps0.05.mu0", "released.eps5.mu0"]
    table = results(
        privacy_x_tuned=dict(zip(arms, [[5, 5], [30, 31], [20, 25]], strict=True)),
        privacy_x_knowing=dict(zip(arms, [[5, 5], [5, 30], [5, 5]], strict=True)),
        attack_x_paper_x_e_x_present=dict(zip(arms, [[60, 61], [20, 25], [1, 1]], strict=True)),
        fairness_x_e_x_difference=dict(zip(arms, [[-10, 4], [-3, 5], [0, 0]], strict=True)),
    )
    name = arms[1]
    assert as_lists(reproduction.privacy_by_epsilon(table, "released", [0.05, 5.0], ["tuned"])) == {
        "epsilon_fall.privacy.released.tuned": [10, 6]
    }
    assert as_lists(reproduction.post_processing(table, name)) == {f"post_processing.{name}": [-23, 1]}
    assert as_lists(reproduction.fewer_found(table, name, ["paper"], ["e"])) == {
        f"fewer_found.{name}.paper.e": [40, 36]
    }
    assert as_lists(reproduction.fairer(table, name, ["e"])) == {f"fairer.{name}.e": [7, -1]}
