"""The decoder of Tang and Surdeanu (2021), §3.2, Eq. 7 to 9: it writes the rule that explains a relation.

Two forms. `paper`: an LSTM of two layers reads the rule's tokens so far; its state h_t^D asks the encoder's states
(Eq. 7, 8), and what they answer, C_t^D (Eq. 9), gives the next token by one linear layer. "We first feed the
concatenation of subject and object representation from the encoder as the initial state": two vectors for two layers,
the subject for the first. The LSTM's first cell state is not said; here it is zero.

As printed, the linear layer reads C_t^D alone (`reads="context"`): a mean of the encoder's states, in which the place
in the rule shows only by what is attended to. Such a decoder hardly learns. `"state and context"`, the default, gives
the linear layer h_t^D beside it, as decoders with attention do (Luong, Pham and Manning 2015, Eq. 5).

`released`: what clulab/releases computes (`naacl-trustnlp2021-edin/model/decoder.py` and `trainer.py`, commit
2f31588b), faults included, for whoever wants to know what they do:

- The concatenation `(B, 2H)` is *viewed* as `(2, B, H)`, not transposed. An example's start state comes from vectors of
  other examples of its batch, and so do the queries of the attention, `(2, B, H)` viewed as `(B, 2H)`. What is decoded
  for an example depends on its neighbours.
- The first cell state equals the first state.
- The attention is asked before the step, by the states before it and the token read. Its answer is read by the LSTM,
  whose output gives the next token.

Both attend to all tokens of the sentence, as released.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from trustnlp.relations.relation_encoder import Encoded
from trustnlp.relations.relation_sizes import Form, RelationSizes
from trustnlp.relations.relation_vocabulary import PADDING, START

_EMBEDDING = 100
_LAYERS = 2  # a state for the subject, one for the object


class DecoderState(NamedTuple):
    """States and cells `(2, B, H)` of the LSTM."""

    hidden: Tensor
    cell: Tensor

    def rows(self, chosen: Tensor) -> DecoderState:
        """Of some examples, given by their numbers."""
        return DecoderState(self.hidden[:, chosen], self.cell[:, chosen])


class RuleDecoder(nn.Module):
    """LSTM with attention.

    Parameters
    ----------
    tokens
        How many tokens of rules there are.
    sizes
        Its width is H, of the encoder and of the LSTM. Its input dropout is that of the embeddings of tokens, and
        between the two layers (released; the paper names the encoder's alone). `reads` is what the linear layer of the
        form `paper` reads.
    """

    def __init__(self, tokens: int, sizes: RelationSizes) -> None:
        super().__init__()
        width, dropout = sizes.width, sizes.input_dropout
        self.form, self._reads = sizes.form, sizes.reads
        self.embedding = nn.Embedding(tokens, _EMBEDDING, padding_idx=PADDING)
        self.dropout = nn.Dropout(dropout)
        released = sizes.form == "released"
        self.lstm = nn.LSTM(_EMBEDDING + width * released, width, _LAYERS, batch_first=True, dropout=dropout)
        self.attention = nn.Linear(_LAYERS * width + _EMBEDDING if released else width, width, bias=False)
        self.output = nn.Linear(width * (1 + (not released and sizes.reads == "state and context")), tokens)

    def start(self, encoded: Encoded) -> DecoderState:
        """The state before the first token."""
        both = torch.cat([encoded.subject, encoded.object], 1)
        if self.form == "released":
            # The view that mixes examples, on purpose.
            hidden = both.view(_LAYERS, len(both), -1)
            return DecoderState(hidden, hidden)
        hidden = both.view(len(both), _LAYERS, -1).transpose(0, 1).contiguous()
        return DecoderState(hidden, torch.zeros_like(hidden))

    def forward(self, tokens: Tensor, encoded: Encoded, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """Scores `(B, S, V)` of the tokens that follow each of the tokens `(B, S)`, and the state behind the last."""
        if self.form == "paper":
            hidden, state = self._read(self.dropout(self.embedding(tokens)), state)
            context = self._attend(hidden, encoded)
            return self.output(context if self._reads == "context" else torch.cat([hidden, context], 2)), state
        outputs = []
        for step in tokens.unbind(1):
            embedded = self.dropout(self.embedding(step))
            # The second view that mixes examples.
            query = torch.cat([state.hidden.contiguous().view(len(step), -1), embedded], 1)
            context = self._attend(query[:, None], encoded)
            hidden, state = self._read(torch.cat([embedded[:, None], context], 2), state)
            outputs.append(self.output(hidden))
        return torch.cat(outputs, 1), state

    def _read(self, vectors: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        hidden, after = self.lstm(vectors, tuple(state))
        return hidden, DecoderState(*after)

    def _attend(self, queries: Tensor, encoded: Encoded) -> Tensor:
        """Eq. 7 to 9: contexts `(B, S, H)` of queries `(B, S, ·)`."""
        scores = torch.bmm(self.attention(queries), encoded.states.transpose(1, 2))
        weights = scores.masked_fill(~encoded.present[:, None], -torch.inf).softmax(2)
        return torch.bmm(weights, encoded.states)

    def losses(self, rules: Tensor, encoded: Encoded) -> Tensor:
        """-log p of each token of the rules `(B, S)`, given the true tokens before it; 0 at `PADDING`."""
        read = torch.cat([torch.full_like(rules[:, :1], START), rules[:, :-1]], 1)
        scores = self(read, encoded, self.start(encoded))[0].float()
        return cross_entropy(scores.transpose(1, 2), rules, ignore_index=PADDING, reduction="none")


def rule_loss(losses: Tensor, rules: Tensor, form: Form, *, examples: int, normalised: bool = True) -> Tensor:
    """loss_d / length(P) of Eq. 10 for a batch, from the losses `(B, S)` of the tokens of its rules.

    In the form `paper` each rule's losses are divided by its own length, and the sum over rules by the number of
    `examples`, those without a rule among them: the mean over the batch of what Eq. 10 adds to loss_c. In the form
    `released` each step's losses are averaged over the rules that are so long, summed, and divided by the length of the
    batch's longest rule with its start; not divided (`normalised`) where no classifier is trained.
    """
    there = rules != PADDING
    if form == "paper":
        return (losses.sum(1) / there.sum(1).clamp_min(1)).sum() / examples
    steps = (losses.sum(0) / there.sum(0).clamp_min(1)).sum()
    return steps / (rules.shape[1] + 1) if normalised else steps
