"""The word vectors of the chapter by name, and the tasks whose training texts are privatised.

Arnold, Yesilbas and Weinzierl (2023), §3: word2vec of 300 dimensions, window 3, minimum count 5, on a dump of
Wikipedia, its words aligned with those of GloVe; 95,670 are left. Deviations: other and less text; GloVe itself, in 50
dimensions, as the second space. The paper does not say whether vectors were brought to length one: both are measured.
§4.2 and Table 2: WiC and, of eight tasks of GLUE, the five that we have.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.store import hashes
from trustnlp.data.texts.english_text import read_english
from trustnlp.data.texts.glue import GluePart, Metric, read_glue
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.data.words.words_in_context import ContextPair, read_words_in_context
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.embeddings.train import train_word2vec
from trustnlp.privacy.text.text_pieces import Piece, cut, is_word
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.sense_privatization.standins import (
    PlantedSenses,
    planted_contexts,
    planted_senses,
    planted_words_in_context,
)
from trustnlp.training.whole_files import reading, scratch_for

UNIT = "_unit"


# Edges in ego networks with which an inventory comes nearest to the paper's 2.59 senses a word. Chosen after senses had
# been counted and before anything else was measured. The made-up words have their known senses with all edges.
MATCHED_EDGES = {"trained": 7, "glove": 13, "planted": 200}


def read_space(name: str, *, corpora: Sequence[str], words: int | None = None) -> WordVectors:
    """`trained`, `glove` (its `words` most frequent) or `planted` (made up); with `_unit` each divided by its length.

    Without `words`, GloVe is cut to as many as the paper has.

    Raises
    ------
    ValueError
        If given another name.
    """
    base = name.removesuffix(UNIT)
    if base == "planted":
        vectors = planted_senses(np.random.default_rng(0)).vectors
    elif base == "glove":
        words = words or printed_tables("sense_privatization", "inventory")["inventory"]["words"]
        whole = read_vectors("glove_6b_50d")
        vectors = WordVectors(whole.words[:words], np.array(whole.matrix[:words]), f"GloVe 6B, {words} words")
    elif base == "trained":
        vectors = trained_on(corpora)
    else:
        raise ValueError(f"a space is trained, glove or planted, with or without {UNIT}, got {name!r}")
    return WordVectors(vectors.words, vectors.unit, f"{vectors.name}, length one") if name.endswith(UNIT) else vectors


def senses_of(name: str, vectors: WordVectors) -> SenseInventory:
    """`induce_senses` with `MATCHED_EDGES`, taken from the cache where the same vectors have been clustered before."""
    edges = MATCHED_EDGES[name.removesuffix(UNIT)]
    asked = {"vectors": hash_of(vectors), "edges": edges}
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    path = results_of("trustnlp.embeddings.senses.sense_induction") / f"{digest[:16]}.npz"
    if not path.exists():
        induce_senses(vectors, edges=edges, seed=0).save(path)
    return SenseInventory.load(path, vectors)


def query_text(name: str) -> list[list[str]]:
    """Sentences of an English corpus to draw queries from; made-up ones, for planted vectors, without a name."""
    if name:
        return read_english([name])
    rng = np.random.default_rng(0)
    contexts = planted_contexts(planted_senses(rng), rng)
    return [list(context.occurrence.tokens) for context in islice(contexts, 2000)]


def sources_of(spaces: Sequence[str], corpora: Sequence[str], text: str) -> list[str]:
    """The data sets behind vector spaces and the text of the queries, each once."""
    bases = {name.removesuffix(UNIT) for name in spaces}
    used = [*(corpora if "trained" in bases else ()), *(["glove_6b_50d"] if bases & {"trained", "glove"} else ()), text]
    return list(dict.fromkeys(filter(None, used)))


DIM, WINDOW, MIN_COUNT = 300, 3, 5


def trained_on(
    corpora: Sequence[str], *, epochs: int = 5, skip_gram: bool = False, dim: int = DIM, seed: int = 0
) -> WordVectors:
    """word2vec by the paper's settings, of the words that GloVe knows; taken from the cache where it has been trained.

    CBOW and five passes are choices: the paper says neither. Both are sensegram's defaults, whose method §3 follows.
    """
    asked = {"epochs": epochs, "skip_gram": skip_gram, "dim": dim, "seed": seed, "window": WINDOW, "count": MIN_COUNT}
    texts = {name: hashes(name) for name in corpora}
    digest = hashlib.sha256(json.dumps([asked, texts], sort_keys=True).encode()).hexdigest()
    path = results_of("trustnlp.studies.sense_privatization.data:trained_on") / f"{digest[:16]}.npz"
    if not path.exists():
        known = set(read_vectors("glove_6b_50d").words)
        made = train_word2vec(
            read_english(corpora),
            dim=dim,
            seed=seed,
            min_count=MIN_COUNT,
            window=WINDOW,
            epochs=epochs,
            skip_gram=skip_gram,
        )
        kept = made.restrict([word for word in made.words if word in known])
        with scratch_for(path) as part, part.open("wb") as file:
            np.savez(file, words=np.array(kept.words), matrix=kept.matrix)
    with reading(path), np.load(path, allow_pickle=False) as file:
        return WordVectors(file["words"].tolist(), file["matrix"], f"word2vec, {dim} dimensions")


# As Table 2 calls them, and their data sets.
SOURCES = {
    "WiC": "wic",
    "CoLA": "glue_cola",
    "SST2": "glue_sst2",
    "MRPC": "glue_mrpc",
    "STSB": "glue_stsb",
    "RTE": "glue_rte",
}


OF_GLUE = tuple(SOURCES)[1:]


_METRICS: dict[str, Metric] = {"CoLA": "mcc", "STSB": "spearman"}


_SINGLE = ("CoLA", "SST2")


Targets = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Part:
    """Texts to train or to score on.

    Attributes
    ----------
    sides
        One list of `n` texts, or two if a row is a pair; each text cut into words and what stands between them.
    places
        For each side, which piece of each text is the word that is meant; None where no word is.
    targets
        `(n,)` labels as int64 or ratings as float64.
    """

    sides: tuple[list[list[Piece]], ...]
    places: tuple[list[int], ...] | None
    targets: Targets

    def __len__(self) -> int:
        return len(self.targets)

    def some(self, n: int, rng: np.random.Generator) -> Part:
        """`n` rows at random in their order, or all of them if there are not more."""
        if n >= len(self):
            return self
        rows = np.sort(rng.choice(len(self), n, replace=False))
        sides = tuple([side[row] for row in rows] for side in self.sides)
        places = None if self.places is None else tuple([side[row] for row in rows] for side in self.places)
        return replace(self, sides=sides, places=places, targets=self.targets[rows])


@dataclass(frozen=True, eq=False)
class ScoredTask:
    """A task with the score that Table 2 has for it: `accuracy`, `mcc` or `spearman`."""

    metric: Metric
    train: Part
    evaluation: Part

    @property
    def majority(self) -> float:
        """Score of one constant answer, the best there is: the larger class's share, 0 for a correlation."""
        if self.metric != "accuracy":
            return 0.0
        return float(np.unique(self.evaluation.targets, return_counts=True)[1].max() / len(self.evaluation))


