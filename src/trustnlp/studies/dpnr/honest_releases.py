"""What releases that keep their ε are good for, and what they give away: the other side of Lyu, He and Li (2020), §4.

The vectors are those of a model trained without noise. Directions, clipping radius and classifiers come from the
training texts, which are the server's own and not protected; what is protected is the text of a device, against any
other text. For each release the server fits a linear classifier to noised vectors of its training texts.

`calibrated`
    DPNR's layer with the noise that its ε takes, on all coordinates.
`principal_gaussian`, `principal_laplace`
    The first principal directions of the training texts, clipped in L2 or L1.
`discriminant_gaussian`, `discriminant_laplace`
    The c − 1 directions that the classifier looks at, alike.
`label`
    The label itself, by randomised response: for who knows the task before the texts are sent.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.data.private_attributes import AttributeSet
from trustnlp.models.logistic_path import Floats32, fit_path, predict
from trustnlp.privacy.attribute_inference import TUNED, Attacker, Released, attack
from trustnlp.privacy.attribute_metrics import AttributeKind, empirical_privacy
from trustnlp.privacy.auditing import BlackBox
from trustnlp.privacy.low_dimensional import ClippedRelease, LabelRelease, discriminant_directions
from trustnlp.privacy.projection import principal_rows
from trustnlp.privacy.representation import noise_layer
from trustnlp.training.fine_tuning import Trained

RELEASES = (
    "calibrated",
    "principal_gaussian",
    "principal_laplace",
    "discriminant_gaussian",
    "discriminant_laplace",
    "label",
)
# Strengths of the ridge, from what drowning noise asks for to what hardly counts.
_PENALTIES = (1e4, 1e2, 1.0)
_TOLERANCE = 1e-4


def honest_release(
    name: str, trained: Trained, epsilon: float, *, delta: float, dimensions: int, quantile: float
) -> BlackBox:
    """One of `RELEASES` at ε, fitted on the training texts of `trained`.

    Parameters
    ----------
    delta
        Of the Gaussian ones; the others have none.
    dimensions
        How many principal directions.
    quantile
        Of the training texts' projected lengths: the clipping radius.

    Raises
    ------
    ValueError
        An unknown name, or a value out of range.
    """
    if name not in RELEASES:
        raise ValueError(f"unknown release {name!r}; choose from {', '.join(RELEASES)}")
    known = trained.representations["train"]
    if name == "calibrated":
        return noise_layer("calibrated", epsilon, known.shape[1])
    if name == "label":
        return LabelRelease(trained.weight, trained.bias, epsilon)
    principal = name.startswith("principal")
    directions = principal_rows(known, dimensions) if principal else discriminant_directions(trained.weight)
    granted = delta if name.endswith("gaussian") else 0.0
    return ClippedRelease.fitted(known, directions, quantile=quantile, epsilon=epsilon, delta=granted)


@dataclass(frozen=True)
class Accuracy:
    """Of the main task in per cent, on dev and on test, over several releases of every text."""

    dev: float
    test: float


def main_task_after(
    release: BlackBox, vectors: Mapping[str, Tensor], data: AttributeSet, *, seed: int, draws: int = 3
) -> Accuracy:
    """Fit a linear classifier to `draws` releases of each training text and try it on as many of dev and test.

    Logistic regression on standardised inputs; its ridge is chosen on dev.

    Parameters
    ----------
    vectors
        `(n, k)` for train, dev and test, before the release.
    """
    generator = torch.Generator(vectors["train"].device).manual_seed(seed)
    sent = {
        part: torch.cat([release(vectors[part], generator=generator) for _ in range(draws)]).float().cpu().numpy()
        for part in ("train", "dev", "test")
    }
    labels = {part: np.tile(data.splits[part].labels, draws) for part in sent}
    mean, scale = sent["train"].mean(axis=0), sent["train"].std(axis=0)
    scaled: dict[str, Floats32] = {part: (x - mean) / np.where(scale > 0, scale, 1) for part, x in sent.items()}
    everything = np.ones((len(labels["train"]), 1), dtype=bool)
    best = Accuracy(-1, -1)
    for weights in fit_path(scaled["train"], labels["train"], everything, _PENALTIES, _TOLERANCE):
        found = {part: 100 * float(np.mean(predict(scaled[part], weights)[:, 0] == labels[part])) for part in sent}
        if found["dev"] > best.dev:
            best = Accuracy(found["dev"], found["test"])
    return best


def privacy_after(
    release: BlackBox | None,
    vectors: Mapping[str, Tensor],
    data: AttributeSet,
    kind: AttributeKind,
    *,
    seed: int,
    attacker: Attacker = TUNED,
) -> float:
    """Empirical privacy in per cent that an attacker leaves, who trains on releases of the training texts.

    Parameters
    ----------
    release
        None for the vectors as they are.
    """

    def sent(part: str) -> Released:
        inputs = vectors[part]
        drawn = inputs if release is None else lambda generator: release(inputs, generator=generator)
        return Released(drawn, data.splits[part].attributes)

    generator = torch.Generator(vectors["train"].device).manual_seed(seed)
    found = attack(sent("train"), sent("dev"), sent("test").vectors, attacker, kind=kind, generator=generator)
    return empirical_privacy(data.test.attributes, found.predicted, kind)


def try_releases(
    trained: Mapping[int, Trained],
    data: AttributeSet,
    kind: AttributeKind,
    *,
    epsilons: Sequence[float],
    attacks: Mapping[str, Sequence[float]],
    delta: float,
    dimensions: int,
    quantile: float,
) -> pd.DataFrame:
    """Every release at every ε, on the model of every seed.

    Parameters
    ----------
    trained
        Seed → training without noise.
    attacks
        Release → those of `epsilons` at which it is attacked too. That is what takes the time.

    Returns
    -------
    DataFrame
        One row for each (release, ε, seed); columns `dev` and `accuracy` (on test), and `privacy` where attacked.

    Raises
    ------
    ValueError
        Attacks of an unknown release or at another ε, or as for `honest_release`.
    """
    if not set(attacks) <= set(RELEASES) or not {e for some in attacks.values() for e in some} <= set(epsilons):
        raise ValueError(f"attacks are of {', '.join(RELEASES)} at one of ε = {list(epsilons)}, got {dict(attacks)}")
    rows = {}
    for seed, model in trained.items():
        for name in RELEASES:
            for epsilon in epsilons:
                release = honest_release(name, model, epsilon, delta=delta, dimensions=dimensions, quantile=quantile)
                task = main_task_after(release, model.representations, data, seed=seed)
                left = math.nan
                if epsilon in attacks.get(name, ()):
                    left = privacy_after(release, model.representations, data, kind, seed=seed)
                rows[name, epsilon, seed] = {"dev": task.dev, "accuracy": task.test, "privacy": left}
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["release", "epsilon", "seed"])
    return table.sort_index()


def smallest_epsilon(epsilons: Sequence[float], accuracies: ArrayLike, level: float) -> float | None:
    """ε from which on the accuracy is at least `level`; between two ε, straight over ln ε. None if it never is.

    Where the first ε is enough, it is returned, though a smaller one may be too.

    Parameters
    ----------
    epsilons
        `(n,)` ascending.
    accuracies
        `(n,)`.

    Raises
    ------
    ValueError
        Lengths that differ, or ε that do not ascend from above 0.
    """
    reached = _ascending(epsilons, accuracies) >= level
    if not reached[-1]:
        return None
    first = len(reached) - int(np.argmin(reached[::-1])) if not reached.all() else 0
    if first == 0:
        return float(epsilons[0])
    low, high = np.asarray(accuracies, dtype=float)[[first - 1, first]]
    share = (level - low) / (high - low)
    start, end = np.log([epsilons[first - 1], epsilons[first]])
    return float(np.exp(start + share * (end - start)))


def accuracy_at(epsilons: Sequence[float], privacies: ArrayLike, accuracies: ArrayLike, level: float) -> float | None:
    """Accuracy of a release at the ε where an attacker leaves `level`; between two ε, straight from point to point.

    None where the release leaves less than `level` at the smallest ε already: it would take more noise than was tried.
    Where it leaves more at every ε, the accuracy at the largest, which is the least that can be had at `level`.

    Parameters
    ----------
    epsilons
        `(n,)` ascending.
    privacies, accuracies
        `(n,)`. A privacy that rises with ε is chance, and taken for that at the smaller ε.

    Raises
    ------
    ValueError
        As for `smallest_epsilon`.
    """
    left = np.minimum.accumulate(_ascending(epsilons, privacies))
    useful = _ascending(epsilons, accuracies)
    if left[0] < level:
        return None
    return float(np.interp(-level, -left, useful))


def _ascending(epsilons: Sequence[float], values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (len(epsilons),) or len(epsilons) == 0:
        raise ValueError(f"{len(epsilons)} values of ε need as many others, got shape {array.shape}")
    if epsilons[0] <= 0 or (np.diff(epsilons) <= 0).any():
        raise ValueError(f"ε ascend from above 0, got {list(epsilons)}")
    return array
