"""One made-up corpus with the secrets of a seed, for all tests of the chapter."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="session")
def planted() -> Any:
    pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")
    from trustnlp.studies.polarizedtext.data import corpus_of, planted_corpus

    return planted_corpus(corpus_of("procurement", "smoke"), 0)


@pytest.fixture
def given() -> dict[str, Any]:
    return {
        "profile": "smoke", "epochs": [2, 2], "resamples": 10, "presidio_seeds": 0, "folds": 2, "splits": 20,
        "confidence": 0.9, "seeds": [0],
    }  # fmt: skip
