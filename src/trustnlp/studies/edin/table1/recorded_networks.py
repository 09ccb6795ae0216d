"""What the notebooks on trained networks say in their records, each time in the same words: data, choices, scores.

Tang and Surdeanu (2021), §4 and Appendix A; what is measured, `extraction_tables`, `decoder_checks` and
`true_explanations` say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.reproduce import Record
from trustnlp.studies.edin.data.relation_corpora import kbp37, made_up, semeval, tacred
from trustnlp.studies.edin.data.rule_supervision import rule_predictions
from trustnlp.studies.edin.models import RuledCorpus
from trustnlp.studies.edin.table1.extraction_tables import extraction, resampled

_RELEASED = ("edin_rules", "corenlp_kbp_semgrex")
_VECTORS = "glove_6b_50d"
_CORPORA = {
    "kbp37": (kbp37, (*_RELEASED, "kbp37", _VECTORS)),
    "semeval": (semeval, ("semeval2010_task8", _VECTORS)),
    "tacred": (tacred, (*_RELEASED, _VECTORS)),
}


def ruled_corpus(record: Record, name: str, parameters: Mapping[str, Any], *, pairs: Sequence[str] = ()) -> RuledCorpus:
    """A corpus with its rules for the `paper` profile, else made-up sentences; the record says which.

    How the network and its training depart from the paper's is written into the record as well.

    Parameters
    ----------
    name
        `kbp37`, `semeval` or `tacred`.
    parameters
        A notebook's `vars()`: `n_items`, and what `RuledCorpus.trained` reads.
    pairs
        Keys of the record that rest on pairs without a relation; none are named where all do.
    """
    if record.profile == "paper":
        make, data = _CORPORA[name]
        for source in data:
            record.uses(source)
        corpus = make()
    else:
        corpus = made_up(parameters["n_items"], np.random.default_rng(0))
    record.condition("corpus", corpus.name)
    given = parameters
    record.deviation(
        f"The network is {given['width']} wide with {given['lstm_layers']} LSTM layer and trained for "
        f"{given['epochs']} epochs at rate {given['learning_rate']} (the paper: 200, two layers, 100 epochs, 0.3); its "
        "word vectors have 50 dimensions (300)."
    )
    record.deviation(
        "The decoder's last layer reads its own state beside the attention's answer; from the answer alone, as "
        "printed, it did not learn."
    )
    record.deviation(
        f"A positive example brings at most {given['negatives']:g} other pairs of its sentence; the paper's data have "
        "3.2.",
        keys=pairs,
    )
    return RuledCorpus(corpus, parameters)


def record_seeds(record: Record, rows: Sequence[Mapping[str, float]], prefix: str = "") -> None:
    """One row of numbers per seed; a key that some seed lacks (no rule decoded) is left out."""
    for key, values in pd.DataFrame(rows).dropna(axis=1).items():
        record.metric(f"{prefix}{key}", values.tolist(), interval="t")


def record_rules(record: Record, ruled: RuledCorpus, draws: int, names: Sequence[str]) -> None:
    """`rules.…`: some of precision, recall and F1 of the rules on the test part, with an interval over its items."""
    predicted = rule_predictions(ruled.test.fired)
    scores = extraction(ruled.test, predicted)
    samples = resampled(ruled.test, predicted, np.random.default_rng(0), draws)
    for column, name in enumerate(("precision", "recall", "f1")):
        if name in names:
            low, high = np.percentile(samples[:, column], [2.5, 97.5])
            record.metric(f"rules.{name}", scores[name], interval=(low, high), unit="%")
