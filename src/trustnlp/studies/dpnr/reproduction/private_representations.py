"""What a protected classifier is worth and what it gives away: the numbers of Lyu, He and Li (2020), Tables 2 to 7.

One training gives one value of each. The caller repeats over seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.privacy.attacks.attribute_inference import Attacker, Released, attack
from trustnlp.privacy.attacks.attribute_metrics import (
    AttributeKind,
    attack_by_subgroup,
    empirical_privacy,
    subgroup_accuracy,
)
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.mechanisms.representation import noise_layer
from trustnlp.studies.dpnr.models.refitted_head import main_task_after
from trustnlp.training.fine_tuning import FineTuning, Trained
from trustnlp.training.private_classifier import Defence

Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class Setting:
    """A training with the corpus it was made on and the defence its representations are released under."""

    data: AttributeSet
    kind: AttributeKind
    defence: Defence
    trained: Trained

    def generator(self, seed: int) -> torch.Generator:
        """A generator where the representations are, so that their noise is drawn there."""
        return torch.Generator(self.trained.weight.device).manual_seed(seed)

    @property
    def layer(self) -> BlackBox:
        """What is done to representations before they leave the device."""
        return noise_layer(self.defence.variant, self.defence.epsilon, self.trained.weight.shape[1])

    def release(self, split: str, generator: torch.Generator) -> Tensor:
        """`(n, k)` the representations of a part as they leave the device, with fresh noise."""
        return self.layer(self.trained.representations[split], generator=generator)


def main_task(setting: Setting, *, seed: int, draws: int = 5) -> dict[str, float]:
    """Accuracy of the topics on test, and by group of each private attribute, in per cent. Tables 2, 3, 6 and 7.

    Parameters
    ----------
    draws
        Releases of every text, over which accuracies are averaged; the paper has one.

    Returns
    -------
    dict
        `accuracy`; `accuracy.seen` and `accuracy.unseen`, for the texts that also stand in train and the others, where
        there are both; `fairness.{attribute}.absent` and `fairness.{attribute}.difference`.
    """
    generator = setting.generator(seed)
    test = setting.data.test
    right = np.stack(
        [setting.trained.predict(setting.release("test", generator)).cpu().numpy() == test.labels for _ in range(draws)]
    )
    share: NDArray[np.float64] = right.mean(axis=0)
    results = {"accuracy": 100 * float(share.mean()), **_by_repetition(share, setting.data, "accuracy")}
    for name, member in zip(setting.data.attribute_names, test.attributes.T, strict=True):
        groups = [subgroup_accuracy(one, member) for one in right]
        results[f"fairness.{name}.absent"] = float(np.mean([group.absent for group in groups]))
        results[f"fairness.{name}.difference"] = float(np.mean([group.difference for group in groups]))
    return results


def refitted_task(setting: Setting, *, seed: int) -> dict[str, float]:
    """`refitted`: accuracy on test, in per cent, of a linear head fitted again to released training texts.

    The head of the training may have missed what the vectors still tell, above all under strong noise. Never far below
    MAJORITY, which the server can always have: see `trustnlp.studies.dpnr.models.refitted_head`.
    """
    return {"refitted": main_task_after(setting.layer, setting.trained.representations, setting.data, seed=seed).test}


def privacy_task(setting: Setting, attackers: Sequence[Attacker], *, seed: int) -> dict[str, float]:
    """Empirical privacy against each attacker, and how often it is right by group. §4.2, Tables 4 and 5, Figure 3.

    Attackers of one call see the same release of the test texts.

    Returns
    -------
    dict
        `privacy.{attacker}`; `privacy.{attacker}.seen` and `.unseen`, against texts that also stand in train and the
        others; `attack.{attacker}.{attribute}.absent` and `.present`.
    """
    data = setting.data
    # Without noise all draws are the same, and the attacker need prepare them only once.
    fixed = setting.defence.variant == "none"

    def released(split: str) -> Released:
        vectors = setting.trained.representations[split]
        attributes = data.splits[split].attributes
        return Released(vectors if fixed else lambda generator: setting.release(split, generator), attributes)

    repeated = data.in_train("test")
    results: dict[str, float] = {}
    for attacker in attackers:
        found = attack(
            released("train"),
            released("dev"),
            released("test").vectors,
            attacker,
            kind=setting.kind,
            generator=setting.generator(seed),
        ).predicted
        truth = data.test.attributes
        results[f"privacy.{attacker.name}"] = empirical_privacy(truth, found, setting.kind)
        if _divides(repeated):
            for part, rows in (("seen", repeated), ("unseen", ~repeated)):
                left = empirical_privacy(truth[rows], found[rows], setting.kind)
                results[f"privacy.{attacker.name}.{part}"] = left
        for name, group in zip(data.attribute_names, attack_by_subgroup(truth, found), strict=True):
            results[f"attack.{attacker.name}.{name}.absent"] = group.absent
            results[f"attack.{attacker.name}.{name}.present"] = group.present
    return results


def without_robust_training(plain: Setting, defence: Defence, *, seed: int, draws: int = 5) -> float:
    """Accuracy on test, in per cent, of a classifier trained without noise on input with the noise of a defence."""
    return main_task(Setting(plain.data, plain.kind, defence, plain.trained), seed=seed, draws=draws)["accuracy"]


def measure(
    tuning: FineTuning, kind: AttributeKind, defences: Mapping[Defence, Sequence[Attacker]], seeds: Sequence[int]
) -> pd.DataFrame:
    """Train with every defence and seed, or read what is trained, and measure it.

    Parameters
    ----------
    defences
        The attackers to try on each.

    Returns
    -------
    DataFrame
        One row for each (defence's name, seed), the columns of `main_task`, `refitted_task` and `privacy_task`, and the
        `seconds` of the training. Cells that do not apply are missing.

    Raises
    ------
    ValueError
        Two defences of one name, of which one would hide the other.
    """
    names = [defence.name for defence in defences]
    if len(set(names)) < len(names):
        raise ValueError(f"each defence needs a name of its own, got {', '.join(names)}")
    rows = {}
    for defence, attackers in defences.items():
        for seed in seeds:
            setting = Setting(tuning.data, kind, defence, tuning.trained(defence, seed))
            measured = main_task(setting, seed=seed) | refitted_task(setting, seed=seed)
            measured |= privacy_task(setting, attackers, seed=seed)
            rows[defence.name, seed] = measured | {"seconds": setting.trained.seconds}
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["defence", "seed"])
    return table


def _by_repetition(share: NDArray[np.float64], data: AttributeSet, name: str) -> dict[str, float]:
    repeated = data.in_train("test")
    if not _divides(repeated):
        return {}
    parts = {"seen": repeated, "unseen": ~repeated}
    return {f"{name}.{part}": 100 * float(share[rows].mean()) for part, rows in parts.items()}


def _divides(repeated: Bits) -> bool:
    return 0 < int(repeated.sum()) < len(repeated)
