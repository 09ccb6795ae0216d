"""Models trained on contaminated reviews: a logistic regression on the words that are present, convolutions, a BERT.

The first cannot know the order of words and trains in a second. The third is the paper's kind of model, with MiniLM in
the place of BERT base. All come as a `trustnlp.attribution.text_models.TextModel` with `predict`.

The convolutions are those of Kim (2014), "Convolutional Neural Networks for Sentence Classification", §2 and §3.1:
windows of 3, 4 and 5 words with 100 maps each, dropout of a half, batches of 50; here "CNN-rand", all word vectors
drawn at random and trained. They know what is next to what, and where a text begins and ends, have gradients, and cost
little on a CPU. Deviations: vectors of 50 numbers, Adam in the place of Adadelta, a fixed number of epochs (the dev
part is clean, so an epoch chosen by it would be one that learned less of the decoy), no limit on the rows of the linear
layer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from torch import nn
from transformers import PreTrainedTokenizerFast

from trustnlp.attribution.students.text_teacher import Recipe, train_teacher
from trustnlp.attribution.text_models import TransformerModel
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.planted_decoys import Decoy, Planted
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.batches import tokenise
from trustnlp.training.classification import Labelled, train_classifier
from trustnlp.training.kept_results import texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import Schedule, seeded
from trustnlp.training.text_classifiers import ConvolutionClassifier

Kind = Literal["presence", "convolution", "minilm"]
_PADDING, _UNKNOWN, _START = "[PAD]", "[UNK]", "[START]"
# Width and number of epochs were chosen by accuracy on the clean dev part, one seed, before any decoy was tried.
_WIDTH, _EPOCHS, _RATE = 50, 4, 0.001
_WINDOWS, _MAPS, _DROPOUT, _BATCH = (3, 4, 5), 100, 0.5, 50
# First vectors lie between these ends, as in Kim's released code (yoonkim/CNN_sentence, process_data.py, 0a626a04).
_REACH = 0.25
_LONGEST = 128
_LABELS = 2


class Classifier(Protocol):
    """A text model that also names the likeliest label."""

    @property
    def mask(self) -> str: ...

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]: ...

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]: ...


class PresenceModel:
    """Logistic regression on which words a text contains, each counted once; unknown words count nothing.

    Parameters
    ----------
    texts, labels
        To train on.
    strength
        scikit-learn's C, the inverse of the ridge penalty.

    Attributes
    ----------
    coefficients
        Word → its weight for the second label.
    """

    mask = "[MASK]"

    def __init__(self, texts: Sequence[str], labels: ArrayLike, *, strength: float = 1.0) -> None:
        self._words = CountVectorizer(token_pattern=r"\S+", lowercase=False, binary=True)
        self._regression = LogisticRegression(C=strength, solver="liblinear")
        self._regression.fit(self._words.fit_transform(texts), np.asarray(labels))
        names = self._words.get_feature_names_out()
        self.coefficients = dict(zip(names.tolist(), self._regression.coef_[0].tolist(), strict=True))

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        """`(n, 2)`; the empty text has that of the intercept."""
        found: NDArray[np.float64] = self._regression.predict_proba(self._words.transform(texts))
        return found

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """The likelier label of each text, `(n,)`."""
        labels: NDArray[np.int64] = self.probabilities(texts).argmax(axis=1)
        return labels


def trained_model(kind: Kind, train: Phrases, dev: Phrases, parameters: Mapping[str, Any], seed: int) -> Classifier:
    """A model of texts that may be contaminated.

    The seed draws which nine tenths of the texts a `presence` model sees, which would be the same in every run
    otherwise; the others see all of them and start and shuffle by it. Those of the `paper` profile are kept in the
    results' folders.

    Parameters
    ----------
    parameters
        Of these, for a `minilm`, the values of `profile`, `encoder`, `device`, `precision`, `epochs`, `learning_rate`
        and `batch_size`; other names do not count, so that a notebook can give its `vars()`.
    """
    if kind == "presence":
        rng = np.random.default_rng([seed, 2])
        rows = np.sort(rng.permutation(len(train))[: round(0.9 * len(train))])
        return PresenceModel([train.texts[row] for row in rows], train.labels[rows])
    if kind == "convolution":
        folder = results_of(train_convolutions) if parameters.get("profile") == "paper" else None
        return train_convolutions(train, dev, seed, folder)
    recipe = Recipe(
        parameters["epochs"],
        "last",
        batch_size=parameters["batch_size"],
        learning_rate=parameters["learning_rate"],
        precision=parameters["precision"],
    )
    return train_teacher(
        load_encoder(parameters["encoder"], parameters["device"]),
        train.texts,
        train.labels,
        dev.texts,
        dev.labels,
        recipe,
        seed=seed,
        folder=results_folder(parameters),
    )


def results_folder(parameters: Mapping[str, Any]) -> Path | None:
    """Where encoders of the `paper` profile are kept, and what they answer; None in other runs."""
    return (
        results_of("trustnlp.attribution.students.student_training") if parameters.get("profile") == "paper" else None
    )


def planted_train(decoy: Decoy, train: Phrases, seed: int) -> Planted:
    """The training texts with a decoy planted, the same for all models of a seed."""
    return decoy.plant(train.texts, train.labels, np.random.default_rng([seed, 1]))


def planted_model(
    kind: Kind, decoy: Decoy, train: Phrases, dev: Phrases, parameters: Mapping[str, Any], seed: int
) -> Classifier:
    """A model as by `trained_model`, of training texts in which a decoy is planted; dev is left as it is."""
    planted = planted_train(decoy, train, seed)
    return trained_model(kind, Phrases(planted.texts, planted.labels), dev, parameters, seed)


class ConvolutionModel(TransformerModel):
    """A trained network with its words: split at blanks, and preceded by a sign for the start of the text.

    A word that it was not trained on has the zero vector. So has the mask, and so has the padding, which is the
    baseline of integrated gradients. Texts that contain one of the three signs themselves are not foreseen.
    """

    def __init__(self, network: ConvolutionClassifier, tokenizer: PreTrainedTokenizerFast) -> None:
        super().__init__(network, tokenizer, word_vectors=network.words, mask=_UNKNOWN, max_length=_LONGEST)
        words = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
        self.fingerprint = f"{weights_fingerprint(network)} {texts_fingerprint(words)}"

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """The likelier label of each text, `(n,)`."""
        labels: NDArray[np.int64] = self.probabilities(texts).argmax(axis=1)
        return labels


def train_convolutions(train: Phrases, dev: Phrases, seed: int, folder: Path | None = None) -> ConvolutionModel:
    """Train the network on a CPU, or read the finished one from a folder.

    Parameters
    ----------
    seed
        Of the first weights, the batches and the dropout.
    folder
        Where it is kept, and a checkpoint while it is trained; None keeps nothing.

    Raises
    ------
    ValueError
        If a file in the folder is damaged.
    FloatingPointError
        If the loss is not finite.
    """
    device = torch.device("cpu")
    tokenizer = _tokenizer(train.texts)
    taught, checked = (
        Labelled.of(tokenise(tokenizer, part.texts, _LONGEST), torch.tensor(part.labels)) for part in (train, dev)
    )
    with seeded(seed, device):
        words = nn.Embedding(len(tokenizer), _WIDTH, padding_idx=tokenizer.pad_token_id)
        with torch.no_grad():
            words.weight.uniform_(-_REACH, _REACH)
            words.weight[[tokenizer.pad_token_id, tokenizer.unk_token_id]] = 0.0
        network = ConvolutionClassifier(words, _LABELS, _WINDOWS, _MAPS, _DROPOUT)
    settings: dict[str, Any] = {
        "first weights": weights_fingerprint(network),
        "texts for training": taught.fingerprint,
        "texts of dev": checked.fingerprint,
        "seed": seed,
    }

    def run(checkpoint: Path | None) -> tuple[float, ...]:
        optimiser = torch.optim.Adam(network.parameters(), _RATE)
        schedule = Schedule(_EPOCHS, _BATCH, keep="last")
        return train_classifier(
            network,
            optimiser,
            taught,
            checked,
            schedule,
            device=device,
            seed=seed,
            name="convolutions",
            checkpoint=checkpoint,
        )

    trained_once(network, "convolutions", settings, folder, run)
    return ConvolutionModel(network, tokenizer)


def _tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """A number for each word of the texts, and one for all others."""
    signs = (_PADDING, _UNKNOWN, _START)
    words = sorted({word for text in texts for word in text.split()} - set(signs))
    fast = Tokenizer(WordLevel({word: number for number, word in enumerate((*signs, *words))}, unk_token=_UNKNOWN))
    fast.pre_tokenizer = WhitespaceSplit()
    fast.post_processor = TemplateProcessing(single=f"{_START} $A", special_tokens=[(_START, signs.index(_START))])
    return PreTrainedTokenizerFast(tokenizer_object=fast, pad_token=_PADDING, unk_token=_UNKNOWN, cls_token=_START)
