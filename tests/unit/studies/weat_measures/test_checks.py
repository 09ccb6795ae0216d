"""p-values of effect sizes alone against the exact permutations, and sentences that a changed print would turn."""

import copy
import itertools

import numpy as np
import pytest

from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.weat_measures.checks import checks_of, one_sided_p


@pytest.fixture
def printed():
    return printed_tables("weat_measures", "set_sizes", "elmo_mean_euclidean", "gpt_cosine")


@pytest.mark.parametrize("shift", [0.0, 0.4, 1.0])
def test_against_all_divisions(shift):
    words = 8
    values = np.random.default_rng(3).normal(size=2 * words)
    values[:words] += shift
    first = np.array([values[list(chosen)].sum() for chosen in itertools.combinations(range(2 * words), words)])
    exact = (first >= values[:words].sum() - 1e-9).mean()
    effect = (values[:words].mean() - values[words:].mean()) / values.std(ddof=1)
    assert one_sided_p(effect, words) == pytest.approx(exact, abs=0.02)


def test_by_hand(printed):
    found = {key: value for key, value, _ in checks_of(printed)}
    assert found["paper.elmo_weat3_p"] == pytest.approx(0.2236, abs=1e-4)  # .19 / √(2/32) is .76
    assert found["paper.elmo_weat3_above_level"] > 0 and found["paper.gpt_median_reveals"] > 0


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        (("elmo_mean_euclidean", "shared_cell", 3), 1.4, "paper.elmo_weat3_above_level"),
        (("gpt_cosine", "mean", 3), 0.97, "paper.gpt_median_reveals"),
        (("gpt_cosine", "median", 4), 0.33, "paper.gpt_median_reveals"),
    ],
)
def test_another_print_says_something_else(printed, path, value, key):
    changed = copy.deepcopy(printed)
    changed[path[0]][path[1]][path[2]] = value
    assert {name: found for name, found, _ in checks_of(changed)}[key] <= 0


def test_one_word_is_refused():
    with pytest.raises(ValueError, match="at least two words, got 1"):
        one_sided_p(1.0, 1)
