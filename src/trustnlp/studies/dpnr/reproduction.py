"""A protected classifier's accuracy and its leaks: Lyu, He and Li (2020), Tables 2 to 7.

Then defences side by side. Rows of a table are (defence, seed), columns what `measure` measures. Every comparison is
made seed by seed, so that its interval is that of the differences, and in points; above 0 the paper's statement holds.
Two margins were fixed before the first run (see the chapter's claims): "comparable" is at most two points below, "no
relationship with ε" a rise of at most two points from the smallest ε to the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.privacy.attacks.attribute_inference import Attacker
from trustnlp.privacy.attacks.attribute_metrics import (
    AttributeKind,
    MajorityBaseline,
    attack_by_subgroup,
    empirical_privacy,
    subgroup_accuracy,
)
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.mechanisms.representation import Variant, noise_layer
from trustnlp.studies.dpnr.models import attributes_found, fine_tuning, main_task_after
from trustnlp.training.fine_tuning import FineTuning, Trained
from trustnlp.training.private_classifier import Defence

MARGIN = 2.0
NON_PRIVATE, ADVERSARIAL = Defence().name, Defence(adversary=1.0).name
Comparison = tuple[str, "pd.Series[float]"]
Head = Literal["accuracy", "refitted"]
HEADS: tuple[Head, ...] = get_args(Head)


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
        """The step on representations before they leave the device."""
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
    share = right.mean(axis=0)
    results = {f"accuracy{part}": 100 * float(share[rows].mean()) for part, rows in _parts(setting.data).items()}
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
    truth, vectors = data.test.attributes, setting.trained.representations
    release = None if setting.defence.variant == "none" else setting.layer
    results: dict[str, float] = {}
    for attacker in attackers:
        said = attributes_found(release, vectors, data, attacker, setting.kind, seed=seed)
        for part, rows in _parts(data).items():
            results[f"privacy.{attacker.name}{part}"] = empirical_privacy(truth[rows], said[rows], setting.kind)
        for name, group in zip(data.attribute_names, attack_by_subgroup(truth, said), strict=True):
            results[f"attack.{attacker.name}.{name}.absent"] = group.absent
            results[f"attack.{attacker.name}.{name}.present"] = group.present
    return results


def _parts(data: AttributeSet) -> dict[str, NDArray[np.bool_]]:
    """Test texts by ends of keys: all, and where there are both, those that also stand in train and the others."""
    repeated = data.in_train("test")
    some = {".seen": repeated, ".unseen": ~repeated} if 0 < repeated.sum() < len(repeated) else {}
    return {"": np.ones_like(repeated)} | some


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
    """
    rows = {}
    for defence, attackers in defences.items():
        for seed in seeds:
            setting = Setting(tuning.data, kind, defence, tuning.trained(defence, seed))
            rows[defence.name, seed] = (
                main_task(setting, seed=seed)
                | refitted_task(setting, seed=seed)
                | privacy_task(setting, attackers, seed=seed)
                | {"seconds": setting.trained.seconds}
            )
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["defence", "seed"])


def train_and_measure(
    data: AttributeSet,
    kind: AttributeKind,
    defences: Mapping[Defence, Sequence[Attacker]],
    seeds: Sequence[int],
    parameters: Mapping[str, Any],
) -> pd.DataFrame:
    """`measure` on the trainings of `fine_tuning`: what another paper's chapter may ask of this one."""
    return measure(fine_tuning(data, parameters), kind, defences, seeds)


def by_defence(table: pd.DataFrame) -> dict[str, pd.Series]:
    """The measured columns by key, `{what}.{defence}.{which}`, for the cells that apply.

    Returns
    -------
    dict
        `accuracy.DEFENCE`, `refitted.DEFENCE`, `privacy.DEFENCE.ATTACKER`, …: a value for each seed. Names of defences
        are those of `name_of`, such as `released.eps1.mu0.5`.
    """
    measured = {}
    for name, rows in table.groupby("defence", sort=False):
        for column in rows.columns[rows.notna().all()]:
            what, *which = column.split(".")
            measured[".".join([what, name, *which])] = rows[column]
    return measured


def name_of(variant: Variant, epsilon: float, rate: float = 0.0) -> str:
    """Name of a noise in the table."""
    return Defence(variant, epsilon, rate=rate).name


