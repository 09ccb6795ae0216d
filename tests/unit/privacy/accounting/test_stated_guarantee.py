"""Whatever states a guarantee says for which pairs it holds, what more releases cost, and that rounding is left out."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from typing import Any, Protocol

import numpy as np
import pytest
import torch
from made_vocabularies import vocabulary

import trustnlp.privacy
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.privacy.accounting.composition import compose
from trustnlp.privacy.accounting.guarantee import L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.accounting.stated_guarantee import ADDS_UP, ALL_PAIRS, IN_EXACT_ARITHMETIC, REAL_NUMBERS, stated
from trustnlp.privacy.mechanisms import additive_noise, low_dimensional, projection
from trustnlp.privacy.text import word_substitution
from trustnlp.privacy.text.private_sense_choice import PrivateSenseChoice
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_guarantee import TextGuarantee

VECTORS = vocabulary()
PUBLIC = torch.from_numpy(VECTORS.matrix.copy()).double()
SENSES = SenseInventory(VECTORS.words, np.arange(10), VECTORS.matrix.copy(), np.ones(10), 0, hash_of(VECTORS))
ROWS = torch.eye(10, dtype=torch.float64)[:3]
ONE, TWO = L1Sensitivity(1.0, Relation.LOCAL), L2Sensitivity(1.0, Relation.METRIC)
VECTOR_MECHANISMS = [
    additive_noise.Laplace(1.0, ONE), additive_noise.MultivariateLaplace(1.0, TWO),
    additive_noise.Gaussian(1.0, 1e-6, L2Sensitivity(1.0, Relation.LOCAL)), projection.PlainRelease(1.0),
    projection.OrthonormalRelease(1.0, ROWS), projection.PrincipalRelease(1.0, ROWS),
    projection.ExactRelease(1.0, PUBLIC, ROWS),
    projection.ProjectedRelease.draw(300, epsilon=1.0, delta=1e-6, beta=0.9),
    low_dimensional.ClippedRelease(ROWS, torch.zeros(10).double(), 1.0, epsilon=1.0),
    low_dimensional.LabelRelease(ROWS, torch.zeros(3).double(), epsilon=1.0),
]  # fmt: skip
WORD_MECHANISMS = [
    word_substitution.NearestWord(PUBLIC, 1.0), word_substitution.MahalanobisNearestWord(PUBLIC, 1.0),
    word_substitution.TruncatedExponential(PUBLIC, 1.0), word_substitution.RandomisedWord(10, 1.0),
    NearestSense(SENSES, 1.0), PrivateSenseChoice(SENSES, VECTORS, 1.0),
]  # fmt: skip


def stating() -> set[str]:
    """Classes of the package whose objects have a guarantee of their own."""
    found = set()
    for each in pkgutil.walk_packages(trustnlp.privacy.__path__, "trustnlp.privacy."):
        for name, kind in inspect.getmembers(importlib.import_module(each.name), inspect.isclass):
            ours = [one for one in kind.__mro__ if one.__module__.startswith("trustnlp.")]
            has = any(re.search(r"self\.guarantee =|def guarantee\(self\)", inspect.getsource(one)) for one in ours)
            if has and kind.__module__ == each.name and name[0] != "_" and Protocol not in kind.__bases__:
                found.add(name)
    return found


def test_every_mechanism_of_the_package_is_tried_here() -> None:
    assert stating() == {type(each).__name__ for each in (*VECTOR_MECHANISMS, *WORD_MECHANISMS)}


@pytest.mark.parametrize("mechanism", [*VECTOR_MECHANISMS, *WORD_MECHANISMS], ids=lambda each: type(each).__name__)
def test_a_stated_guarantee_names_its_pairs_what_adds_up_and_its_arithmetic(mechanism: Any) -> None:
    told = str(stated(mechanism))
    if isinstance(mechanism, projection.ProjectedRelease | projection.ExactRelease):
        assert str(mechanism.guarantee) == told  # it does not hold for all pairs: no text of it leaves that out
    assert re.search(r", for (all pairs of|each pair of inputs given before)", told)
    assert ADDS_UP in told and REAL_NUMBERS in told


@pytest.mark.parametrize("neighbours", [0, 10])
@pytest.mark.parametrize("mechanism", WORD_MECHANISMS, ids=lambda each: type(each).__name__)
def test_that_of_a_text_does_too(mechanism: Any, neighbours: int) -> None:
    told = str(TextGuarantee(mechanism.guarantee, 3, neighbours, "mask"))
    assert "for all pairs" in told and "two texts of one layout" in told
    assert ADDS_UP in told and IN_EXACT_ARITHMETIC in told


def test_releases_together_hold_for_the_pairs_that_each_holds_for() -> None:
    plain, projected = (
        projection.PlainRelease(1.0),
        projection.ProjectedRelease.draw(300, epsilon=2.0, delta=1e-6, beta=0.9),
    )
    assert str(compose([plain.guarantee] * 3)).startswith("(3, 0)-differential privacy, per unit of distance, L2 ")
    assert compose([plain.guarantee, additive_noise.MultivariateLaplace(1.0, TWO).guarantee]).covers == ALL_PAIRS
    both = compose([plain.guarantee, projected.guarantee, projected.guarantee])
    assert (both.epsilon, both.delta) == (5, 2e-6)
    assert both.covers == "those pairs alone that each of the releases says that it holds for"
    assert compose([both, both]).covers == both.covers  # and no number of a single release
