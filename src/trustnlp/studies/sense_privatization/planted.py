"""Induction, disambiguation and substitution against the topics of a planted vocabulary.

Arnold, Yesilbas and Weinzierl (2023), §3, step by step, on the made-up words of `standins`, where a topic of a word is
a sense of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from trustnlp.embeddings.senses.disambiguation import choose_senses_in_texts
from trustnlp.embeddings.senses.sense_induction import senses_of_graph
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.graphs.ego_networks import NeighbourGraph
from trustnlp.studies.sense_privatization.deniability import Floats, Ints, repeated
from trustnlp.studies.sense_privatization.models import Arm, arms_of
from trustnlp.studies.sense_privatization.standins import PlantedContext, PlantedSenses

NO_TOPIC = -1
# A share of fewer substitutes is not stated.
FEWEST = 30


def shared_topics(planted: PlantedSenses, row: int, neighbours: ArrayLike) -> Ints:
    """`(n,)` the topic that each neighbour shares with the word in `row`; `NO_TOPIC` if it shares none, or both."""
    own = set(planted.topics[row])
    shared = [own & set(planted.topics[other]) for other in np.asarray(neighbours).tolist()]
    return np.array([next(iter(topics)) if len(topics) == 1 else NO_TOPIC for topics in shared], dtype=np.int64)


def mean_agreement(planted: PlantedSenses, graph: NeighbourGraph, *, edges: int, seed: int) -> float:
    """Adjusted Rand index of clusters and topics in the ego network of an ambiguous word, mean over all such words.

    Only neighbours that have exactly one of the word's topics are compared: of the others no cluster is the right one.
    What becomes of them shows in the number of senses (`found_senses`).
    """
    # numba is an extra: see `senses_of_graph`.
    from trustnlp.graphs.chinese_whispers import cluster_ego_networks

    clusters = cluster_ego_networks(graph, planted.ambiguous, edges=edges, seed=seed)
    scores = []
    for row, labels in zip(planted.ambiguous.tolist(), clusters, strict=True):
        truth = shared_topics(planted, row, graph.ids[row])
        judged = (truth != NO_TOPIC) & (labels >= 0)
        scores.append(partition_metrics(truth[judged].tolist(), labels[judged].tolist()).adjusted_rand)
    return float(np.mean(scores))


def found_senses(planted: PlantedSenses, inventory: SenseInventory) -> dict[str, float]:
    """Count senses against topics.

    Returns
    -------
    `ambiguous` and `single`: senses of a word with two topics, and of one with a single topic. `both`: share of the
    words with two topics that have a sense for either (`sense_topics`). `foreign`: share of the senses that are nearest
    to a topic which their word does not have.
    """
    counts, of_sense = np.diff(inventory.starts), sense_topics(planted, inventory)
    both = [len(set(of_sense[inventory.senses_of(row)].tolist())) == 2 for row in planted.ambiguous.tolist()]
    nearest = _cosines(planted, inventory).argmax(axis=1)
    return {
        "ambiguous": float(counts[planted.ambiguous].mean()),
        "single": float(np.delete(counts, planted.ambiguous).mean()),
        "both": float(np.mean(both)),
        "foreign": float((~topic_table(planted)[inventory.owner, nearest]).mean()),
    }


def found_by_edges(
    planted: PlantedSenses, graph: NeighbourGraph, edges: Sequence[int], *, seed: int
) -> dict[int, dict[str, float]]:
    """Edges per node → `ari` (`mean_agreement`), and what `found_senses` has."""
    return {
        most: {
            "ari": mean_agreement(planted, graph, edges=most, seed=seed),
            **found_senses(planted, senses_of_graph(planted.vectors, graph, edges=most, seed=seed)),
        }
        for most in edges
    }


def sense_topics(planted: PlantedSenses, inventory: SenseInventory) -> Ints:
    """`(S,)` the topic of each sense: of its word's topics the one whose direction has the larger cosine with it."""
    cosines = np.where(topic_table(planted)[inventory.owner], _cosines(planted, inventory), -np.inf)
    return np.asarray(cosines.argmax(axis=1), dtype=np.int64)


def topic_table(planted: PlantedSenses) -> NDArray[np.bool_]:
    """`(V, K)` whether a word has a topic."""
    return np.array([[topic in own for topic in range(len(planted.centres))] for own in planted.topics])


def chosen_senses(
    planted: PlantedSenses, inventory: SenseInventory, contexts: Sequence[PlantedContext], *, window: int = 5
) -> Ints:
    """`(n,)` the sense that `choose_senses` gives the word of each context."""
    texts = [context.occurrence.tokens for context in contexts]
    senses = choose_senses_in_texts(inventory, planted.vectors, texts, window=window)
    pairs = zip(senses, contexts, strict=True)
    return np.array([of_text[context.occurrence.index] for of_text, context in pairs], dtype=np.int64)


