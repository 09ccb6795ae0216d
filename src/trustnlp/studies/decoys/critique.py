"""Does the ranking of explainers persist: over decoys, seeds and kinds of models, and over the inspector's two numbers?

Idahl et al. (2021), §6, "envision a benchmark collection": were the ranking the same on every decoy, one decoy would
do. Random scores are left out. They are last on nearly every decoy, and would make rankings look alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from trustnlp.decoys.benchmark.leaderboard import RankCorrelation, rank_correlation, rank_explainers
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.studies.decoys.leaderboard.benchmark_models import RANDOM, ExplainedModel
from trustnlp.studies.decoys.leaderboard.bug_searches import of_kind, random_only, search_table

# A collection is needed, says the chapter's ledger, where the mean correlation between decoys is below this.
PERSISTS_FROM = 0.8
SHOWN, THRESHOLDS = (1, 3, 5), (2, 3, 5)
_LEVELS: Mapping[str, Literal["decoy", "seed", "model"]] = {"decoys": "decoy", "seeds": "seed", "models": "model"}


def agreements(searches: pd.DataFrame, kind: str, rng: np.random.Generator) -> dict[str, RankCorrelation]:
    """Rank correlations of explainers by searches in random order: between `decoys`, `seeds` and `models`.

    Parameters
    ----------
    kind
        Whose rankings are compared between decoys and seeds. Between kinds of models those explainers, decoys and seeds
        are compared that all kinds have.

    Returns
    -------
    Those for which there are two levels to compare, and two explainers.
    """
    at_random = random_only(searches)
    if not len(at_random):
        return {}
    compared = at_random[at_random["explainer"] != RANDOM]
    own = of_kind(compared, kind)
    found = {}
    for name, table in (("decoys", own), ("seeds", own), ("models", shared_by_kinds(compared))):
        level = _LEVELS[name]
        run = table[table["failure"].fillna("") == ""]
        whole = set(run["explainer"]) - set(table["explainer"][table["failure"].fillna("") != ""])
        if run[level].nunique() > 1 and len(whole) > 1:
            found[name] = rank_correlation(table, level, rng=rng)
    return found


def shared_by_kinds(searches: pd.DataFrame) -> pd.DataFrame:
    """The rows whose explainer, and whose decoy and seed, all kinds of models have."""
    kinds = searches["model"].nunique()
    explainers = searches.groupby("explainer")["model"].nunique()
    cells = searches.groupby(["decoy", "seed"])["model"].nunique()
    kept = cells.index[cells == kinds]
    same_cell = pd.MultiIndex.from_frame(searches[["decoy", "seed"]]).isin(kept)
    return searches[same_cell & searches["explainer"].isin(explainers.index[explainers == kinds])]


def agreement_metrics(found: Mapping[str, RankCorrelation]) -> dict[str, tuple[float, tuple[float, float]]]:
    """Key → value and interval: `LEVELS.mean`, its `LEVELS.chance`, and for the ledger `decoys`, by how much it is low.

    What is not defined, since too many rankings are all ties, is left out.
    """
    metrics = {}
    for name, one in found.items():
        metrics[f"{name}.mean"] = one.tau, (one.low, one.high)
        metrics[f"{name}.chance"] = one.chance, (one.chance_low, one.chance_high)
        if name == "decoys":
            metrics[name] = PERSISTS_FROM - one.tau, (PERSISTS_FROM - one.high, PERSISTS_FROM - one.low)
    return {key: (value, ends) for key, (value, ends) in metrics.items() if np.isfinite([value, *ends]).all()}


def inspector_settings(
    models: Sequence[ExplainedModel], reasons: Collection[str], parameters: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Share of decoys named by each explainer, by words noted and threshold, of models of one kind; to be recorded.

    Returns
    -------
    A row for each pair of numbers: `shown`, `threshold`, `found` (explainer → share), `chance`, their mean by chance,
    and `tau`, Kendall's τ-b with the ranking by the defaults, without random scores; None where either is all ties.
    """
    boards = {}
    for shown in SHOWN:
        for threshold in THRESHOLDS:
            rule = replace(Inspector(reasons=frozenset(reasons)), shown=shown, threshold=threshold)
            searches = search_table(models, rule, parameters, ["random"])
            if len(random_only(searches)):
                boards[shown, threshold] = rank_explainers(searches, rng=np.random.default_rng(0), resamples=2)
    default = boards.get((Inspector().shown, Inspector().threshold))
    rows = []
    for (shown, threshold), board in boards.items():
        assert default is not None, "the defaults are among the settings"
        rows.append(
            {
                "shown": shown,
                "threshold": threshold,
                "found": {str(name): float(share) for name, share in board["found"].dropna().items()},
                "chance": float(board["chance"].mean()),
                "tau": _tau(board["rank"], default["rank"]),
            }
        )
    return rows


def _tau(first: pd.Series, second: pd.Series) -> float | None:
    both = pd.concat([first, second], axis=1).drop(index=RANDOM, errors="ignore").dropna()
    tau = float(kendalltau(both.iloc[:, 0], both.iloc[:, 1]).statistic) if len(both) > 1 else float("nan")
    return tau if np.isfinite(tau) else None
