"""A frozen encoder with a logistic regression as a base classifier: the paper's next step, without fine-tuning.

Misra, Liu and Mahmud (2021), §3.2: "the framework can be easily adapted to more advanced state of the art classifiers
such as BERT". Here the encoder is MiniLM, and only a linear model on its states is trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from torch.nn.functional import normalize

from trustnlp.data.texts.sentence_sets import Sentences
from trustnlp.encoders.pretrained import Encoder
from trustnlp.studies.aec.models.convolution_base import label_weights
from trustnlp.training.batches import Rows, tokenise
from trustnlp.training.encoded_texts import as_texts, encode
from trustnlp.training.kept_results import rows_once, texts_fingerprint
from trustnlp.training.loop import Precision
from trustnlp.training.whole_files import fingerprint

Floats = NDArray[np.float64]
_MOST_TOKENS = 128
_TAUGHT = 0.9


class StatesClassifier:
    """A logistic regression on the states of a frozen encoder, see `text_states`."""

    def __init__(
        self, encoder: Encoder, regression: LogisticRegression, precision: Precision, folder: Path | None
    ) -> None:
        self._encoder, self._regression, self._precision, self._folder = encoder, regression, precision, folder

    @cached_property
    def fingerprint(self) -> str:
        weights = fingerprint(self._regression.coef_, self._regression.intercept_)
        return f"{weights} {_encoder_settings(self._encoder, self._precision)}"

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
    strength: float = 1.0,
    precision: Precision = "float32",
    folder: Path | None = None,
) -> StatesClassifier:
    """Fit a logistic regression to the states of a frozen encoder.

    Parameters
    ----------
    rng
        Draws the nine tenths of the texts that are taught: the fit itself is the same in every run.
    strength
        scikit-learn's C, the inverse of the ridge penalty.
    folder
        Where states are kept; None keeps nothing.

    Raises
    ------
    ValueError
        Training lacks a label.
    """
    label_weights(train.labels)
    states = text_states(encoder, train.texts, precision=precision, folder=folder)
    rows = np.sort(rng.permutation(len(train))[: round(_TAUGHT * len(train))])
    regression = LogisticRegression(C=strength, class_weight="balanced" if weighted else None, max_iter=1_000)
    regression.fit(states[rows].astype(np.float64), train.labels[rows])
    return StatesClassifier(encoder, regression, precision, folder)


def text_states(
    encoder: Encoder, texts: Sequence[str], *, precision: Precision = "float32", folder: Path | None = None
) -> NDArray[np.float32]:
    """The last layer's mean over a text's first 128 tokens, at length 1, as MiniLM was trained: `(n, d)`."""
    found = as_texts(texts)
    width = int(encoder.model.config.hidden_size)

    def pooled(ids: Tensor, attended: Tensor, _: Rows) -> Tensor:
        states = encoder.model(input_ids=ids, attention_mask=attended.long()).last_hidden_state.float()
        kept = attended[..., None]
        return normalize((states * kept).sum(1) / kept.sum(1), dim=1)

    def compute() -> NDArray[np.float32]:
        tokens = tokenise(encoder.tokenizer, found, _MOST_TOKENS)
        vectors = encode(pooled, tokens, width, device=encoder.device, precision=precision, of="texts")
        states: NDArray[np.float32] = vectors.cpu().numpy()
        return states

    settings = {"encoder": _encoder_settings(encoder, precision), "texts": texts_fingerprint(found)}
    return rows_once("states", settings, (len(found), width), folder, compute)


def _encoder_settings(encoder: Encoder, precision: Precision) -> str:
    return f"{encoder.name} {encoder.revision} {encoder.device.type} {precision} {_MOST_TOKENS}"
