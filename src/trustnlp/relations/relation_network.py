"""Tang and Surdeanu (2021), "Interpretability Rules": a relation classifier and a rule decoder over one encoder.

Both are trained at once, loss = loss_c + loss_d / length(P) (Eq. 10), "for the data points without an existing rule,
we only calculate the classifier loss". Either can be left out: the rows "w/o decoder" and "w/o classifier" of Table 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from trustnlp.relations.relation_encoder import Encoded, RelationEncoder
from trustnlp.relations.relation_inputs import RelationBatch
from trustnlp.relations.relation_vocabulary import PADDING, RelationVocabulary
from trustnlp.relations.rule_decoder import Form, Reads, RuleDecoder, rule_loss
from trustnlp.relations.word_rows import WordRows


@dataclass(frozen=True)
class RelationSizes:
    """Parts and sizes of the network; defaults are the paper's (Table 4, Appendix A).

    Attributes
    ----------
    width
        Of LSTMs, GCN and feed-forward layers.
    lstm_layers, gcn_layers, feedforward_layers
        Of the encoder.
    dropout
        Behind the encoder's LSTM layers, and its GCN layers but the last.
    input_dropout
        Of embeddings, and between the decoder's layers: .5 in the released code, not in the paper.
    classifier, decoder
        Which of the two tasks there are.
    form, reads
        See `trustnlp.relations.rule_decoder`.

    Raises
    ------
    ValueError
        If given a size below 1, a share outside [0, 1), neither task, or an unknown form.
    """

    width: int = 200
    lstm_layers: int = 2
    gcn_layers: int = 2
    feedforward_layers: int = 2
    dropout: float = 0.5
    input_dropout: float = 0.5
    classifier: bool = True
    decoder: bool = True
    form: Form = "paper"
    reads: Reads = "state and context"

    def __post_init__(self) -> None:
        if min(self.width, self.lstm_layers, self.gcn_layers, self.feedforward_layers) < 1:
            raise ValueError(f"the width and the numbers of layers are at least 1, got {self}")
        if not (0 <= self.dropout < 1 and 0 <= self.input_dropout < 1):
            raise ValueError(f"a dropout lies in [0, 1), got {self.dropout} and {self.input_dropout}")
        if not (self.classifier or self.decoder):
            raise ValueError("there is nothing to train: keep the classifier, the decoder or both")
        if self.form not in ("paper", "released") or self.reads not in ("context", "state and context"):
            raise ValueError(
                f"the form is 'paper' or 'released', and reads is 'context' or 'state and context', got {self.form!r} "
                f"and {self.reads!r}"
            )


class RelationNetwork(nn.Module):
    """Encoder, classifier and decoder.

    The first weights are torch's, but that of the words: make the network within `trustnlp.training.loop.seeded`.

    Parameters
    ----------
    table
        `(V, d)` vectors of the vocabulary's words to start from.
    borrowed
        How many distinct words a batch can have in training, 0 to freeze their vectors
        (`trustnlp.relations.word_rows`).
    """

    def __init__(self, vocabulary: RelationVocabulary, table: Tensor, borrowed: int, sizes: RelationSizes) -> None:
        super().__init__()
        if len(table) != len(vocabulary.words):
            raise ValueError(f"{len(vocabulary.words)} words need as many vectors, got {len(table)}")
        self._form = sizes.form
        self.encoder = RelationEncoder(
            WordRows(table, borrowed),
            len(vocabulary.entity_types),
            len(vocabulary.tags),
            width=sizes.width,
            lstm_layers=sizes.lstm_layers,
            gcn_layers=sizes.gcn_layers,
            dropout=sizes.dropout,
            input_dropout=sizes.input_dropout,
        )
        self.classifier: nn.Sequential | None = None
        self.decoder: RuleDecoder | None = None
        if sizes.classifier:
            layers: list[nn.Module] = []
            for layer in range(sizes.feedforward_layers):
                layers += [nn.Linear(sizes.width if layer else 3 * sizes.width, sizes.width), nn.ReLU()]
            self.classifier = nn.Sequential(*layers, nn.Linear(sizes.width, len(vocabulary.relations)))
        if sizes.decoder:
            self.decoder = RuleDecoder(
                len(vocabulary.rule_tokens),
                sizes.width,
                dropout=sizes.input_dropout,
                form=sizes.form,
                reads=sizes.reads,
            )

    def scores(self, encoded: Encoded) -> Tensor:
        """Scores `(B, R)` of the relations; their softmax is the probability (§3.1).

        Raises
        ------
        ValueError
            If the network has no classifier.
        """
        if self.classifier is None:
            raise ValueError("this network was made without a classifier")
        found: Tensor = self.classifier(torch.cat([encoded.sentence, encoded.subject, encoded.object], 1))
        return found

    def forward(self, batch: RelationBatch) -> Encoded:
        """The encoder's states and pooled vectors of a batch."""
        return self._encode(batch)

    def _encode(self, batch: RelationBatch) -> Encoded:
        encoded: Encoded = self.encoder(batch)
        return encoded

    def loss(self, batch: RelationBatch, relations: Tensor, rules: Tensor, pooling_penalty: float) -> Tensor:
        """Eq. 10, the mean over a batch.

        Parameters
        ----------
        relations
            `(B,)`.
        rules
            `(B, S)`, all `PADDING` where an example has none.
        pooling_penalty
            Weight of the squared length of the pooled sentence vector (released code), added to loss_c.
        """
        encoded = self._encode(batch)
        loss = encoded.sentence.new_zeros(())
        if self.classifier is not None:
            loss = cross_entropy(self.scores(encoded).float(), relations)
            loss = loss + pooling_penalty * encoded.sentence.float().square().sum(1).mean()
        ruled = rules[:, 0] != PADDING
        if self.decoder is not None and bool(ruled.any()):
            # In the form `released` examples without a rule take part in what the others start from.
            alone = self._form == "paper"
            written, seen = (rules[ruled], encoded.rows(ruled)) if alone else (rules, encoded)
            losses = self.decoder.losses(written, seen)
            loss = loss + rule_loss(
                losses, written, self._form, examples=len(batch), normalised=self.classifier is not None
            )
        return loss
