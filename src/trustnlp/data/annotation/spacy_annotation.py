"""Tags, lemmas, dependencies and named entities of English texts, by spaCy's own pipeline, computed once.

The pipeline is a data set (`en_core_web_sm`), read by path and never imported as a package. What it says of a list of
texts is kept in the cache under a key of everything that decides it: the pipeline's files, spaCy's version, the texts
and the parts asked for. Processes are no part of the key: one and two give the pipeline the same chunks of texts.

Results are plain tuples of strings and numbers, in the order of the texts, on disk too: as JSON, compressed.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import joblib

from trustnlp.data.store import cache_root, fetch, hashes
from trustnlp.files.atomic_writing import write_bytes

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
_FORMAT = 2  # of the files in the cache


class Entity(NamedTuple):
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
    tags
        Part of speech, in the tags of the Penn Treebank (`NNS`).
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
        At most how many processes share the work; each needs 0.4 GB. They are started from 100,000 characters on, where
        they save more time than they take to start. Their number changes no value.

    Raises
    ------
    ImportError
        If spaCy is not installed.
    DataError
        If the pipeline cannot be fetched.
    TypeError
        If a single string was given.
    ValueError
        If a text is too long or no valid Unicode, or a part is unknown.
    """
    if isinstance(texts, str):
        raise TypeError(f"annotate takes a list of texts, got the single string {texts[:40]!r}")
    texts = list(texts)
    if isinstance(parts, str) or not parts or not set(parts) <= set(PARTS):
        raise ValueError(f"parts must be some of {', '.join(PARTS)}, got {parts!r}")
    for number, text in enumerate(texts):
        if len(text) > LONGEST_TEXT:
            raise ValueError(f"text {number} has {len(text):,} characters; spaCy reads {LONGEST_TEXT:,}: cut it")
    asked = tuple(part for part in PARTS if part in parts)
    path = cache_root() / "annotations" / f"{_key(texts, asked)}.json.gz"
    if path.exists():
        return _read(path)
    annotations = list(_run(texts, asked, processes))
    try:
        write_bytes(path, gzip.compress(json.dumps([_fields(each) for each in annotations]).encode(), compresslevel=1))
    except OSError as error:
        logger.warning("the annotations could not be kept in %s (%s)", path.parent, error.strerror or error)
    return annotations


def pipeline_folder() -> Path:
    """The folder of spaCy's English pipeline, for `spacy.load(folder)` and for tools that take a path to one."""
    return fetch(PIPELINE)["config.cfg"].parent


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

    jobs = processes if sum(map(len, texts)) >= _WORTH_TWO else 1
    chunk_of = functools.partial(joblib.delayed(_annotate), str(pipeline_folder()), parts)
    shared = joblib.Parallel(n_jobs=jobs, return_as="generator")(map(chunk_of, _chunks(texts)))
    with tqdm(total=len(texts), desc="annotating", unit="text", disable=None) as bar:  # None: in a terminal only
        for annotations in shared:
            bar.update(len(annotations))
            yield from annotations


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


def _annotate(folder: str, parts: tuple[str, ...], chunk: list[str]) -> list[Annotation]:
    pipeline = _load(folder, frozenset[str]().union(*(COMPONENTS[part] for part in parts)))
    return [_plain(document, parts) for document in pipeline.pipe(chunk)]


@functools.lru_cache(maxsize=1)
def _load(folder: str, components: frozenset[str]) -> Language:
    import spacy

    others = {"senter"}.union(*COMPONENTS.values()) - components
    return spacy.load(folder, exclude=sorted(others))


def _plain(document: Doc, parts: tuple[str, ...]) -> Annotation:
    fields: dict[str, Any] = {}
    if "tags" in parts:
        fields["tags"] = tuple(token.tag_ for token in document)
    if "lemmas" in parts:
        fields["lemmas"] = tuple(token.lemma_ for token in document)
    if "dependencies" in parts:
        fields["heads"] = tuple(token.head.i for token in document)
        fields["relations"] = tuple(token.dep_ for token in document)
        fields["sentence_starts"] = tuple(token.i for token in document if token.is_sent_start)
    if "entities" in parts:
        fields["entities"] = tuple(Entity(span.start, span.end, span.label_) for span in document.ents)
    tokens, offsets = (tuple(getattr(token, name) for token in document) for name in ("text", "idx"))
    return Annotation(tokens, offsets, **fields)


_COLUMNS = Annotation.__match_args__[:-1]  # the entities are written as lists of their own


def _fields(annotation: Annotation) -> list[Any]:
    return [*(getattr(annotation, name) for name in _COLUMNS), annotation.entities]


def _read(path: Path) -> list[Annotation]:
    known: dict[object, Any] = {}  # equal words are one object

    def column(values: list[Any]) -> tuple[Any, ...]:
        return tuple(known.setdefault(value, value) for value in values)

    rows = json.loads(gzip.decompress(path.read_bytes()))
    return [
        Annotation(
            **dict(zip(_COLUMNS, map(column, columns), strict=True)), entities=tuple(Entity(*each) for each in entities)
        )
        for *columns, entities in rows
    ]
