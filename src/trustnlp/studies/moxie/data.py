"""Film reviews with all that MOXIE's experiments need beside the texts, real or made up, in one form.

A notebook takes its data from `read_reviews`, or under `smoke` from `standins.planted_reviews`, and does with
both the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from trustnlp.data.annotation.constituency_trees import Treebank, read_trees
from trustnlp.data.annotation.english_tags import (
    TaggedText,
    TagsWords,
    Words,
    read_tagger,
    tag_texts,
    tagged_vocabulary,
)
from trustnlp.data.registry import load_registry
from trustnlp.data.texts.film_reviews import Sst2, read_sst2
from trustnlp.training.kept_results import json_once, texts_fingerprint

# What `read_reviews` reads.
DATA_SETS = ("glue_sst2", "sst2_test", "sst_trees", "perceptron_tagger", "universal_tagset", "nltk_treebank")


@dataclass(frozen=True, eq=False)
class Reviews:
    """SST-2, or what stands in for it.

    Attributes
    ----------
    sst2
        Texts and labels in train, dev and test.
    trees
        Text → its spans, which count the words between blanks. A text may be missing.
    tagged
        Part → each of its texts as NLTK's words, with their tags. Positions in them are not those of spans where NLTK
        cuts a text elsewhere than at blanks, as it does in one text of seventy in train and one of forty in test.
    vocabulary
        Tag → words, as in Appendix C.
    """

    sst2: Sst2
    trees: Treebank
    tagged: Mapping[str, tuple[TaggedText, ...]]
    vocabulary: Mapping[str, Words]

    def __post_init__(self) -> None:
        counts = {name: len(texts) for name, texts in self.tagged.items()}
        expected = {name: len(part) for name, part in self.sst2.splits.items()}
        if counts != expected:
            raise ValueError(f"each part needs as many tagged texts as texts, {expected}, got {counts}")


def read_reviews(folder: Path | None = None) -> Reviews:
    """Fetch, read and tag SST-2: about a minute, most of it for the tags of 67,349 phrases.

    Parameters
    ----------
    folder
        Where tags are kept, and read the next time; None keeps nothing.

    Raises
    ------
    ImportError
        If NLTK is not installed.
    DataError
        If a file cannot be fetched or read.
    ValueError
        If a file of kept tags is damaged.
    """
    sst2 = read_sst2()
    trees, tagger = read_trees(), read_tagger()
    tagged = {name: _tagged(part.texts, tagger, folder) for name, part in sst2.splits.items()}
    return Reviews(sst2, trees, tagged, tagged_vocabulary(tagged["train"]))


def _tagged(texts: Sequence[str], tagger: TagsWords, folder: Path | None) -> tuple[TaggedText, ...]:
    names = ("perceptron_tagger", "universal_tagset")
    weights = [file.sha256 for name in names for file in load_registry()[name].files]
    settings = {"texts": texts_fingerprint(texts), "tagger": weights, "nltk": version("nltk")}

    def compute() -> list[tuple[Words, Sequence[str]]]:
        return [(text.words, text.tags) for text in tag_texts(texts, tagger)]

    kept = json_once("tags", settings, folder, compute)
    return tuple(TaggedText(tuple(words), tuple(tags)) for words, tags in kept)
