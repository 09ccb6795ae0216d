"""The trainings of the chapter, and what a server can read off released vectors: a linear head fitted again.

The classifier that Algorithm 1 of Lyu, He and Li (2020) trains under strong noise may be right less often than whoever
always names the commonest topic. Its accuracy then measures that training, not what the noise leaves: the server has
the released vectors of its training texts and can fit another head to them, or not look at the vectors at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.evaluation.logistic_path import Floats32, fit_path, predict
from trustnlp.privacy.attacks.attribute_inference import Attacker, Released, attack
from trustnlp.privacy.attacks.attribute_metrics import AttributeKind
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.fine_tuning import FineTuning, TuningRecipe


def fine_tuning(data: AttributeSet, parameters: Mapping[str, Any]) -> FineTuning:
    """Trainings of one encoder on one corpus; those of the `paper` profile are kept in the results' folder.

    Parameters
    ----------
    parameters
        Of these the values of `profile`, `device`, `encoder`, `tuned_layers` (0: all) and the other settings of a
        `TuningRecipe` that notebooks declare; other names do not count, so that a notebook can give its `vars()`.

    Raises
    ------
    KeyError
        If one of them is missing.
    """
    named = ("epochs", "batch_size", "learning_rate", "max_length", "keep", "precision")
    recipe = TuningRecipe(tuned_layers=parameters["tuned_layers"] or None, **{name: parameters[name] for name in named})
    folder = results_of("trustnlp.training.fine_tuning") if parameters["profile"] == "paper" else None
    return FineTuning(load_encoder(parameters["encoder"], parameters["device"]), data, recipe, folder)


# Strengths of the ridge, from what drowning noise asks for to what hardly counts.
_PENALTIES = (1e4, 1e2, 1.0)
_TOLERANCE = 1e-4


class Accuracy(NamedTuple):
    """Of the main task in per cent, on dev and on test, over several releases of every text."""

    dev: float
    test: float


def main_task_after(
    release: BlackBox, vectors: Mapping[str, Tensor], data: AttributeSet, *, seed: int, draws: int = 3
) -> Accuracy:
    """Fit a linear classifier to `draws` releases of each training text and try it on as many of dev and test.

    Logistic regression on standardised inputs. On dev the server chooses its ridge, and whether to use the classifier
    at all: if none is better there, it names the commonest topic of the training texts.

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
    commonest = np.bincount(labels["train"]).argmax()
    tried = [Accuracy(*(100 * float(np.mean(labels[part] == commonest)) for part in ("dev", "test")))]
    for weights in fit_path(scaled["train"], labels["train"], everything, _PENALTIES, _TOLERANCE):
        right = (predict(scaled[part], weights)[:, 0] == labels[part] for part in ("dev", "test"))
        tried.append(Accuracy(*(100 * float(np.mean(share)) for share in right)))
    return max(tried, key=lambda accuracy: accuracy.dev)


def attributes_found(
    release: BlackBox | None,
    vectors: Mapping[str, Tensor],
    data: AttributeSet,
    attacker: Attacker,
    kind: AttributeKind,
    *,
    seed: int,
) -> NDArray[np.int64]:
    """`(n, a)` what an attacker says of the test texts, who trains on releases of the training texts.

    Parameters
    ----------
    vectors
        `(n, k)` for train, dev and test, before the release.
    release
        None for the vectors as they are, which the attacker need prepare only once.
    """

    def sent(part: str) -> Released:
        inputs = vectors[part]
        drawn = inputs if release is None else lambda generator: release(inputs, generator=generator)
        return Released(drawn, data.splits[part].attributes)

    generator = torch.Generator(vectors["train"].device).manual_seed(seed)
    return attack(sent("train"), sent("dev"), sent("test").vectors, attacker, kind=kind, generator=generator).predicted
