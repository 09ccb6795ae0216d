"""Sentences of relations are parsed by a parser that costs nothing."""

from __future__ import annotations

import pytest
from made_annotations import annotated

from trustnlp.data.relations import marked_sentences


@pytest.fixture(autouse=True)
def _quick_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marked_sentences, "annotate", annotated)
