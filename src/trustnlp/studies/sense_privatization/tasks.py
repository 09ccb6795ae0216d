"""Classifiers trained on privatised text: WiC and five tasks of GLUE, without noise, with words and with senses.

Arnold, Yesilbas and Weinzierl (2023), §4.2 and Table 2, fine-tune BERT on text that was privatised: "After privatizing
the training data". The texts that it is scored on stay as they are. Deviations: a frozen MiniLM (Reimers and Gurevych
2019) with a linear model on top; at most so many texts to train on.

`word` and `sense` are the paper's two mechanisms. `prior` is `sense` without a look at the text: each word is given its
most probable sense. The paper puts a gain down to context, so the gain has to be over `prior`, too.

A third of a millisecond goes to the search of a word's substitute, seven to encoding a text (MRPC, one core). A score
takes minutes, so it is kept under the content that it is of: texts, vectors, ε, arm and seed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import accuracy_score, make_scorer, matthews_corrcoef
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from trustnlp.data.texts.glue import Metric
from trustnlp.embeddings.bfloat16_search import quick_search
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.pretrained import Encoder
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_pieces import Piece
from trustnlp.privacy.text.text_privatiser import ReleasedPiece, TextPrivatiser, privatiser
from trustnlp.privacy.text.text_release import released_text
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.sense_privatization.data import Part, ScoredTask, Targets
from trustnlp.training.kept_results import json_once

MOST_TOKENS = 128  # as is usual for GLUE with BERT; what follows in a text is not read


Span = tuple[int, int]


class States(NamedTuple):
    """Vectors of texts, and of the word that is meant in each.

    Attributes
    ----------
    sentences
        `(n, d)` one vector for each text, float32.
    targets
        `(n, d)` one for the word that is meant in it; None if none was asked for.
    """

    sentences: NDArray[np.float32]
    targets: NDArray[np.float32] | None


# From texts, and the characters of the word meant in each (or None), to their states.
Encode = Callable[[Sequence[str], Sequence[Span] | None], States]


@torch.no_grad()
def encoder_states(
    encoder: Encoder, texts: Sequence[str], spans: Sequence[Span] | None = None, *, batch_size: int = 64
) -> States:
    """The last layer's states: their mean over a text at length one, as MiniLM was trained, and over a word's pieces.

    Parameters
    ----------
    texts
        `n` texts; of each the first `MOST_TOKENS` pieces are read.
    spans
        For each text the first character of the word that is meant and the one after its last. A word without pieces
        (the tokenizer knows none of its characters, or it stands too late in the text) gets the vector of its text.
    batch_size
        Texts of like length that are encoded at once; they come back in the given order.
    """
    cut = encoder.tokenizer(list(texts), truncation=True, max_length=MOST_TOKENS, return_offsets_mapping=True)
    dim = encoder.model.config.hidden_size
    sentences = np.empty((len(texts), dim), dtype=np.float32)
    targets = np.empty_like(sentences) if spans is not None else None
    order = np.argsort([len(ids) for ids in cut["input_ids"]], kind="stable")
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        padded = encoder.tokenizer.pad(
            {name: [cut[name][row] for row in rows] for name in ("input_ids", "attention_mask")}, return_tensors="pt"
        ).to(encoder.device)
        states = encoder.model(**padded).last_hidden_state
        whole = _mean(states, padded["attention_mask"].bool())
        sentences[rows] = torch.nn.functional.normalize(whole, dim=1).cpu().numpy()
        if spans is not None and targets is not None:
            inside = [torch.tensor(_pieces_inside(cut["offset_mapping"][row], spans[row])) for row in rows]
            meant = torch.nn.utils.rnn.pad_sequence(inside, batch_first=True)
            some = meant.any(dim=1, keepdim=True)
            targets[rows] = torch.where(some, _mean(states.cpu(), meant), whole.cpu()).numpy()
    return States(sentences, targets)


def static_states(vectors: WordVectors, texts: Sequence[str], spans: Sequence[Span] | None = None) -> States:
    """A stand-in for an encoder: the mean of a text's word vectors, zero without any; between it and a word's own.

    Words are cut at blanks. For made-up texts, of which an encoder knows nothing.
    """
    sentences = np.zeros((len(texts), vectors.dim), dtype=np.float32)
    targets = np.zeros_like(sentences) if spans is not None else None
    for row, text in enumerate(texts):
        if known := [word for word in text.split() if word in vectors]:
            sentences[row] = vectors.stack(known).mean(axis=0)
        if spans is not None and targets is not None:
            word = text[slice(*spans[row])]
            targets[row] = (sentences[row] + vectors[word]) / 2 if word in vectors else sentences[row]
    return States(sentences, targets)


def _mean(states: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
    """`(B, d)` mean of states `(B, T, d)` over the places marked, `(B, T)`; zero where none is."""
    weights = which.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _pieces_inside(offsets: Sequence[Span], span: Span) -> list[bool]:
    """Which pieces lie within the characters; special tokens, which have none, do not."""
    return [span[0] <= first < after <= span[1] for first, after in offsets]


# Inverse strengths of the penalty to choose from, and its strengths for ratings: features have variance one.
COSTS = (1e-4, 1e-3, 1e-2, 1e-1)


PENALTIES = (1e1, 1e2, 1e3, 1e4)


FOLDS = 3


Floats = NDArray[np.float32]


def score_of(
    task: ScoredTask, encode: Encode, evaluation: Floats, privatiser: TextPrivatiser | None = None, seed: int = 0
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
    texts = [released_text(text, new) for text, new in zip(pieces, released, strict=True)]
    if part.places is None:
        return _compared(encode(texts, None).sentences, len(part.sides))
    places = [place for side in part.places for place in side]
    spans = [_span(new, place) for new, place in zip(released, places, strict=True)]
    sentences, meant = encode(texts, spans)
    assert meant is not None
    return np.hstack([_compared(sentences, len(part.sides)), _compared(meant, len(part.sides)), _cosines(meant)])


def fitted_score(metric: Metric, train: Floats, known: Targets, evaluation: Floats, truth: Targets) -> float:
    """Score of a linear model, its penalty chosen on the training part by cross-validation in `metric`.

    Logistic regression, or for ratings ridge regression (leave-one-out, squared error). Of equally good penalties the
    strongest is taken. Features are brought to mean zero and variance one first.
    """
    model: Pipeline | GridSearchCV
    if metric == "spearman":
        model = make_pipeline(StandardScaler(), RidgeCV(alphas=PENALTIES))
    else:
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
    cosines: Floats = ((u * v).sum(axis=1) / np.where(lengths > 0, lengths, 1))[:, None].astype(np.float32)
    return cosines


def _span(released: Sequence[ReleasedPiece], place: int) -> Span:
    """Where a piece stands in its text, in which no two words touch."""
    start = sum(len(piece.text) for piece in released[:place])
    return start, start + len(released[place].text)


ARMS = ("word", "sense", "prior")


class WithoutContext(TextPrivatiser):
    """A privatiser by senses in which every word has its sense of the largest prior."""

    def _senses(self, inventory: SenseInventory, texts: Sequence[Sequence[Piece]]) -> NDArray[np.int64]:
        rows = np.array([self.row(piece.text) for pieces in texts for piece in pieces if piece.is_word], dtype=np.int64)
        # The first of equal ones, as `choose_senses` has it for a word without context.
        largest = np.lexsort((-inventory.prior, inventory.owner))[inventory.starts[:-1]]
        return np.where(rows >= 0, largest[rows], -1)


def release_of(arm: str, vectors: WordVectors, inventory: SenseInventory, epsilon: float) -> TextPrivatiser:
    """The privatiser of one of `ARMS`, with a search that gives the same substitutes in less time."""
    table = torch.tensor(vectors.matrix)
    mechanism = NearestWord(table, epsilon) if arm == "word" else NearestSense(inventory, epsilon)
    mechanism._search = quick_search(mechanism.vectors)
    known = privatiser(vectors=vectors, mechanism=mechanism)
    if arm != "prior":
        return known
    values = {field.name: getattr(known, field.name) for field in fields(TextPrivatiser)}
    return WithoutContext(**{**values, "window": 0})


def kept_score(
    task: ScoredTask, encode: Encode, evaluation: NDArray[np.float32], release: TextPrivatiser, seed: int
) -> float:
    """`score_of`, taken from the cache where the same texts have been released in the same way and scored before."""
    asked = {"release": release.parameters(), "seed": seed, "metric": task.metric, "train": _digest(task.train)}
    asked["scored on"] = hashlib.sha256(evaluation.tobytes() + task.evaluation.targets.tobytes()).hexdigest()
    folder = results_of("trustnlp.studies.sense_privatization.tasks:score_of")
    return float(json_once("task-score", asked, folder, lambda: score_of(task, encode, evaluation, release, seed)))


def _digest(part: Part) -> str:
    texts = [[piece.text for piece in text] for side in part.sides for text in side]
    content = json.dumps([texts, part.places, part.targets.tolist()])
    return hashlib.sha256(content.encode()).hexdigest()
