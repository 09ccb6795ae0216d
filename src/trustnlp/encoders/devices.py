"""Where tensors are computed: a device is asked for by name and never picked from what the machine happens to have."""

from __future__ import annotations

import torch


def find_device(name: str | torch.device) -> torch.device:
    """The device of this name, if torch can compute on it here.

    >>> find_device("cpu")
    device(type='cpu')

    Raises
    ------
    ValueError
        If given a name that is neither `cpu` nor a CUDA device, or a CUDA device that torch does not see.
    """
    asked = str(name)
    kind, _, number = asked.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdecimal()):
        raise ValueError(f"the device is 'cpu' or 'cuda' (one of several: 'cuda:1'), got {asked!r}")
    if kind == "cuda" and int(number or 0) >= (seen := torch.cuda.device_count()):
        raise ValueError(
            f"device {asked!r} was asked for, torch {torch.__version__} sees {seen} CUDA devices here: use 'cpu', or "
            "a machine with a graphics card and a CUDA build of torch"
        )
    return torch.device(asked)
