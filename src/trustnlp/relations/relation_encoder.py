"""The encoder of Tang and Surdeanu (2021), §3.1, Eq. 1 to 6: a bidirectional LSTM, and a GCN over the pruned tree.

Sizes are those of Table 4, dropout that of Appendix A: "p = 0.5 to all encoder LSTM layers and all but the last GCN
layers". It is what Zhang, Qi and Manning (2018) call C-GCN; where both papers are silent, their released code is
followed (qipeng/gcn-over-pruned-trees, `model/gcn.py`, commit db7c128e):

- Eq. 3 pools "the sentence". Here these are the tokens of the pruned tree, and the whole sentence is never seen but
  through the LSTM.
- The embeddings have a dropout of their own.
- "2 layers of feedforward" come before the linear layer that gives the scores, each with a ReLU.

Deviation: there the bias of Eq. 2 is added twice and divided by the degree, here it is added once, as printed. Tokens
outside the tree are their own only neighbours. They matter for the decoder alone, which attends to all tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from trustnlp.relations.relation_dropout import CheapDropout
from trustnlp.relations.relation_inputs import RelationBatch
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.word_rows import WordRows

_LEARNED = 30  # dimensions of the embeddings of entity types and tags


@dataclass(frozen=True)
class Encoded:
    """The encoder's states and pooled vectors of `B` sentences.

    Attributes
    ----------
    states
        `(B, T, H)` of all tokens, h^(L) of Eq. 3.
    present
        `(B, T)` which tokens there are.
    sentence, subject, object
        `(B, H)` the pooled vectors of Eq. 3 to 5.
    """

    states: Tensor
    present: Tensor
    sentence: Tensor
    subject: Tensor
    object: Tensor

    def rows(self, chosen: Tensor) -> Encoded:
        """Of some sentences, given by their numbers or a mask; a number may come several times."""
        return Encoded(
            self.states[chosen], self.present[chosen], self.sentence[chosen], self.subject[chosen], self.object[chosen]
        )


class SentenceLstm(nn.Module):
    """Eq. 1: layers of LSTM in both directions. What comes after a sentence's end has no influence on it.

    The backward direction reads each sentence reversed within its own length. So both directions meet padding last, and
    neither sorting nor packing is needed, which costs more on a CPU than the padding of like lengths.
    """

    def __init__(self, inputs: int, width: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [inputs, *[2 * width] * (layers - 1)]
        self.forwards = nn.ModuleList(nn.LSTM(size, width) for size in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(size, width) for size in sizes)
        self.dropout = CheapDropout(dropout)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """States `(T, B, 2H)` of vectors `(T, B, d)`, with dropout behind each layer."""
        time = torch.arange(len(vectors), device=vectors.device)[:, None]
        reverse = torch.where(time < lengths, lengths - 1 - time, time)
        rows = torch.arange(vectors.shape[1], device=vectors.device)
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            reversed_states = back(vectors[reverse, rows])[0]
            vectors = self.dropout(torch.cat([ahead(vectors)[0], reversed_states[reverse, rows]], 2))
        return vectors


class RelationEncoder(nn.Module):
    """Embeddings, LSTM, GCN and pooling.

    Parameters
    ----------
    words
        Vectors of words, see `trustnlp.relations.word_rows`.
    entity_types, tags
        How many there are.
    sizes
        Its width is H, of the LSTM in each direction and of the GCN.
    """

    def __init__(self, words: WordRows, entity_types: int, tags: int, sizes: RelationSizes) -> None:
        super().__init__()
        width, convolutions = sizes.width, sizes.gcn_layers
        self.words = words
        self.entity_types = nn.Embedding(entity_types, _LEARNED)
        self.tags = nn.Embedding(tags, _LEARNED)
        self.input_dropout = CheapDropout(sizes.input_dropout)
        self.lstm = SentenceLstm(words.dim + 2 * _LEARNED, width, sizes.lstm_layers, sizes.dropout)
        self.convolutions = nn.ModuleList(nn.Linear(width if at else 2 * width, width) for at in range(convolutions))
        self.dropout = CheapDropout(sizes.dropout)

    def forward(self, batch: RelationBatch) -> Encoded:
        """States `(B, T, H)` and pooled vectors `(B, H)`."""
        embedded = [self.words(batch.words), self.entity_types(batch.entity_types), self.tags(batch.tags)]
        vectors = self.input_dropout(torch.cat(embedded, 2)).transpose(0, 1)
        states = self.lstm(vectors, batch.lengths).transpose(0, 1)
        for layer, convolution in enumerate(self.convolutions):
            # Rows of Ã / d sum to 1, so that the bias may be added before them.
            states = torch.bmm(batch.adjacency, convolution(states)).relu()
            if layer < len(self.convolutions) - 1:
                states = self.dropout(states)
        return Encoded(
            states, batch.present, *(_max_pool(states, mask) for mask in (batch.kept, batch.subject, batch.object))
        )


def _max_pool(states: Tensor, mask: Tensor) -> Tensor:
    """Greatest value in each dimension, `(B, H)`, of the states `(B, T, H)` of tokens that a mask `(B, T)` marks."""
    return states.masked_fill(~mask[..., None], -torch.inf).amax(1)
