"""Kim (2014), "Convolutional Neural Networks for Sentence Classification": two channels of word vectors, one kept.

A text is read through its words' vectors twice: as they came (*static*) and as training changes them (*tuned*). A
filter sees a window of words, its greatest answer over the text is one feature, and a linear layer weighs them (§2).
"Each filter is applied to both channels and the results are added" (§2.1): a filter has the same weights in both, as in
the Torch port of Kim's laboratory (harvardnlp/sent-conv-torch, `model/convNN.lua`, commit 17666d77). A convolution is
linear, so it is computed once, on the sum of the channels.

Stated in §3.1: widths 3, 4 and 5 with 100 maps each, dropout of .5, rows of the last layer no longer than 3, batches of
50, Adadelta. Taken from the port, for the paper is silent: filters start uniform in [-.01, .01], the last layer normal
with a standard deviation of .01, biases at 0.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from trustnlp.embeddings.static import WordVectors

# Row of what is no word: its vector is zero and stays so, as in Kim's released code.
NO_WORD = 0
_START = 0.01


def word_table(words: Sequence[str], vectors: WordVectors, rng: np.random.Generator) -> Tensor:
    """Vectors to start from, `(V + 1, d)` float32: row 0 is zero, row i is that of `words[i - 1]`.

    A word without a vector is drawn uniformly from [-a, a] in each dimension, a so chosen "such that the randomly
    initialized vectors have the same variance as the pre-trained ones" (§4): a² is three times their variance. Kim's
    code rounds a to .25.

    Raises
    ------
    ValueError
        If there is no word, or one twice.
    """
    if not words or len(set(words)) < len(words):
        raise ValueError(f"expected distinct words, at least one, got {len(words)} of which {len(set(words))} differ")
    bound = np.sqrt(3 * vectors.matrix.var(dtype=np.float64))
    table = np.zeros((len(words) + 1, vectors.dim), dtype=np.float32)
    for row, word in enumerate(words, start=1):
        table[row] = vectors[word] if word in vectors else rng.uniform(-bound, bound, vectors.dim)
    return torch.from_numpy(table)


class MultichannelCnn(nn.Module):
    """Kim's network with a static and a tuned channel.

    Every window that holds a word of the text counts, as in `trustnlp.training.text_classifiers.ConvolutionClassifier`.
    Deviation: Kim pads all texts to the longest one, so windows of padding alone count there.

    The first weights are drawn from torch's generator: make the network within `trustnlp.training.loop.seeded`.

    Parameters
    ----------
    table
        `(V + 1, d)`, as `word_table` gives it; it is copied.
    labels
        Number of classes.
    widths, maps
        Words in a window, and filters for each width.
    dropout
        Share of the features that a training step does not see. As in Kim (§2.1), those left are not scaled up; without
        dropout the weights are scaled down instead, which matters for what `longest_row` means.
    longest_row
        Limit of the Euclidean length of each class's weights in the last layer, see `shorten_rows`.

    Attributes
    ----------
    static
        `(V + 1, d)`. It is not among the weights that are saved: whoever loads them makes the network from the same
        table.
    tuned
        The embedding that is trained, equal to `static` at first.

    Raises
    ------
    ValueError
        If given a table of another shape, with a row 0 that is not zero or with a number that is not finite, fewer than
        two classes, or a size, share or limit that makes no sense.
    """

    static: Tensor

    def __init__(
        self,
        table: Tensor,
        labels: int,
        *,
        widths: Sequence[int] = (3, 4, 5),
        maps: int = 100,
        dropout: float = 0.5,
        longest_row: float = 3.0,
    ) -> None:
        _check_table(table)
        if labels < 2 or maps < 1 or not widths or min(widths) < 1:
            raise ValueError(
                f"expected at least two classes, one map and one width, all positive, got {labels} classes, {maps} "
                f"maps and the widths {tuple(widths)}"
            )
        if not 0 <= dropout < 1 or not longest_row > 0:
            raise ValueError(
                f"the dropout lies in [0, 1) and the longest row is positive, got {dropout} and {longest_row}"
            )
        super().__init__()
        self._widths, self._dropout, self._longest_row = tuple(widths), dropout, longest_row
        self.register_buffer("static", table.clone(), persistent=False)
        self.tuned = nn.Embedding.from_pretrained(table.clone(), freeze=False, padding_idx=NO_WORD)
        self.windows = nn.ModuleList(nn.Conv1d(table.shape[1], maps, width, padding=width - 1) for width in widths)
        self.classifier = nn.Linear(maps * len(self._widths), labels)
        for value in self.windows.parameters():
            bound = _START if value.ndim == 3 else 0.0  # the weights of filters, or their biases
            nn.init.uniform_(value, -bound, bound)
        nn.init.normal_(self.classifier.weight, std=_START)
        nn.init.zeros_(self.classifier.bias)

    def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
        """Scores `(B, c)` of word numbers `(B, T)`; what is not attended to has no influence.

        Raises
        ------
        ValueError
            If given a text of which nothing is attended to; give a text without words the number `NO_WORD`.
        """
        lengths = attended.sum(1, keepdim=True)
        if not bool(lengths.all()):
            raise ValueError("a text has no word to attend to: give it the single number NO_WORD")
        vectors = ((self.static[ids] + self.tuned(ids)) * attended[..., None]).transpose(1, 2)
        features = []
        for width, windows in zip(self._widths, self.windows, strict=True):
            answers = windows(vectors)
            beyond = torch.arange(answers.shape[2], device=ids.device) >= lengths + width - 1
            # The greatest answer first and the ReLU after it: the same, and less to compute.
            features.append(answers.masked_fill(beyond[:, None], -torch.inf).amax(2).relu())
        kept = nn.functional.dropout(torch.cat(features, 1), self._dropout, self.training) * (1 - self._dropout)
        scores: Tensor = self.classifier(kept)
        return scores

    @torch.no_grad()
    def shorten_rows(self) -> None:
        """Rescale each class's weights w in the last layer to ‖w‖₂ = s where ‖w‖₂ > s (§2.1): after every step."""
        self.classifier.weight.copy_(torch.renorm(self.classifier.weight, 2, 0, self._longest_row))

    def grown(self, vectors: Tensor) -> MultichannelCnn:
        """A copy that knows more words, `(k, d)`, numbered from V + 1: both of their channels are as before training.

        Raises
        ------
        ValueError
            If given vectors of another dimension.
        """
        if vectors.ndim != 2 or vectors.shape[1] != self.static.shape[1]:
            raise ValueError(f"expected vectors of shape (k, {self.static.shape[1]}), got {tuple(vectors.shape)}")
        vectors = vectors.to(self.static)
        other = copy.deepcopy(self)
        other.static = torch.cat([self.static, vectors])
        tuned = torch.cat([self.tuned.weight.detach(), vectors])
        other.tuned = nn.Embedding.from_pretrained(tuned, freeze=False, padding_idx=NO_WORD)
        return other


def _check_table(table: Tensor) -> None:
    if table.ndim != 2 or len(table) < 2 or not table.is_floating_point():
        raise ValueError(
            f"expected a table of vectors (V + 1, d) with at least one word, got {tuple(table.shape)} of {table.dtype}"
        )
    if bool(table[NO_WORD].any()) or not bool(torch.isfinite(table).all()):
        raise ValueError(
            "row 0 of the table stands for no word and is zero, and all numbers are finite; see word_table"
        )
