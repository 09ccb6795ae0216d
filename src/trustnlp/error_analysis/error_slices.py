"""Slices of texts in which a classifier errs more, or less, often than elsewhere: one test a feature, corrected.

Misra, Liu and Mahmud rank features by a forest's impurity and test none. Here each feature cuts the texts in two, those
that have it and the others, and the two error rates are compared with the z test of two proportions. Of f tests at 5 %
one in twenty is a find by chance, so p-values are adjusted after Benjamini and Hochberg (1995).

*Twins.* A feature may differ only because it comes with another: the relation of "no" to its noun with the word "no".
Such a slice is not a second cause. Going from the strongest down, a slice is `explained_by` a stronger one if, among
the texts with the stronger one's feature and among those without it, it makes no difference any more (the test of
Cochran, Mantel and Haenszel, at 5 %).

Texts count as independent: drop repeats first. A slice that was chosen because its rate is the highest looks worse than
it is; its interval does not know that it was chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, norm

from trustnlp.attribution.model_calls import Floats
from trustnlp.error_analysis.error_classifiers import LEAST_ERRORS, Flags, check_errors, check_flags
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.evaluation.intervals import wilson_interval

_LEVEL = 0.05
# Cochran's rule: with fewer expected in a cell of the two by two the normal law is no guide.
_LEAST_EXPECTED = 5.0
# Where fewer texts than this share have the smallest value, the others do not simply "have" the feature.
_LEAST_WITHOUT = 0.1


@dataclass(frozen=True)
class ErrorSlice:
    """The texts on one side of a feature, against all others.

    Attributes
    ----------
    name, group
        Of the feature.
    cut
        The texts of the slice have a value above it.
    present
        Whether they are those that have the feature at all, `cut` being its smallest value; else the upper half.
    support, errors
        Texts of the slice, and on how many of them the base errs.
    other_support, other_errors
        The same of all other texts.
    low, high
        Wilson's (1927) 95 % interval of the slice's error rate.
    z, p, adjusted
        Of the two-proportion test, positive where the slice has more errors; its two-sided p-value; and that after
        Benjamini and Hochberg (1995).
    explained_by
        A stronger slice beside which this one makes no difference; None where there is none, or where this slice is
        not significant itself.
    """

    name: str
    group: str
    cut: float
    present: bool
    support: int
    errors: int
    other_support: int
    other_errors: int
    low: float
    high: float
    z: float
    p: float
    adjusted: float
    explained_by: str | None = None

    @property
    def rate(self) -> float:
        """Share of errors in the slice."""
        return self.errors / self.support

    @property
    def effect(self) -> float:
        """The slice's error rate minus that of all other texts, in -1 to 1."""
        return self.rate - self.other_errors / self.other_support

    @property
    def rule(self) -> str:
        """The rule of the slice, in words.

        >>> ErrorSlice("no", "lexical", 0.0, True, 8, 6, 9, 3, 0.4, 0.9, 1.7, 0.09, 0.09).rule
        'has no'
        """
        return f"has {self.name}" if self.present else f"{self.name} above {self.cut:.3g}"


@dataclass(frozen=True)
class SliceTests:
    """All slices of a table, the strongest first, and what could not be tested.

    Attributes
    ----------
    slices
        By falling size of z.
    untested
        Features that are constant, or that have too few texts on one side: where the base erred as often as elsewhere,
        fewer than five errors, or than five correct predictions, would be expected there.
    false_discovery_rate
        At which a slice counts as found.
    """

    slices: tuple[ErrorSlice, ...]
    untested: tuple[str, ...]
    false_discovery_rate: float

    @property
    def found(self) -> tuple[ErrorSlice, ...]:
        """Significant after the correction, twins among them."""
        return tuple(each for each in self.slices if each.adjusted <= self.false_discovery_rate)

    @property
    def causes(self) -> tuple[ErrorSlice, ...]:
        """Found, and explained by no stronger slice: what to look at first."""
        return tuple(each for each in self.found if each.explained_by is None)

    def twins_of(self, name: str) -> tuple[str, ...]:
        """The features that a slice explains."""
        return tuple(each.name for each in self.found if each.explained_by == name)


