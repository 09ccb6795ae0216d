"""Tags, lemmas, dependencies and named entities of English texts, by spaCy's own pipeline, computed once.

The pipeline is a data set (`en_core_web_sm`), read by path and never imported as a package. What it says of a list of
texts is kept in the cache under a key of everything that decides it: the pipeline's files, spaCy's version, the texts
and the parts asked for. Processes are no part of the key: one and two give the pipeline the same chunks of texts.

Results are plain tuples of strings and numbers, in the order of the texts. On disk they are numbers and one list of
names in a numpy archive, without pickle.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.annotation.second_process import share
from trustnlp.data.registry import DataError
from trustnlp.data.store import cache_root, fetch, hashes, workspace

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

logger = logging.getLogger(__name__)

PIPELINE = "en_core_web_sm"
# What runs for each part, so that it reads the same whatever else is asked for. The rules that turn fine tags into
# coarse ones ask for relations, and correct some; no entity crosses the start of a sentence, which the parser finds.
_SYNTAX = frozenset({"tok2vec", "tagger", "parser", "attribute_ruler"})
COMPONENTS = {
    "tags": _SYNTAX,
    "lemmas": _SYNTAX | {"lemmatizer"},
    "dependencies": _SYNTAX,
    "entities": frozenset({"tok2vec", "parser", "ner"}),
}
PARTS = tuple(COMPONENTS)
LONGEST_TEXT = 1_000_000  # spaCy's own limit, in characters
_CHUNK = 10_000  # characters that a process takes at a time
_WORTH_TWO = 100_000  # characters from which a second process saves more time than it takes to start
_FORMAT = 1  # of the files in the cache


@dataclass(frozen=True)
class Entity:
    """A named entity: the tokens `start` to `end`, without `end`, and its type, such as `PERSON`."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class Annotation:
    """One text as the pipeline sees it. The `T` tokens are numbered from 0; parts not asked for are empty.

    Attributes
    ----------
    tokens
        The tokens, white space of more than one blank among them.
    offsets
        The character of the text at which each token begins.
    tags, coarse_tags
        Part of speech, in the tags of the Penn Treebank (`NNS`) and of Universal Dependencies (`NOUN`).
    lemmas
        Base forms.
    heads, relations
        Each token's head in the dependency tree, and its relation to it (`nsubj`). The root of a sentence is its own
        head, with the relation `ROOT` (`dep` where it is white space).
    sentence_starts
        The first token of each sentence; a part of the dependencies.
    entities
        Named entities, in order; they do not overlap.
    """

    tokens: tuple[str, ...]
    offsets: tuple[int, ...]
    tags: tuple[str, ...] = ()
    coarse_tags: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    relations: tuple[str, ...] = ()
    sentence_starts: tuple[int, ...] = ()
    entities: tuple[Entity, ...] = ()


def annotate(texts: Iterable[str], parts: Collection[str] = PARTS, processes: int = 2) -> list[Annotation]:
    """Annotate texts, or read what an earlier call with the same texts and parts has found.

    Parameters
    ----------
    texts
        English texts, each at most 1,000,000 characters long.
    parts
        Some of `tags`, `lemmas`, `dependencies` and `entities`. Fewer can take less time and change no value.
    processes
        At most how many processes share the work, 1 or 2; each needs 0.4 GB. The second is started from 100,000
        characters on, where it saves more time than it takes to start. It changes no value.

    Raises
    ------
    ImportError
        If spaCy is not installed.
    DataError
        If the pipeline cannot be fetched, or the cache cannot be written.
    TypeError
        If something in `texts` is no string.
    ValueError
        If a text is too long or no valid Unicode, a part is unknown, or `processes` is neither 1 nor 2.
    """
    if isinstance(texts, str):
        raise TypeError(f"annotate takes a list of texts, got the single string {texts[:40]!r}")
    texts = list(texts)
    _check(texts, parts, processes)
    asked = tuple(part for part in PARTS if part in parts)
    path = cache_root() / "annotations" / f"{_key(texts, asked)}.npz"
    found = _read(path, texts)
    if found is None:
        _make_folder(path.parent)  # before the work, not after it
        found = list(_run(texts, asked, processes))
        _write(path, found)
    return found


