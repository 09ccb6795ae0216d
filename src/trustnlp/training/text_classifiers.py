"""Plain classifiers of texts: Kim's convolutions, and an encoder with a linear layer.

All read texts as `trustnlp.training.states.Inputs` gives them, `(B, T)` word numbers (or states of frozen layers) and a
mask, and give scores `(B, c)`. What stands after a text's end has no influence. Word vectors come as an `nn.Embedding`:
trained, or frozen, as its maker says.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from trustnlp.encoders.split_bert import SplitBert
from trustnlp.encoders.whole_encoder import WholeEncoder


class ConvolutionClassifier(nn.Module):
    """Kim (2014), "Convolutional Neural Networks for Sentence Classification", §2: windows, maximum, dropout, linear.

    Every window that holds a word of the text counts, as in the released code, which pads by a window on both sides.
    Deviation: windows of padding alone never count there, and the rows of the linear layer are not cut to length 3.

    Parameters
    ----------
    widths, maps
        Words in a window, and feature maps for each width.
    """

    def __init__(
        self, words: nn.Embedding, labels: int, widths: Sequence[int] = (3, 4, 5), maps: int = 100, dropout: float = 0.5
    ) -> None:
        super().__init__()
        self.words = words
        self._widths = tuple(widths)
        self.windows = nn.ModuleList(nn.Conv1d(words.embedding_dim, maps, width, padding=width - 1) for width in widths)
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(maps * len(widths), labels)

    def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
        """Scores `(B, c)` of word numbers `(B, T)`."""
        vectors = (self.words(ids) * attended[..., None]).transpose(1, 2)
        pooled = []
        for width, windows in zip(self._widths, self.windows, strict=True):
            features = nn.functional.relu(windows(vectors))
            places = torch.arange(features.shape[2], device=ids.device)
            beyond = places >= attended.sum(1, keepdim=True) + width - 1
            # Nothing is below 0 after the ReLU.
            pooled.append(features.masked_fill(beyond[:, None], 0.0).amax(2))
        scores: Tensor = self.classifier(self.dropout(torch.cat(pooled, 1)))
        return scores


class EncoderClassifier(nn.Module):
    """Dropout and a linear layer on the pooled vector of an encoder, of which `body` says what is trained."""

    def __init__(self, body: SplitBert | WholeEncoder, labels: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.body = body
        self.dropout = nn.Dropout(dropout)
        self.classifier = nn.Linear(body.width, labels)

    def forward(self, states: Tensor, attended: Tensor) -> Tensor:
        """Scores `(B, c)` of what `body.lower` gave."""
        scores: Tensor = self.classifier(self.dropout(self.body(states, attended)))
        return scores