def accuracy_by_epsilon(
    table: pd.DataFrame, variant: Variant, epsilons: Sequence[float], head: Head = "accuracy"
) -> Iterator[Comparison]:
    """§4.4.1, Table 2: `comparable.{head}.*` for each ε, and `epsilon_flat.{head}.{variant}`.

    Parameters
    ----------
    epsilons
        Ascending; a single one has no relationship to look for.
    head
        Whose accuracy: of the head trained with the noise, as in the paper, or of one fitted again to what arrives.
    """
    accuracy, names = table[head], [name_of(variant, epsilon) for epsilon in epsilons]
    for name in names:
        yield f"comparable.{head}.{name}", MARGIN + accuracy[name] - accuracy[NON_PRIVATE]
    if len(names) > 1:
        yield f"epsilon_flat.{head}.{variant}", MARGIN - (accuracy[names[-1]] - accuracy[names[0]])


def accuracy_by_rate(
    table: pd.DataFrame, variant: Variant, epsilon: float, rates: Sequence[float], majority: MajorityBaseline
) -> Iterator[Comparison]:
    """§4.4.2, Table 3: `drop.accuracy.*` from one rate of word dropout to the next, `half_lead.accuracy.*` at a half.

    Parameters
    ----------
    rates
        Ascending. At 0.5, "a relatively high accuracy" is read as more than half of the lead over MAJORITY.
    """
    accuracy = table["accuracy"]
    names = [name_of(variant, epsilon, rate) for rate in rates]
    for before, after in pairwise(names):
        yield f"drop.accuracy.{after}", accuracy[before] - accuracy[after]
    if 0.5 in rates:
        name = name_of(variant, epsilon, 0.5)
        yield f"half_lead.accuracy.{name}", accuracy[name] - (accuracy[NON_PRIVATE] + majority.accuracy) / 2


def against_baselines(
    table: pd.DataFrame, name: str, attackers: Sequence[str], majority: MajorityBaseline
) -> Iterator[Comparison]:
    """§4.5, Table 4: a defence against NON-PRIV and MAJORITY, for the main task and each attacker.

    `difference.accuracy.{name}`, `difference.privacy.{name}.{attacker}` and `comparable.privacy_to_majority.*`.
    """
    yield f"difference.accuracy.{name}", table["accuracy"][name] - table["accuracy"][NON_PRIVATE]
    for attacker in attackers:
        left = table[f"privacy.{attacker}"]
        yield f"difference.privacy.{name}.{attacker}", left[name] - left[NON_PRIVATE]
        yield f"comparable.privacy_to_majority.{name}.{attacker}", MARGIN + left[name] - majority.empirical_privacy


def privacy_by_epsilon(
    table: pd.DataFrame, variant: Variant, epsilons: Sequence[float], attackers: Sequence[str]
) -> Iterator[Comparison]:
    """§4.5, Figure 3: `epsilon_fall.privacy.{variant}.{attacker}`, from the smallest ε to the largest."""
    if len(epsilons) < 2:
        return
    first, last = name_of(variant, epsilons[0]), name_of(variant, epsilons[-1])
    for attacker in attackers:
        left = table[f"privacy.{attacker}"]
        yield f"epsilon_fall.privacy.{variant}.{attacker}", left[first] - left[last]


def post_processing(table: pd.DataFrame, name: str) -> Iterator[Comparison]:
    """§2 and §4.5: what subtracting the minimum gains an attacker that is tuned alike; `post_processing.{name}`."""
    yield f"post_processing.{name}", MARGIN - (table["privacy.tuned"][name] - table["privacy.knowing"][name])


def fewer_found(
    table: pd.DataFrame, name: str, attackers: Sequence[str], attributes: Sequence[str]
) -> Iterator[Comparison]:
    """§4.5, Table 5: how much less often an attribute that is present is found than under NON-PRIV."""
    for attacker in attackers:
        for attribute in attributes:
            found = table[f"attack.{attacker}.{attribute}.present"]
            yield f"fewer_found.{name}.{attacker}.{attribute}", found[NON_PRIVATE] - found[name]


def fairer(table: pd.DataFrame, name: str, attributes: Sequence[str]) -> Iterator[Comparison]:
    """§4.6, Tables 6 and 7: how much smaller the gap between two groups is than under NON-PRIV."""
    for attribute in attributes:
        gap = table[f"fairness.{attribute}.difference"].abs()
        yield f"fairer.{name}.{attribute}", gap[NON_PRIVATE] - gap[name]
