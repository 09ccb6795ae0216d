"""Tang and Surdeanu (2021), "Interpretability Rules": a relation classifier and a rule decoder over one encoder.

Both are trained at once, loss = loss_c + loss_d / length(P) (Eq. 10), "for the data points without an existing rule,
we only calculate the classifier loss". Either can be left out: the rows "w/o decoder" and "w/o classifier" of Table 1.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from trustnlp.relations.relation_encoder import Encoded, RelationEncoder
from trustnlp.relations.relation_inputs import RelationBatch
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.relation_vocabulary import PADDING, RelationVocabulary
from trustnlp.relations.rule_decoder import RuleDecoder, rule_loss
from trustnlp.relations.word_rows import WordRows


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
        self._form = sizes.form
        self.encoder = RelationEncoder(
            WordRows(table, borrowed), len(vocabulary.entity_types), len(vocabulary.tags), sizes
        )
        self.classifier: nn.Sequential | None = None
        self.decoder: RuleDecoder | None = None
        if sizes.classifier:
            layers: list[nn.Module] = []
            for layer in range(sizes.feedforward_layers):
                layers += [nn.Linear(sizes.width if layer else 3 * sizes.width, sizes.width), nn.ReLU()]
            self.classifier = nn.Sequential(*layers, nn.Linear(sizes.width, len(vocabulary.relations)))
        if sizes.decoder:
            self.decoder = RuleDecoder(len(vocabulary.rule_tokens), sizes)

    def scores(self, encoded: Encoded) -> Tensor:
        """Scores `(B, R)` of the relations; their softmax is the probability (§3.1).

        Raises
        ------
        ValueError
            If the network has no classifier.
        """
        if self.classifier is None:
            raise ValueError("this network was made without a classifier")
        scores: Tensor = self.classifier(torch.cat([encoded.sentence, encoded.subject, encoded.object], 1))
        return scores

    def forward(self, batch: RelationBatch) -> Encoded:
        """The encoder's states and pooled vectors of a batch."""
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
        encoded: Encoded = self(batch)
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