def true_senses(planted: PlantedSenses, inventory: SenseInventory, contexts: Sequence[PlantedContext]) -> Ints:
    """`(n,)` the sense of each context's word that has the largest cosine with the direction of the context's topic."""
    cosines, owns = _cosines(planted, inventory), [inventory.senses_of(context.row) for context in contexts]
    pairs = zip(owns, contexts, strict=True)
    return np.array([own.start + cosines[own, context.topic].argmax() for own, context in pairs], dtype=np.int64)


def share_right(
    planted: PlantedSenses, inventory: SenseInventory, contexts: Sequence[PlantedContext], window: int
) -> float:
    """Share of contexts in which the chosen sense has the context's topic (`sense_topics`)."""
    chosen = chosen_senses(planted, inventory, contexts, window=window)
    return float(np.mean(sense_topics(planted, inventory)[chosen] == [context.topic for context in contexts]))


@dataclass(frozen=True, eq=False)
class Outcome:
    """The results of one way to substitute the words of some contexts, over ascending ε.

    Attributes
    ----------
    kept
        `(E,)` share of draws that return the word itself: N_w.
    on_topic
        `(E,)` share of the other draws whose word has the context's topic; NaN where they are fewer than `FEWEST`.
    """

    kept: Floats
    on_topic: Floats

    def at_kept(self, levels: Sequence[float]) -> Floats:
        """`on_topic` where `kept` has these values, linear between two ε; NaN beyond what was measured."""
        stated = ~np.isnan(self.on_topic)
        # A share that is drawn may fall back by chance: the largest so far does not.
        kept = np.maximum.accumulate(self.kept[stated])
        return np.interp(levels, kept, self.on_topic[stated], left=np.nan, right=np.nan)


def outcome_of(
    arm: Arm,
    rows: ArrayLike,
    planted: PlantedSenses,
    contexts: Sequence[PlantedContext],
    *,
    epsilons: Sequence[float],
    draws: int,
    generator: torch.Generator,
) -> Outcome:
    """Substitute the word of each context `draws` times at each ε.

    Parameters
    ----------
    rows
        `(n,)` the row of the arm's table that is looked up for each context.
    epsilons
        Ascending and positive, per unit of Euclidean distance in the arm's table.
    """
    words, topics = (np.array([getattr(context, name) for context in contexts])[:, None] for name in ("row", "topic"))
    has = topic_table(planted)
    kept, on_topic = np.empty((2, len(epsilons)))
    for place, epsilon in enumerate(epsilons):
        substitutes = repeated(arm.at(float(epsilon), generator), rows, draws)
        changed = substitutes != words
        kept[place] = 1 - changed.mean()
        on_topic[place] = has[substitutes, topics][changed].mean() if changed.sum() >= FEWEST else np.nan
    return Outcome(kept, on_topic)


def ways_to_substitute(
    planted: PlantedSenses, inventory: SenseInventory, contexts: Sequence[PlantedContext], *, neighbours: int
) -> dict[str, tuple[Arm, Ints]]:
    """Name → arm, and the row of its table that is looked up for each context.

    `given` is `sense` where the sense of the topic of the context is given (`true_senses`), not chosen.
    """
    arms = arms_of(planted.vectors, inventory, neighbours=neighbours)
    own = np.array([context.row for context in contexts], dtype=np.int64)
    return {
        "word": (arms["word"], own),
        "average": (arms["average"], own),
        "sense": (arms["sense"], chosen_senses(planted, inventory, contexts)),
        "given": (arms["sense"], true_senses(planted, inventory, contexts)),
    }


def nearest_other(arm: Arm, rows: ArrayLike) -> float:
    """Median distance from the rows of an arm's table that are looked up to the nearest candidate of another word."""
    asked = torch.from_numpy(np.unique(np.asarray(rows, dtype=np.int64)))
    exact = "donot_use_mm_for_euclid_dist"
    distances = torch.cdist(arm.table[asked], arm.table, compute_mode=exact)
    distances[arm.owner[asked, None] == arm.owner[None]] = torch.inf
    return float(distances.min(dim=1).values.median())


def _cosines(planted: PlantedSenses, inventory: SenseInventory) -> Floats:
    """`(S, K)` of sense vectors with topics, whose directions have length 1."""
    products = inventory.matrix.astype(np.float64) @ planted.centres.astype(np.float64).T
    return np.asarray(products / inventory.lengths[:, None])
