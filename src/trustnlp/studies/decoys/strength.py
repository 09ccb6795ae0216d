"""How strong must a decoy be until an explainer shows it? The paper's class-indicator words in more and more texts.

Idahl et al. (2021), §4: a decoy's coverage "has to be reasonably high". With the share of texts that carry it grow both
what the model learns and how many of the texts that are read show it. Two orders tell them apart: `random`, in which a
rare decoy is rarely met, and `carriers`, in which the texts with the decoy come first.

The number of texts that are read until the decoy is named stands beside that with the scores of each text shuffled, and
beside that of the clean model on the same texts. A decoy in every text is named soon by chance as well, and noted in
explanations of a model that has not learned it, so that what is saved need not grow with the share.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, ExplainedModel
from trustnlp.studies.decoys.leaderboard.bug_searches import mean_searches, of_kind

# Order → what is recorded of it, by the columns of `mean_searches`.
ORDERS = {
    "random": {"found": "named", "until_found": "texts", "above_controls": "above_controls"},
    "carriers": {"until_found": "texts"},
}


def curves(searches: pd.DataFrame, models: Sequence[ExplainedModel], seeds: Sequence[int]) -> dict[str, list[float]]:
    """Values by seed, of the shares at which the decoy is ranked in every seed.

    Parameters
    ----------
    searches
        `bug_searches.search_table` of models whose decoys are named as by `adoption.graded`.

    Returns
    -------
    dict
        `KIND.share5.rate` of adoption, and `KIND.EXPLAINER.ORDER.share5.` followed by `named`, the share of searches
        that name the decoy; `texts` read until then, one more than the budget where it is never named; and
        `above_controls` as `bug_searches.mean_searches` has it. Of carriers first, `texts` alone.
    """
    ranked = [(one.kind, one.decoy, one.seed, one.rate) for one in models if one.decoy != CLEAN and one.is_ranked]
    table = pd.DataFrame(ranked, columns=["kind", "decoy", "seed", "rate"])
    rates = table.pivot(index=["kind", "decoy"], columns="seed", values="rate").reindex(columns=seeds).dropna()
    values = {f"{kind}.{decoy}.rate": row.tolist() for (kind, decoy), row in rates.iterrows()}
    for kind in rates.index.unique(level=0):
        means = mean_searches(of_kind(searches, kind))
        for order, columns in ORDERS.items():
            by_seed = means.xs(order, level="order")[list(columns)].unstack("seed")
            for (explainer, decoy), row in by_seed.iterrows():
                for column, name in columns.items():
                    own = row[column].reindex(seeds)
                    if (kind, decoy) in rates.index and own.notna().all():
                        values[f"{kind}.{explainer}.{order}.{decoy}.{name}"] = own.tolist()
    return values