def read_task(name: str, *, train_limit: int) -> ScoredTask:
    """One of `SOURCES` with its published parts (`trustnlp.data.texts.glue`; WiC's `train` and `dev`).

    Parameters
    ----------
    train_limit
        Rows to train on; from a longer part so many are drawn, always the same.

    Raises
    ------
    DataError
        If the data cannot be fetched or read.
    """
    if name == "WiC":
        parts = read_words_in_context()
        whole = ScoredTask("accuracy", _of_pairs(parts["train"]), _of_pairs(parts["dev"]))
    else:
        task = read_glue(SOURCES[name].removeprefix("glue_"))
        whole = ScoredTask(task.metric, _of_glue(task.train), _of_glue(task.evaluation))
    return replace(whole, train=whole.train.some(train_limit, np.random.default_rng(0)))


def planted_task(name: str, planted: PlantedSenses, n: int, rng: np.random.Generator) -> ScoredTask:
    """A stand-in with `n` rows in either part: the topic of one text is in the first half, or two texts share it."""
    metric = _METRICS.get(name, "accuracy")
    if name in _SINGLE:
        return ScoredTask(metric, *(_of_topics(planted, n, rng) for _ in range(2)))
    parts = [_of_pairs(planted_words_in_context(planted, n, rng)) for _ in range(2)]
    if name != "WiC":
        parts = [replace(part, places=None) for part in parts]
    if metric == "spearman":
        parts = [replace(part, targets=part.targets.astype(np.float64)) for part in parts]
    return ScoredTask(metric, *parts)


def _of_glue(part: GluePart) -> Part:
    sides = [part.texts] if part.second_texts is None else [part.texts, part.second_texts]
    return Part(tuple([cut(text) for text in side] for side in sides), None, part.targets)


def _of_pairs(pairs: Sequence[ContextPair]) -> Part:
    sides = [pair.first for pair in pairs], [pair.second for pair in pairs]
    return Part(
        tuple([_spaced(occurrence.tokens) for occurrence in side] for side in sides),
        # A space after every token.
        tuple([2 * occurrence.index for occurrence in side] for side in sides),
        np.array([pair.same for pair in pairs], dtype=np.int64),
    )


def _of_topics(planted: PlantedSenses, n: int, rng: np.random.Generator) -> Part:
    made = list(islice(planted_contexts(planted, rng), n))
    half = len(planted.centres) // 2
    labels = np.array([context.topic < half for context in made], dtype=np.int64)
    return Part(([_spaced(context.occurrence.tokens) for context in made],), None, labels)


def _spaced(tokens: Sequence[str]) -> list[Piece]:
    """Tokens as they were cut by others, with a space between two."""
    pieces = [piece for token in tokens for piece in (Piece(token, is_word(token)), Piece(" ", False))]
    return pieces[:-1]
