"""What else AEC's labels can buy: other rankings of the same tweets by what was learned from the same labels.

Misra, Liu and Mahmud (2021), §4.1, compare AEC, which has seen the labels of thousands of tweets, with uncertainty,
which has seen none. Here the labels of AEC's training set go to

- an ordinary sentiment classifier of tweets (`disagreement`): words and pairs of words, counted and weighted, and a
  logistic regression. The less it believes in what the base says, the likelier that is an error;
- the same forest on less: the base's probabilities, its predicted label, the length of the text (`length`);
- the same forest on the same features, to tell tweets from film reviews (`domain`): is AEC more than "this is unlike
  what the base has learned from"? It is taught by AEC's training tweets and by the base's own reviews.

Each of them scores the texts of the test set, the highest is ranked first, and is judged by precision at K and by the
area under the ROC curve. Leads are in points, AEC's number less the control's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from trustnlp.error_analysis.error_classifiers import Learner, fit_error_classifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.aec.reproduction.error_experiments import TOP, Experiment

Floats = NDArray[np.float64]

# By `Experiment.scores`; the other rankings are of this module.
RANKED = ("aec", "least_confidence", "probabilities", "predicted_class")
_LAST = TOP[-1]
_AS_HIGH = 2.0  # points: the ledger's limit for "as high on a stream"
_DOMAIN, _LENGTH, _COUNTS = range(40, 43)


def disagreement_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: one minus the probability that a sentiment classifier gives to the base's label.

    The classifier has learned the labels of AEC's training tweets from their words.
    """
    corpus = experiment.corpus
    texts = np.array(corpus.tweets.texts, dtype=object)
    model = sentiment_classifier().fit(texts[experiment.train_rows], corpus.tweets.labels[experiment.train_rows])
    probabilities = model.predict_proba(texts[experiment.test_rows])
    column = {int(label): at for at, label in enumerate(model.classes_)}
    said = experiment.test.predicted
    own = [row[column[label]] if label in column else 0.0 for row, label in zip(probabilities, said, strict=True)]
    return 1 - np.array(own)


def sentiment_classifier() -> Pipeline:
    """Words and pairs of words, tf-idf, and a logistic regression: scikit-learn's defaults otherwise."""
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return make_pipeline(words, LogisticRegression(C=10.0, max_iter=1_000))


def domain_scores(experiment: Experiment, reviews: FeatureTable) -> Floats:
    """`(n,)` of the test set: a forest's probability that a text is a tweet, and no film review.

    Parameters
    ----------
    reviews
        The features of the base's training reviews.
    """
    own = experiment.train.features
    both = FeatureTable(own.names, np.concatenate([own.values, reviews.values]), own.groups)
    tweets = np.arange(len(both.values)) < len(own.values)
    return fit_error_classifier(both, tweets, rng=experiment.rng(_DOMAIN)).probability(experiment.test.features)


def length_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: a forest's probability of an error by the number of tokens alone."""
    tokens = experiment.corpus.lengths[:, None].astype(np.float64)
    return _scores_by(experiment, FeatureTable(("tokens",), tokens, ("length",)), _LENGTH)


def count_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: AEC's forest on counts that are not divided by the text's length."""
    return _scores_by(experiment, experiment.corpus.counts, _COUNTS)


def control_numbers(experiment: Experiment, reviews: FeatureTable, learners: Sequence[Learner]) -> dict[str, float]:
    """`controls.…` of one seed: areas under the ROC curve, precision among the first K, and AEC's leads.

    Parameters
    ----------
    learners
        That take the forest's place, on the same features.
    """
    scores = {name: experiment.scores(name) for name in RANKED}
    scores["disagreement"] = disagreement_scores(experiment)
    scores["domain"] = domain_scores(experiment, reviews)
    scores["length"] = length_scores(experiment)
    area = {name: experiment.area(name, scores=each) for name, each in scores.items()}
    precise = {name: experiment.precision(name, scores=each) for name, each in scores.items()}
    found = {f"controls.{name}.auc": value for name, value in area.items()}
    found |= {f"controls.{name}.p{k}": value for name, own in precise.items() for k, value in own.items()}
    for name in ("disagreement", "probabilities"):
        found[f"controls.{name}.p{_LAST}_lead"] = 100 * (precise["aec"][_LAST] - precise[name][_LAST])
    for name in ("predicted_class", "domain", "length"):
        found[f"controls.{name}.auc_lead"] = 100 * (area["aec"] - area[name])
    counted = experiment.area("aec", scores=count_scores(experiment))
    found["controls.normalised.auc_gain"] = 100 * (area["aec"] - counted)
    for learner in learners:
        own = experiment.scores("aec", learner=learner)
        found[f"controls.{learner}.auc"] = experiment.area("aec", scores=own)
    return found


def stream_numbers(experiment: Experiment, strategies: Sequence[str] = RANKED) -> dict[str, float]:
    """`stream.…` of one seed: precision where errors are as frequent as the base makes them, and AEC's against print's.

    The stream is the held-out fifth before correct predictions were left out; the classifiers are those of the test
    set. `stream.aec.margin` is in points: its precision at 50, less that of the balanced test set, plus two.
    """
    stream = experiment.stream
    assert stream.wrong is not None
    found = {"stream.errors": 100 * float(stream.wrong.mean())}
    for name in strategies:
        own = experiment.precision(name, stream)
        found |= {f"stream.{name}.p{k}": value for k, value in own.items()}
    lost = found[f"stream.aec.p{_LAST}"] - experiment.precision("aec")[_LAST]
    return found | {"stream.aec.margin": 100 * lost + _AS_HIGH}


def control_table(numbers: Metrics) -> pd.DataFrame:
    """Each control's area under the ROC curve and precision among the first fifty, means over seeds, best area first.

    Learners in the place of the forest have no precision.
    """
    areas = numbers.series("controls.{name}.auc", "mean")
    precise: Mapping[str, float] = numbers.series(f"controls.{{name}}.p{_LAST}", "mean")
    rows = {name: {"area": area, f"first {_LAST}": precise.get(name, np.nan)} for name, area in areas.items()}
    return pd.DataFrame.from_dict(rows, orient="index").sort_values("area", ascending=False).rename_axis("ranking")


def control_lines(numbers: Metrics, shown: Mapping[str, str]) -> dict[str, dict[float, list[float]]]:
    """Precision over K for a figure: label → K → values over seeds.

    Parameters
    ----------
    shown
        Ranking → its label.
    """
    found = numbers.series("controls.{name}.p{k:d}")
    return {
        label: {float(k): values for (own, k), values in found.items() if own == name} for name, label in shown.items()
    }


def stream_table(numbers: Metrics) -> pd.DataFrame:
    """Each strategy's precision on the stream, means over seeds, by K."""
    found = numbers.series("stream.{name}.p{k:d}", "mean")
    return pd.Series(found).unstack().rename_axis(index="strategy", columns="first K")


def _scores_by(experiment: Experiment, table: FeatureTable, purpose: int) -> Floats:
    """Probabilities of an error on the test set, by a forest on other features of the corpus's tweets."""
    train, test = (
        FeatureTable(table.names, table.values[rows], table.groups)
        for rows in (experiment.train_rows, experiment.test_rows)
    )
    wrong = experiment.wrong[experiment.train_rows]
    return fit_error_classifier(train, wrong, rng=experiment.rng(purpose)).probability(test)
