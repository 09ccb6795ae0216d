"""How much an attacker finds out about private attributes: Lyu, He & Li (2020), §4.2, tables 4, 5 and 7.

The paper calls *empirical privacy* what the attacker does not get: `1 − F` for named entities, `1 − X` for demographic
variables. Which F1 it is, the paper does not say; its MAJORITY row does: 49.34 on AG is what one gets from always
naming the most frequent entity under micro-F1, that is with the decisions on all entities of all texts together.

Everything but `micro_f1` is in percent, as the paper prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

AttributeKind = Literal["entities", "demographic"]
Bits = NDArray[np.bool_]


def micro_f1(truth: ArrayLike, predicted: ArrayLike) -> float:
    """F1 of "is present" over all texts and attributes together: `2 TP / (2 TP + FP + FN)`, between 0 and 1.

    Parameters
    ----------
    truth, predicted
        `(n, a)` of 0 and 1.

    Raises
    ------
    ValueError
        If given shapes that differ, values other than 0 and 1, or no presence in either, where F1 is 0/0.
    """
    true, guessed = _both(truth, predicted)
    both = int(np.count_nonzero(true & guessed))
    either = int(np.count_nonzero(true)) + int(np.count_nonzero(guessed))
    if either == 0:
        raise ValueError("no attribute is present and none was predicted: F1 is 0/0; is this the right split?")
    return 2 * both / either


def best_threshold(truth: ArrayLike, scores: ArrayLike) -> float:
    """The threshold with the highest micro-F1: "present" are scores of at least this much.

    One threshold serves all attributes: where scores are true probabilities, the best one is half the best F1, whatever
    the attribute. With weak evidence that lies far below one half, so that an attacker who says "present" from one
    half on is worse under F1 than one who looks at no text at all.

    Parameters
    ----------
    truth
        `(n, a)` of 0 and 1.
    scores
        `(n, a)`, higher where presence is likelier.

    Raises
    ------
    ValueError
        If given shapes that differ, scores that are not finite, or no presence at all.
    """
    true, values = bits_of(truth, "truth"), np.asarray(scores, dtype=np.float64)
    if values.shape != true.shape or not np.isfinite(values).all():
        raise ValueError(f"scores: expected finite numbers of shape {true.shape}, got shape {values.shape}")
    if not true.any():
        raise ValueError("no attribute is present: no threshold is better than another under F1")
    order = np.argsort(-values, axis=None)
    ranked = values.ravel()[order]
    hits = np.cumsum(true.ravel()[order])
    f1 = 2 * hits / (np.arange(1, true.size + 1) + hits[-1])
    f1[:-1][ranked[:-1] == ranked[1:]] = -1  # equal scores are on one side together
    return float(ranked[f1.argmax()])


def empirical_privacy(truth: ArrayLike, predicted: ArrayLike, kind: AttributeKind) -> float:
    """Lyu, He & Li (2020), §4.2, in percent: higher is more private.

    `100 (1 − micro-F1)` for entities, `100 (1 − mean accuracy over the attributes)` for demographic variables.

    Raises
    ------
    ValueError
        If `micro_f1` would raise it, or another kind.
    """
    check_kind(kind)
    if kind == "entities":
        return 100 * (1 - micro_f1(truth, predicted))
    true, guessed = _both(truth, predicted)
    return 100 * float(np.mean(true != guessed))


@dataclass(frozen=True)
class MajorityBaseline:
    """The scores of an attacker who does not look at the text (table 4, MAJORITY).

    Attributes
    ----------
    label
        Most frequent label of the training texts; the smaller one of two equally frequent ones.
    accuracy
        How often it is right on the test texts, in percent.
    attributes
        `(a,)` of 0 and 1: what is said of every text.
    empirical_privacy
        What saying so leaves private on the test texts, in percent.
    """

    label: int
    accuracy: float
    attributes: tuple[int, ...]
    empirical_privacy: float


def majority_baseline(
    train_labels: ArrayLike,
    train_attributes: ArrayLike,
    test_labels: ArrayLike,
    test_attributes: ArrayLike,
    kind: AttributeKind,
) -> MajorityBaseline:
    """Lyu, He & Li (2020), table 4, MAJORITY: the most frequent label and attributes of train, judged on test.

    Entities: the most frequent one is said to be in every text, the others in none. (On AG that is also the majority
    value of each entity by itself: entity 0 is in more than half of the texts, no other is.) Demographic variables:
    each one's more frequent value, 0 where both are equally frequent.

    The paper calls this an upper bound on empirical privacy. It bounds what a *sensible* attacker leaves private; one
    that does worse than to say the same of every text has failed, which is no property of the representation.

    Parameters
    ----------
    train_labels, test_labels
        `(n,)` whole numbers from 0 upwards.
    train_attributes, test_attributes
        `(n, a)` of 0 and 1.

    Raises
    ------
    ValueError
        If given empty splits, labels below 0, labels or attributes that do not fit, another kind.
    """
    check_kind(kind)
    train, test = bits_of(train_attributes, "train attributes"), bits_of(test_attributes, "test attributes")
    if train.shape[1] != test.shape[1]:
        raise ValueError(f"train has {train.shape[1]} attributes and test {test.shape[1]}: use the same ones")
    labels, targets = np.asarray(train_labels), np.asarray(test_labels)
    if (len(labels), len(targets)) != (len(train), len(test)):
        raise ValueError(f"{len(train)} and {len(test)} texts need as many labels, got {len(labels)}, {len(targets)}")
    label = int(np.bincount(labels).argmax())
    present = train.mean(axis=0)
    said = np.arange(len(present)) == present.argmax() if kind == "entities" else present > 0.5
    return MajorityBaseline(
        label=label,
        accuracy=100 * float(np.mean(targets == label)),
        attributes=tuple(int(value) for value in said),
        empirical_privacy=empirical_privacy(test, np.broadcast_to(said, test.shape), kind),
    )


@dataclass(frozen=True)
class SubgroupAccuracy:
    """Accuracy among the texts without and with an attribute, in percent.

    Attributes
    ----------
    absent, present
        Accuracy where the attribute is 0 and where it is 1.
    counts
        How many texts that are, absent first.
    """

    absent: float
    present: float
    counts: tuple[int, int]

    @property
    def difference(self) -> float:
        """Present minus absent, in points, as tables 6 and 7 print it."""
        return self.present - self.absent


def subgroup_accuracy(correct: ArrayLike, attribute: ArrayLike) -> SubgroupAccuracy:
    """Lyu, He & Li (2020), tables 6 and 7: accuracy of the main task by subgroup.

    Parameters
    ----------
    correct
        `(n,)` of 0 and 1: whether the text's label was predicted.
    attribute
        `(n,)` of 0 and 1: without or with the entity; the first or second group of a demographic variable.

    Raises
    ------
    ValueError
        If given lengths that differ, values other than 0 and 1, or a subgroup without any text.
    """
    right = bits_of(np.asarray(correct)[..., None], "correct")[:, 0]
    member = bits_of(np.asarray(attribute)[..., None], "attribute")[:, 0]
    if len(right) != len(member):
        raise ValueError(f"{len(right)} judgements need as many attributes, got {len(member)}")
    present = int(np.count_nonzero(member))
    if present in (0, len(member)):
        raise ValueError(f"the attribute is {int(member[0])} in all {len(member)} texts: the other subgroup is empty")
    return SubgroupAccuracy(
        absent=100 * float(right[~member].mean()),
        present=100 * float(right[member].mean()),
        counts=(len(member) - present, present),
    )


def attack_by_subgroup(truth: ArrayLike, predicted: ArrayLike) -> tuple[SubgroupAccuracy, ...]:
    """Lyu, He & Li (2020), table 5: how often the attacker is right where an attribute is absent and where present.

    Parameters
    ----------
    truth, predicted
        `(n, a)` of 0 and 1.

    Returns
    -------
    tuple
        One result per attribute, in their order. The present column is the recall of the attack.

    Raises
    ------
    ValueError
        If given shapes that differ, values other than 0 and 1, or an attribute that is the same in all texts.
    """
    true, guessed = _both(truth, predicted)
    return tuple(subgroup_accuracy(t == g, t) for t, g in zip(true.T, guessed.T, strict=True))


def _both(truth: ArrayLike, predicted: ArrayLike) -> tuple[Bits, Bits]:
    true, guessed = bits_of(truth, "truth"), bits_of(predicted, "predicted")
    if true.shape != guessed.shape:
        raise ValueError(f"truth has shape {true.shape} and predicted {guessed.shape}: they must agree")
    return true, guessed


def bits_of(values: ArrayLike, what: str) -> Bits:
    """`(n, a)` booleans of values 0 and 1. ValueError for other values, another shape, or none."""
    array = np.asarray(values)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"{what}: expected one row a text and one column an attribute, got shape {array.shape}")
    if not np.isin(array, (0, 1)).all():
        other = array[~np.isin(array, (0, 1))][0]
        raise ValueError(f"{what}: expected 0 and 1, got {other}; a score needs a threshold first")
    return array.astype(np.bool_)


def check_kind(kind: str) -> None:
    """ValueError unless it is one of the two kinds."""
    if kind not in get_args(AttributeKind):
        raise ValueError(f"unknown kind of attributes {kind!r}: use {' or '.join(get_args(AttributeKind))}")
