"""Proposals of bfloat16 find the same rows as float64 row by row."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tables import HARD_TABLES, near_duplicates, normals, seeded
from refusals import assert_refused

from trustnlp.embeddings import bfloat16_search
from trustnlp.embeddings.bfloat16_search import BFloat16Search
from trustnlp.embeddings.exact_search import ExactSearch

TABLES = HARD_TABLES | {
    "length one": torch.nn.functional.normalize(normals(20_000, 40, 0), dim=1),
    "float64, differences below float32": 1 + normals(400, 3, 0).double() * 1e-12,
}


@pytest.mark.parametrize("noise", [0.0, 0.03, 1.0, 30.0])
@pytest.mark.parametrize("name", TABLES)
def test_the_answer_is_that_of_float64(name, noise, monkeypatch):
    monkeypatch.setattr(bfloat16_search, "_ROWS_IN_BLOCK", 300)
    table = TABLES[name]
    spread = float((table.double() - table.double().mean(dim=0)).abs().max()) or 1.0
    some = table.double()[torch.randint(len(table), (60,), generator=seeded(3))]
    queries = some + noise * spread * normals(*some.shape, 4).double()
    expected = [int((table.double() - query).square().sum(dim=1).argmin()) for query in queries]
    found = BFloat16Search(table).search(queries)
    assert found.tolist() == ExactSearch(table).search(queries).tolist()
    near = (table.double()[found] - queries).norm(dim=1), (table.double()[expected] - queries).norm(dim=1)
    torch.testing.assert_close(*near, rtol=1e-12, atol=0)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 1000), st.floats(1e-6, 1e6))
def test_any_table_of_whole_numbers(rows, dim, seed, scale):
    table = torch.randint(-3, 4, (rows, dim), generator=seeded(seed)).double() * scale
    queries = torch.randint(-3, 4, (20, dim), generator=seeded(seed + 1)).double() * scale
    assert BFloat16Search(table).search(queries).tolist() == ExactSearch(table).search(queries).tolist()


def test_many_undecided_rows_are_compared_in_parts(monkeypatch):
    monkeypatch.setattr(bfloat16_search, "_ROWS_IN_BLOCK", 16)
    monkeypatch.setattr(bfloat16_search, "_UNDECIDED_AT_ONCE", 10)
    table = near_duplicates(1.0)
    queries = normals(50, 30, 5)
    assert BFloat16Search(table).search(queries).tolist() == ExactSearch(table).search(queries).tolist()


def test_a_table_off_the_cpu_is_refused():
    assert_refused(BFloat16Search, [(torch.empty(2, 2, device="meta"), "on meta: move it to the CPU")])
