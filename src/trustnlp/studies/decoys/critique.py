"""Does one find a decoy by counting? Ranks of its words by statistics of the training texts, and by explanations.

Idahl et al. (2021), §1, hold that such bugs are "difficult to identify from observing predictions and raw data alone".
The statistics of `trustnlp.decoys.word_association` need raw data and labels alone. Each ranks all words, and
so do the explanations of one model, by `trustnlp.decoys.benchmark.score_tables`. Opinion words are left out of both, as
by the inspector.

The two see different texts: a statistic all training texts with their labels, an explainer a few test sentences and no
label. This is what each would have.

A word that is among the first without any decoy is no find. So every rank stands beside that in clean data, or in the
explanations of the clean model; a decoy is *found* that is on the short list, and not on the clean one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.attribution.model_calls import Floats
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.score_tables import STATISTICS, WordRanking, ranked, word_statistics
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.word_association import (
    WordCounts,
    count_words,
    log_odds_z,
    pointwise_information,
    share_difference,
    signed_chi_squared,
    smoothed_ratio,
)
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, ExplainedModel, explanations_of
from trustnlp.studies.decoys.models import planted_train

SHORT_LIST = 5
# Words that the prior adds to each class. SST-2's sentences have about as many as the last, each counted once a text.
STRENGTHS = (10, 1_000, 100_000)
CORPUS: Mapping[str, Callable[[WordCounts], Floats]] = {
    **{f"z{strength}": partial(log_odds_z, strength=strength) for strength in STRENGTHS},
    "ratio": smoothed_ratio,
    "chi2": signed_chi_squared,
    "pmi": pointwise_information,
    "difference": share_difference,
}
_COLUMNS = ["decoy", "seed", "method", "rank", "clean_rank"]
# Values that agree in so many digits of the largest are equal, and share the worse rank.
_DIGITS = 12


def corpus_ranks(train: Phrases, decoys: Sequence[str], reasons: Collection[str], seeds: Sequence[int]) -> pd.DataFrame:
    """Rank of each decoy's best word by each statistic, two-sided, in the training texts of each seed.

    Decoys are planted as for `trustnlp.studies.decoys.models.planted_model`; those without words are left
    out.

    Returns
    -------
    DataFrame
        `decoy`, `seed`, `method`, `rank` and `clean_rank`, NaN where none of the words is in the original texts.
    """
    clean = _rankings(train.texts, train.labels, reasons)
    rows = []
    for decoy in map(recipe, decoys):
        for seed in seeds if decoy.words else ():
            planted = planted_train(decoy, train, seed)
            for method, ranking in _rankings(planted.texts, planted.labels, reasons).items():
                both = ranking.rank_of(decoy.words), clean[method].rank_of(decoy.words)
                rows.append((decoy.name, seed, method, *both))
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"rank": float, "clean_rank": float})


def explanation_ranks(models: Sequence[ExplainedModel], reasons: Collection[str]) -> pd.DataFrame:
    """Rank of each decoy's best word in explanations of one kind of models, by explainer and statistic over them.

    Returns
    -------
    DataFrame
        As `corpus_ranks`, with methods such as `lime.total`. No rank (NaN) if the words are in no text that was
        explained, or for `mean` in too few.
    """
    clean = {model.seed: _by_explainers(model, reasons) for model in models if model.decoy == CLEAN}
    rows = []
    for model in models:
        for method, ranking in _by_explainers(model, reasons).items() if model.is_ranked else ():
            control = clean[model.seed].get(method)
            both = ranking.rank_of(model.words), control.rank_of(model.words) if control else None
            rows.append((model.decoy, model.seed, method, *both))
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"rank": float, "clean_rank": float})


def found_shares(
    ranks: pd.DataFrame, pairs: Collection[tuple[str, int]], seeds: Sequence[int]
) -> dict[str, list[float]]:
    """Method → share of decoys that are found, a value for each seed that has any.

    Parameters
    ----------
    ranks
        Of `corpus_ranks` and `explanation_ranks`, of one kind of models.
    pairs
        Decoy and seed: those that explainers are ranked on, so that all methods have the same decoys.

    Returns
    -------
    dict
        Of counts by the names of `corpus_ranks`; of explanations `EXPLAINER.first_places`, `EXPLAINER.total` and
        `EXPLAINER.mean`.
    """
    asked = ranks[pd.MultiIndex.from_frame(ranks[["decoy", "seed"]]).isin(list(pairs))]
    is_find = (asked["rank"] <= SHORT_LIST) & ~(asked["clean_rank"] <= SHORT_LIST)
    shares = is_find.groupby([asked["method"], asked["seed"]], sort=False).mean()
    return {
        str(method): own.droplevel("method").reindex(seeds).dropna().tolist()
        for method, own in shares.groupby(level="method", sort=False)
    }


def ranks_per_seed(ranks: pd.DataFrame, seeds: Sequence[int]) -> dict[str, list[float]]:
    """Keys `DECOY.METHOD` → the rank for each seed, of what `corpus_ranks` gave."""
    wide = ranks.pivot(index=["decoy", "method"], columns="seed", values="rank")
    return {f"{decoy}.{method}": row[list(seeds)].tolist() for (decoy, method), row in wide.iterrows()}


def median_ranks(ranks: pd.DataFrame) -> list[dict[str, Any]]:
    """A row for each decoy and method, medians over seeds, to be recorded; None for no rank."""
    medians = ranks.groupby(["decoy", "method"], sort=False)[["rank", "clean_rank"]].median().reset_index()
    rows: list[dict[str, Any]] = medians.astype(object).where(medians.notna(), None).to_dict("records")
    return rows


def first_words(part: Phrases, statistic: str, count: int) -> tuple[str, ...]:
    """The first words by a statistic, opinion words among them."""
    return _rankings(part.texts, part.labels, ())[statistic].words[:count]


def _rankings(texts: Sequence[str], labels: Any, reasons: Collection[str]) -> dict[str, WordRanking]:
    counts = count_words(texts, labels)
    return {name: ranked_suspects(counts.words, score(counts).max(axis=0), reasons) for name, score in CORPUS.items()}


def _by_explainers(model: ExplainedModel, reasons: Collection[str]) -> dict[str, WordRanking]:
    rankings = {}
    for result in model.cells:
        if not result.failure:
            table = explanations_of(result).table
            for by in STATISTICS:
                values = word_statistics(table, by, least=5)
                rankings[f"{result.cell.explainer}.{by}"] = ranked_suspects(table.words, values, reasons)
    return rankings


def ranked_suspects(words: Sequence[str], values: Floats, reasons: Collection[str]) -> WordRanking:
    """Words by a statistic, those that are reasons left out; values that agree in many digits are equal."""
    suspects = [at for at, word in enumerate(words) if word not in reasons]
    largest = float(np.nan_to_num(np.abs(values)).max(initial=0.0)) or 1.0
    rounded = np.round(values[suspects] / largest, _DIGITS) * largest
    return ranked([words[at] for at in suspects], rounded)
