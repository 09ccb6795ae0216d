"""Classifiers of texts whose training is kept: Kim's network, and a regression on the states of a frozen encoder.

Misra, Liu and Mahmud (2021), §3.2: "A multi-channel CNN architecture is employed to train as it has been shown to work
well on multiple sentiment datasets including SST (Kim, 2014). The samples are weighted to account for class imbalance."
The paper states no size; those of Kim (§3.1, and his released code: yoonkim/CNN_sentence, `conv_net_sentence.py` at
commit 02f51969 and `process_data.py` at 0a626a04) are taken, see `CnnRecipe`.

Deviations: of the three million GoogleNews vectors the 16,103 that two public subsets have; vectors of other words are
drawn at random, as Kim draws what he lacks. Words that neither training nor the vectors have are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from torch.nn.functional import cross_entropy

from trustnlp.data.texts.sentence_sets import Sentences
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.devices import find_device
from trustnlp.encoders.pretrained import Encoder
from trustnlp.training.batches import Rows, Tokens
from trustnlp.training.classification import Labelled, scores_of
from trustnlp.training.encoded_texts import as_texts, encoder_settings, text_states
from trustnlp.training.kept_results import rows_once, texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import Draws, Precision, Schedule, Task, fit, seeded
from trustnlp.training.multichannel_cnn import NO_WORD, MultichannelCnn, word_table
from trustnlp.training.whole_files import fingerprint

Floats = NDArray[np.float64]

# Part of every kept network's name: raise it with any change to what training computes.
_VERSION = 1
_OTHER = re.compile(r"[^a-z0-9(),!?'`]+")
_TAUGHT = 0.9  # share of the texts that a regression learns from
_APART = re.compile(r"n't|'s|'ve|'re|'d|'ll|[(),!?]")


class BaseClassifier(Protocol):
    """A classifier of texts, whose errors are to be predicted."""

    @property
    def fingerprint(self) -> str:
        """Changes with all that decides an answer."""

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """`(n, c)`; rows sum to 1."""


@dataclass(frozen=True)
class CnnRecipe:
    """How Kim's network is trained; the values are those of Kim (2014), §3.1, if nothing else is said.

    Attributes
    ----------
    weighted
        Whether each label's texts weigh as much as those of any other, all together; on dev too.
    epochs, decay
        25 epochs at most, and Adadelta's decay of .95: of the released code.
    patience
        Stop when so many epochs in a row brought no better loss on dev. Deviation: the released code trains all epochs
        and keeps the one with the best accuracy on dev, here the best loss is kept.
    """

    weighted: bool = True
    widths: tuple[int, ...] = (3, 4, 5)
    maps: int = 100
    dropout: float = 0.5
    longest_row: float = 3.0
    batch_size: int = 50
    epochs: int = 25
    decay: float = 0.95
    patience: int | None = 3
    precision: Precision = "float32"

    @property
    def schedule(self) -> Schedule:
        """The part of the settings that the training loop reads. Gradients are not clipped, for Kim does not."""
        return Schedule(self.epochs, self.batch_size, patience=self.patience, clip=math.inf, precision=self.precision)


class CnnClassifier:
    """A trained network with its words.

    Attributes
    ----------
    dev_losses
        Of the training, one for each epoch.
    """

    def __init__(
        self,
        model: MultichannelCnn,
        words: Sequence[str],
        vectors: WordVectors,
        recipe: CnnRecipe,
        dev_losses: tuple[float, ...],
    ) -> None:
        self.dev_losses = dev_losses
        self._model, self._words, self._vectors, self._recipe = model.eval(), tuple(words), vectors, recipe

    @cached_property
    def fingerprint(self) -> str:
        static = fingerprint(self._model.static.cpu().numpy(), self._vectors.matrix)
        return f"{weights_fingerprint(self._model)} {static} {self._recipe.precision} {self._model.static.device.type}"

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """`(n, c)`; rows sum to 1. A text without a known word has what the network says of no word.

        Raises
        ------
        ValueError
            If there is no text, or a single string.
        """
        rows = [kim_words(text) for text in as_texts(texts)]
        known = frozenset(self._words)
        new = sorted({word for words in rows for word in words if word not in known and word in self._vectors})
        model = self._model.grown(torch.from_numpy(self._vectors.stack(new))) if new else self._model
        labelled = Labelled.of(_tokens(rows, (*self._words, *new)), torch.zeros(len(rows), dtype=torch.int64))
        scores = scores_of(model, labelled.inputs, self._recipe.schedule, self._model.static.device)
        found: Floats = scores.double().softmax(1).cpu().numpy()
        return found


def kim_words(text: str) -> list[str]:
    """The words of a text as in Kim's released code (`clean_str` of `process_data.py`), lower-cased.

    Letters, digits and a few signs are read. Endings such as `n't` are words of their own, and so is each of `(),!?`.

    >>> kim_words("It isn't #over, she'd said!")
    ['it', 'is', "n't", 'over', ',', 'she', "'d", 'said', '!']
    """
    return _APART.sub(lambda found: f" {found[0]} ", _OTHER.sub(" ", text.lower())).split()


def train_cnn(
    train: Sentences,
    dev: Sentences,
    vectors: WordVectors,
    recipe: CnnRecipe,
    *,
    seed: int,
    device: str = "cpu",
    folder: Path | None = None,
) -> CnnClassifier:
    """Train Kim's network, or read the finished one from a folder.

    Parameters
    ----------
    seed
        Of the vectors of unknown words, the first weights, the batches and the dropout.
    folder
        Where the network is kept, and a checkpoint while it is trained; None keeps nothing.

    Raises
    ------
    ValueError
        If training lacks a label, dev has one more, or a file in the folder is damaged.
    FloatingPointError
        If the loss is not finite: with the epoch and the step.
    """
    weights = label_weights(train.labels) if recipe.weighted else np.ones(len(label_weights(train.labels)))
    if dev.labels.max() >= len(weights):
        raise ValueError(f"training has the labels 0 to {len(weights) - 1}, and dev has {int(dev.labels.max())}")
    split = {part: [kim_words(text) for text in texts] for part, texts in (("train", train.texts), ("dev", dev.texts))}
    words = sorted({word for rows in split.values() for row in rows for word in row})
    place = find_device(device)
    with seeded(seed, place):
        table = word_table(words, vectors, np.random.default_rng([seed, 1]))
        model = MultichannelCnn(
            table,
            len(weights),
            widths=recipe.widths,
            maps=recipe.maps,
            dropout=recipe.dropout,
            longest_row=recipe.longest_row,
        ).to(place)
    taught = Labelled.of(_tokens(split["train"], words), torch.tensor(train.labels))
    checked = Labelled.of(_tokens(split["dev"], words), torch.tensor(dev.labels))
    settings: dict[str, Any] = {
        "version": _VERSION,
        "vectors": vectors.name,
        "first weights": weights_fingerprint(model),
        "texts for training": taught.fingerprint,
        "texts of dev": checked.fingerprint,
        "device": place.type,
        "recipe": asdict(recipe),
        "seed": seed,
    }

    importance = torch.from_numpy(weights).float().to(place)
    # Gradients are not clipped, for Kim does not.
    optimiser = torch.optim.Adadelta(model.parameters(), lr=1.0, rho=recipe.decay, eps=1e-6)
    optimiser.register_step_post_hook(lambda *_: model.shorten_rows())

    def loss(rows: Rows, draws: Draws) -> Tensor:
        values, mask = taught.inputs.batch(rows, draws.here)
        scores = model(values.to(place), mask.to(place))
        return cross_entropy(scores.float(), taught.labels[rows].to(place), weight=importance)

    def dev_loss() -> float:
        scores = scores_of(model, checked.inputs, recipe.schedule, place)
        return float(cross_entropy(scores, checked.labels.to(place), weight=importance))

    def run(checkpoint: Path | None) -> tuple[float, ...]:
        task = Task("Kim's network", model, optimiser, place, taught.inputs.lengths, loss, dev_loss)
        return fit(task, recipe.schedule, seed=seed, settings=settings, checkpoint=checkpoint)

    losses = trained_once(model, "cnn", settings, folder, run)
    return CnnClassifier(model, words, vectors, recipe, losses)


def label_weights(labels: NDArray[np.int64]) -> Floats:
    """Weight of each label, `(c,)`: n / (c · n of the label), so that a text weighs 1 on average.

    >>> label_weights(np.array([0, 0, 0, 1])).round(3).tolist()
    [0.667, 2.0]

    Raises
    ------
    ValueError
        If there are fewer than two labels, or a label from 0 to the greatest that does not occur.
    """
    counts = np.bincount(labels)
    if len(counts) < 2 or not counts.all():
        raise ValueError(
            f"training needs every label from 0 to the greatest, at least two, got {counts.tolist()} texts"
        )
    weights: Floats = len(labels) / (len(counts) * counts)
    return weights


def _tokens(rows: Sequence[Sequence[str]], words: Sequence[str]) -> Tokens:
    """Word numbers as `word_table` counts them; unknown words are left out, and `NO_WORD` stands for none at all."""
    number = {word: row for row, word in enumerate(words, start=1)}
    return Tokens.of([[number[word] for word in row if word in number] or [NO_WORD] for row in rows])


class StatesClassifier:
    """A logistic regression on the states of a frozen encoder, see `text_states`."""

    def __init__(
        self, encoder: Encoder, regression: LogisticRegression, precision: Precision, folder: Path | None
    ) -> None:
        self._encoder, self._regression, self._precision, self._folder = encoder, regression, precision, folder

    @cached_property
    def fingerprint(self) -> str:
        weights = fingerprint(self._regression.coef_, self._regression.intercept_)
        return f"{weights} {encoder_settings(self._encoder, self._precision)}"

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """`(n, c)`; rows sum to 1."""
        states = text_states(self._encoder, texts, precision=self._precision, folder=self._folder)
        found: Floats = self._regression.predict_proba(states.astype(np.float64))
        return found


def train_on_states(
    encoder: Encoder,
    train: Sentences,
    *,
    weighted: bool,
    rng: np.random.Generator,
    precision: Precision = "float32",
    folder: Path | None = None,
) -> StatesClassifier:
    """Fit a logistic regression to the states of a frozen encoder.

    Parameters
    ----------
    rng
        Draws the nine tenths of the texts that are taught: the fit itself is the same in every run.
    folder
        Where states are kept; None keeps nothing.

    Raises
    ------
    ValueError
        If training lacks a label.
    """
    label_weights(train.labels)
    states = text_states(encoder, train.texts, precision=precision, folder=folder)
    rows = np.sort(rng.permutation(len(train))[: round(_TAUGHT * len(train))])
    regression = LogisticRegression(class_weight="balanced" if weighted else None, max_iter=1_000)
    regression.fit(states[rows].astype(np.float64), train.labels[rows])
    return StatesClassifier(encoder, regression, precision, folder)


def probabilities_once(classifier: BaseClassifier, texts: Sequence[str], folder: Path | None = None) -> Floats:
    """`(n, c)` of each text, kept in a folder for the next time; the predicted label is where a row is greatest.

    Kept or not, they are rounded to float32 and brought back to a sum of 1, so that a second run sees the same numbers.

    Raises
    ------
    ValueError
        If there is no text, or the file in the folder is damaged.
    """
    listed = as_texts(texts)
    classes = classifier.probabilities(listed[:1]).shape[1]
    settings = {"classifier": classifier.fingerprint, "texts": texts_fingerprint(listed)}

    def compute() -> NDArray[np.float32]:
        return classifier.probabilities(listed).astype(np.float32)

    rows = rows_once("probabilities", settings, (len(listed), classes), folder, compute).astype(np.float64)
    sums: Floats = rows / rows.sum(1, keepdims=True)
    return sums
