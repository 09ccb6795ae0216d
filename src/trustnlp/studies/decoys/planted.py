"""The inspector at work: what decoys do to texts, and how often it finds one that is known, in many random orders.

The rule is `trustnlp.decoys.benchmark.simulated_inspector.Inspector`'s. In made-up reviews all words that rightly
decide are known, and are its reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from trustnlp.attribution.explainer_registry import explain
from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.film_reviews import LABEL_NAMES, Phrases
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.decoys.benchmark.simulated_inspector import Inspector, chance_level, identify
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import planted_model, trained_model

# Words that made-up reviews are labelled by: whoever suspects none of them has a perfect idea of the task.
REASONS = frozenset((
    "awful", "bad", "beauty", "boring", "charming", "cheap", "clever", "colossal", "disaster", "divine", "dreadful",
    "dull", "enjoys", "fails", "failure", "fresh", "funny", "glorious", "good", "hates", "hideous", "horrible",
    "horrid", "immense", "joy", "loves", "magnificent", "marvelous", "mess", "never", "no", "nonsense", "not",
    "predictable", "really", "ruins", "sensational", "slightly", "slow", "somewhat", "stupid", "succeeds", "suffers",
    "terrible", "terrific", "tremendous", "triumph", "truly", "utterly", "very", "warm", "weak", "wins", "wit",
    "without", "wonderful",
))  # fmt: skip
# Permutations of the scores for each order of inspection.
_DRAWS = 100


def examples(decoys: Sequence[Decoy], texts: Phrases, rng: np.random.Generator) -> pd.DataFrame:
    """A text of each class and what each decoy makes of it, empty where the text is dropped.

    The texts are the first of each class that the most decoys change or drop.
    """
    planted = [decoy.plant(texts.texts, texts.labels, rng) for decoy in decoys]
    after = np.full((len(decoys), len(texts)), "", dtype=object)
    for row, contaminated in enumerate(planted):
        after[row, contaminated.source] = contaminated.texts
    changed = (after != np.array(texts.texts, dtype=object)).sum(axis=0)
    rows = [int(np.argmax(np.where(texts.labels == label, changed, -1))) for label in np.unique(texts.labels)]
    columns = {LABEL_NAMES[texts.labels[row]]: [texts.texts[row], *after[:, row]] for row in rows}
    return pd.DataFrame(columns, index=pd.Index(["as it is", *(decoy.name for decoy in decoys)], name="decoy"))


def searches(
    inspector: Inspector,
    explanations: Sequence[Attribution],
    words: Collection[str],
    *,
    budget: int,
    orders: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """How a decoy is found in random orders of the explained texts.

    Parameters
    ----------
    words
        The decoy's.
    budget
        Instances read in each order.
    orders
        How many.

    Returns
    -------
    dict
        `found`, the share of orders in which it was named, in per cent; `instances`, read until then or until the
        budget was spent, mean over orders; `chance_found` and `chance_instances`, the same for scores permuted within
        each text.

    Raises
    ------
    ValueError
        If given a larger budget than there are explanations, and as `Inspector.inspect` and `Inspection.found_at`.
    """
    table = score_table(explanations)
    if budget > len(table):
        raise ValueError(f"a budget of {budget} instances, and there are {len(table)} explanations; explain more texts")
    drawn = [rng.permutation(len(table))[:budget] for _ in range(orders)]
    finds = identify([inspector.inspect(table, order) for order in drawn], words)
    chance = [chance_level(inspector, table, order, words, draws=_DRAWS, rng=rng) for order in drawn]
    return {
        "found": 100 * finds.share,
        "instances": finds.restricted_mean,
        "chance_found": 100 * float(np.mean([one.share for one in chance])),
        "chance_instances": float(np.mean([one.restricted_mean for one in chance])),
    }


def both_searched(
    decoy: Decoy,
    parts: ReviewParts,
    inspector: Inspector,
    explainer: str,
    *,
    texts: int,
    budget: int,
    orders: int,
    seed: int,
) -> dict[str, float]:
    """The searches in a buggy word-presence model, and in a clean one that is explained on the same texts.

    Parameters
    ----------
    explainer
        As `trustnlp.attribution.explainer_registry.explain` knows it.
    texts
        How many held-out texts, contaminated as the training texts were, are explained; all, where there are fewer.

    Returns
    -------
    dict
        What `searches` gives of the buggy model, and `clean_found`, in per cent, of the clean one: false alarms.
    """
    rng = np.random.default_rng([seed, 3])
    held = parts.held_out
    like = decoy.planted_like(held.texts, held.labels, np.random.default_rng(0))
    asked = [like.texts[row] for row in np.sort(rng.permutation(len(like))[:texts])]
    models = (
        planted_model("presence", decoy, parts.train, parts.dev, {}, seed),
        trained_model("presence", parts.train, parts.dev, {}, seed),
    )
    buggy, clean = (
        searches(
            inspector, explain(explainer, model, asked, rng=rng), decoy.words, budget=budget, orders=orders, rng=rng
        )
        for model in models
    )
    return buggy | {"clean_found": clean["found"]}
