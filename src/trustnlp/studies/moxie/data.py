"""Film reviews with all that MOXIE's experiments need beside the texts: spans, tags, the vocabulary of each tag.

A notebook takes its data from `read_tagged_reviews`, or under `smoke` from `data.texts.review_standins`, and does with
both the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from trustnlp.data.annotation.constituency_trees import read_trees
from trustnlp.data.annotation.english_tags import (
    TaggedText,
    TagsWords,
    Words,
    read_tagger,
    tag_texts,
    tagged_vocabulary,
)
from trustnlp.data.registry import load_registry
from trustnlp.data.texts.film_reviews import Reviews, read_sst2
from trustnlp.training.kept_results import json_once, texts_fingerprint

# What `read_tagged_reviews` reads.
DATA_SETS = ("glue_sst2", "sst2_test", "sst_trees", "perceptron_tagger", "universal_tagset", "nltk_treebank")


def read_tagged_reviews(folder: Path | None = None) -> Reviews:
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
