"""Kim's convolutions as a model with a bug: it sees short stretches of words, has gradients, and trains in seconds.

Kim (2014), "Convolutional Neural Networks for Sentence Classification", §2 and §3.1: windows of 3, 4 and 5 words with
100 maps each, dropout of a half, batches of 50; here "CNN-rand", all word vectors drawn at random and trained. Unlike a
model of present words it knows what is next to what, and where a text begins and ends; unlike a fine-tuned encoder it
costs little on a CPU.

Deviations: vectors of 50 numbers, Adam in the place of Adadelta, a fixed number of epochs (the dev part is clean, so an
epoch chosen by it would be one that learned less of the decoy), no limit on the rows of the linear layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from torch import nn
from transformers import PreTrainedTokenizerFast

from trustnlp.attribution.text_models import TransformerModel
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.training.batches import tokenise
from trustnlp.training.classification import Labelled, train_classifier
from trustnlp.training.kept_results import texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import Schedule, seeded
from trustnlp.training.text_classifiers import ConvolutionClassifier

_PADDING, _UNKNOWN, _START = "[PAD]", "[UNK]", "[START]"
# Width and number of epochs were chosen by accuracy on the clean dev part, one seed, before any decoy was tried.
_WIDTH, _EPOCHS, _RATE = 50, 4, 0.001
_WINDOWS, _MAPS, _DROPOUT, _BATCH = (3, 4, 5), 100, 0.5, 50
# First vectors lie between these ends, as in Kim's released code (yoonkim/CNN_sentence, process_data.py, 0a626a04).
_REACH = 0.25
_LONGEST = 128
_LABELS = 2


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
        A file in the folder is damaged.
    FloatingPointError
        The loss is not finite.
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
