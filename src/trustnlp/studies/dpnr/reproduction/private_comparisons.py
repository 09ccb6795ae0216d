"""Defences side by side over seeds: the comparisons that Lyu, He and Li (2020), §4, draw from their tables.

Rows of a table are (defence, seed), columns what `trustnlp.studies.dpnr.reproduction.private_representations` measures.
Every comparison is made seed by seed, so that its interval is that of the differences, and in points; above 0 the
paper's statement holds. Two margins were fixed before the first run (see the chapter's claims): "comparable" is at most
two points below, "no relationship with ε" a rise of at most two points from the smallest ε to the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, get_args

import pandas as pd

from trustnlp.privacy.attacks.attribute_metrics import MajorityBaseline
from trustnlp.privacy.mechanisms.representation import Variant
from trustnlp.training.private_classifier import Defence

MARGIN = 2.0
NON_PRIVATE, ADVERSARIAL = Defence().name, Defence(adversary=1.0).name
Comparison = tuple[str, "pd.Series[float]"]
Head = Literal["accuracy", "refitted"]
HEADS: tuple[Head, ...] = get_args(Head)


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
    accuracy = table[head]
    for epsilon in epsilons:
        name = name_of(variant, epsilon)
        yield f"comparable.{head}.{name}", MARGIN + accuracy[name] - accuracy[NON_PRIVATE]
    if len(epsilons) < 2:
        return
    rise = accuracy[name_of(variant, epsilons[-1])] - accuracy[name_of(variant, epsilons[0])]
    yield f"epsilon_flat.{head}.{variant}", MARGIN - rise


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
    """§4.5, Table 4: a defence against NON-PRIV, ADV and MAJORITY, for the main task and each attacker.

    `difference.accuracy.{name}`, `difference.privacy.{name}.{attacker}`, and unless the defence is ADV itself
    `difference.privacy_to_adversarial.*` and `comparable.privacy_to_majority.*`.
    """
    yield f"difference.accuracy.{name}", table["accuracy"][name] - table["accuracy"][NON_PRIVATE]
    for attacker in attackers:
        left = table[f"privacy.{attacker}"]
        yield f"difference.privacy.{name}.{attacker}", left[name] - left[NON_PRIVATE]
        if name == ADVERSARIAL:
            yield f"difference.majority_minus_privacy.{name}.{attacker}", majority.empirical_privacy - left[name]
            continue
        yield f"difference.privacy_to_adversarial.{name}.{attacker}", left[name] - left[ADVERSARIAL]
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
