"""Exported stimulus vectors: the few hundred words of the ten tests and their vectors, in one small file per model.

Azarpanah and Farhadloo (2021), Table 2: six models, of which most cannot be had everywhere. Whoever has one exports
the words of the tests; the file is about a megabyte, holds no weights, and the reproduction reads it like any other:

    python -m trustnlp.studies.weat_measures.data glove --vectors glove.840B.300d.txt
    python -m trustnlp.studies.weat_measures.data bert-base-cased.cls --encoder bert-base-cased
    python -m trustnlp.studies.weat_measures.data elmo --vectors my-elmo-words.txt

Files lie in `TRUSTNLP_STIMULI` (default: `stimulus_vectors` in the cache), as `NAME.npz` with `words` `(V,)`, `vectors`
`(V, d)` in float32, and `source`, a line that says where they come from.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from trustnlp.bias.association_tests.stimuli import Lookup
from trustnlp.data.registry import DataError
from trustnlp.data.store import cache_root
from trustnlp.data.words.weat_stimuli import read_weat_tests
from trustnlp.embeddings.static import WordVectors

_COMMAND = "python -m trustnlp.studies.weat_measures.data"
# Pooling of Table 2 by the last part of a model's name in the record.
_POOLINGS: dict[str, Any] = {"cls": "cls_last_four", "last": "last_token", "mean": "mean"}


def stimulus_path(name: str) -> Path:
    """Where the file of a model lies; it need not exist."""
    folder = os.environ.get("TRUSTNLP_STIMULI")
    return (Path(folder).expanduser() if folder else cache_root() / "stimulus_vectors") / f"{name}.npz"


def write_stimulus_vectors(vectors: Any, name: str, source: str) -> Path:
    """Export the known words of the ten tests; the file appears whole or not at all.

    Raises
    ------
    DataError
        If the vectors know none of the words.
    """
    lookup = Lookup(vectors)
    words = [word for word in stimuli() if word in lookup]
    if not words:
        raise DataError(f"{name}: none of the {len(stimuli())} words of the ten tests is in these vectors")
    path = stimulus_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    rows = np.stack([np.asarray(lookup[word], dtype=np.float32) for word in words])
    with part.open("wb") as stream:
        np.savez_compressed(stream, words=np.array(words), vectors=rows, source=np.array(source))
    part.replace(path)
    return path


def read_stimulus_vectors(name: str) -> tuple[WordVectors, str]:
    """The vectors of an exported file, and a line for the record that tells its source and hash.

    Raises
    ------
    DataError
        If there is no such file (the message has the command that makes it), or one that is not as this module writes
        it.
    """
    path = stimulus_path(name)
    if not path.is_file():
        raise DataError(
            f"no exported stimulus vectors of {name} at {path}; where the model can be had, run "
            f"`{_COMMAND} {name} --vectors FILE` (or `--encoder MODEL`) and bring the file here"
        )
    try:
        with np.load(path, allow_pickle=False) as archive:
            words, rows, source = archive["words"].tolist(), archive["vectors"], str(archive["source"])
        vectors = WordVectors(words, rows, name)
    except (KeyError, ValueError, OSError) as error:
        raise DataError(f"{path} is no file of stimulus vectors ({error}); export it anew") from error
    digest = sha256(path.read_bytes()).hexdigest()[:12]
    return vectors, f"{name}: exported stimulus vectors, {source}, sha256 {digest}."


def stimuli() -> list[str]:
    """The words of all ten tests, each once, in alphabetical order."""
    return sorted({word for test in read_weat_tests().values() for word in test.words})


def main(arguments: Sequence[str] | None = None) -> Path:
    """The command of the head of this module."""
    parser = argparse.ArgumentParser(prog=_COMMAND, description="Export stimulus vectors.")
    parser.add_argument("name", help="the model's name in the record, for instance glove or bert-base-cased.cls")
    source_of = parser.add_mutually_exclusive_group(required=True)
    source_of.add_argument("--vectors", type=Path, help="a text file of word vectors, as GloVe and word2vec write them")
    source_of.add_argument("--encoder", help="a model of the hub; each word is encoded alone and pooled as in Table 2")
    asked = parser.parse_args(arguments)
    vectors: Any
    if asked.vectors:
        from trustnlp.embeddings.vector_text_files import read_vector_text

        vectors, source = read_vector_text(asked.vectors), f"from {asked.vectors.name}"
    elif pooling := _POOLINGS.get(asked.name.rpartition(".")[2]):
        from trustnlp.encoders.pooling import word_vectors
        from trustnlp.encoders.pretrained import load_encoder

        encoder = load_encoder(asked.encoder)
        vectors = word_vectors(encoder, stimuli(), pooling)
        source = f"{encoder.name} at {encoder.revision}, {pooling}"
    else:
        parser.error(f"the name of an encoder ends with its pooling: .{', .'.join(_POOLINGS)}")
    path = write_stimulus_vectors(vectors, asked.name, source)
    print(f"{path}: {path.stat().st_size:,} bytes")
    return path


if __name__ == "__main__":
    main()
