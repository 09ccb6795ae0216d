"""The same first weights trained for some steps on the CPU and on a GPU: what the tests marked `gpu` compare.

One command says what holds on a machine with a GPU: `pytest -m gpu`. Elsewhere TRUSTNLP_TEST_GPU=cpu rehearses it: each
test compares the CPU with itself.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from trustnlp.encoders.pretrained import Encoder

GPU = os.environ.get("TRUSTNLP_TEST_GPU", "cuda")
needs_gpu = pytest.mark.skipif(GPU == "cuda" and not torch.cuda.is_available(), reason="no CUDA device")
# cuDNN convolves in TF32, with ten bits of a number; what is declared as float32 elsewhere agrees far better.
CLOSE = {"rtol": 1e-2, "atol": 2e-3}


def assert_trains_alike(model: nn.Module, scores: Callable[[nn.Module, torch.device], Tensor], steps: int = 5) -> None:
    """Compare the scores before training, and after some steps without dropout, on both devices."""
    found = {}
    for name in ("cpu", GPU):
        device = torch.device(name)
        here = copy.deepcopy(model).to(device).eval()
        optimiser = torch.optim.SGD([each for each in here.parameters() if each.requires_grad], lr=0.05)
        first = scores(here, device)
        labels = torch.arange(len(first), device=device) % first.shape[1]
        for _ in range(steps):
            optimiser.zero_grad()
            nn.functional.cross_entropy(scores(here, device), labels).backward()
            optimiser.step()
        last = scores(here, device)
        assert first.device.type == device.type and not torch.allclose(first, last)
        found[name] = [first.detach().cpu(), last.detach().cpu()]
    for ours, theirs in zip(found["cpu"], found[GPU], strict=True):
        torch.testing.assert_close(theirs, ours, **CLOSE)


def on_both(encoder: Encoder) -> list[Encoder]:
    """Copies of an encoder on the CPU and on the GPU, without dropout, whose masks each device draws by itself."""
    found = []
    for name in ("cpu", GPU):
        model = copy.deepcopy(encoder.model).to(name)
        for each in model.modules():
            if isinstance(each, nn.Dropout):
                each.p = 0.0
        found.append(replace(encoder, model=model, device=torch.device(name)))
    return found
