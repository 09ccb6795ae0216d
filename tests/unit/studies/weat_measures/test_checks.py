"""Print against print: p-values of effect sizes alone, sentences that a changed print would turn, and Table 4 in the
ledger against Table 3 and the sums of the scan's own digits."""

from __future__ import annotations

import copy
import itertools
import re
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.studies.weat_measures.checks import checks_of, one_sided_p, printed_stars


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
    found = dict(checks_of(printed))
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
    assert dict(checks_of(changed))[key] <= 0


def test_stars_stand_at_their_columns_and_unread_cells_are_left_out():
    ledger = {"measures": ["cosine", "euclidean"], "statistics": ["mean", "min"], "stars": {3: [4, None, 0, 1]}}
    assert printed_stars(ledger).to_numpy().tolist() == [
        [3, "cosine", "mean", 4], [3, "euclidean", "mean", 0], [3, "euclidean", "min", 1],
    ]  # fmt: skip


MODELS = {"glove": "GloVe", "ELMo": "ELMo", "BERT": "BERT", "GPT": "GPT", "GPT2": "GPT2"}
# Cells entered and their sum, added up from the text of the scan before it was turned into a ledger.
ENTERED = {"GloVe": (92, 89.83), "ELMo": (121, 59.06), "BERT": (124, 75.1), "GPT": (116, 57.55), "GPT2": (121, 64.88)}


@cache
def cells() -> dict[str, dict[tuple[str, int], float]]:
    """Model → (column, WEAT) → printed effect size."""
    found: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for claim in load_claims("weat_measures").claims:
        told = re.fullmatch(r"t4-(\w+?)(?:-mahalanobis)?(?:-shared)?-((?:\w+)-(?:\w+))-(\d+)", claim.id)
        if told and told[1] in MODELS:
            assert claim.value is not None
            assert (told[2], int(told[3])) not in found[MODELS[told[1]]], "a cell is entered twice"
            found[MODELS[told[1]]][told[2], int(told[3])] = claim.value
    return dict(found)


@pytest.mark.parametrize("model", MODELS.values())
def test_cells_are_as_many_and_as_large_as_in_the_scan(model: str) -> None:
    values = cells()[model].values()
    assert (len(values), round(sum(values), 2)) == ENTERED[model]


@pytest.mark.parametrize("model", MODELS.values())
def test_columns_leave_room_for_the_rows_that_cannot_be_read(model: str) -> None:
    """Table 3 has the mean and the deviation of ten effect sizes: what is missing must make up the rest."""
    for column in ("cosine-mean", "euclidean-mean", "mahalanobis-mean", "mahalanobis-eq2"):
        (quote,) = (c.quote for c in load_claims("weat_measures").claims if c.id == f"t3-others-{column}-{model}")
        mean, deviation = map(float, re.findall(r"\d\.\d+", quote))
        read = [value for (name, _), value in cells()[model].items() if name == column]
        rest, missing = 10 * mean - sum(read), 10 - len(read)
        assert -0.06 <= rest <= 1.89 * missing + 0.06, (model, column)
        about_mean = sum((value - mean) ** 2 for value in read)
        assert about_mean <= 9 * (deviation + 0.006) ** 2 + 0.01, (model, column)


def test_what_the_text_says_of_single_cells() -> None:
    every = [value for model in cells().values() for value in model.values()]
    assert min(every) >= 0 and max(every) <= 1.89
    gpt = cells()["GPT"]
    assert gpt["cosine-median", 4] > gpt["cosine-mean", 4] and gpt["cosine-median", 3] > gpt["cosine-mean", 3]
    assert cells()["BERT"]["euclidean-mean", 7] == 1.18
