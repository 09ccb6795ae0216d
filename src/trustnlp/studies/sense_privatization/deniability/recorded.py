"""What the chapter's notebooks record alike: intervals over words or texts, and curves for their figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.evaluation.intervals import bootstrap_interval, t_interval
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.sense_privatization.critique.moved_senses import Moves
from trustnlp.studies.sense_privatization.inventory.sense_geometry import LEAST_WORDS, least_margin

SPACES = ("trained", "trained_unit", "glove", "glove_unit", "planted")
LABELS = {
    "word": "words",
    "sense": "senses",
    "average": "one average a word",
    "decoys": "words among all senses",
}
Floats = NDArray[np.float64]


def bootstrapped(record: Record, key: str, values: ArrayLike, unit: str | None = None) -> None:
    """The mean of values over words or texts with its bootstrap interval, without the values themselves."""
    numbers = np.asarray(values, dtype=np.float64)
    interval = bootstrap_interval(numbers, rng=np.random.default_rng(0))
    record.metric(key, numbers.mean(), interval=interval, unit=unit)


def record_distances(record: Record, space: str, between: Floats, within: Mapping[int, Floats]) -> None:
    """Figure 1: `SPACE.distance.…`, `between` of two words, `sensesN` of a word's senses, `margin` of the nearest."""
    record.metric(f"{space}.distance.between", between.mean(), interval=t_interval(between), unit="distance")
    bootstrapped(record, f"{space}.distance.margin", least_margin(dict(within), between.mean()))
    for senses, values in within.items():
        if len(values) >= LEAST_WORDS:
            bootstrapped(record, f"{space}.distance.senses{senses}", values, "distance")
    record.array(f"{space}.distance.words", {str(senses): len(values) for senses, values in within.items()})


def record_moves(record: Record, key: str, found: Moves) -> dict[str, float]:
    """How often senses flip and the bound is passed, and by how much; also for a table."""
    flipped, above = 100.0 * (found.flips > 0), 100.0 * (found.ratio > 1)
    bootstrapped(record, f"{key}.flips", flipped, "%")
    bootstrapped(record, f"{key}.above", above, "%")
    table = {
        "some sense flips, %": float(flipped.mean()),
        "beyond the bound, %": float(above.mean()),
        "median ratio": float(np.median(found.ratio)),
        "largest ratio": float(found.ratio.max()),
        "largest ratio, distances of senses": float(found.added.max()),
    }
    record.metric(f"{key}.median_ratio", table["median ratio"])
    record.metric(f"{key}.largest_ratio", table["largest ratio"])
    record.metric(f"{key}.largest_added", table["largest ratio, distances of senses"])
    return table


def over_epsilon(
    numbers: Metrics, pattern: str, arms: Iterable[str], *, first: float
) -> dict[str, dict[str, dict[float, list[float]]]]:
    """Panels of a figure: space → label of the arm → ε → mean, for a `pattern` with SPACE and ARM, at recorded spaces.

    `first` is an ε that every recorded curve has.
    """
    arms = list(arms)
    panels: dict[str, Any] = {}
    for space in SPACES:
        in_space = pattern.replace("SPACE", space)
        if in_space.replace("ARM", arms[0]).format(e=first) in numbers:
            series = {arm: numbers.series(in_space.replace("ARM", arm), "mean") for arm in arms}
            panels[space] = {LABELS[arm]: {e: [value] for e, value in series[arm].items()} for arm in arms}
    return panels


def by_success(
    numbers: Metrics, arms: Sequence[str], *, first: float
) -> dict[str, dict[str, dict[float, list[float]]]]:
    """Panels of meaning kept over the attacker's success."""
    success, cosine = (
        over_epsilon(numbers, f"SPACE.protection.ARM.{what}.eps{{e:g}}", arms, first=first)
        for what in ("success", "cosine")
    )
    return {
        space: {
            label: dict(sorted((round(success[space][label][e][0], 4), cosine[space][label][e]) for e in points))
            for label, points in panel.items()
        }
        for space, panel in success.items()
    }
