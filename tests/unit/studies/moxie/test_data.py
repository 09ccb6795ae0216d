"""Reviews with trees, tags and a vocabulary: put together from the readers, parts fitting each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from trustnlp.data.annotation.constituency_trees import Treebank, parse_tree
from trustnlp.data.texts.film_reviews import Phrases, Reviews, Sst2
from trustnlp.studies.moxie import data
from trustnlp.studies.moxie.data import read_tagged_reviews

TREES = Treebank([parse_tree("(3 (2 A) (3 (4 fine) (2 film)))")])
SST2 = Sst2(*(Phrases(texts, np.ones(len(texts))) for texts in (("a fine film", "film"), ("fine",), ("a film",))))


@pytest.fixture
def tagged_words(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Readers that give the sentences above; the list gets what is tagged."""
    asked: list[str] = []

    def nouns(words: Sequence[str]) -> tuple[str, ...]:
        asked.append(" ".join(words))
        return ("NOUN",) * len(words)

    monkeypatch.setattr(data, "read_sst2", lambda: SST2)
    monkeypatch.setattr(data, "read_trees", lambda: TREES)
    monkeypatch.setattr(data, "read_tagger", lambda: SimpleNamespace(tag=nouns))
    monkeypatch.setattr(data, "tagged_vocabulary", lambda tagged: {"NOUN": tuple(t.words[0] for t in tagged)})
    return asked


@pytest.mark.usefixtures("tagged_words")
def test_all_parts_are_tagged_and_the_vocabulary_is_that_of_train() -> None:
    reviews = read_tagged_reviews()
    assert {name: [text.words for text in texts] for name, texts in reviews.tagged.items()} == {
        "train": [("a", "fine", "film"), ("film",)],
        "dev": [("fine",)],
        "test": [("a", "film")],
    }
    assert reviews.vocabulary == {"NOUN": ("a", "film")}


def test_tags_are_made_once_for_the_same_texts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tagged_words: list[str]
) -> None:
    first, second = read_tagged_reviews(tmp_path), read_tagged_reviews(tmp_path)
    assert tagged_words == ["a fine film", "film", "fine", "a film"]
    assert first.tagged == second.tagged == read_tagged_reviews().tagged
    next(tmp_path.iterdir()).write_text("[[")
    with pytest.raises(ValueError, match="delete it"):
        read_tagged_reviews(tmp_path)
    monkeypatch.setattr(data, "read_sst2", lambda: Sst2(SST2.train, SST2.dev, Phrases(("another film",), np.ones(1))))
    assert read_tagged_reviews(tmp_path).tagged["test"][0].words == ("another", "film")


def test_parts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="each part needs as many tagged texts as texts"):
        Reviews(SST2, TREES, {"train": (), "dev": (), "test": ()}, {})
