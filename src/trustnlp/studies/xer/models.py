"""Scores from raw records: dedupe learns on half of the entities what makes a match, then blocks and scores the others.

How dedupe is used, and where that departs from its examples:

- No index predicates (canopies of TF-IDF and edit distance): dedupe 3.0.3 cannot build them with BTrees 6.5 and later
  (https://github.com/dedupeio/dedupe/issues/1230).
- Blocking rules are learnt on a sample of the training half, as time and memory grow with the square of its size.
- The search for rules draws from Python's global generator over sets whose order depends on the interpreter's hash
  seed. The generator is seeded and put back, the sets are sorted: a seed gives the same scores in any process.
- The classifier's penalty is tuned for the log loss. dedupe tunes it for F1 and takes the strongest of equals: where
  training pairs are easy, every score then lies next to .5, on either side of it.
- Pairs are scored by dedupe's features and classifier in this process. dedupe's own `score` leaves a temporary file and
  a helper process behind, its cross-validation starts a process per core, and its scores are rounded to float32.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from trustnlp.graphs.pair_graph import Floats64, Ints, PairGraph
from trustnlp.studies.xer.data import Bools, Cells, Pair, entities_of, plain_cells, record_pairs, training_pairs

NO_DEDUPE = (
    'dedupe is not installed, and the scores of the paper profile are its own: pip install "trustnlp[records]" '
    "(that needs a C compiler; Debian: apt-get install build-essential python3-dev)"
)
MOST_RECORDS = 1_000
"""Records that blocking rules are weighed on, whole entities drawn at random until they are so many."""
TUNED_FOR = "neg_log_loss"
"""What cross-validation picks the penalty by, as scikit-learn names it: scores are to be probabilities."""
_PAIRS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class BlockedPairs:
    """The pairs that blocking let through, in the layout of a `PairGraph`.

    Attributes
    ----------
    ids
        Index labels of the records that were scored, with those in no pair.
    gold
        `(N,)` entity of each of them.
    left, right
        `(E,)` ends of each pair as positions in `ids`, `left < right`, sorted.
    probability
        `(E,)` that the two are one entity, as the classifier says.
    """

    ids: tuple[Any, ...]
    gold: Ints
    left: Ints
    right: Ints
    probability: Floats64

    @property
    def same(self) -> Bools:
        """Whether each pair is a gold pair."""
        return np.asarray(self.gold[self.left] == self.gold[self.right])

    @property
    def recall(self) -> float:
        """Share of the gold pairs among the records that are in the list; NaN where there is none."""
        sizes = np.bincount(self.gold)
        gold_pairs = int((sizes * (sizes - 1) // 2).sum())
        return int(self.same.sum()) / gold_pairs if gold_pairs else float("nan")

    def graph(self, weights: Floats64 | None = None) -> PairGraph:
        """The pairs as a graph over all records, weighted by their probabilities or by `weights`, one for each pair."""
        return PairGraph(self.ids, self.left, self.right, self.probability if weights is None else weights)


@dataclass(frozen=True, eq=False)
class Linker:
    """A trained scorer of pairs of records.

    Attributes
    ----------
    model
        The `dedupe.Dedupe` object, or the stand-in's classifier.
    fields
        Fields that are compared.
    block
        Model and records → positions of the pairs that are compared.
    probability
        Model and pairs → chance that the two are one entity.
    """

    model: Any
    fields: tuple[str, ...]
    block: Callable[[Any, list[Cells]], Iterable[tuple[int, int]]]
    probability: Callable[[Any, list[Pair]], Floats64]

    def score(self, records: pd.DataFrame, gold: ArrayLike, rows: Bools) -> BlockedPairs:
        """Block and score some of the records.

        Parameters
        ----------
        records
            One row per record, cells that are strings or missing.
        gold
            `(n,)` entity of each record; it decides no score.
        rows
            `(n,)` mask of the records to compare with each other.
        """
        chosen = records[rows]
        cells = plain_cells(chosen, self.fields)
        pairs = np.sort(np.array(list(self.block(self.model, cells)), dtype=np.int64).reshape(-1, 2), axis=1)
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        scores = [
            self.probability(self.model, record_pairs(cells, pairs[at : at + _PAIRS_AT_ONCE]))
            for at in range(0, len(pairs), _PAIRS_AT_ONCE)
        ]
        left, right = pairs.T.copy()
        label = entities_of(gold)[rows]
        return BlockedPairs(tuple(chosen.index), label, left, right, np.concatenate([np.empty(0), *scores]))


def train_linker(
    records: pd.DataFrame, gold: ArrayLike, train: Bools, fields: Mapping[str, str], seed: int, *, n_pairs: int
) -> Linker:
    """Train dedupe's classifier and blocking rules on gold pairs of the training half.

    Parameters
    ----------
    records
        One row per record, cells that are strings or missing; they are lower-cased and trimmed.
    gold
        `(n,)` entity of each record; read where `train` is true only.
    train
        `(n,)` mask of the records to learn from. All true, and scoring all, is the leak of the released pipeline.
    fields
        Columns to compare and dedupe's type of variable for each, as in `FIELDS`.
    n_pairs
        True pairs to train on, or all there are if fewer; and as many false ones.

    Raises
    ------
    ImportError
        If dedupe is not installed.
    """
    try:
        dedupe, types = import_module("dedupe"), import_module("dedupe.variables")
    except ImportError as error:
        raise ImportError(NO_DEDUPE) from error
    label = entities_of(gold)[train]
    cells = plain_cells(records[train], fields)
    rng = np.random.default_rng(seed)
    matches, others = training_pairs(label, cells, n_pairs, rng)
    sample = {number: cells[row] for number, row in enumerate(_whole_entities(label, MOST_RECORDS, rng))}

    variables = [getattr(types, kind)(field, has_missing=True) for field, kind in fields.items()]
    for variable in variables:
        variable.predicates = [predicate for predicate in variable.predicates if not hasattr(predicate, "index")]
    deduper = dedupe.Dedupe(variables, num_cores=1, in_memory=True)
    deduper.classifier.set_params(n_jobs=1, scoring=TUNED_FOR)
    deduper.mark_pairs({"match": record_pairs(cells, matches), "distinct": record_pairs(cells, others)})
    with _seeded(int(rng.integers(2**32))):
        deduper.prepare_training(sample)
        blocker = deduper.active_learner.blocker.block_learner.blocker
        blocker.predicates = sorted(blocker.predicates, key=repr)
        deduper.train(index_predicates=False)
    deduper.cleanup_training()
    return Linker(deduper, tuple(fields), _blocked, _probability)


def _blocked(deduper: Any, cells: list[Cells]) -> Iterator[tuple[int, int]]:
    return ((left[0], right[0]) for left, right in deduper.pairs(dict(enumerate(cells))))


def _probability(deduper: Any, pairs: list[Pair]) -> Floats64:
    return np.asarray(deduper.classifier.predict_proba(deduper.data_model.distances(pairs))[:, 1], dtype=np.float64)


def _whole_entities(label: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Positions of all records of entities drawn until there would be more than `most`; the first is always in."""
    order = rng.permutation(int(label.max()) + 1)
    total = np.cumsum(np.bincount(label)[order])
    return np.flatnonzero(np.isin(label, order[(total <= most) | (np.arange(len(order)) == 0)]))


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Python's global generator, from which dedupe draws, with this seed; put back at the end."""
    before = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)
