"""Sentences of relations are parsed by a parser that costs nothing."""

import pytest
from made_annotations import annotated

from trustnlp.data.relations import marked_sentences


@pytest.fixture(autouse=True)
def _quick_parser(monkeypatch) -> None:
    monkeypatch.setattr(marked_sentences, "annotate", annotated)
