"""Which weights a name of an encoder stands for: the hashes of the files that are read when it is loaded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.registry import DataError, dataset
from trustnlp.encoders.registered import REGISTERED

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
_SUFFIXES = frozenset({".json", ".txt", ".safetensors", ".bin", ".model"})
_SHOWN_DIGITS = 12


@dataclass(frozen=True)
class EncoderIdentity:
    """An encoder as a record names it.

    `label` is the name by which the weights can be had; those of a folder are named by their hash, since a folder may
    bear any name. `files` has each file's sha256; `registered` is the data set that the files belong to, if any.
    """

    label: str
    files: dict[str, str]
    registered: str | None = None


def identify(name: str) -> EncoderIdentity:
    """Hash what `registered_encoder(name)` loads.

    Parameters
    ----------
    name
        `all-MiniLM-L6-v2`, `all-mpnet-base-v2`, a folder, or a model of the Hugging Face hub, as for
        `registered_encoder`.

    Raises
    ------
    DataError
        If the folder holds no weights, or the hub's model is neither in its local cache nor to be had.
    """
    if name in REGISTERED:
        files = {file.key: file.sha256 for file in dataset(REGISTERED[name]).files}
        return EncoderIdentity(name, files, REGISTERED[name])
    folder = Path(name)
    if folder.is_dir():
        files = _hashes(folder)
        weights = hashlib.sha256("".join(files[file] for file in files if _is_weights(file)).encode()).hexdigest()
        return EncoderIdentity(f"{folder.resolve().name} (a folder, weights {weights[:_SHOWN_DIGITS]})", files)
    return EncoderIdentity(name, _hashes(_snapshot(name)))


def _snapshot(name: str) -> Path:
    """The folder of the hub's local cache that holds a model."""
    from transformers.utils.hub import cached_file

    try:
        config = cached_file(name, "config.json")
    except OSError as error:
        raise DataError(
            f"encoder {name!r} has no files to name: it is no folder, and the hub's model is not in the local cache "
            f"({type(error).__name__}); load it first, or check the name and the network"
        ) from error
    return Path(str(config)).parent


def _is_weights(file: str) -> bool:
    return file.endswith((".safetensors", ".bin")) or file in _WEIGHTS


def _hashes(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.iterdir()) if path.suffix in _SUFFIXES and path.is_file()]
    if not any(_is_weights(path.name) for path in files):
        raise DataError(f"the folder '{folder}' holds no weights of an encoder; expected one of {', '.join(_WEIGHTS)}")
    hashes = {}
    for path in files:
        with path.open("rb") as file:
            hashes[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes
