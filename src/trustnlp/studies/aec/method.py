"""Errors that one planted cause decides: which feature each ranking names first, and what is found that did not matter.

The rankings are those of `trustnlp.error_analysis.feature_rankings` and the two-proportion z of each feature's slice;
`characterise` adds a slice for each relation whatever the parts of speech of its words, and names the strongest that is
found at a false discovery rate of 5 %.

*What names a cause.* A negation has the relation *neg*, or the word "no"; a question the sign "?" or its relation
*punct* to the tag "."; a name of a place or day the entity types `GPE` and `DATE`, or the relation of a proper noun to
its preposition. To count, a feature must also mean the cause: nine tenths of the texts that have it carry the cause.

*Twins.* A text that has a cause differs in other ways as well: "there is no …" has an expletive, and a question has no
"!". A feature whose slice carries the cause more or less often than the other texts (by the same test, with the cause
in the place of errors, at a false discovery rate of a thousandth) is no false alarm: its error rate does differ. What
is found and is neither, is one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.data.annotation.spacy_annotation import annotate
from trustnlp.error_analysis.error_classifiers import Flags, cross_validate
from trustnlp.error_analysis.error_slices import SliceTests, find_slices
from trustnlp.error_analysis.feature_rankings import impurity_ranking, permutation_ranking, shap_ranking
from trustnlp.error_analysis.readable_features import ANNOTATED, FeatureTable, feature_table, with_relation_families
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.studies.aec.standins import CAUSES, PlantedErrors, PlantedTexts, planted_errors, planted_tweets

STRENGTHS = {"strong": (0.7, 0.3), "weak": (0.5, 0.35)}
RANKINGS = ("impurity", "permutation", "shap", "z")
NAMED_AIM = 0.9  # of the ledger's claims
_OF_FORESTS = frozenset({"impurity", "permutation", "shap"})
_NAMES = {
    "negation": re.compile(r"no|neg-.+"),
    "entity": re.compile(r"GPE|DATE|pobj-IN-NNPS?"),
    "question": re.compile(r"\?|punct-.+-\."),
}
_FEWEST_TEXTS = 10  # as `characterise` keeps relations
_TWIN_RATE = 0.001
_MEANT = 0.9
_EXPLAINED = 20  # held-out texts of a fold that get Shapley values: all would take minutes


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
            If the pool has too few tweets with the cause, or without it; or what `planted_errors` refuses.
        """
        carries = self.tweets.carries[cause]
        if share is None:
            rows = rng.choice(len(carries), size=n, replace=False)
        else:
            wanted = {True: round(share * n), False: n - round(share * n)}
            there = {kind: np.flatnonzero(carries == kind) for kind in wanted}
            if any(wanted[kind] > len(there[kind]) for kind in wanted):
                raise ValueError(
                    f"{n} tweets, a share of {share} of them with the cause {cause}, cannot be drawn from "
                    f"{len(there[True])} with it and {len(there[False])} without it; make a larger pool"
                )
            rows = np.concatenate([rng.choice(there[kind], size=wanted[kind], replace=False) for kind in wanted])
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
        return frozenset(
            name for name, own in zip(table.names, pure, strict=True) if own and pattern.fullmatch(name) is not None
        )

    def output(self, rows: NDArray[np.int64]) -> BaseOutput:
        """The answers of the base on some of the tweets, and where it errs."""
        own, values = self.errors, self.table.values[rows]
        table = FeatureTable(self.table.names, values, self.table.groups)
        return BaseOutput(table, own.predicted[rows], own.probabilities[rows], own.wrong[rows])

    def tests(self) -> SliceTests:
        """The slices of `characterise`."""
        return find_slices(with_relation_families(self.table), self.errors.wrong)

    def twins(self) -> frozenset[str]:
        """Features, and relations, that come with the cause, or without it, more often than by chance."""
        tests = find_slices(with_relation_families(self.table), self.carries, false_discovery_rate=_TWIN_RATE)
        return frozenset(each.name for each in tests.found)


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


def first_named(case: PlantedCase, rankings: Collection[str], rng: np.random.Generator) -> dict[str, str]:
    """The feature that each ranking has first.

    Parameters
    ----------
    rankings
        Some of `RANKINGS`. The forests of the first three are those of a cross-validation with five folds; in each of
        them a feature is shuffled once, and twenty held-out texts have Shapley values.

    Raises
    ------
    ImportError
        If `shap` is asked for and not installed.
    """
    wrong = case.errors.wrong
    found = {"z": find_slices(case.table, wrong).slices[0].name} if "z" in rankings else {}
    if _OF_FORESTS & set(rankings):
        validation = cross_validate(case.table, wrong, rng=rng)
        if "impurity" in rankings:
            found["impurity"] = impurity_ranking(validation).top(1)[0]
        if "permutation" in rankings:
            found["permutation"] = permutation_ranking(validation, case.table, wrong, repeats=1, rng=rng).top(1)[0]
        if "shap" in rankings:
            few = replace(validation, held_out=tuple(rows[:_EXPLAINED] for rows in validation.held_out))
            found["shap"] = shap_ranking(few, case.table).top(1)[0]
    return {name: found[name] for name in RANKINGS if name in found}


