"""Languages compared by their professions' scores: Pearson's correlation, the clustering of Figure 6, its stability.

Matthews et al. (2021), §4.2 and Figure 6. Not stated there and chosen here: the distance is one minus the correlation,
clusters are joined by average linkage, and a profession counts only where all languages have a score for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

FEWEST_PROFESSIONS = 5
EUROPE, ELSEWHERE = ("de", "es", "fr"), ("ar", "fa", "ur")


def common_scores(scores: Mapping[str, Mapping[str, float]]) -> tuple[list[str], NDArray[np.float64]]:
    """Professions that every language has, and their scores `(languages, professions)`.

    Raises
    ------
    ValueError
        Fewer than two languages, or fewer than five such professions.
    """
    if len(scores) < 2:
        raise ValueError(f"expected two languages or more, got {len(scores)}")
    shared = [concept for concept in next(iter(scores.values())) if all(concept in own for own in scores.values())]
    if len(shared) < FEWEST_PROFESSIONS:
        raise ValueError(f"only {len(shared)} professions have a score in all of {', '.join(scores)}; leave one out")
    return shared, np.array([[own[concept] for concept in shared] for own in scores.values()])


def correlations(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """`(L, L)` Pearson correlations of the languages' scores `(L, P)`.

    Raises
    ------
    ValueError
        A language has the same score for all professions.
    """
    if (np.ptp(rows, axis=1) == 0).any():
        raise ValueError("a language has one score for all professions: its correlations are undefined")
    return np.asarray(np.corrcoef(rows), dtype=np.float64)


def english_with_europe(languages: Sequence[str], matrix: NDArray[np.float64]) -> float:
    """Mean correlation of English with German, Spanish and French, minus that with Arabic, Farsi and Urdu.

    Raises
    ------
    ValueError
        English is missing, or all of one of the groups.
    """
    near, far = ([languages.index(x) for x in group if x in languages] for group in (EUROPE, ELSEWHERE))
    if "en" not in languages or not near or not far:
        raise ValueError(f"expected English and languages of both groups, got {', '.join(languages)}")
    row = matrix[languages.index("en")]
    return float(row[near].mean() - row[far].mean())


def joined(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """scipy's linkage `(L-1, 4)` of languages, from their correlations `(L, L)`."""
    distances = 1 - (matrix + matrix.T) / 2
    np.fill_diagonal(distances, 0)
    tree: NDArray[np.float64] = linkage(squareform(np.clip(distances, 0, None), checks=False), "average")
    return tree


def groups_of(tree: NDArray[np.float64]) -> set[frozenset[int]]:
    """The groups of two or more languages that a tree joins, but for that of all."""
    count = len(tree) + 1
    members = [frozenset([i]) for i in range(count)]
    for first, second, *_ in tree:
        members.append(members[int(first)] | members[int(second)])
    return set(members[count:-1])


def group_support(
    rows: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> tuple[dict[frozenset[int], float], NDArray[np.float64]]:
    """How often each group of the tree comes again when professions are resampled, and the resampled correlations.

    Returns
    -------
    Group → share of resamples, and `(resamples, L, L)`. A resample in which a language has one score only is drawn
    again.
    """
    found = groups_of(joined(correlations(rows)))
    counts = dict.fromkeys(found, 0)
    drawn: list[NDArray[np.float64]] = []
    while len(drawn) < resamples:
        sample = rows[:, rng.integers(rows.shape[1], size=rows.shape[1])]
        if (np.ptp(sample, axis=1) == 0).any():
            continue
        drawn.append(correlations(sample))
        for group in groups_of(joined(drawn[-1])) & found:
            counts[group] += 1
    return {group: count / resamples for group, count in counts.items()}, np.array(drawn)
