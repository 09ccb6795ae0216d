"""Classifiers trained on privatised text: WiC and five tasks of GLUE, without noise, with words and with senses.

Arnold, Yesilbas and Weinzierl (2023), §4.2 and Table 2, fine-tune BERT on text that was privatised: "After privatizing
the training data". The texts that it is scored on stay as they are. Deviations: a frozen encoder (`text_states`) with a
linear model on top; at most so many texts to train on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import accuracy_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from trustnlp.data.texts.glue import GluePart, Metric, read_glue
from trustnlp.data.words.words_in_context import ContextPair, read_words_in_context
from trustnlp.privacy.text.text_pieces import Piece, cut, is_word
from trustnlp.privacy.text.text_privatiser import ReleasedPiece, TextPrivatiser
from trustnlp.privacy.text.text_release import joined
from trustnlp.studies.sense_privatization.standins import (
    PlantedSenses,
    planted_contexts,
    planted_words_in_context,
)
from trustnlp.studies.sense_privatization.tasks.text_states import Encode, Span

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
# Inverse strengths of the penalty to choose from, and its strengths for ratings: features have variance one.
COSTS = (1e-4, 1e-3, 1e-2, 1e-1)
PENALTIES = (1e1, 1e2, 1e3, 1e4)
FOLDS = 3

Floats = NDArray[np.float32]
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
class Task:
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


def read_task(name: str, *, train_limit: int) -> Task:
    """One of `SOURCES` with its published parts (`trustnlp.data.texts.glue`; WiC's `train` and `dev`).

    Parameters
    ----------
    train_limit
        Rows to train on; from a longer part so many are drawn, always the same.

    Raises
    ------
    DataError
        The data cannot be fetched or read.
    """
    if name == "WiC":
        parts = read_words_in_context()
        whole = Task("accuracy", _of_pairs(parts["train"]), _of_pairs(parts["dev"]))
    else:
        task = read_glue(SOURCES[name].removeprefix("glue_"))
        whole = Task(task.metric, _of_glue(task.train), _of_glue(task.evaluation))
    return replace(whole, train=whole.train.some(train_limit, np.random.default_rng(0)))


def planted_task(name: str, planted: PlantedSenses, n: int, rng: np.random.Generator) -> Task:
    """A stand-in with `n` rows in either part: the topic of one text is in the first half, or two texts share it."""
    metric = _METRICS.get(name, "accuracy")
    if name in _SINGLE:
        return Task(metric, *(_of_topics(planted, n, rng) for _ in range(2)))
    parts = [_of_pairs(planted_words_in_context(planted, n, rng)) for _ in range(2)]
    if name != "WiC":
        parts = [replace(part, places=None) for part in parts]
    if metric == "spearman":
        parts = [replace(part, targets=part.targets.astype(np.float64)) for part in parts]
    return Task(metric, *parts)


def score_of(
    task: Task, encode: Encode, evaluation: Floats, privatiser: TextPrivatiser | None = None, seed: int = 0
) -> float:
    """Train on one part as the privatiser releases it, or as it is; score on the other.

    Parameters
    ----------
    encode
        From texts to vectors.
    evaluation
        `features_of` the part to score on: the same for all privatisers.
    privatiser
        Releases the texts to train on word by word, with unknown words as its rule has it. None: no noise.
    seed
        Of the noise. The choice of the penalty has none.

    Returns
    -------
    Accuracy as a share, Matthews' correlation or Spearman's.
    """
    train = features_of(task.train, encode, privatiser, seed=seed)
    return fitted_score(task.metric, train, task.train.targets, evaluation, task.evaluation.targets)


def features_of(part: Part, encode: Encode, privatiser: TextPrivatiser | None = None, *, seed: int = 0) -> Floats:
    """`(n, features)`: u of a text; u, v, |u − v| and u ∘ v of a pair; of words meant the same again, and the cosine.

    Every word of either side has noise of its own.
    """
    pieces = [text for side in part.sides for text in side]
    if privatiser is None:
        released = [[ReleasedPiece(piece.text, "punctuation") for piece in text] for text in pieces]
    else:
        released = privatiser.release(pieces, seed)
    texts = [joined(text, new) for text, new in zip(pieces, released, strict=True)]
    if part.places is None:
        return _compared(encode(texts, None).sentences, len(part.sides))
    places = [place for side in part.places for place in side]
    spans = [_span(new, place) for new, place in zip(released, places, strict=True)]
    sentences, meant = encode(texts, spans)
    if meant is None:
        raise ValueError(
            "the encoder was asked for words in their texts and gave none: give their vectors with the texts'"
        )
    return np.hstack([_compared(sentences, len(part.sides)), _compared(meant, len(part.sides)), _cosines(meant)])


def fitted_score(metric: Metric, train: Floats, known: Targets, evaluation: Floats, truth: Targets) -> float:
    """Score of a linear model, its penalty chosen on the training part by cross-validation in `metric`.

    Logistic regression, or for ratings ridge regression (leave-one-out, squared error). Of equally good penalties the
    strongest is taken. Features are brought to mean zero and variance one first.

    Raises
    ------
    ValueError
        A class has fewer than `FOLDS` rows to train on.
    """
    model: Pipeline | GridSearchCV
    if metric == "spearman":
        model = make_pipeline(StandardScaler(), RidgeCV(alphas=PENALTIES))
    else:
        _, counts = np.unique(known, return_counts=True)
        if len(counts) < 2 or counts.min() < FOLDS:
            raise ValueError(f"at least two classes of {FOLDS} rows to train on, got classes of {counts.tolist()}")
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        scoring = make_scorer(_SCORES[metric])
        linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200, tol=1e-3))
        model = GridSearchCV(linear, {"logisticregression__C": COSTS}, scoring=scoring, cv=folds)
    fitted = model.fit(train, known)
    return float(_SCORES[metric](truth, fitted.predict(evaluation)))


def _rank_correlation(truth: Targets, predicted: NDArray[np.float64]) -> float:
    """Spearman's; 0 where all predictions are equal, as `matthews_corrcoef` has it."""
    return float(spearmanr(truth, predicted).statistic) if np.ptp(predicted) > 0 else 0.0


_SCORES = {"accuracy": accuracy_score, "mcc": matthews_corrcoef, "spearman": _rank_correlation}


def _compared(vectors: Floats, sides: int) -> Floats:
    """Vectors of all first texts, then of all second ones, to one row a pair; of single texts as they are."""
    if sides == 1:
        return vectors
    u, v = np.split(vectors, 2)
    return np.hstack([u, v, np.abs(u - v), u * v])


def _cosines(vectors: Floats) -> Floats:
    """`(n, 1)` of the first half of the rows with the second; 0 for a vector of zeros."""
    u, v = np.split(vectors, 2)
    lengths = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    found: Floats = ((u * v).sum(axis=1) / np.where(lengths > 0, lengths, 1))[:, None].astype(np.float32)
    return found


def _span(released: Sequence[ReleasedPiece], place: int) -> Span:
    """Where a piece stands in its text, in which no two words touch."""
    start = sum(len(piece.text) for piece in released[:place])
    return start, start + len(released[place].text)


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
