"""Counted substitutes, and N_w and S_w."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.privacy.text import substitution_counts
from trustnlp.privacy.text.substitution_counts import keep_and_support, transition_counts
from trustnlp.privacy.text.word_substitution import RandomisedWord


class InTurn:
    """The substitutes of a word are 0, 1, …, row in turn, over calls as well."""

    def __init__(self, size: int) -> None:
        self.size, self.calls = size, []
        self.guarantee = RandomisedWord(size, 1.0).guarantee
        self._next = torch.zeros(size, dtype=torch.int64)

    def __call__(self, rows: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:
        self.calls.append(len(rows))
        found = rows.clone()
        for place, row in enumerate(rows.tolist()):
            found[place] = self._next[row] % (row + 1)
            self._next[row] += 1
        return found


@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_counts_and_what_is_read_from_them(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(substitution_counts, "_DRAWS_AT_ONCE", batch)
    rows, mechanism = torch.tensor([3, 0, 1]), InTurn(5)
    counts = transition_counts(mechanism, rows, 8)
    assert counts.shape == (3, 5) and counts.dtype == np.int64
    assert counts.toarray().tolist() == [[2, 2, 2, 2, 0], [8, 0, 0, 0, 0], [4, 4, 0, 0, 0]]
    assert max(mechanism.calls) == min(batch, 24)
    found = keep_and_support(InTurn(5), rows, 8)
    assert found.kept.tolist() == [0.25, 1.0, 0.5] and found.support.tolist() == [4, 1, 2]
    # Rows 0 and 1 are senses of one word, 2 to 4 of another.
    owned = keep_and_support(InTurn(5), rows, 8, owner=torch.tensor([0, 0, 1, 1, 1]))
    assert owned.kept.tolist() == [0.5, 1.0, 1.0] and owned.support.tolist() == [2, 1, 1]


def test_a_word_given_twice_is_drawn_for_twice() -> None:
    mechanism = RandomisedWord(4, 1.0)
    counts = transition_counts(mechanism, torch.tensor([2, 2]), 500, generator=torch.Generator().manual_seed(0))
    first, second = counts.toarray()
    assert first.sum() == second.sum() == 500 and (first != second).any()


def test_no_rows_and_bad_arguments() -> None:
    mechanism, nothing = RandomisedWord(4, 1.0), torch.empty(0, dtype=torch.int64)
    assert transition_counts(mechanism, nothing, 5).shape == (0, 4)
    assert keep_and_support(mechanism, nothing, 5).kept.shape == (0,)
    with pytest.raises(ValueError, match="at least one draw of each word, got 0"):
        transition_counts(mechanism, torch.tensor([1]), 0)
    with pytest.raises(ValueError, match="rows of 4 words lie between 0 and 3"):
        transition_counts(mechanism, torch.tensor([4]), 1)
    for owner in (torch.tensor([0, 1]), torch.tensor([0, 1, 2, -1]), torch.ones(4)):
        with pytest.raises(ValueError, match="one int64 number from 0 upwards for each of 4 rows"):
            transition_counts(mechanism, torch.tensor([1]), 1, owner=owner)  # type: ignore[arg-type]
