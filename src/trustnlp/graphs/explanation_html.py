"""A page that explains a partition: what is proven, and the least certain of its decisions with their reasons."""

from __future__ import annotations

import html

import numpy as np

from trustnlp.graphs.explanation import PairExplanation, explain_pair
from trustnlp.graphs.partitioning import Partition

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.1rem .7rem;text-align:left;border:0}"
    "section{border-top:1px solid #8888;padding:.5rem 0}"
)


def uncertain_decisions(found: Partition, most: int, *, time_limit: float = 10.0) -> list[PairExplanation]:
    """The decisions on scored pairs that are easiest to reverse, the least certain first.

    Of all scored pairs twice as many as asked for are explained, those with the smallest weights in size; a pair that
    joins two records of a cluster, or would join two clusters of one connected component.

    Parameters
    ----------
    most
        How many decisions.
    time_limit
        Seconds for each.
    """
    graph = found.graph
    place = found.component_numbers
    candidates = np.flatnonzero((place[graph.left] == place[graph.right]) & (place[graph.left] >= 0))
    nearest = candidates[np.argsort(np.abs(graph.weights[candidates]), kind="stable")][: 2 * most]
    decisions = [
        explain_pair(found, graph.ids[graph.left[edge]], graph.ids[graph.right[edge]], time_limit=time_limit)
        for edge in nearest.tolist()
    ]
    return sorted(decisions, key=lambda explanation: explanation.margin)[:most]


def explanation_page(found: Partition, *, most: int = 20, time_limit: float = 10.0) -> str:
    """One HTML page without scripts or requests: the summary, the proof, and the least certain decisions.

    Raises
    ------
    CertificateError, GraphError
        If the proofs do not hold (`Partition.check`).
    """
    proven = found.check()
    facts = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in found.summary().items()
    )
    proof = (
        "No partition weighs more by over a millionth of its smallest score: the proof was recomputed in rational "
        "numbers, without the solver."
        if found.optimal
        else f"A partition may exist that weighs up to {proven - found.value:.6g} more; the bound was recomputed."
    )
    parts = "".join(
        f"<section>{decision._repr_html_()}</section>"
        for decision in uncertain_decisions(found, most, time_limit=time_limit)
    )
    return (
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>Clusters and their reasons</title>"
        f"<style>{_STYLE}</style></head><body><h1>Clusters and their reasons</h1><table>{facts}</table><p>{proof}</p>"
        f"<h2>Least certain decisions</h2>{parts or '<p>There are none.</p>'}</body></html>"
    )
