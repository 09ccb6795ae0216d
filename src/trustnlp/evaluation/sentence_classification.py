"""Sentence classification on averaged word vectors, by the protocol of SentEval (Conneau and Kiela, 2018).

Feyisetan and Kasiviswanathan (2021), §5.4 and Table 1: private word vectors replace those of a bag-of-words encoder,
and a logistic regression is trained on the averages. The protocol depends on the splits of the set:

train
    Nested cross-validation (MR, CR, MPQA): ten outer folds; the L2 penalty of each is chosen inside its training part.
train, test
    The penalty is chosen by ten-fold cross-validation on train (TREC).
train, dev, test
    The penalty is chosen on dev (SST).

In every case the classifier with the chosen penalty is trained on the training part and nothing else.

SentEval reports two accuracies: `devacc`, which chose the penalty, and `acc` on the test part. Here a third stands
beside them, the accuracy on the rows the classifier was fitted to. Table 1's "TRAIN ACC" may be the first or the third.

Deviations from SentEval: (1) The inner folds of an outer fold are the other nine outer folds instead of ten new ones.
The fit without folds `i` and `j` then serves both of them, and 55 fits per penalty do the work of 110; on MR this moves
the accuracy by about a tenth of a point. (2) The penalties
span a wider range and apply to features of unit scale (one shift and one factor for the whole matrix, from the training
rows, labels unseen), so that no mechanism is at a disadvantage for the size of its vectors. (3) SentEval's published
settings fit by stochastic gradient descent with early stopping; here the optimum is found, as in its scikit-learn mode.
(4) A sentence without a known word gets the zero vector instead of the vector of ".", which not all vectors have.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.logistic_path import fit_path, predict

Floats = NDArray[np.float32]
Labels = NDArray[np.int64]

# λ of `λ/2 ‖w‖²` added to the summed loss, strongest first: on ties the first is taken, as SentEval does.
PENALTIES = (16384.0, 4096.0, 1024.0, 256.0, 64.0, 16.0)


@dataclass(frozen=True)
class Coverage:
    """How much of a text is known.

    Attributes
    ----------
    tokens, known
        All tokens, punctuation among them, and those that are known.
    words, known_words
        The same of the tokens with at least one letter.
    sentences, unknown_sentences
        All sentences, and those without a known token, whose vector is zero.
    """

    tokens: int
    known: int
    words: int
    known_words: int
    sentences: int
    unknown_sentences: int

    @property
    def share_known(self) -> float:
        """Share of the tokens that are known; 0 where there are none."""
        return self.known / self.tokens if self.tokens else 0.0

    @property
    def share_known_words(self) -> float:
        """Share of the tokens with a letter that are known; 0 where there are none."""
        return self.known_words / self.words if self.words else 0.0

    @property
    def share_unknown_sentences(self) -> float:
        """Share of the sentences whose vector is zero; 0 where there are none."""
        return self.unknown_sentences / self.sentences if self.sentences else 0.0

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


class BagOfWords:
    """Sentences as the mean over their known words, of whatever vectors the words are given.

    A word is looked up as it stands, then in lower case; unknown words are left out.

    Parameters
    ----------
    texts
        `n` sentences, tokens separated by white space.
    words
        `V` distinct words, in the order of the tables to be averaged.

    Attributes
    ----------
    rows
        `(T,)` the position in `words` of every known token, sentence after sentence.
    coverage
        What was known.

    Examples
    --------
    >>> bag = BagOfWords(["Good plot , good cast", "!"], ["good", "cast"])
    >>> bag.rows.tolist(), bag.coverage.share_known
    ([0, 0, 1], 0.5)
    >>> bag.average([[3.0], [0.0]]).tolist()
    [[2.0], [0.0]]
    """

    def __init__(self, texts: Sequence[str], words: Collection[str]) -> None:
        if isinstance(texts, str):
            raise TypeError(f"texts takes a list of sentences, got the single string {texts[:40]!r}")
        row = {word: index for index, word in enumerate(words)}
        self._table_rows = len(row)
        if len(row) < len(words):
            raise ValueError(f"{len(words)} words, but only {len(row)} distinct ones; a word has one row of a table")
        tokens = [token for text in texts for token in text.split()]
        found = {token: row.get(token, row.get(token.lower(), -1)) for token in set(tokens)}
        is_word = {token: any(map(str.isalpha, token)) for token in found}
        places = np.array([found[token] for token in tokens], dtype=np.int64)
        words_at = np.array([is_word[token] for token in tokens], dtype=bool)
        known = places >= 0
        sentence = np.repeat(np.arange(len(texts)), [len(text.split()) for text in texts])
        lengths = np.bincount(sentence[known], minlength=len(texts))
        self.rows: NDArray[np.int64] = places[known]
        self._ends = np.concatenate([[0], np.cumsum(lengths)])
        self.coverage = Coverage(
            tokens=len(tokens),
            known=int(known.sum()),
            words=int(words_at.sum()),
            known_words=int((known & words_at).sum()),
            sentences=len(texts),
            unknown_sentences=int((lengths == 0).sum()),
        )

    def __len__(self) -> int:
        return len(self._ends) - 1

    def average(self, table: ArrayLike) -> Floats:
        """`(n, d)` from a table `(V, d)` of one vector per word: every occurrence of a word has the same vector."""
        return self._mean(self.rows, self._table_rows, table, "one row per word", 0, len(self))

    def average_occurrences(self, vectors: ArrayLike) -> Floats:
        """`(n, d)` from one vector per known token, `(T, d)` in the order of `rows`."""
        return self._mean(np.arange(len(self.rows)), len(self.rows), vectors, "one row per known token", 0, len(self))

    def average_draws(self, draw: Callable[[NDArray[np.int64]], ArrayLike], most_tokens: int = 50_000) -> Floats:
        """`average_occurrences` without holding a vector of every token at once.

        Parameters
        ----------
        draw
            Maps `(t,)` positions in `words`, one per token, to fresh vectors `(t, d)`; `t` may be 0. Called for one
            piece of the text after the other, so a generator it draws from gives every token its own noise.
        most_tokens
            Size of a piece, which ends where a sentence ends (a longer sentence is a piece of its own).
        """
        if most_tokens < 1:
            raise ValueError(f"most_tokens must be at least 1, got {most_tokens}")
        means: list[Floats] = []
        first = 0
        while first < len(self) or not means:
            last = int(np.searchsorted(self._ends, self._ends[first] + most_tokens, side="right")) - 1
            last = min(max(last, first + 1), len(self))
            piece = self.rows[self._ends[first] : self._ends[last]]
            columns = np.arange(len(piece))
            means.append(self._mean(columns, len(piece), draw(piece), "one row per token asked for", first, last))
            first = last
        return np.concatenate(means)

    def _mean(
        self, columns: NDArray[np.int64], width: int, vectors: ArrayLike, expected: str, first: int, last: int
    ) -> Floats:
        """`(last - first, d)`: the mean of `vectors[columns]` over each of the sentences `first..last-1`."""
        table = np.asarray(vectors, dtype=np.float32)
        if table.ndim != 2 or len(table) != width:
            raise ValueError(f"expected {expected}, shape ({width}, d), got {table.shape}")
        ends = self._ends[first : last + 1] - self._ends[first]
        lengths = np.diff(ends)
        weights = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
        averaging = sparse.csr_matrix((weights, columns, ends), shape=(last - first, width))
        means: Floats = averaging @ table
        return means


def sentence_vectors(texts: Sequence[str], vectors: WordVectors) -> tuple[Floats, Coverage]:
    """`(n, d)` the mean of the vectors of each sentence's known words, and what was known."""
    bag = BagOfWords(texts, vectors.words)
    return bag.average(vectors.matrix), bag.coverage


