"""The classifier that is explained: a representation of a text, z = M(x), and a linear layer, y = C(z).

Kumar, Dixit and Shah (2021), MOXIE, §3.1. The student of the paper learns differences of z, so whatever gives z and C
can be a teacher: `Teacher` is that much, `BertTeacher` the case of the paper. z is the vector that enters the last
linear layer: of a BERT the pooled state at [CLS], after the tanh.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from trustnlp.attribution.model_calls import distinct_texts
from trustnlp.attribution.text_models import TransformerModel
from trustnlp.encoders.pretrained import Encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.files.same_rows import check_one_order
from trustnlp.training.classification import Labelled, train_classifier
from trustnlp.training.encoded_texts import as_texts, cut_visibly, encode, mask_token
from trustnlp.training.kept_results import rows_once, texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import Keep, Precision, Schedule, seeded
from trustnlp.training.text_classifiers import EncoderClassifier

# Part of every kept teacher's name: raise it with any change to what training computes.
_VERSION = 1


@dataclass(frozen=True)
class Recipe:
    """How a teacher or a student is trained: AdamW without weight decay, gradients clipped to length 1 (appendix A.2).

    Deviation: the learning rate stays as it is; the paper calls it "initial" and does not say how it falls.

    Attributes
    ----------
    keep
        Which epoch's weights are the result: the `best` on dev, or the `last`.
    max_length
        Tokens of a text that are read.
    precision
        What training computes in. What was trained is asked in float32, so that an answer depends neither on the
        batch it was asked in nor on what a processor has.

    Raises
    ------
    ValueError
        If given a number that is not positive, an unknown precision or epoch to keep.
    """

    epochs: int
    keep: Keep
    batch_size: int = 64
    learning_rate: float = 2e-5
    max_length: int = 128
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        if not self.learning_rate > 0:
            raise ValueError(f"the learning rate is positive, got {self.learning_rate}")
        _ = self.schedule  # which refuses what makes no sense

    @property
    def schedule(self) -> Schedule:
        """The part of this that the training loop reads."""
        return Schedule(self.epochs, self.batch_size, keep=self.keep, precision=self.precision)

    def optimiser(self, module: nn.Module) -> torch.optim.Optimizer:
        """AdamW on all weights of a module."""
        return torch.optim.AdamW(module.parameters(), self.learning_rate, weight_decay=0.0, fused=True)


# The paper's: three epochs, and nothing said of a choice between them.
TEACHER_RECIPE = Recipe(epochs=3, keep="last")


class Teacher(ABC):
    """A classifier y = C(M(x)); what is left to say is M.

    Attributes
    ----------
    mask
        What stands in the place of a masked word.
    weight, bias
        C, `(c, d)` and `(c,)`.
    """

    mask: str
    weight: Tensor
    bias: Tensor

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes with all that decides a representation. A student belongs to one of them."""

    @abstractmethod
    def representations(self, texts: Sequence[str]) -> Tensor:
        """z of each text, `(n, d)` float32."""

    @property
    def width(self) -> int:
        """d of z."""
        return self.weight.shape[1]

    def logits(self, representations: Tensor) -> Tensor:
        """y = C(z), `(n, c)` of representations `(n, d)`."""
        return nn.functional.linear(representations, self.weight, self.bias)

    def predict(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The label of each text, `(n,)`."""
        labels: NDArray[np.int64] = self.logits(self.representations(texts)).argmax(dim=1).cpu().numpy()
        return labels

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Softmax of the label scores, `(n, c)`; rows sum to 1."""
        found: NDArray[np.float64] = self.logits(self.representations(texts)).double().softmax(dim=1).cpu().numpy()
        return found


class BertTeacher(Teacher):
    """A BERT with a linear layer on its pooled vector.

    Parameters
    ----------
    model
        All layers of the BERT and the linear layer, trained; in evaluation mode from now on.
    encoder
        Where the BERT came from: its tokenizer, name and device are used, not its weights.
    max_length
        Tokens of a text that are read; a longer text is cut with a warning.
    precision
        What representations are computed in; they come as float32 either way.
    dev_losses
        Of the training, one for each epoch.

    Raises
    ------
    ValueError
        If the tokenizer has no mask token.
    """

    def __init__(
        self,
        model: EncoderClassifier,
        encoder: Encoder,
        *,
        max_length: int = TEACHER_RECIPE.max_length,
        precision: Precision = "float32",
        dev_losses: tuple[float, ...] = (),
    ) -> None:
        self.mask = mask_token(encoder)
        self.model = model.eval()
        self.weight, self.bias = model.classifier.weight.detach(), model.classifier.bias.detach()
        self.max_length, self.precision, self.dev_losses = max_length, precision, dev_losses
        self._encoder = encoder

    @cached_property
    def fingerprint(self) -> str:
        return f"{weights_fingerprint(self.model)} {self.max_length} {self.precision} {self._encoder.device.type}"

    @cached_property
    def transformer(self) -> TransformerModel:
        """The same classifier with gradients, as `trustnlp.attribution.attribution` asks for it."""
        assert self.model.body.embeddings is not None, "all layers are trained, the embeddings too"
        return TransformerModel(
            self.model,
            self._encoder.tokenizer,
            word_vectors=self.model.body.embeddings.word_embeddings,
            max_length=self.max_length,
            precision=self.precision,
        )

    def representations(self, texts: Sequence[str]) -> Tensor:
        """z of each text, `(n, d)` float32 on the teacher's device. An empty text is [CLS] and [SEP].

        Raises
        ------
        ValueError
            If there is no text, or a single string.
        FloatingPointError
            If a weight is not finite.
        """
        tokens = cut_visibly(self._encoder, texts, self.max_length)
        return encode(
            lambda ids, attended, _: self.model.body(ids, attended),
            tokens,
            self.width,
            device=self._encoder.device,
            precision=self.precision,
            of="texts of the teacher",
        )


def representations_once(teacher: Teacher, texts: Sequence[str], folder: Path | None = None) -> Tensor:
    """z of each text, `(n, d)`: of equal texts computed once, and kept in a folder for the next time.

    Raises
    ------
    ValueError
        If there is no text, or the file in the folder is damaged.
    """
    distinct, places = distinct_texts(as_texts(texts))
    settings = {"teacher": teacher.fingerprint, "texts": texts_fingerprint(distinct)}

    def compute() -> NDArray[np.float32]:
        computed: NDArray[np.float32] = teacher.representations(distinct).cpu().numpy()
        return computed

    rows = rows_once("teacher-states", settings, (len(distinct), teacher.width), folder, compute)
    return torch.from_numpy(rows[places]).to(teacher.weight.device)


def train_teacher(
    encoder: Encoder,
    train_texts: Sequence[str],
    train_labels: ArrayLike,
    dev_texts: Sequence[str],
    dev_labels: ArrayLike,
    recipe: Recipe = TEACHER_RECIPE,
    *,
    seed: int,
    folder: Path | None = None,
) -> BertTeacher:
    """Fine-tune all layers of a BERT and a linear layer, or read the finished teacher from a folder.

    Parameters
    ----------
    encoder
        A BERT with a pooler, which is left as it is. Everything is computed on its device.
    train_labels, dev_labels
        From 0, one for each text.
    folder
        Where the teacher is kept, and a checkpoint while it is trained; None keeps nothing.

    Raises
    ------
    ValueError
        If there is no mask token, another architecture, labels that do not fit or are Series in another order than the
        texts, or a damaged file in the folder.
    FloatingPointError
        If the loss is not finite: with the step.
    """
    check_one_order(train_texts=train_texts, train_labels=train_labels)
    check_one_order(dev_texts=dev_texts, dev_labels=dev_labels)
    mask_token(encoder)
    train_texts, dev_texts = as_texts(train_texts), as_texts(dev_texts)
    labels, dev = _labels(train_labels, train_texts, "train"), _labels(dev_labels, dev_texts, "dev")
    classes = int(labels.max()) + 1
    if len(labels.unique()) < 2 or int(dev.max()) >= classes:
        raise ValueError(
            f"the training texts need at least two labels, and dev no other; train has {labels.unique().tolist()}, "
            f"dev {dev.unique().tolist()}"
        )
    train_part = Labelled.of(cut_visibly(encoder, train_texts, recipe.max_length), labels)
    dev_part = Labelled.of(cut_visibly(encoder, dev_texts, recipe.max_length), dev)
    with seeded(seed, encoder.device):
        body = SplitBert(copy.deepcopy(encoder.model), len(encoder.model.encoder.layer))
        model = EncoderClassifier(body, classes).to(encoder.device)
    settings: dict[str, Any] = {
        "version": _VERSION,
        "encoder": f"{encoder.name} {encoder.revision}",
        "first weights": weights_fingerprint(model),
        "texts for training": train_part.fingerprint,
        "texts of dev": dev_part.fingerprint,
        "device": encoder.device.type,
        "recipe": asdict(recipe),
        "seed": seed,
    }

    def train(checkpoint: Path | None) -> tuple[float, ...]:
        return train_classifier(
            model,
            recipe.optimiser(model),
            train_part,
            dev_part,
            recipe.schedule,
            device=encoder.device,
            seed=seed,
            name=f"the teacher with the learning rate {recipe.learning_rate:g}",
            checkpoint=checkpoint,
        )

    losses = trained_once(model, "teacher", settings, folder, train)
    return BertTeacher(model, encoder, max_length=recipe.max_length, dev_losses=tuple(losses))


def _labels(given: ArrayLike, texts: Sequence[str], part: str) -> Tensor:
    labels = np.asarray(given)
    if labels.shape != (len(texts),) or labels.dtype.kind not in "iu" or (labels.size and labels.min() < 0):
        raise ValueError(
            f"{part} has {len(texts)} texts and needs one whole number from 0 for each as labels, got {labels.dtype} "
            f"of shape {labels.shape}"
        )
    return torch.from_numpy(labels.astype(np.int64))
