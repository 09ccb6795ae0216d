"""A strategy of scikit-activeml, a library of active learning, as a peer in the loop; the package is an extra.

`skactiveml_badge` is the one of Ash et al. (2020): texts of which the base is not sure, and which differ from each
other. None of `trustnlp.error_analysis.sampling_strategies` sees to it that what it picks in one round is varied.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from trustnlp.studies.aec.models.retrained_base import Floats, Labels, untrained

PEERS = ("skactiveml_badge",)


def available_peers() -> tuple[str, ...]:
    """`PEERS`, or none where scikit-activeml is not installed."""
    return PEERS if find_spec("skactiveml") else ()


def peer_picks(taught: tuple[Floats, Labels], candidates: Floats, count: int, rng: np.random.Generator) -> Labels:
    """Rows `(count,)` of the candidates, in the order in which BADGE picks them.

    Parameters
    ----------
    taught
        States and labels that the base has learned from; the library trains its own copy of the base on them.
    candidates
        States of the tweets that can be labelled.
    rng
        Of the library's draws.

    Raises
    ------
    ImportError
        scikit-activeml is not installed.
    """
    try:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import Badge
    except ImportError:
        raise ImportError("BADGE needs scikit-activeml: pip install 'trustnlp[errors]'") from None
    classes = np.unique(taught[1])
    base = SklearnClassifier(untrained(), classes=classes).fit(*taught)
    strategy = Badge(random_state=int(rng.integers(2**31)))
    found = strategy.query(*taught, base, fit_clf=False, candidates=candidates, batch_size=count)
    return np.asarray(found, dtype=np.int64)