def find_slices(table: FeatureTable, wrong: Flags, *, false_discovery_rate: float = 0.05) -> SliceTests:
    """Test for each feature whether the base errs as often with it as without it.

    A feature's slice are the texts above its smallest value: of a count, those that have it. Where fewer than a tenth
    of the texts are at the smallest value, the slice are those above the median.

    Parameters
    ----------
    table
        `n` texts by `f` features.
    wrong
        `(n,)` where the base errs.
    false_discovery_rate
        Expected share of chance finds among the finds, at most. Exact for independent features; correlated ones, as
        counts of words are, seldom exceed it.

    Raises
    ------
    ValueError
        If there are fewer than 30 errors or correct predictions, a rate outside 0 to 1, or no feature with texts enough
        on both sides.
    """
    check_flags(table, wrong)
    check_errors(wrong, least=LEAST_ERRORS, what="testing slices")
    if not 0 < false_discovery_rate < 1:
        raise ValueError(f"a false-discovery rate lies between 0 and 1, got {false_discovery_rate}")
    cuts, present = _cuts(table.values)
    inside = table.values > cuts
    support, errors = inside.sum(axis=0), inside[wrong].sum(axis=0)
    rarer = min(wrong.mean(), 1 - wrong.mean())
    tested = np.minimum(support, len(wrong) - support) * rarer >= _LEAST_EXPECTED
    untested = tuple(name for name, enough in zip(table.names, tested, strict=True) if not enough)
    if not tested.any():
        raise ValueError(
            f"none of {len(table.names)} features has enough texts on both sides: each is the same in all texts, or so "
            "rare that fewer than five errors are expected; give more texts or commoner features"
        )
    z = proportion_z(errors, support, wrong.sum() - errors, len(wrong) - support)
    p = np.where(tested, 2 * norm.sf(np.abs(z)), 1.0)
    adjusted = np.ones(len(p))
    adjusted[tested] = false_discovery_control(p[tested], method="bh")
    low, high = wilson_interval(errors, support, _LEVEL)
    strongest = [int(at) for at in np.argsort(-np.abs(z), kind="stable") if tested[at]]
    slices = [
        ErrorSlice(
            table.names[at], table.groups[at], float(cuts[at]), bool(present[at]),
            int(support[at]), int(errors[at]), int(len(wrong) - support[at]), int(wrong.sum() - errors[at]),
            float(low[at]), float(high[at]), float(z[at]), float(p[at]), float(adjusted[at]),
        )
        for at in strongest
    ]  # fmt: skip
    significant = sum(each.adjusted <= false_discovery_rate for each in slices)
    for at, stronger in _explained(inside[:, strongest[:significant]], wrong).items():
        slices[at] = replace(slices[at], explained_by=slices[stronger].name)
    return SliceTests(tuple(slices), untested, false_discovery_rate)


def proportion_z(
    errors: NDArray[np.int64], support: NDArray[np.int64], other_errors: NDArray[np.int64], other: NDArray[np.int64]
) -> Floats:
    """The z test's statistic of two proportions, with their pooled variance; 0 where one side or the variance is empty.

    >>> round(float(proportion_z(np.array([30]), np.array([40]), np.array([50]), np.array([100]))[0]), 4)
    2.7003
    """
    pooled = (errors + other_errors) / (support + other)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (errors / support - other_errors / other) / np.sqrt(pooled * (1 - pooled) * (1 / support + 1 / other))
    return np.where(np.isfinite(z), z, 0.0)


def stratified_p(inside: Flags, wrong: Flags, strata: NDArray[np.int64]) -> float:
    """Two-sided p-value of Cochran, Mantel and Haenszel: inside against outside, compared within each stratum.

    Without the correction for continuity. 1 where no stratum has texts of both kinds.

    Parameters
    ----------
    inside, wrong
        `(n,)`.
    strata
        `(n,)` numbers from 0.
    """
    texts, with_it, errors, both = (
        np.bincount(strata, weights=each) for each in (np.ones(len(strata)), inside, wrong, inside & wrong)
    )
    several = texts > 1
    texts, with_it, errors, both = texts[several], with_it[several], errors[several], both[several]
    variance = np.sum(with_it * (texts - with_it) * errors * (texts - errors) / (texts**2 * (texts - 1)))
    if variance == 0:
        return 1.0
    z = np.sum(both - with_it * errors / texts) / np.sqrt(variance)
    return float(2 * norm.sf(abs(z)))


def _cuts(values: Floats) -> tuple[Floats, Flags]:
    """`(f,)` the value above which a text is in the feature's slice, and whether that is its smallest one."""
    smallest = values.min(axis=0)
    present = (values == smallest).mean(axis=0) >= _LEAST_WITHOUT
    return np.where(present, smallest, np.median(values, axis=0)), present


def _explained(inside: Flags, wrong: Flags) -> dict[int, int]:
    """Of columns, strongest first: those that make no difference beside a stronger one, with the first such one."""
    kept: list[int] = []
    explained: dict[int, int] = {}
    for at, column in enumerate(inside.T):
        reasons = (other for other in kept if stratified_p(column, wrong, inside[:, other].astype(np.int64)) > _LEVEL)
        if (stronger := next(reasons, None)) is None:
            kept.append(at)
        else:
            explained[at] = stronger
    return explained
