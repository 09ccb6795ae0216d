"""Errors that one planted cause decides: which feature each ranking names first, and how common a cause must be.

The rankings are a forest's impurity and the two-proportion z of each feature's slice; `characterise` adds a slice for
each relation whatever the parts of speech of its words, and names the strongest that is found at a false discovery rate
of 5 %.

*What names a cause.* A negation has the relation *neg*, or the word "no"; a question the sign "?" or its relation
*punct* to the tag "."; a name of a place or day the entity types `GPE` and `DATE`, or the relation of a proper noun to
its preposition. To count, a feature must also mean the cause: nine tenths of the texts that have it carry the cause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.data.annotation.spacy_annotation import annotate
from trustnlp.error_analysis.error_classifiers import cross_validate
from trustnlp.error_analysis.error_slices import find_slices
from trustnlp.error_analysis.feature_rankings import impurity_ranking
from trustnlp.error_analysis.readable_features import ANNOTATED, FeatureTable, feature_table, with_relation_families
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data.error_corpus import Flags, rows_of
from trustnlp.studies.aec.standins import CAUSES, PlantedErrors, PlantedTexts, planted_errors, planted_tweets

STRENGTHS = {"strong": (0.7, 0.3), "weak": (0.5, 0.35)}
NAMED_AIM = 0.9  # of the ledger's claims
_NAMES = {
    "negation": re.compile(r"no|neg-.+"),
    "entity": re.compile(r"GPE|DATE|pobj-IN-NNPS?"),
    "question": re.compile(r"\?|punct-.+-\."),
}
_FEWEST_TEXTS = 10  # as `characterise` keeps relations
_MEANT = 0.9


@dataclass(frozen=True, eq=False)
class PlantedPool:
    """Tweets to draw from, with their features: half of them carry each cause."""

    tweets: PlantedTexts
    table: FeatureTable

    def case(
        self, n: int, cause: str, rates: tuple[float, float], *, share: float | None = None, rng: np.random.Generator
    ) -> PlantedCase:
        """Draw `n` of the tweets and errors that one cause decides.

        Parameters
        ----------
        share
            Of the tweets that carry the cause; None draws without regard to it. The other causes stay as they are.

        Raises
        ------
        ValueError
            If the pool has too few tweets, of either kind where a share is asked for.
        """
        carries = self.tweets.carries[cause]
        if share is None:
            rows = rng.choice(len(carries), size=n, replace=False)
        else:
            sizes = {True: round(share * n), False: n - round(share * n)}
            rows = np.concatenate(
                [rng.choice(np.flatnonzero(carries == kind), size=size, replace=False) for kind, size in sizes.items()]
            )
        rows = np.sort(rows)
        return PlantedCase(_kept(self.table, rows), planted_errors(self.tweets.at(rows), cause, rng, rates=rates))


@dataclass(frozen=True, eq=False)
class PlantedCase:
    """Tweets with errors that one cause decides, and their features."""

    table: FeatureTable
    errors: PlantedErrors

    @property
    def carries(self) -> Flags:
        """`(n,)` which tweets carry the cause."""
        return self.errors.tweets.carries[self.errors.cause]

    @cached_property
    def names(self) -> frozenset[str]:
        """Features, and relations, that name the cause and are seldom there without it."""
        table, pattern = with_relation_families(self.table), _NAMES[self.errors.cause]
        there = table.values > 0
        pure = there[self.carries].sum(axis=0) >= _MEANT * there.sum(axis=0)
        return frozenset(name for name, own in zip(table.names, pure, strict=True) if own and pattern.fullmatch(name))

    def output(self, rows: NDArray[np.int64]) -> BaseOutput:
        """The answers of the base on some of the tweets, and where it errs."""
        own = self.errors
        return BaseOutput(rows_of(self.table, rows), own.predicted[rows], own.probabilities[rows], own.wrong[rows])

    def named(self) -> float:
        """1 if the strongest find of `characterise` names the cause, else 0."""
        causes = find_slices(with_relation_families(self.table), self.errors.wrong).causes
        return float(bool(causes) and causes[0].name in self.names)


def planted_pool(n: int, rng: np.random.Generator) -> PlantedPool:
    """Make `n` tweets, half of which carry each cause, and read their features; emotions stay out.

    Raises
    ------
    ImportError, DataError
        If spaCy or its pipeline is missing.
    """
    tweets = planted_tweets(n, rng, carried=dict.fromkeys(CAUSES, 0.5))
    annotations = annotate(tweets.texts, ANNOTATED)
    return PlantedPool(tweets, feature_table(annotations, {}, fewest_texts=_FEWEST_TEXTS))


def first_named(case: PlantedCase, rng: np.random.Generator) -> dict[str, str]:
    """The feature that each ranking has first; impurity is that of the forests of a five-fold cross-validation."""
    wrong = case.errors.wrong
    forests = cross_validate(case.table, wrong, rng=rng)
    return {"impurity": impurity_ranking(forests).top(1)[0], "z": find_slices(case.table, wrong).slices[0].name}


def ranked_seed(pool: PlantedPool, n: int, seed: int) -> list[dict[str, Any]]:
    """One row for each strength and cause of a seed: the feature that `impurity` and `z` have `first`, whether it names
    the cause (`ranking`), and whether `characterise` does.

    The texts of a cause are the same at both strengths.
    """
    rows = []
    for strength, rates in STRENGTHS.items():
        for number, cause in enumerate(CAUSES):
            case = pool.case(n, cause, rates, rng=np.random.default_rng([seed, number]))
            first = first_named(case, np.random.default_rng([seed, number, 1]))
            rows.append(
                {"seed": seed, "strength": strength, "cause": cause, "characterise": case.named()}
                | {f"ranking.{ranking}": float(name in case.names) for ranking, name in first.items()}
                | {f"first.{ranking}": name for ranking, name in first.items()}
            )
    return rows


def record_rankings(record: Record, table: pd.DataFrame) -> None:
    """Record shares of the seeds for each cause, and shares of the causes, of the rows that `ranked_seed` gives."""
    for strength, own in table.groupby("strength", sort=False):
        for ranking in ("impurity", "z"):
            for cause, named in own.groupby("cause", sort=False)[f"ranking.{ranking}"]:
                record.metric(f"planted.{strength}.{ranking}.{cause}.named", named, interval="t", unit="share of seeds")
        shares = own.groupby("seed")[["ranking.impurity", "characterise"]].mean()
        margin = shares["ranking.impurity"] - NAMED_AIM
        record.metric(f"planted.{strength}.impurity.named_margin", margin, interval="t", unit="difference of shares")
        record.metric(f"characterise.{strength}.named", shares["characterise"], interval="t", unit="share of causes")


def named_by_share(pool: PlantedPool, n: int, seed: int, shares: Sequence[int]) -> dict[str, float]:
    """`CAUSE.share` and the per cent of the tweets that carry it → 1 if `characterise` names it, at the weak rates."""
    return {
        f"{cause}.share{share}": pool.case(
            n, cause, STRENGTHS["weak"], share=share / 100, rng=np.random.default_rng([seed, number, share])
        ).named()
        for number, cause in enumerate(CAUSES)
        for share in shares
    }


def _kept(table: FeatureTable, rows: NDArray[np.int64]) -> FeatureTable:
    """The features of some texts, without relations that too few of them have."""
    values = table.values[rows]
    groups = np.array(table.groups)
    kept = np.flatnonzero((groups != "dependency") | ((values > 0).sum(axis=0) >= _FEWEST_TEXTS))
    own = FeatureTable(tuple(table.names[at] for at in kept), values[:, kept], tuple(table.groups[at] for at in kept))
    return own.without_constants()[0]
