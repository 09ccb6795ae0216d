"""Mentions of ECB+ and small graphs of them, with the synthetic scores of xER (Vadrevu et al. 2021, §5.2 and §6.1).

The paper draws its scores around the gold: N(1/2, spread) inside a coreference chain, N(-1/2, spread) across. It prints
how many nodes and edges its graphs have and not which documents they are of; `topic_window` looks for documents that
fit. Its "variance of 0.3" is taken as a standard deviation of 0.3, the value that its counts of edges fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

_COLUMNS = {"doc": "document", "m_id": "mention", "class": "kind", "in_validated_sentence": "validated"}
_NUMBERS = ("topic", "sentence", "mention", "validated")
_DOCUMENT = re.compile(r"\d+_(\d+)(ecb|ecbplus)\.xml")
_COLLECTIONS = ("all", "ecb", "ecbplus")


@dataclass(frozen=True, eq=False)
class TopicWindow:
    """Consecutive documents of one topic, and the chains of their mentions of one kind.

    Attributes
    ----------
    collection
        Which documents of the topic were counted: `all`, `ecb` or `ecbplus`.
    chains
        `(N,)` label of the chain of each mention, from 0.
    gold_pairs
        Pairs of mentions in one chain.
    expected_edges
        Mean number of edges under synthetic scores.
    """

    topic: int
    kind: str
    collection: str
    documents: tuple[str, ...]
    chains: NDArray[np.int64]
    gold_pairs: int
    expected_edges: float


def read_mentions(*, validated_only: bool = True) -> pd.DataFrame:
    """Fetch and read the mentions of ECB+ (Table 3), one row per mention.

    Columns are `topic`, `document`, `sentence`, `mention`, `kind` (`event` or `entity`), `tag`, `text`, `chain`,
    `relation` and `validated`.

    Parameters
    ----------
    validated_only
        Whether to leave out sentences that nobody checked; the counts of Table 3 are of checked ones.

    Raises
    ------
    DataError
        If the file cannot be fetched.
    """
    raw = pd.read_csv(fetch("ecbplus")["mentions"], dtype=str, keep_default_na=False)
    table = raw.rename(columns=_COLUMNS).astype(dict.fromkeys(_NUMBERS, np.int64)).astype({"validated": bool})
    return table[table["validated"]].reset_index(drop=True) if validated_only else table


def topic_window(
    mentions: pd.DataFrame, nodes: int, edges: float, *, threshold: float = -0.3, spread: float = 0.3, mean: float = 0.5
) -> TopicWindow:
    """The consecutive documents of one topic that fit a graph of the paper best.

    Of all `topic_windows` the one whose expected number of edges is nearest to `edges`; of equally near ones the first.

    Raises
    ------
    DataError
        If no window holds that many mentions.
    """
    windows = [
        replace(window, expected_edges=expected_edges(window.chains, threshold=threshold, spread=spread, mean=mean))
        for window in topic_windows(mentions, nodes)
    ]
    if not windows:
        raise DataError(f"no consecutive documents of one topic hold exactly {nodes} mentions of one kind")
    return min(windows, key=lambda window: abs(window.expected_edges - edges))


def topic_windows(mentions: pd.DataFrame, nodes: int) -> Iterator[TopicWindow]:
    """Every run of consecutive documents of one topic with exactly `nodes` mentions of one kind.

    Documents are in the order of the number in their name, ECB before ECB+; windows are taken from all documents of a
    topic, from those of ECB and from those of ECB+. In the order of topic, kind, collection and first document.
    """
    for (topic, kind), group in mentions.groupby(["topic", "kind"]):
        by_document = {document: rows["chain"].tolist() for document, rows in group.groupby("document")}
        ordered = sorted(by_document, key=_place)
        for collection in _COLLECTIONS:
            listed = [name for name in ordered if collection == "all" or _place(name)[1] == collection]
            for start, stop in _windows([len(by_document[name]) for name in listed], nodes):
                names = listed[start:stop]
                yield _window(topic, kind, collection, names, [by_document[name] for name in names])


def expected_edges(chains: ArrayLike, *, threshold: float, spread: float = 0.3, mean: float = 0.5) -> float:
    """Mean number of pairs whose synthetic score reaches the threshold (§5.2)."""
    inside = _gold_pairs(np.asarray(chains))
    across = np.size(chains) * (np.size(chains) - 1) / 2 - inside
    return inside * share_above(threshold, mean, spread) + across * share_above(threshold, -mean, spread)


def share_above(threshold: float, mean: float, spread: float) -> float:
    """Probability that a score from N(`mean`, `spread`) reaches the threshold."""
    return erfc((threshold - mean) / (spread * sqrt(2))) / 2


def synthetic_scores(
    chains: ArrayLike, rng: np.random.Generator, *, mean: float = 0.5, spread: float = 0.3
) -> NDArray[np.float64]:
    """Symmetric `(N, N)` scores, N(`mean`, `spread`) inside a chain and N(-`mean`, `spread`) across; diagonal NaN.

    The paper says a variance of 0.3; see the head of this module.
    """
    label = np.asarray(chains)
    drawn = np.triu(rng.normal(np.where(label[:, None] == label[None, :], mean, -mean), spread), 1)
    scores = drawn + drawn.T
    np.fill_diagonal(scores, np.nan)
    return scores


def planted_chains(nodes: int, mean_size: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Chains of geometric size for runs without data: `(nodes,)` labels in random order, the last chain cut to fit."""
    label: list[int] = []
    chain = 0
    while len(label) < nodes:
        label += [chain] * int(rng.geometric(1 / mean_size))
        chain += 1
    return rng.permutation(np.array(label[:nodes], dtype=np.int64))


def _place(document: str) -> tuple[int, str]:
    number, collection = _DOCUMENT.fullmatch(document).groups()  # type: ignore[union-attr]
    return int(number), collection


def _windows(sizes: Sequence[int], nodes: int) -> list[tuple[int, int]]:
    """Start and stop of each run of sizes above 0 that sums to `nodes`."""
    ends = np.r_[0, np.cumsum(sizes)]
    return [
        (start, stop) for start in range(len(sizes)) for stop in np.flatnonzero(ends == ends[start] + nodes).tolist()
    ]


def _window(
    topic: int, kind: str, collection: str, documents: Sequence[str], chains: Sequence[Sequence[str]]
) -> TopicWindow:
    label = pd.factorize(np.array([chain for part in chains for chain in part], dtype=object))[0].astype(np.int64)
    return TopicWindow(int(topic), kind, collection, tuple(documents), label, _gold_pairs(label), float("nan"))


def _gold_pairs(label: NDArray[np.generic]) -> int:
    sizes = np.unique(label, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())
