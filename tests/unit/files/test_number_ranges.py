"""What is a share of a whole, whoever's number it is."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from trustnlp.files.number_ranges import check_shares


def test_a_share_is_one_number_of_any_library() -> None:
    for share in (0, 1, 0.2, Fraction(1, 5), Decimal("0.2"), np.float32(0.2), np.array(0.2), torch.tensor(0.2)):
        check_shares(share=share)
    for none in (
        True, np.True_, torch.tensor(True), 20, -0.1, float("nan"), Decimal("NaN"), torch.tensor(float("nan")),
        np.array([0.2]), torch.tensor([0.2]), 0.2 + 0j, ".2", None,
    ):  # fmt: skip
        with pytest.raises(ValueError, match="`share` is a share from 0 to 1"):
            check_shares(share=none)
