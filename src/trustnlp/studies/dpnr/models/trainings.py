"""The trainings of the chapter, as its notebooks' parameters ask for them: four notebooks share their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.privacy.attacks.attribute_inference import Attacker
from trustnlp.privacy.attacks.attribute_metrics import AttributeKind
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.dpnr.reproduction.private_representations import measure
from trustnlp.training.fine_tuning import FineTuning, Recipe
from trustnlp.training.private_classifier import Defence


def fine_tuning(data: AttributeSet, parameters: Mapping[str, Any]) -> FineTuning:
    """Trainings of one encoder on one corpus; those of the `paper` profile are kept in the results' folder.

    Parameters
    ----------
    parameters
        Of these the values of `profile`, `device`, `encoder`, `tuned_layers` (0: all) and the other settings of a
        `Recipe` that notebooks declare; other names do not count, so that a notebook can give its `vars()`.

    Raises
    ------
    KeyError
        One of them is missing.
    """
    named = ("epochs", "batch_size", "learning_rate", "max_length", "keep", "precision")
    recipe = Recipe(tuned_layers=parameters["tuned_layers"] or None, **{name: parameters[name] for name in named})
    folder = results_of("trustnlp.training.fine_tuning") if parameters["profile"] == "paper" else None
    return FineTuning(load_encoder(parameters["encoder"], parameters["device"]), data, recipe, folder)


def train_and_measure(
    data: AttributeSet,
    kind: AttributeKind,
    defences: Mapping[Defence, Sequence[Attacker]],
    seeds: Sequence[int],
    parameters: Mapping[str, Any],
) -> pd.DataFrame:
    """`measure` on the trainings of `fine_tuning`: what another paper's chapter may ask of this one."""
    return measure(fine_tuning(data, parameters), kind, defences, seeds)
