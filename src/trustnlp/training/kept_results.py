"""Results computed once and kept in a folder: trained weights, rows of numbers for each text, and small tables.

The name of a file is a digest of all that decides what is in it, so a folder can be shared by any number of teachers,
students and sets of texts. Without a folder everything is computed anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from trustnlp.training.whole_files import check_settings, check_zip, fingerprint, reading, scratch_for

_DIGITS = 24


def texts_fingerprint(texts: Sequence[str]) -> str:
    """Changes with any text and with their order.

    >>> texts_fingerprint(["a", "b"]) == texts_fingerprint(["b", "a"])
    False
    """
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()[:_DIGITS]


def weights_fingerprint(module: nn.Module) -> str:
    """Changes with any weight."""
    return fingerprint(*(value.detach().cpu().numpy() for value in module.state_dict().values()))


def json_once(name: str, settings: Mapping[str, Any], folder: Path | None, compute: Callable[[], Any]) -> Any:
    """A value that JSON can hold, read from the folder or computed; tuples come as lists only when they are read.

    Parameters
    ----------
    name, settings
        How the file's name begins, and all that decides what is in it.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    if folder is None:
        return compute()
    path = folder / f"{name}-{settings_digest(settings)}.json"
    if not path.exists():
        with scratch_for(path) as part:
            part.write_text(json.dumps(compute()), encoding="utf-8")
    with reading(path):
        return json.loads(path.read_text(encoding="utf-8"))


def trained_once(
    module: nn.Module,
    name: str,
    settings: Mapping[str, Any],
    folder: Path | None,
    train: Callable[[Path | None], tuple[float, ...]],
) -> tuple[float, ...]:
    """Give a module its trained weights, and return the losses on dev: read from the folder, or by training it.

    Parameters
    ----------
    name
        How the file's name begins.
    settings
        All that decides the result.
    train
        Trains the module and returns its losses. It gets where to keep a checkpoint, which is deleted at the end.

    Raises
    ------
    ValueError
        If the file or the checkpoint is damaged, or was written under other settings.
    """
    if folder is None:
        return train(None)
    path = folder / f"{name}-{settings_digest(settings)}.pt"
    if not path.exists():
        checkpoint = path.with_suffix(".checkpoint")
        losses = train(checkpoint)
        with scratch_for(path) as part:
            torch.save({"settings": json.dumps(settings), "losses": losses, "weights": module.state_dict()}, part)
        checkpoint.unlink(missing_ok=True)
        return losses
    with reading(path):
        check_zip(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
        found, losses, weights = state["settings"], tuple(state["losses"]), state["weights"]
    check_settings(path, found, settings)
    with reading(path):
        module.load_state_dict(weights)
    module.eval()
    return losses


def rows_once(
    name: str,
    settings: Mapping[str, Any],
    shape: tuple[int, int],
    folder: Path | None,
    compute: Callable[[], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Rows of numbers, mapped from the folder and not read into memory, or computed; writing to them changes no file.

    Parameters
    ----------
    name, settings
        How the file's name begins, and all that decides what is in it.
    shape
        Of the rows.

    Raises
    ------
    ValueError
        If the file is damaged, or holds rows of another shape.
    """
    if folder is None:
        return compute()
    path = folder / f"{name}-{settings_digest(settings)}.npy"
    if not path.exists():
        rows = compute()
        with scratch_for(path) as part, part.open("wb") as file:
            np.save(file, rows, allow_pickle=False)
    with reading(path):
        kept: NDArray[np.float32] = np.load(path, mmap_mode="c", allow_pickle=False)
    if kept.shape != shape or kept.dtype != np.float32:
        raise ValueError(f"{path.name} holds {kept.dtype} of shape {kept.shape}, expected float32 {shape}; delete it")
    return kept


def settings_digest(settings: Mapping[str, Any]) -> str:
    """A hash of the settings that decide a result, in so many hexadecimal digits: part of the name of its file."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:_DIGITS]