@dataclass(frozen=True)
class Scores:
    """Accuracies between 0 and 1, each the mean over the folds where there are folds.

    Attributes
    ----------
    train
        On the rows the final classifier was fitted to.
    validation
        The one that chose the penalty: the best over all penalties, and therefore a little too high.
    test
        On rows that nothing was chosen or fitted by.
    penalties
        The penalty chosen, one per outer fold (one in all where the test rows are given).
    """

    train: float
    validation: float
    test: float
    penalties: tuple[float, ...]


def evaluate(
    features: Mapping[str, ArrayLike],
    labels: Mapping[str, ArrayLike],
    *,
    rng: np.random.Generator,
    folds: int = 10,
    penalties: Sequence[float] = PENALTIES,
) -> Scores:
    """Accuracies by SentEval's protocol; which one follows from the splits there are (see the head of this module).

    Parameters
    ----------
    features
        `(n, d)` by split: `train`, or `train` and `test`, or `train`, `dev` and `test`.
    labels
        `(n,)` integers `0..k-1` for the same splits.
    rng
        Draws the folds.
    folds
        Number of folds, at least 3 where train is the only split, else 2. Unused where dev is given.
    penalties
        `λ` to choose from, strongest first: on ties the first is taken.

    Raises
    ------
    ValueError
        Other splits, shapes that do not fit, features that are not finite, or a class too rare for the folds.
    """
    x, y = _checked(features, labels)
    if not penalties or not all(0 < penalty < np.inf for penalty in penalties):
        raise ValueError(f"penalties must be positive numbers, got {tuple(penalties)}")
    # Every fit must see every class, and a nested one leaves two folds out.
    needed = 1 if "dev" in x else 2 if "test" in x else 3
    counts = np.bincount(y["train"], minlength=1 + max(int(split.max()) for split in y.values()))
    if len(counts) < 2 or counts.min() < needed:
        raise ValueError(f"needs two classes or more and {needed} training rows of each, got {counts.tolist()}")
    if "dev" in x:
        return _given_dev(x, y, penalties)
    fold = _folds(y["train"], folds, needed, rng)
    return _given_test(x, y, fold, penalties) if "test" in x else _nested(x["train"], y["train"], fold, penalties)


