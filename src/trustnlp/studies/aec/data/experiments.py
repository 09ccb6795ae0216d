"""Experiments of the chapter: errors of a base on drawn tweets, and classifiers that learn to find them.

Misra, Liu and Mahmud (2021), §3.3 and §3.4: the base labels 11,664 tweets; of the commoner kind, errors or correct
predictions, as many are kept as there are of the rarer; four fifths teach the error classifier, and one fifth is ranked
by it. All notebooks of the chapter take their experiments from here, on real texts and on made-up ones.

Three draws make an experiment: which tweets, which are left out, which are for testing. Each has a generator of its
own, so that it can be redrawn alone. To this end tweets are divided before any is left out. The paper leaves out first;
the sizes of its two parts are exact fractions, and ours differ by a few texts. What the held-out fifth was before any
was left out is `Experiment.stream`: errors are as frequent in it as the base makes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trustnlp.error_analysis.error_classifiers import ErrorClassifier, fit_error_classifier, undersample
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.sampling_strategies import (
    LEARNT,
    STRATEGIES,
    BaseOutput,
    error_counts,
    learner_of,
    score_texts,
)
from trustnlp.studies.aec.data.error_corpus import BaseAnswers, ErrorCorpus, Flags, Floats, rows_of, wrong_on
from trustnlp.studies.aec.data.labelled_sets import draw_tweets, split_by_text

Rows = NDArray[np.int64]

TOP = (10, 20, 30, 40, 50)  # Table 4
TEST_SHARE = 0.2  # §3.3
_SUBSET, _UNDERSAMPLING, _SPLIT, _FIT, _SCORE, _TIES = range(10, 16)


@dataclass(frozen=True, eq=False)
class Experiment:
    """The errors of one base on a draw of tweets, and the parts that error classifiers learn from and are tested on.

    Make it with `experiment_of`. Error classifiers are fitted when they are first asked for; what they draw follows
    from the seeds.

    Attributes
    ----------
    answers
        Of the base.
    seeds
        Of the subset, the undersampling and the split.
    drawn
        Rows of the corpus's tweets, ascending: the paper's 11,664.
    train_rows, test_rows
        Those of the balanced set that error classifiers learn from and that they rank.
    stream_rows
        The held-out fifth of `drawn` before undersampling; `test_rows` are among them.
    """

    corpus: ErrorCorpus
    answers: BaseAnswers
    seeds: tuple[int, int, int]
    drawn: Rows
    train_rows: Rows
    test_rows: Rows
    stream_rows: Rows
    _fitted: dict[str, ErrorClassifier] = field(default_factory=dict, repr=False)

    @cached_property
    def wrong(self) -> Flags:
        """`(n,)` where the base errs, of all the corpus's tweets."""
        return wrong_on(self.answers.tweets, self.corpus.tweets.labels)

    @cached_property
    def train(self) -> BaseOutput:
        """Features, predictions and errors of `train_rows`."""
        return self.output(self.train_rows)

    @cached_property
    def test(self) -> BaseOutput:
        """Features, answers and errors of `test_rows`."""
        return self.output(self.test_rows)

    @cached_property
    def stream(self) -> BaseOutput:
        """Features, answers and errors of `stream_rows`."""
        return self.output(self.stream_rows)

    def output(self, rows: Rows) -> BaseOutput:
        """Features, answers and errors of any rows of the corpus's tweets."""
        probabilities = self.answers.tweets[rows]
        return BaseOutput(rows_of(self.corpus.features, rows), probabilities.argmax(1), probabilities, self.wrong[rows])

    def rng(self, purpose: int, strategy: str = STRATEGIES[0]) -> np.random.Generator:
        """A generator that the seeds, the base's seed, a number and a strategy decide."""
        return np.random.default_rng([*self.seeds, self.answers.seed, purpose, STRATEGIES.index(strategy)])

    def fitted(self, strategy: str) -> ErrorClassifier:
        """The error classifier of a strategy that learns, fitted on `train` (once)."""
        if strategy not in self._fitted:
            assert self.train.wrong is not None
            self._fitted[strategy] = fit_error_classifier(
                LEARNT[strategy](self.train),
                self.train.wrong,
                learner=learner_of(strategy, "random_forest"),
                rng=self.rng(_FIT, strategy),
            )
        return self._fitted[strategy]

    def scores(self, strategy: str, pool: BaseOutput | None = None) -> Floats:
        """Scores of a pool's texts by one of `STRATEGIES`, the highest first; the pool is `test` unless given."""
        texts = pool or self.test
        if strategy in LEARNT:
            return self.fitted(strategy).probability(LEARNT[strategy](texts))
        return score_texts(strategy, texts, rng=self.rng(_SCORE, strategy))

    def precision(
        self, strategy: str, pool: BaseOutput | None = None, *, scores: Floats | None = None
    ) -> dict[int, float]:
        """P@K for each K of `TOP` (§4.1), share of errors 0 to 1, by a strategy or by `scores` under its name.

        Equal scores are in random order.
        """
        texts = pool or self.test
        assert texts.wrong is not None, "precision needs to know where the base errs"
        ties = self.rng(_TIES, strategy if strategy in STRATEGIES else STRATEGIES[0])
        counts = error_counts(self.scores(strategy, texts) if scores is None else scores, texts.wrong, TOP, rng=ties)
        return {k: float(count / k) for k, count in zip(TOP, counts, strict=True)}

    def area(self, scores: Floats) -> float:
        """Area under the ROC curve of scores of the test set, 0 to 1."""
        assert self.test.wrong is not None, "the area needs to know where the base errs"
        return float(areas_under_curve(scores[None], self.test.wrong)[0])


def experiment_of(
    corpus: ErrorCorpus,
    answers: BaseAnswers,
    drawn: Sequence[int],
    seed: int,
    *,
    split: int | None = None,
    unseen: Iterable[int] = (),
) -> Experiment:
    """Draw tweets, leave out the commoner kind's surplus, and hold out a fifth, no text in both parts.

    Parameters
    ----------
    answers
        Of any base of any seed.
    drawn
        Tweets of each label: those of Table 2 for a set like the paper's.
    seed
        Of all three draws, unless another one is given for the split.
    unseen
        Rows of tweets that are kept out of the training part, whether they are drawn or not.

    Raises
    ------
    ValueError
        If a label has too few tweets, or the base makes no error or only errors on those drawn.
    """
    seeds = (seed, seed, seed if split is None else split)
    subset, left_out, divided = (
        np.random.default_rng([number, purpose])
        for number, purpose in zip(seeds, (_SUBSET, _UNDERSAMPLING, _SPLIT), strict=True)
    )
    rows = draw_tweets(corpus.tweets, drawn, subset)
    wrong = wrong_on(answers.tweets[rows], corpus.tweets.labels[rows])
    if not 0 < wrong.sum() < len(wrong):
        raise ValueError(f"the base errs on {int(wrong.sum())} of {len(wrong)} tweets; an experiment needs both kinds")
    balanced = rows[undersample(wrong, left_out)]
    taught, held_out = (
        rows[part] for part in split_by_text([corpus.tweets.texts[row] for row in rows], TEST_SHARE, divided)
    )
    train = np.setdiff1d(np.intersect1d(taught, balanced), np.array([*unseen], dtype=np.int64))
    return Experiment(corpus, answers, seeds, rows, train, np.intersect1d(held_out, balanced), held_out)
