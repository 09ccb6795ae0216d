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

from trustnlp.decoys.benchmark.cell_table import checked_table
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, ExplainedModel
from trustnlp.studies.decoys.leaderboard.bug_searches import kind_of_order, of_kind, saved_against_controls

ORDERS = ("random", "carriers")
_MEASURED = ("named", "texts", "above_clean", "above_controls")


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
        `above_clean` and `above_controls` as `bug_searches.saved_against_controls` has them.
    """
    found: dict[str, list[float]] = {}
    rates = {(one.kind, one.decoy, one.seed): one.rate for one in models if one.decoy != CLEAN and one.is_ranked}
    whole = [
        (kind, decoy)
        for kind, decoy in dict.fromkeys((kind, decoy) for kind, decoy, _ in rates)
        if all((kind, decoy, seed) in rates for seed in seeds)
    ]
    for kind, decoy in whole:
        found[f"{kind}.{decoy}.rate"] = [rates[kind, decoy, seed] for seed in seeds]
    for kind in dict.fromkeys(kind for kind, _ in whole):
        run, _ = checked_table(of_kind(searches, kind))
        run = run.assign(order=run["order"].map(kind_of_order), named=run["found"])
        columns = ["named", "budget", "until_found", "chance_until", "clean_until"]
        means = saved_against_controls(run.groupby(["explainer", "order", "decoy", "seed"])[columns].mean())
        means = means.rename(columns={"until_found": "texts"})
        for (explainer, order, decoy), own in means.groupby(level=[0, 1, 2], sort=False):
            by_seed = own.droplevel([0, 1, 2])
            if (kind, decoy) in whole and set(seeds) <= set(by_seed.index):
                for name in _MEASURED:
                    found[f"{kind}.{explainer}.{order}.{decoy}.{name}"] = by_seed.loc[list(seeds), name].tolist()
    return found
