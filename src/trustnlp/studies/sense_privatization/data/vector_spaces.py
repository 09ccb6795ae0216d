"""The word vectors of the chapter by name: trained here, or GloVe cut to the paper's size; as they are or unit length.

Arnold, Yesilbas and Weinzierl (2023), §3: word2vec of 300 dimensions, window 3, minimum count 5, on a dump of
Wikipedia, its words aligned with those of GloVe; 95,670 are left. Deviations: other and less text; GloVe itself, in 50
dimensions, as the second space. The paper does not say whether vectors were brought to length one: both are measured.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import islice

import numpy as np

from trustnlp.data.texts.english_text import read_english
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.sense_privatization.data.trained_space import trained_on
from trustnlp.studies.sense_privatization.standins import planted_contexts, planted_senses

UNIT = "_unit"
# Edges in ego networks with which an inventory comes nearest to the paper's 2.59 senses a word. Chosen after senses had
# been counted and before anything else was measured. The made-up words have their known senses with all edges.
MATCHED_EDGES = {"trained": 7, "glove": 13, "planted": 200}


def read_space(name: str, *, corpora: Sequence[str], words: int | None = None, epochs: int = 5) -> WordVectors:
    """`trained`, `glove` (its `words` most frequent) or `planted` (made up); with `_unit` each divided by its length.

    Without `words`, GloVe is cut to as many as the paper has.

    Raises
    ------
    ValueError
        Another name.
    """
    base = name.removesuffix(UNIT)
    if base == "planted":
        vectors = planted_senses(np.random.default_rng(0)).vectors
    elif base == "glove":
        words = words or printed_tables("sense_privatization", "inventory")["inventory"]["words"]
        whole = read_vectors("glove_6b_50d")
        vectors = WordVectors(whole.words[:words], np.array(whole.matrix[:words]), f"GloVe 6B, {words} words")
    elif base == "trained":
        vectors = trained_on(corpora, epochs=epochs)
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
        made = induce_senses(vectors, edges=edges, seed=0)
        made.save(path)
        return made
    return SenseInventory.load(path, vectors)


def query_text(name: str) -> list[list[str]]:
    """Sentences of an English corpus to draw queries from; made-up ones, for planted vectors, without a name."""
    if name:
        return read_english([name])
    rng = np.random.default_rng(0)
    made = planted_contexts(planted_senses(rng), rng)
    return [list(context.occurrence.tokens) for context in islice(made, 2000)]


def sources_of(spaces: Sequence[str], corpora: Sequence[str], text: str) -> list[str]:
    """The data sets behind vector spaces and the text of the queries, each once."""
    trained = any(name.startswith("trained") for name in spaces)
    glove = trained or any(name.startswith("glove") for name in spaces)
    used = [*(corpora if trained else ()), *(["glove_6b_50d"] if glove else ()), *([text] if text else ())]
    return list(dict.fromkeys(used))
