"""The exact nearest rows, against float64 row by row."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tables import HARD_TABLES, near_duplicates, normals, seeded
from refusals import assert_refused

from trustnlp.embeddings import exact_search
from trustnlp.embeddings.exact_search import ExactSearch, k_nearest


def in_float64(table: torch.Tensor, queries: torch.Tensor) -> list[int]:
    """The slow oracle: all squared differences, the first of the least sums."""
    rows, wanted = table.double().numpy(), queries.double().numpy()
    return [int(np.square(rows - query).sum(axis=1).argmin()) for query in wanted]


TABLES = HARD_TABLES | {
    "squares underflow": normals(400, 30, 0) * 1e-30,
    "float64 near its ends": torch.cat([normals(99, 5, 0, torch.float64), normals(1, 5, 1, torch.float64) * 1e150]),
    "float64, differences below float32": 1 + normals(400, 3, 0, torch.float64) * 1e-12,
}


@pytest.mark.parametrize("name", TABLES)
def test_the_answer_is_that_of_float64(name):
    table = TABLES[name]
    search, some = ExactSearch(table), table[torch.randint(len(table), (60,), generator=seeded(3))]
    spread = table.double().sub(table.double().mean(dim=0)).abs().max().item() or 1.0
    queries = [some, some.double() + normals(*some.shape, 4, torch.float64) * spread]
    queries += [some.double() * factor for factor in (0.0, 1.0 + 1e-9, 1e3, 1e12)]
    # Half way between two rows: the hardest there is.
    queries.append((some.double() + some.double().flip(0)) / 2)
    for given_ in queries:
        assert search.search(given_).tolist() == in_float64(table, given_)
        assert search.search(given_[:1]).tolist() == in_float64(table, given_[:1])


def test_blocks_change_nothing(monkeypatch):
    table, queries = near_duplicates(1.0), near_duplicates(1.0)[::3] * 1.0001
    expected = in_float64(table, queries)
    sizes = {"_SCORES_AT_ONCE": 1000, "_UNDECIDED_AT_ONCE": 50, "_PAIRS_AT_ONCE": 7, "QUERIES_AT_ONCE": 10}
    for name, value in sizes.items():
        monkeypatch.setattr(exact_search, name, value)
        assert ExactSearch(table).search(queries).tolist() == expected


@settings(max_examples=40, deadline=None)
@given(data=st.data(), d=st.integers(1, 4), size=st.integers(1, 12), far=st.sampled_from([0, 1000, 1_000_000]))
def test_exact_rationals_agree(data, d, size, far):
    """On whole numbers float64 makes no error, so its answer is that of rational arithmetic: ties, too."""
    number = st.integers(-5, 5)
    table = torch.tensor(data.draw(st.lists(st.lists(number, min_size=d, max_size=d), min_size=size, max_size=size)))
    query = torch.tensor([data.draw(st.lists(number, min_size=d, max_size=d))])
    shifted, moved = table.double() + far, query.double() / 2 + far
    rows = [[Fraction(x) for x in row] for row in shifted.tolist()]
    wanted = [Fraction(x) for x in moved[0].tolist()]
    squares = [sum((x - y) ** 2 for x, y in zip(row, wanted, strict=True)) for row in rows]
    assert ExactSearch(shifted).search(moved).item() == squares.index(min(squares))
    assert ExactSearch(shifted.float()).search(moved).item() == squares.index(min(squares))


@pytest.mark.parametrize("far", [0.0, 1.0, 1e3, 1e6])
def test_the_bound_holds_and_is_not_much_too_large(far):
    """Twice the error of a float32 score must stay within the slack; and few rows may be undecided."""
    table = normals(2000, 50, 0) * torch.linspace(0.1, 3, 2000)[:, None]
    queries = (normals(20, 50, 1) * (1 + far)).double().numpy()
    search = ExactSearch(table)
    left, slack, _ = search._scaled(queries)
    scores = exact_search._product(left, search._right, torch.empty(40_000)).double().numpy()
    unit = 2.0**-search._exponent
    rows = (table.double().numpy() - search._centre) * unit
    wanted, scale = (queries - search._centre) * unit, left[:, -1].double().numpy()[:, None]
    exact = scale * ((rows**2).sum(axis=1) / 2 - wanted @ rows.T)
    errors = 2 * np.abs(scores - exact).max(axis=1) / slack.double().numpy()
    assert 1e-4 < errors.max() < 1
    undecided = (scores <= scores.min(axis=1, keepdims=True) + slack.double().numpy()[:, None]).sum(axis=1)
    assert undecided.mean() < 3


def in_order(table: torch.Tensor, row: int, k: int, cosine: bool) -> tuple[list[int], np.ndarray]:
    rows = table.double().numpy()
    if cosine:
        rows = rows / np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        similar = np.einsum("wd,d->w", rows, rows[row])
    else:
        similar = -np.sqrt(np.square(rows - rows[row]).sum(axis=1))
    similar[row] = -np.inf
    order = np.argsort(-similar, kind="stable")[:k]
    return order.tolist(), similar[order]


@pytest.mark.parametrize("cosine", [True, False])
@pytest.mark.parametrize("name", ["random", "near duplicates", "duplicates", "one dimension", "all equal"])
def test_neighbours_in_the_order_of_float64(name, cosine):
    table = TABLES[name]
    for k in (1, 10, len(table) - 1):
        rows, similarities = k_nearest(table, k, cosine=cosine)
        assert rows.shape == similarities.shape == (len(table), k)
        assert rows.dtype == torch.int64 and similarities.dtype == torch.float32
        for row in range(0, len(table), 53):
            order, similar = in_order(table, row, k, cosine)
            assert similarities[row].numpy() == pytest.approx(similar, abs=3e-7 * np.abs(similar).max())
            # Euclidean distances are of centred rows: where they are equal but for rounding, their order is open.
            if cosine or name not in ("near duplicates", "one dimension"):
                assert rows[row].tolist() == order


def test_neighbours_of_large_tables_are_found_through_a_sample(monkeypatch):
    table = normals(1500, 20, 0)
    # Copies side by side, many times more than a sample lets expect: dealt with by themselves.
    table[:300] = table[0]
    monkeypatch.setattr(exact_search, "_SAMPLE", 100)
    rows, _ = k_nearest(table, 12)
    for row in range(0, 1500, 37):
        assert rows[row].tolist() == in_order(table, row, 12, cosine=True)[0]


def test_a_torch_that_rounds_factors_is_refused_off_the_cpu(monkeypatch):
    meta = torch.empty(2, 3, device="meta")
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "high")
    with pytest.raises(ValueError, match=r'set_float32_matmul_precision\("highest"\)'):
        exact_search._product(meta, meta, torch.empty(4, device="meta"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu():
    for name, table in TABLES.items():
        queries = table + normals(*table.shape, 4)
        assert ExactSearch(table.cuda()).search(queries.cuda()).tolist() == in_float64(table, queries), name
    found = k_nearest(TABLES["random"].cuda(), 10)[0]
    assert found.tolist() == k_nearest(TABLES["random"], 10)[0].tolist()


def test_bad_tables_and_queries():
    good = torch.ones(3, 2)
    bad = [
        (good.to_sparse(), TypeError, "got a sparse one"),
        (good.half(), TypeError, "float32 or float64 is needed, got torch.float16"),
        (good.numpy(), TypeError, "got ndarray"),
        (good[0], r"the shape is \(n, d\)"),
        (good[:0], "at least one row"),
        (good * torch.nan, "NaN, infinite or above"),
        (good.double() * 1e300, "scale all rows"),
    ]
    for call in (ExactSearch, ExactSearch(good).search, lambda table: k_nearest(table, 1)):
        assert_refused(call, bad)
    assert_refused(ExactSearch(good).search, [(torch.ones(1, 3), "the table has 2 dimensions, the queries have 3")])
    rows = [
        (good, 0, "the 0 nearest"),
        (good, 3, "has 2 others; asked for the 3 nearest"),
        (torch.tensor([[1.0], [0.0], [2.0]]), 1, "row 1 is zero and has no cosine"),
    ]
    assert_refused(k_nearest, rows)
