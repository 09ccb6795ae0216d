"""What all tests share: no network, real data under their mark, a random order, and vectors from a pinned wheel."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import offline
import pytest
import real_data
import shuffled
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from trustnlp.data.words.weat_stimuli import WeatTest
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
real_data.guard()
pytest_addoption = shuffled.add_option
pytest_configure = shuffled.draw_seed
pytest_configure_node = shuffled.tell_worker
pytest_terminal_summary = shuffled.tell_seed


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Whoever asks for the mirror by the fixture has the mark too; then the order."""
    for item in items:
        if "mirror" in getattr(item, "fixturenames", ()) and item.get_closest_marker("mirror") is None:
            item.add_marker("mirror")
    if config.option.shuffle is not None:
        shuffled.shuffle(items, config.option.shuffle)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """No test and no fixture reaches the network or the real data, unless the test is marked so."""
    network, data = (item.get_closest_marker(name) is not None for name in ("network", "mirror"))
    with (
        offline.during(item.nodeid, permitted=network),
        real_data.during(item.nodeid, real_data.mirror_folder(), permitted=data),
    ):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """The mark alone skips, whatever fixtures the test has: they may read real data too."""
    if item.get_closest_marker("mirror") is not None and real_data.mirror_folder() is None:
        pytest.skip("no mirror of the real data: set TRUSTNLP_MIRROR or put it at ../shared/data")


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    """No figure outlives its test; most tests draw none and never import matplotlib."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have a module imported anew in this test; after it the old one is back, in its package as well."""

    def forget(name: str) -> None:
        package, _, module = name.rpartition(".")
        monkeypatch.delitem(sys.modules, name, raising=False)
        if package in sys.modules:
            monkeypatch.delattr(sys.modules[package], module, raising=False)

    return forget


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The mirror of the real data, which TRUSTNLP_MIRROR names, whatever another fixture has taken away."""
    folder = real_data.mirror_folder()
    assert folder is not None, "the mark skips this test"
    monkeypatch.setenv(real_data.VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def googlenews() -> WordVectors:
    """The 13,013 GoogleNews vectors of the wefe wheel. Needs the package index once."""
    from trustnlp.data.words.word_vectors import read_vectors

    return read_vectors("wefe_googlenews")


@pytest.fixture(scope="session")
def weat_tests() -> dict[int, WeatTest]:
    """The ten WEAT tests with the canonical lists. Needs the package index once."""
    from trustnlp.data.words.weat_stimuli import read_weat_tests

    return read_weat_tests()