def pipeline_folder() -> Path:
    """The folder of spaCy's English pipeline, for `spacy.load(folder)` and for tools that take a path to one."""
    return fetch(PIPELINE)["config.cfg"].parent


def _check(texts: Sequence[str], parts: Collection[str], processes: int) -> None:
    if isinstance(parts, str) or not parts or not set(parts) <= set(PARTS):
        raise ValueError(f"parts must be some of {', '.join(PARTS)}, got {parts!r}")
    if processes not in (1, 2):
        raise ValueError(f"processes must be 1 or 2, got {processes!r}")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is {text!r}, not a string; leave it out or write '' for it")
        if len(text) > LONGEST_TEXT:
            raise ValueError(f"text {number} has {len(text):,} characters; spaCy reads {LONGEST_TEXT:,}: cut it")
        if not _is_unicode(text):
            raise ValueError(f"text {number} holds half a surrogate pair, no valid Unicode: read its file as UTF-8")


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _key(texts: Sequence[str], parts: tuple[str, ...]) -> str:
    try:
        version = metadata.version("spacy")
    except metadata.PackageNotFoundError:
        raise ImportError("tags, dependencies and entities need spaCy: pip install 'trustnlp[text]'") from None
    digest = hashlib.sha256(json.dumps([_FORMAT, hashes(PIPELINE), version, parts, len(texts)]).encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode("utf-8")).digest())
    return digest.hexdigest()


# --- running the pipeline --------------------------------------------------------------------------------------------


