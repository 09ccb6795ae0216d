"""Entities that were found once and are kept, since presidio reads two thousand words a second."""

from __future__ import annotations

from collections.abc import Sequence

from trustnlp.privacy.text.anonymisation.entity_spans import Finder, Found, presidio_entities, spacy_entities
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_results import json_once, texts_fingerprint


def entity_finder(name: str, profile: str) -> Finder:
    """spaCy's or presidio's finder; what presidio finds in the `paper` profile is kept in the results' folder.

    Raises
    ------
    ImportError
        When it is asked: presidio is not installed, and has not kept these texts.
    """
    if name == "entities":
        return spacy_entities  # keeps its own
    folder = results_of(__name__) if profile == "paper" else None

    def find(texts: Sequence[str]) -> list[Found]:
        settings = {"finder": name, "texts": texts_fingerprint(texts)}
        kept = json_once(name, settings, folder, lambda: presidio_entities(texts))
        return [[(start, end, score) for start, end, score in found] for found in kept]

    return find
