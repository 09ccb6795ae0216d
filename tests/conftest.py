"""What all tests share: no network, where the real data are, and the vectors that travel in a pinned wheel."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import offline
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from trustnlp.data.weat_stimuli import WeatTest
    from trustnlp.embeddings.static import WordVectors

# One thread per process, set before anything imports numpy or torch (hence the imports inside the fixtures): with two
# spinning thread pools on two cores a test can take ten times as long.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

# Deterministic examples and no deadline: a shared machine that pauses a test must not fail it.
settings.register_profile(
    "book",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("book")

offline.block()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Nothing that a test or its fixtures do reaches the network, unless the test is marked so."""
    with offline.during(item.nodeid, permitted=item.get_closest_marker("network") is not None):
        return (yield)


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """No figure outlives its test; most tests draw none and never import matplotlib."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mirror of the real data, with TRUSTNLP_MIRROR set to it; the test is skipped where there is none."""
    given = os.environ.get("TRUSTNLP_MIRROR")
    root = Path(given) if given else Path(__file__).parents[2] / "shared" / "data"
    if not given and not root.is_dir():
        pytest.skip("no mirror of the real data: set TRUSTNLP_MIRROR or put it at ../shared/data")
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(root.resolve()))
    return root


@pytest.fixture(scope="session")
def googlenews() -> WordVectors:
    """The 13,013 GoogleNews vectors of the wefe wheel. Needs the package index once."""
    from trustnlp.data.word_vectors import read_vectors

    return read_vectors("wefe_googlenews")


@pytest.fixture(scope="session")
def weat_tests() -> dict[int, WeatTest]:
    """The ten WEAT tests with the canonical lists. Needs the package index once."""
    from trustnlp.data.weat_stimuli import read_weat_tests

    return read_weat_tests()