def _run(texts: Sequence[str], parts: tuple[str, ...], processes: int) -> Iterator[Annotation]:
    """Annotations in the order of the texts."""
    from tqdm import tqdm

    chunks = list(_chunks(texts))
    start = functools.partial(_annotator, str(pipeline_folder()), parts)
    two = processes == 2 and sum(map(len, texts)) >= _WORTH_TWO
    with tqdm(total=len(texts), desc="annotating", unit="text", disable=None) as bar:  # None: in a terminal only
        for found in share(start, chunks) if two else map(start(), chunks):
            bar.update(len(found))
            yield from found


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts that follow each other, in lists that take about the same time."""
    chunk: list[str] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text) + 1  # an empty text takes time too
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _annotator(folder: str, parts: tuple[str, ...]) -> Callable[[list[str]], list[Annotation]]:
    pipeline = _load(folder, frozenset[str]().union(*(COMPONENTS[part] for part in parts)))
    return lambda chunk: [_plain(document, parts) for document in pipeline.pipe(chunk)]


@functools.lru_cache(maxsize=1)
def _load(folder: str, components: frozenset[str]) -> Language:
    import spacy

    others = {"senter"}.union(*COMPONENTS.values()) - components
    return spacy.load(folder, exclude=sorted(others))


def _plain(document: Doc, parts: tuple[str, ...]) -> Annotation:
    found: dict[str, Any] = {
        "tokens": tuple(token.text for token in document),
        "offsets": tuple(token.idx for token in document),
    }
    if "tags" in parts:
        found["tags"] = tuple(token.tag_ for token in document)
        found["coarse_tags"] = tuple(token.pos_ for token in document)
    if "lemmas" in parts:
        found["lemmas"] = tuple(token.lemma_ for token in document)
    if "dependencies" in parts:
        found["heads"] = tuple(token.head.i for token in document)
        found["relations"] = tuple(token.dep_ for token in document)
        found["sentence_starts"] = tuple(token.i for token in document if token.is_sent_start)
    if "entities" in parts:
        found["entities"] = tuple(Entity(span.start, span.end, span.label_) for span in document.ents)
    return Annotation(**found)


# --- the cache -------------------------------------------------------------------------------------------------------

# What a damaged or foreign file makes numpy and zipfile raise.
_DAMAGE = (OSError, EOFError, LookupError, TypeError, ValueError, NotImplementedError, zipfile.BadZipFile, zlib.error)
_NUMBERS = ("offsets", "heads", "sentence_starts")
_NAMES = ("tokens", "tags", "coarse_tags", "lemmas", "relations")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"cannot write to the data cache {folder} ({error.strerror or error}); free or unlock it, or set "
            f"TRUSTNLP_CACHE to a folder you can write to"
        ) from error


def _write(path: Path, annotations: Sequence[Annotation]) -> None:
    """Keep annotations: of each field the lengths and, one text after the other, its numbers."""
    codes: dict[str, int] = {}
    columns: dict[str, NDArray[Any]] = {}

    def add(name: str, rows: list[list[int]]) -> None:
        columns[f"{name}.lengths"] = np.array([len(row) for row in rows], dtype=np.int32)
        columns[name] = np.array([value for row in rows for value in row], dtype=np.int32)

    for name in _NUMBERS:
        add(name, [list(getattr(each, name)) for each in annotations])
    for name in _NAMES:
        add(name, [[codes.setdefault(value, len(codes)) for value in getattr(each, name)] for each in annotations])
    entities = [
        [number for one in each.entities for number in (one.start, one.end, codes.setdefault(one.label, len(codes)))]
        for each in annotations
    ]
    add("entities", entities)
    columns["names"] = np.frombuffer(json.dumps(list(codes)).encode("utf-8"), dtype=np.uint8)
    columns["key"] = np.frombuffer(path.stem.encode(), dtype=np.uint8)
    try:
        with workspace("annotations") as temporary:
            np.savez_compressed(temporary / "new.npz", **columns)  # type: ignore[arg-type]
            (temporary / "new.npz").replace(path)
    except OSError as error:
        logger.warning("the annotations could not be kept in %s (%s)", path.parent, error.strerror or error)


def _read(path: Path, texts: Sequence[str]) -> list[Annotation] | None:
    """The annotations kept under a key, or None where there are none or they are damaged."""
    if not path.exists():
        return None
    try:
        with zipfile.ZipFile(path) as members:
            if (wrong := members.testzip()) is not None:
                raise ValueError(f"wrong checksum of {wrong}")
        with np.load(path, allow_pickle=False) as archive:
            columns = {name: archive[name] for name in archive.files}
        if columns["key"].tobytes().decode() != path.stem:
            raise ValueError("it was written for other texts")
        return _rebuild(columns, len(texts))
    except _DAMAGE as error:
        logger.warning("%s in the cache is damaged (%s); annotating again", path.name, error)
        return None


def _rebuild(columns: dict[str, NDArray[Any]], count: int) -> list[Annotation]:
    names: list[str] = json.loads(columns["names"].tobytes())

    def rows(name: str) -> Iterator[list[int]]:
        ends = np.cumsum(columns[f"{name}.lengths"]).tolist()
        values = columns[name].tolist()
        return (values[start:end] for start, end in zip([0, *ends], ends, strict=False))

    numbers = zip(*(rows(name) for name in _NUMBERS), strict=True)
    words = zip(*(rows(name) for name in _NAMES), strict=True)
    found = [
        Annotation(
            **dict(zip(_NUMBERS, map(tuple, numbers_of), strict=True)),
            **{name: tuple(names[code] for code in codes) for name, codes in zip(_NAMES, words_of, strict=True)},
            entities=tuple(
                Entity(start, end, names[code])
                for start, end, code in zip(entity[::3], entity[1::3], entity[2::3], strict=True)
            ),
        )
        for numbers_of, words_of, entity in zip(numbers, words, rows("entities"), strict=True)
    ]
    if len(found) != count:
        raise ValueError(f"it holds {len(found)} texts, not {count}")
    return found
