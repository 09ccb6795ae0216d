"""Parts and sizes of the network of Tang and Surdeanu (2021): Table 4 and Appendix A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal["paper", "released"]
Reads = Literal["context", "state and context"]


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
