"""Spans of named entities: spaCy's, and presidio's, which a user would pick today.

spaCy's are names of persons, organisations, places, products, works, laws, events, languages and groups; numbers, dates
and amounts are not counted. Presidio (Microsoft; the package presidio-analyzer, which the lock leaves out) adds
patterns for addresses, numbers of accounts and the like, and gives each find a confidence. It reads the same spaCy
pipeline, from its folder; its request for a list of domain suffixes is switched off, so that it needs no network.

Texts are read in pieces: paragraphs, long ones line by line, lines beyond spaCy's limit in parts.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

from trustnlp.data.annotation.spacy_annotation import annotate, pipeline_folder
from trustnlp.data.logger_levels import at_level

Found = list[tuple[int, int, float]]  # start, end and score of each find in a text
Finder = Callable[[Sequence[str]], list[Found]]
_NUMBERS = frozenset({"CARDINAL", "DATE", "MONEY", "ORDINAL", "PERCENT", "QUANTITY", "TIME"})
_LONGEST_PARAGRAPH, _LONGEST_LINE = 2_000, 100_000  # characters


def has_presidio() -> bool:
    """Whether the package presidio-analyzer is installed."""
    return find_spec("presidio_analyzer") is not None


def text_pieces(text: str) -> Iterator[tuple[int, str]]:
    """Offsets and texts of what is read at a time; pieces of white space are left out."""
    at = 0
    for paragraph in re.split(r"(\n\s*\n)", text):
        whole = len(paragraph) <= _LONGEST_PARAGRAPH
        for line in [paragraph] if whole else paragraph.splitlines(keepends=True):
            for start in range(0, len(line), _LONGEST_LINE):
                part = line[start : start + _LONGEST_LINE]
                if part.strip():
                    yield at + start, part
            at += len(line)


def spacy_entities(texts: Sequence[str]) -> list[Found]:
    """Named entities of each text, without numbers, dates and amounts.

    Raises
    ------
    ImportError
        If spaCy is not installed.
    """
    spans = []
    for each in annotate(texts, parts=["entities"], processes=1):
        ends = [offset + len(token) for offset, token in zip(each.offsets, each.tokens, strict=True)]
        spans.append(
            [
                (each.offsets[entity.start], ends[entity.end - 1], 1.0)
                for entity in each.entities
                if entity.label not in _NUMBERS
            ]
        )
    return spans


def presidio_entities(texts: Sequence[str]) -> list[Found]:
    """The spans that presidio finds in each text, with its confidence.

    Raises
    ------
    ImportError
        If presidio-analyzer is not installed.
    """
    if not has_presidio():
        raise ImportError("presidio is not installed: pip install presidio-analyzer (in an environment of its own)")
    with _quiet_and_offline():
        analyse = _presidio()
        return [[(each.start, each.end, float(each.score)) for each in analyse(text)] for text in texts]


@contextmanager
def _quiet_and_offline() -> Iterator[None]:
    """Presidio without its warning of every entity that it does not map, and without its request for suffixes.

    Both are set for the whole process, so they are put back.
    """
    import tldextract

    without_network = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    # Modules of presidio take `extract` from either place, and it takes the extractor from the inner one.
    places = [(tldextract, "extract"), (tldextract.tldextract, "extract"), (tldextract.tldextract, "TLD_EXTRACTOR")]
    before = [getattr(module, name) for module, name in places]
    with at_level(logging.getLogger("presidio-analyzer"), logging.ERROR):
        try:
            for module, name in places:
                setattr(module, name, without_network)
            yield
        finally:
            for (module, name), value in zip(places, before, strict=True):
                setattr(module, name, value)


@cache
def _presidio() -> Callable[[str], Any]:
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    settings = {
        "nlp_engine_name": "spacy",
        "models": [{"lang_code": "en", "model_name": str(pipeline_folder())}],
    }
    engine = AnalyzerEngine(nlp_engine=NlpEngineProvider(nlp_configuration=settings).create_engine())
    return lambda text: engine.analyze(text=text, language="en")
