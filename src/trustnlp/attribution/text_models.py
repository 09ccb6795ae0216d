"""Classifiers as an explanation sees them: texts in, class probabilities out.

Three kinds of model are read: a function of a list of texts (`FunctionModel`), a transformer with its tokenizer
(`TransformerModel`), and any object with `probabilities` and `mask` (`TextModel`). What comes back is checked at every
call, since a wrong explanation looks like a right one.

Explanations ask for thousands of short texts. A transformer computes each distinct one once, in batches of texts of
like length.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Protocol, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trustnlp.attribution.model_calls import SUM_TOLERANCE, Floats, distinct_texts
from trustnlp.training.batches import by_length
from trustnlp.training.loop import Precision


class ModelError(ValueError):
    """A model gave back something else than the class probabilities of the texts that it was given."""


class TextModel(Protocol):
    """A classifier of texts."""

    @property
    def mask(self) -> str:
        """The string in the place of a masked word."""

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """Class probabilities `(n, c)`; every row sums to 1."""


class FunctionModel:
    """A function as a `TextModel`.

    Parameters
    ----------
    function
        Takes a list of texts, the empty text among them, and gives their class probabilities `(n, c)`. A result `(n,)`
        of fractions is read as the probability of the second of two classes. Labels, as scikit-learn's `predict` gives
        them, are refused.
    mask
        What stands in the place of a masked word: something that the function takes for an unknown word.

    Examples
    --------
    >>> def praise(texts):
    ...     return [[0.2, 0.8] if "good" in text else [0.9, 0.1] for text in texts]
    >>> FunctionModel(praise).probabilities(["a good film"])
    array([[0.2, 0.8]])
    """

    def __init__(self, function: Callable[[list[str]], Any], mask: str = "[MASK]") -> None:
        self._function, self._mask = function, mask

    @property
    def mask(self) -> str:
        return self._mask

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """The function's answers for the texts, as `(n, c)` float64.

        Raises
        ------
        ModelError
            If the result has another shape, holds no numbers or NaN, has one class only, or rows that do not sum to 1
            within a thousandth.
        """
        found = _as_array(self._function(list(texts)))
        if found.ndim == 1 and len(found) == len(texts):
            found = np.stack([1 - found, found], axis=1)
        return checked_probabilities(found, len(texts))


class TransformerModel:
    """A transformer that classifies, with its tokenizer, as a `TextModel`; it also gives gradients.

    The model computes where it is, without dropout: it is put in evaluation mode.

    Parameters
    ----------
    model
        A sequence classifier of Hugging Face, or with `word_vectors` a module that gives scores `(B, c)` of token ids
        `(B, T)` and a mask, as `trustnlp.training.text_classifiers.EncoderClassifier` does.
    tokenizer
        With a padding token, and a mask token unless `mask` is given.
    word_vectors
        The module's embedding of token ids. Models of Hugging Face know theirs.
    mask
        What stands in the place of a masked word; by default the tokenizer's mask token.
    max_length
        Texts of more tokens, [CLS] and [SEP] included, are cut, with a warning. By default the model's limit.
    batch_size
        Texts that are computed at a time.
    precision
        `float32`, or `bfloat16` by autocast.

    Attributes
    ----------
    class_names
        As the model's configuration has them; None where it numbers them only.

    Raises
    ------
    ValueError
        If there is no mask or padding token, a model with one class or with several labels for a text, a limit below 3,
        an empty batch, or an unknown precision.
    TypeError
        If given a model of another kind.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        word_vectors: nn.Module | None = None,
        mask: str | None = None,
        max_length: int | None = None,
        batch_size: int = 64,
        precision: Precision = "float32",
    ) -> None:
        self._model, self.tokenizer, self._own = model, tokenizer, word_vectors is not None
        if not self._own and not hasattr(model, "get_input_embeddings"):
            raise TypeError(
                f"{type(model).__name__} is no transformer of Hugging Face: for a module that gives scores of ids and "
                "mask, give its embedding of ids as `word_vectors`"
            )
        self.word_vectors: nn.Module = model.get_input_embeddings() if word_vectors is None else word_vectors
        config = getattr(model, "config", None)
        self.max_length = _limit(tokenizer, config) if max_length is None else max_length
        self.batch_size, self.precision = batch_size, precision
        self.class_names = _class_names(config)
        mask = mask or getattr(tokenizer, "mask_token", None)
        if not mask:
            raise ValueError(
                f"{type(tokenizer).__name__} has no mask token: give one, TransformerModel(model, tokenizer, "
                "mask='...'), a word that the model takes for an unknown one"
            )
        self._mask = mask
        if tokenizer.pad_token_id is None:
            raise ValueError(
                f"{type(tokenizer).__name__} has no padding token: set tokenizer.pad_token and the model's "
                "config.pad_token_id"
            )
        if getattr(config, "num_labels", 2) < 2:
            raise ValueError("the model has one class only, so there is no label to explain")
        if getattr(config, "problem_type", None) == "multi_label_classification":
            raise ValueError(
                "the model gives a text several labels at once: explain one of them, by a function of texts that gives "
                "its probability"
            )
        if self.max_length < 3 or batch_size < 1:
            raise ValueError(
                f"max_length is at least 3 and batch_size at least 1, got {self.max_length} and {batch_size}"
            )
        if precision not in get_args(Precision):
            raise ValueError(f"the precision is one of {', '.join(get_args(Precision))}, got {precision!r}")
        self._said_cut = False

    @property
    def mask(self) -> str:
        return self._mask

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(iter(self.word_vectors.parameters())).device

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """Softmax of the scores `(n, c)`.

        Raises
        ------
        ModelError
            If given scores that are not finite, or a text without a token.
        """
        different, places = distinct_texts(texts)
        rows = self.tokenised(different)["input_ids"]
        return checked_probabilities(self.logits(rows).softmax(1).numpy(), len(different))[places]

    @torch.no_grad()
    def logits(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Scores `(n, c)` in float64 on the CPU of texts given as token ids, in their order."""
        lengths = np.array([len(row) for row in rows])
        found: list[Tensor] = []
        order: list[int] = []
        for batch in by_length(lengths, self.batch_size):
            found.append(self.scores(*self.padded([rows[at] for at in batch])))
            order += batch.tolist()
        scores = torch.cat(found).double().cpu()
        return torch.empty_like(scores).index_copy_(0, torch.tensor(order), scores)

    def scores(self, ids: Tensor, attended: Tensor) -> Tensor:
        """Scores `(B, c)` in float32 of a padded batch, with gradients where they are asked for.

        Raises
        ------
        ModelError
            If the model gives something else, as one without a classifier does.
        """
        self._model.eval()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bfloat16"):
            found = self._model(ids, attended) if self._own else self._model(input_ids=ids, attention_mask=attended)
        scores = found if self._own else getattr(found, "logits", None)
        if not isinstance(scores, Tensor) or scores.ndim != 2:
            raise ModelError(
                f"{type(self._model).__name__} gives no scores of classes (n, c); of Hugging Face, load a classifier, "
                "by AutoModelForSequenceClassification"
            )
        return scores.float()

    def padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Token ids `(B, T)`, filled up with the padding token on the right, and the mask of what is a text's own."""
        width = max(len(row) for row in rows)
        ids = torch.full((len(rows), width), self.tokenizer.pad_token_id)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = torch.tensor(row)
        attended = torch.arange(width)[None, :] < torch.tensor([len(row) for row in rows])[:, None]
        return ids.to(self.device), attended.long().to(self.device)

    def tokenised(self, texts: Sequence[str], **more: Any) -> Any:
        """The tokens of texts, cut to the limit; the first time that texts are cut, a warning says so.

        Raises
        ------
        ModelError
            If there is no text, or a text without a token: the empty one, where the tokenizer adds nothing to it.
        """
        if not texts:
            raise ModelError("no texts to classify")
        # What is not asked for is not converted, which takes longer than to tokenise.
        lean = {"return_attention_mask": False, "return_token_type_ids": False}
        found = self.tokenizer(list(texts), truncation=True, max_length=self.max_length, **lean, **more)
        lengths = [len(row) for row in found["input_ids"]]
        if 0 in lengths:
            raise ModelError(f"the tokenizer gives no token for {texts[lengths.index(0)]!r}: use removal='mask'")
        full = [text for text, length in zip(texts, lengths, strict=True) if length == self.max_length]
        if full and not self._said_cut:
            whole = self.tokenizer(full, verbose=False)["input_ids"]
            if cut := sum(len(row) > self.max_length for row in whole):
                self._said_cut = True
                warnings.warn(
                    f"{cut} of {len(texts)} texts have more than {self.max_length} tokens: the model reads no further, "
                    "and words beyond have no influence (said once for this model)",
                    stacklevel=2,
                )
        return found


def as_text_model(model: Any) -> TextModel:
    """A `TextModel` as it is, a function or a pair (model, tokenizer) made into one.

    Raises
    ------
    TypeError
        If given none of these; the message says what to give for a bare transformer or an estimator of scikit-learn.
    """
    if hasattr(model, "probabilities"):
        found: TextModel = model
        return found
    if isinstance(model, tuple) and len(model) == 2:
        return TransformerModel(*model)
    if isinstance(model, nn.Module):
        raise TypeError(f"{type(model).__name__} comes without its tokenizer: give the pair (model, tokenizer)")
    if hasattr(model, "predict_proba"):
        raise TypeError(f"{type(model).__name__} is an estimator: give its method `predict_proba`")
    if callable(model):
        return FunctionModel(model)
    raise TypeError(
        f"a model is a function of a list of texts, a pair (model, tokenizer) or an object with `probabilities` and "
        f"`mask`, got {type(model).__name__}"
    )


def checked_probabilities(found: NDArray[Any], count: int) -> Floats:
    """The probabilities of `count` texts as `(n, c)` float64.

    Raises
    ------
    ModelError
        If they are none: what came back, and of which text.
    """
    if found.ndim != 2 or len(found) != count:
        raise ModelError(f"{count} texts need probabilities of shape ({count}, classes), the model gave {found.shape}")
    if found.shape[1] < 2:
        raise ModelError(
            f"the model gave one class only, shape {found.shape}, so there is no label to explain. If it is the "
            "probability of the second of two classes, give it as (n,)"
        )
    values = np.asarray(found, dtype=np.float64)
    wrong = ~np.isfinite(values).all(axis=1)
    if wrong.any():
        raise ModelError(f"the model gave {values[wrong][0].tolist()} for text {int(wrong.argmax())} of {count}")
    wrong = (np.abs(values.sum(axis=1) - 1) > SUM_TOLERANCE) | (values < -SUM_TOLERANCE).any(axis=1)
    if wrong.any():
        raise ModelError(
            f"probabilities are not negative and sum to 1, the model gave {values[wrong][0].tolist()} for text "
            f"{int(wrong.argmax())} of {count}: if these are scores, apply a softmax"
        )
    return values


def check_label(label: int, classes: int) -> None:
    """ValueError unless a label is one of the model's classes."""
    if not 0 <= label < classes:
        raise ValueError(f"the model has the labels 0 to {classes - 1}, asked for was {label}")


def _as_array(found: Any) -> NDArray[np.generic]:
    if isinstance(found, Tensor):
        found = found.detach().cpu().numpy()
    try:
        array: NDArray[np.generic] = np.asarray(found)
    except ValueError:
        raise ModelError("the model's rows differ in length; every text needs a probability for each class") from None
    if array.dtype.kind not in "fiu":
        raise ModelError(
            f"the model gave {type(found).__name__} of {array.dtype}, which are no probabilities. Of a pipeline of "
            "Hugging Face, give the pair (pipe.model, pipe.tokenizer)"
        )
    if array.ndim == 1 and array.dtype.kind in "iu":
        raise ModelError("the model gave one whole number for each text: labels, not probabilities (`predict_proba`)")
    return array


def _limit(tokenizer: Any, config: Any) -> int:
    return min(int(tokenizer.model_max_length), int(getattr(config, "max_position_embeddings", None) or 1 << 30))


def _class_names(config: Any) -> tuple[str, ...] | None:
    names: dict[int, str] = getattr(config, "id2label", None) or {}
    if not names or all(name == f"LABEL_{at}" for at, name in names.items()):
        return None
    return tuple(names[at] for at in sorted(names))