def majority(labels: Mapping[str, ArrayLike]) -> float:
    """Accuracy of always answering the most frequent label of train: on test, or on train where there is no test."""
    most = int(np.bincount(np.asarray(labels["train"])).argmax())
    return float((np.asarray(labels.get("test", labels["train"])) == most).mean())


def _nested(X: Floats, y: Labels, fold: Labels, penalties: Sequence[float]) -> Scores:
    """Outer fold `i` is tested by the fit without it; its penalty is chosen by the fits without `i` and `j`, on `j`."""
    k = int(fold.max()) + 1
    out = np.array([fold == i for i in range(k)]).T  # (n, k)
    pairs = [(i, j) for i in range(k) for j in range(i)]
    subsets = np.concatenate([~out, np.stack([~(out[:, i] | out[:, j]) for i, j in pairs], axis=1)], axis=1)
    train, validation, test = (np.empty((len(penalties), k)) for _ in range(3))
    for p, weights in enumerate(fit_path(X, y, subsets, penalties)):
        right = predict(X, weights) == y[:, None]
        inner = np.zeros(k)
        for column, (i, j) in enumerate(pairs, start=k):
            inner[i] += right[out[:, j], column].mean()
            inner[j] += right[out[:, i], column].mean()
        validation[p] = inner / (k - 1)
        train[p] = [right[~out[:, i], i].mean() for i in range(k)]
        test[p] = [right[out[:, i], i].mean() for i in range(k)]
    best = validation.argmax(axis=0)
    train, validation, test = (scores[best, np.arange(k)] for scores in (train, validation, test))
    chosen = tuple(float(penalties[index]) for index in best)
    return Scores(float(train.mean()), float(validation.mean()), float(test.mean()), chosen)


def _given_test(x: dict[str, Floats], y: dict[str, Labels], fold: Labels, penalties: Sequence[float]) -> Scores:
    k = int(fold.max()) + 1
    out = np.array([fold == i for i in range(k)] + [np.zeros(len(fold), dtype=bool)]).T  # (n, k + 1)
    scores = []
    for weights in fit_path(x["train"], y["train"], ~out, penalties):
        right = predict(x["train"], weights) == y["train"][:, None]
        validation = float(np.mean([right[out[:, i], i].mean() for i in range(k)]))
        test = (predict(x["test"], weights[:, -1:])[:, 0] == y["test"]).mean()
        scores.append((float(right[:, -1].mean()), validation, float(test)))
    return _best(scores, penalties)


def _given_dev(x: dict[str, Floats], y: dict[str, Labels], penalties: Sequence[float]) -> Scores:
    everything = np.ones((len(y["train"]), 1), dtype=bool)
    scores = []
    for weights in fit_path(x["train"], y["train"], everything, penalties):
        train, dev, test = ((predict(x[s], weights)[:, 0] == y[s]).mean() for s in ("train", "dev", "test"))
        scores.append((float(train), float(dev), float(test)))
    return _best(scores, penalties)


def _best(scores: list[tuple[float, float, float]], penalties: Sequence[float]) -> Scores:
    """The row of `(train, validation, test)` whose validation accuracy is largest, the first on ties."""
    best = max(range(len(scores)), key=lambda index: scores[index][1])
    return Scores(*scores[best], (float(penalties[best]),))


def _folds(y: Labels, folds: int, fewest: int, rng: np.random.Generator) -> Labels:
    """`(n,)` a fold for every row: each class is shuffled and dealt out, going on where the last class ended."""
    if not fewest <= folds <= len(y):
        raise ValueError(f"{len(y)} training rows need {fewest} to {len(y)} folds, got {folds}")
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % folds
    return fold


def _checked(
    features: Mapping[str, ArrayLike], labels: Mapping[str, ArrayLike]
) -> tuple[dict[str, Floats], dict[str, Labels]]:
    """Features of unit scale and labels, by split."""
    if set(features) != set(labels) or set(features) not in ({"train"}, {"train", "test"}, {"train", "dev", "test"}):
        raise ValueError(
            "expected the splits train, or train and test, or train, dev and test, the same for features and labels; "
            f"got {sorted(features)} and {sorted(labels)}"
        )
    x = {split: np.asarray(rows, dtype=np.float64) for split, rows in features.items()}
    y: dict[str, Labels] = {}
    for split, rows in x.items():
        given = np.asarray(labels[split])
        if rows.ndim != 2 or given.shape != (len(rows),) or rows.shape[1] != x["train"].shape[1] or not len(rows):
            raise ValueError(
                f"{split}: expected features (n, d) and labels (n,) with the same d in every split, got {rows.shape} "
                f"and {given.shape}"
            )
        if not np.isfinite(rows).all():
            raise ValueError(f"{split}: a feature is NaN or infinite; look for it upstream")
        if not np.issubdtype(given.dtype, np.integer) or given.min() < 0:
            raise ValueError(f"{split}: labels are integers from 0, got {given.dtype} values from {given.min()}")
        y[split] = given.astype(np.int64)
    centre = x["train"].mean(axis=0)
    scale = float(np.sqrt(np.square(x["train"] - centre).mean())) or 1.0
    return {split: ((rows - centre) / scale).astype(np.float32) for split, rows in x.items()}, y
