"""Every method's scores of a corpus, one seed after another: the walk that the figure and the critique share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from trustnlp.studies.polarizedtext.baselines import Scores, all_scores, asked, epochs_of, fitted
from trustnlp.studies.polarizedtext.data.corpora import Corpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.reproduction.roc_numbers import Floats, weights_for


def scored_seeds(
    corpus: Corpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> Iterator[tuple[PlantedCorpus, Floats, dict[str, Scores]]]:
    """For each seed the corpus with its secrets, the weights of documents drawn anew, and method → scores.

    Parameters
    ----------
    methods
        Names of `compared_methods`; presidio runs on the first `presidio_seeds`, where it is installed.
    parameters
        `profile`, `epochs`, `resamples` and `presidio_seeds`.
    """
    epochs, profile = epochs_of(corpus.name, parameters["epochs"]), parameters["profile"]
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        yield (
            planted,
            weights,
            {
                name: all_scores(fitted(name, planted, profile, epochs), planted)
                for name in asked(methods, number, parameters)
            },
        )
