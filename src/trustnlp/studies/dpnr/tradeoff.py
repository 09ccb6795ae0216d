"""The accuracy and the leaks of releases that keep their ε: the other side of Lyu, He and Li (2020), §4.

The vectors are those of a model trained without noise. Directions, clipping radius and classifiers come from the
training texts, which are the server's own and not protected; what is protected is the text of a device, against any
other text. For each release the server fits a linear classifier to noised vectors of its training texts
(`trustnlp.studies.dpnr.models.main_task_after`).

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

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from torch import Tensor

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.privacy.attacks.attribute_inference import TUNED, Attacker
from trustnlp.privacy.attacks.attribute_metrics import AttributeKind, empirical_privacy
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.mechanisms.low_dimensional import ClippedRelease, LabelRelease, discriminant_directions
from trustnlp.privacy.mechanisms.projection import principal_rows
from trustnlp.privacy.mechanisms.representation import noise_layer
from trustnlp.studies.dpnr.models import attributes_found, main_task_after
from trustnlp.training.fine_tuning import Trained

RELEASES = (
    "calibrated",
    "principal_gaussian",
    "principal_laplace",
    "discriminant_gaussian",
    "discriminant_laplace",
    "label",
)


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
        If a value is out of range.
    """
    known = trained.representations["train"]
    if name == "calibrated":
        return noise_layer("calibrated", epsilon, known.shape[1])
    if name == "label":
        return LabelRelease(trained.weight, trained.bias, epsilon)
    principal = name.startswith("principal")
    directions = principal_rows(known, dimensions) if principal else discriminant_directions(trained.weight)
    granted = delta if name.endswith("gaussian") else 0.0
    return ClippedRelease.fitted(known, directions, quantile=quantile, epsilon=epsilon, delta=granted)


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
    said = attributes_found(release, vectors, data, attacker, kind, seed=seed)
    return empirical_privacy(data.test.attributes, said, kind)


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

    """
    rows = {}
    for (seed, model), name, epsilon in product(trained.items(), RELEASES, epsilons):
        release = honest_release(name, model, epsilon, delta=delta, dimensions=dimensions, quantile=quantile)
        task = main_task_after(release, model.representations, data, seed=seed)
        rows[name, epsilon, seed] = {"dev": task.dev, "accuracy": task.test}
        if epsilon in attacks.get(name, ()):
            left = privacy_after(release, model.representations, data, kind, seed=seed)
            rows[name, epsilon, seed]["privacy"] = left
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["release", "epsilon", "seed"]).sort_index()


def smallest_epsilon(epsilons: Sequence[float], accuracies: ArrayLike, level: float) -> float | None:
    """ε from which on the accuracy is at least `level`; between two ε, straight over ln ε. None if it never is.

    Where the first ε is enough, it is returned, though a smaller one may be too.

    Parameters
    ----------
    epsilons
        `(n,)` ascending.
    accuracies
        `(n,)`.
    """
    reached = np.asarray(accuracies) >= level
    if not reached[-1]:
        return None
    if reached.all():
        return float(epsilons[0])
    step = slice(last := np.flatnonzero(~reached)[-1], last + 2)
    return float(np.exp(np.interp(level, np.asarray(accuracies)[step], np.log(epsilons[step]))))


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
    """
    left = np.minimum.accumulate(np.asarray(privacies))
    return None if left[0] < level else float(np.interp(-level, -left, np.asarray(accuracies)))