def characterised(case: PlantedCase) -> dict[str, float]:
    """Finds of `characterise`: `named`, 1 if the strongest find names the cause; numbers of `finds` and `alarms`."""
    tests, known = case.tests(), case.twins()
    alarms = [each for each in tests.found if each.name not in known | case.names]
    return {"named": float(_is_named(case, tests)), "finds": len(tests.found), "alarms": len(alarms)}


def prevalences(case: PlantedCase) -> dict[str, float]:
    """Shares of the tweets that carry the cause (`texts`), and that have the commonest feature that names it."""
    there = (case.table.values > 0).mean(axis=0)
    shares = [share for name, share in zip(case.table.names, there, strict=True) if name in case.names]
    return {"texts": float(case.carries.mean()), "feature": float(max(shares, default=0.0))}


def ranked_seed(
    pool: PlantedPool, n: int, seed: int, rankings: Collection[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """All of one seed: (strength, cause) → `ranking.…`, whether each names it first; `first.…`, what it has first; what
    `characterised` and `prevalences` say; and the number of `features`.

    The texts of a cause are the same at both strengths.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for strength, rates in STRENGTHS.items():
        for number, cause in enumerate(CAUSES):
            case = pool.case(n, cause, rates, rng=np.random.default_rng([seed, number]))
            first = first_named(case, rankings, np.random.default_rng([seed, number, 1]))
            found[strength, cause] = {
                **{f"ranking.{name}": float(feature in case.names) for name, feature in first.items()},
                **{f"first.{name}": feature for name, feature in first.items()},
                **characterised(case),
                **prevalences(case),
                "features": len(case.table.names),
            }
    return found


def named_by_share(pool: PlantedPool, n: int, seed: int, shares: Sequence[int]) -> dict[tuple[str, int], float]:
    """(cause, per cent of the tweets that carry it) → 1 if `characterise` names it, at the weak rates."""
    found = {}
    for number, cause in enumerate(CAUSES):
        for share in shares:
            rng = np.random.default_rng([seed, number, share])
            case = pool.case(n, cause, STRENGTHS["weak"], share=share / 100, rng=rng)
            found[cause, share] = float(_is_named(case, case.tests()))
    return found


def found_in_nothing(pool: PlantedPool, n: int, seed: int, draws: int) -> float:
    """Share of draws of errors without a cause in which `characterise` finds anything."""
    rng = np.random.default_rng([seed, len(CAUSES)])
    finds = 0
    for _ in range(draws):
        case = pool.case(n, CAUSES[0], (0.5, 0.5), rng=rng)
        finds += bool(case.tests().found)
    return finds / draws


def as_table(found: Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]) -> pd.DataFrame:
    """Seed → what `ranked_seed` gives, as rows by seed, strength and cause; what was not measured is missing."""
    rows = {(seed, *key): values for seed, own in found.items() for key, values in own.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["seed", "strength", "cause"])


def per_seed(table: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.float64], str]]:
    """Key, values and unit of each metric of `as_table`'s rows: shares of the three causes, and of each cause."""
    for strength in STRENGTHS:
        own = table.xs(strength, level="strength")
        for column in (name for name in table if name.startswith("ranking.")):
            first = f"planted.{strength}.{column.removeprefix('ranking.')}"
            shares = own[column].dropna().groupby("seed").mean()
            yield f"{first}.named", shares.to_numpy(), "share of causes"
            if column == "ranking.impurity":
                yield f"{first}.named_margin", shares.to_numpy() - NAMED_AIM, "difference of shares"
            for cause, values in own[column].dropna().groupby("cause", sort=False):
                yield f"{first}.{cause}.named", values.to_numpy(), "share of seeds"
        sums = own.groupby("seed")[["finds", "alarms"]].sum()
        yield f"characterise.{strength}.named", own["named"].groupby("seed").mean().to_numpy(), "share of causes"
        alarms = (sums["alarms"] / sums["finds"].clip(lower=1)).to_numpy(dtype=np.float64)
        yield f"characterise.{strength}.false_alarms", alarms, "share of finds"
    for cause, rows in table.xs("weak", level="strength").groupby("cause", sort=False):
        for name in ("texts", "feature"):
            yield f"prevalence.{cause}.{name}", rows[name].to_numpy(), "share of texts"
    yield "planted.features", table["features"].groupby("seed").mean().to_numpy(), "count of features"


def _kept(table: FeatureTable, rows: NDArray[np.int64]) -> FeatureTable:
    """The features of some texts, without relations that too few of them have."""
    values = table.values[rows]
    enough = (values > 0).sum(axis=0) >= _FEWEST_TEXTS
    kept = [at for at, group in enumerate(table.groups) if group != "dependency" or enough[at]]
    own = FeatureTable(tuple(table.names[at] for at in kept), values[:, kept], tuple(table.groups[at] for at in kept))
    return own.without_constants()[0]


def _is_named(case: PlantedCase, tests: SliceTests) -> bool:
    """Whether the strongest find names the cause."""
    return bool(tests.causes) and tests.causes[0].name in case.names
