"""Word vectors out of other people's packages, and the weights of NLTK's tagger without the pickle."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import Any

import numpy as np

from trustnlp.data.recipes.corpora import Files
from trustnlp.data.registry import DataError
from trustnlp.data.unpickle import ListedUnpickler


def google_news(files: Files) -> dict[str, bytes]:
    """`demodata` of PsychWordVec: 8,000 words, in half precision."""
    table = _r_data(files[0].content)["demodata"]
    vectors = np.stack([np.asarray(vector) for vector in table["vec"]]).astype(np.float16)
    return {"vectors": _npz(words=np.array(list(table["word"])), vectors=vectors)}


def glove_codes(files: Files, **constants: float) -> dict[str, bytes]:
    """GloVe in steps of one byte: codes, words, and the constants that make a number of a code."""
    codes, words = (gzip.decompress(file.content) for file in files)
    listed = np.array(words.decode().split())
    steps = np.frombuffer(codes, np.uint8).reshape(len(listed), -1)
    return {"vectors": _npz(words=listed, q=steps, **{name: np.float64(value) for name, value in constants.items()})}


def glove_stimuli(files: Files) -> dict[str, bytes]:
    """GloVe's vectors of WEAT's words as decimals: those of two JSON files, then those of sweater's `glove_math`."""
    *tests, matrix = (file.content for file in files)
    vectors: dict[str, str] = {}
    for test in tests:
        for lines in json.loads(test).values():
            for line in lines:
                vectors.setdefault(line.split(" ")[0], line)
    table = _r_data(matrix)["glove_math"]
    for word, numbers in zip(table.coords[table.dims[0]].values, table.values, strict=True):
        vectors.setdefault(str(word), " ".join([str(word), *(repr(float(number)) for number in numbers)]))
    return {"vectors": "".join(f"{line}\n" for line in vectors.values()).encode()}


def tagger(files: Files) -> dict[str, bytes]:
    """NLTK's averaged perceptron as JSON; its pickle may name sets and nothing else."""
    with zipfile.ZipFile(io.BytesIO(files[0].content)) as archive:
        (name,) = (member for member in archive.namelist() if member.endswith(".pickle"))
        pickled = io.BytesIO(archive.read(name))
    sets = {"builtins.set": set, "__builtin__.set": set}
    weights, tags, classes = ListedUnpickler(pickled, sets, encoding="utf-8").load()
    model = {"weights": weights, "tagdict": tags, "classes": sorted(classes)}
    text = json.dumps(model, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    stream = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=9) as packed:
        packed.write(text)
    return {"weights": stream.getvalue()}


def _npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def _r_data(content: bytes) -> dict[str, Any]:
    import warnings

    try:
        import rdata
    except ModuleNotFoundError as error:
        raise DataError(
            "files of R are read by the library rdata; install it with 'pip install trustnlp[data]'"
        ) from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a data.table is read as the data.frame that it is
        objects: dict[str, Any] = rdata.read_rda(io.BytesIO(content))
    return objects
