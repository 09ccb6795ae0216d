"""Devices are asked for by name; nothing is picked from what the machine has."""

import re
from pathlib import Path

import pytest
import torch

from trustnlp.encoders.devices import find_device

SOURCE = Path(__file__).parents[3]


def test_the_cpu_is_always_there():
    assert find_device("cpu") == torch.device("cpu")
    assert find_device(torch.device("cpu")) == torch.device("cpu")


@pytest.mark.parametrize(
    ("name", "seen", "message"),
    [
        ("gpu", 1, "^the device is 'cpu' or 'cuda' .*, got 'gpu'$"),
        ("cuda:x", 1, "got 'cuda:x'"),
        ("cuda", 0, r"device 'cuda' was asked for, torch \S+ sees 0 CUDA devices here: use 'cpu', or a machine with"),
        ("cuda:1", 1, "device 'cuda:1' was asked for, .* sees 1 CUDA devices"),
    ],
)
def test_a_device_that_is_not_there_is_refused(name, seen, message, monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: seen)
    with pytest.raises(ValueError, match=message):
        find_device(name)


def test_a_device_that_is_there_is_taken(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [find_device(name) for name in ("cuda", "cuda:1")] == [torch.device("cuda"), torch.device("cuda", 1)]


def test_no_other_code_looks_at_the_hardware():
    """`reproduce` reports what there is, in records and by `doctor`; all else computes where it is told to.

    The search by bfloat16 asks whether it is the quicker way to the same rows.
    """
    asks = re.compile(r"is_available\(|device_count\(|_is_mkldnn|is_bf16_supported|get_cpu_capability")
    paths = [path for folder in ("src", "chapters") for path in (SOURCE / folder).rglob("*.py")]
    found = {path.name for path in paths if "reproduce" not in path.parts and asks.search(path.read_text("utf-8"))}
    assert found == {"bfloat16_search.py", "devices.py"}
