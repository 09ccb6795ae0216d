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
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from trustnlp.graphs.pair_graph import Floats64, Ints, PairGraph
from trustnlp.studies.xer.data import Bools, Cells, Pair, checked_rows, plain_cells, record_pairs, training_pairs

NO_DEDUPE = (
    'dedupe is not installed, and the scores of the paper profile are its own: pip install "trustnlp[records]" '
    "(that needs a C compiler; Debian: apt-get install build-essential python3-dev)"
)
_PAIRS_AT_ONCE = 20_000


@dataclass(frozen=True, eq=False)
class ScoredPairs:
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
    recall
        Share of the gold pairs among these records that are in the list; NaN where there is none.
    seconds
        Time for blocking and scoring.
    """

    ids: tuple[Any, ...]
    gold: Ints
    left: Ints
    right: Ints
    probability: Floats64
    recall: float
    seconds: float

    def __len__(self) -> int:
        return len(self.probability)

    @property
    def same(self) -> Bools:
        """Whether each pair is a gold pair."""
        return np.asarray(self.gold[self.left] == self.gold[self.right])

    def graph(self, weights: ArrayLike | None = None) -> PairGraph:
        """The pairs as a graph over all records, weighted by their probabilities or by `weights`, one for each pair."""
        weight = self.probability if weights is None else np.asarray(weights, dtype=np.float64)
        if weight.shape != self.probability.shape or not np.isfinite(weight).all():
            raise ValueError(f"expected a finite weight for each of {len(self)} pairs, got {weight.shape}")
        return PairGraph(self.ids, self.left, self.right, weight)


@dataclass(frozen=True, eq=False)
class Linker:
    """A trained dedupe model.

    Attributes
    ----------
    deduper
        The `dedupe.Dedupe` object.
    fields
        Fields it compares and their types.
    n_matches, n_non_matches
        Numbers of training pairs.
    seconds
        Time for training.
    """

    deduper: Any
    fields: Mapping[str, str]
    n_matches: int
    n_non_matches: int
    seconds: float

    @property
    def rules(self) -> tuple[str, ...]:
        """The blocking rules: records that agree in one of them are compared."""
        return tuple(str(rule) for rule in self.deduper.predicates)

    def score(self, records: pd.DataFrame, gold: ArrayLike, rows: ArrayLike) -> ScoredPairs:
        """Block and score some of the records.

        Parameters
        ----------
        records
            One row per record, cells that are strings or missing.
        gold
            `(n,)` entity of each record; it decides nothing but `recall`.
        rows
            `(n,)` mask of the records to compare with each other.

        Raises
        ------
        ValueError
            If a field is not a column, lengths differ, or no record is chosen.
        """
        start = time.perf_counter()
        label, (chosen,) = checked_rows(records, gold, self.fields, rows)
        kept, label = records[chosen], label[chosen]
        cells = plain_cells(kept, self.fields)
        blocked = ((a[0], b[0]) for a, b in self.deduper.pairs(dict(enumerate(cells))))
        return score_pairs(kept.index, label, cells, blocked, self._probability, start)

    def _probability(self, pairs: list[Pair]) -> Floats64:
        return np.asarray(self.deduper.classifier.predict_proba(self.deduper.data_model.distances(pairs))[:, 1])


def score_pairs(
    ids: Iterable[Any],
    label: Ints,
    cells: list[Cells],
    blocked: Iterable[tuple[int, int]],
    probability: Callable[[list[Pair]], Floats64],
    start: float,
) -> ScoredPairs:
    """Put blocked pairs in order and score them, a batch at a time; `start` is when blocking began."""
    pairs = np.sort(np.array(list(blocked), dtype=np.int64).reshape(-1, 2), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    parts = [np.empty(0)]
    for at in range(0, len(pairs), _PAIRS_AT_ONCE):
        parts.append(probability(record_pairs(cells, pairs[at : at + _PAIRS_AT_ONCE])))
    sizes = np.unique(label, return_counts=True)[1]
    gold_pairs = int((sizes * (sizes - 1) // 2).sum())
    found = int((label[pairs[:, 0]] == label[pairs[:, 1]]).sum())
    recall = found / gold_pairs if gold_pairs else float("nan")
    left, right = pairs.T.copy()
    return ScoredPairs(
        tuple(ids), label, left, right, np.concatenate(parts).astype(np.float64), recall, time.perf_counter() - start
    )


def train_linker(
    records: pd.DataFrame,
    gold: ArrayLike,
    train: ArrayLike,
    fields: Mapping[str, str],
    seed: int,
    *,
    n_matches: int = 500,
    n_non_matches: int = 500,
    near_share: float = 0.5,
    most_records: int = 1_000,
    tune_for: str = "neg_log_loss",
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
    n_matches, n_non_matches
        Training pairs to draw; all matches there are, if fewer.
    near_share
        Share of the non-matches that are near misses (see `draw_non_matches`).
    most_records
        Records that blocking rules are weighed on, whole entities drawn at random until they are so many.
    tune_for
        What cross-validation picks the penalty of the logistic regression by, a name that scikit-learn knows. The log
        loss, as the scores are to be probabilities; dedupe's own choice is `f1`.

    Raises
    ------
    ImportError
        If dedupe is not installed.
    ValueError
        If a field is not a column or has an unknown type, lengths differ, or the training half has fewer than
        `FEWEST_MATCHES` gold pairs or a single entity.
    """
    try:
        dedupe, variables = import_module("dedupe"), import_module("dedupe.variables")
    except ImportError as error:
        raise ImportError(NO_DEDUPE) from error
    start = time.perf_counter()
    label, (chosen,) = checked_rows(records, gold, fields, train)
    if unknown := sorted(set(fields.values()) - set(variables.__all__)):
        raise ValueError(f"{unknown[0]!r} is not a type of variable; dedupe has {', '.join(variables.__all__)}")
    rows = np.flatnonzero(chosen)
    label = label[rows]
    cells = plain_cells(records.iloc[rows], fields)
    rng = np.random.default_rng(seed)
    matches, others = training_pairs(label, cells, n_matches, n_non_matches, near_share, rng)
    sample = {number: cells[row] for number, row in enumerate(_whole_entities(label, most_records, rng))}

    deduper = dedupe.Dedupe(_variables(variables, fields), num_cores=1, in_memory=True)
    deduper.classifier.set_params(n_jobs=1, scoring=tune_for)
    deduper.mark_pairs({"match": record_pairs(cells, matches), "distinct": record_pairs(cells, others)})
    with _seeded(int(rng.integers(2**32))):
        deduper.prepare_training(sample)
        blocker = deduper.active_learner.blocker.block_learner.blocker
        blocker.predicates = sorted(blocker.predicates, key=repr)
        deduper.train(index_predicates=False)
    deduper.cleanup_training()
    return Linker(deduper, dict(fields), len(matches), len(others), time.perf_counter() - start)


def _variables(types: Any, fields: Mapping[str, str]) -> list[Any]:
    variables = [getattr(types, kind)(field, has_missing=True) for field, kind in fields.items()]
    for variable in variables:
        variable.predicates = [predicate for predicate in variable.predicates if not hasattr(predicate, "index")]
    return variables


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
