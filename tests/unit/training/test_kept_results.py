"""What is kept in a folder: by what decides it, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from trustnlp.training.kept_results import rows_once, texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import seeded

CPU = torch.device("cpu")
ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_fingerprints_change_with_content_and_order() -> None:
    texts = [["a b", "c"], ["a", "b c"], ["c", "a b"], ["a b c"], ["a b", "c", ""]]
    assert len({texts_fingerprint(each) for each in texts}) == len(texts)
    with seeded(0, CPU):
        one, other = nn.Linear(2, 2), nn.Linear(2, 2)
    assert weights_fingerprint(one) != weights_fingerprint(other)


def test_rows_are_computed_once_and_changing_them_changes_no_file(tmp_path: Path) -> None:
    calls: list[int] = []

    def compute() -> np.ndarray:
        calls.append(1)
        return ROWS

    first = rows_once("rows", {"of": 1}, (3, 2), tmp_path, compute)
    first[0] = 99
    again = rows_once("rows", {"of": 1}, (3, 2), tmp_path, compute)
    np.testing.assert_array_equal(again, ROWS)
    assert len(calls) == 1 and isinstance(again, np.memmap)
    rows_once("rows", {"of": 2}, (3, 2), tmp_path, compute)
    rows_once("rows", {"of": 2}, (3, 2), None, compute)
    assert len(calls) == 3
    with pytest.raises(ValueError, match=r"holds float32 of shape \(3, 2\), expected float32 \(3, 3\); delete it"):
        rows_once("rows", {"of": 1}, (3, 3), tmp_path, compute)


def test_trained_weights_are_read_and_damage_is_noticed(tmp_path: Path) -> None:
    def train(module: nn.Module, value: float) -> tuple[float, ...]:
        with torch.no_grad():
            module.weight.fill_(value)  # type: ignore[operator, union-attr]
        return (value, 0.5)

    first, second = nn.Linear(2, 1), nn.Linear(2, 1)
    settings = {"seed": 0}
    assert trained_once(first, "net", settings, tmp_path, lambda _: train(first, 3.0)) == (3.0, 0.5)
    assert trained_once(second, "net", settings, tmp_path, lambda _: train(second, 4.0)) == (3.0, 0.5)
    assert weights_fingerprint(first) == weights_fingerprint(second) and not second.training
    assert trained_once(second, "net", settings, None, lambda path: (0.0 if path is None else 1.0,)) == (0.0,)
    (path,) = tmp_path.glob("net-*.pt")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=rf"{path.name} cannot be read .*delete it"):
        trained_once(second, "net", settings, tmp_path, lambda _: ())
    torch.save({"settings": json.dumps({"seed": 7}), "losses": (), "weights": first.state_dict()}, path)
    with pytest.raises(ValueError, match="its seed is 7, this one's is 0"):
        trained_once(second, "net", settings, tmp_path, lambda _: ())
