"""The errors of any classifier, characterised in one call: where they are, how sure that is, and which to look at.

Misra, Liu and Mahmud give their method for one base classifier. `characterise` does the same for a reader's own, from
its predictions alone: readable features ranked by what an error classifier needs to find errors it has not seen, the
slices in which errors are more or less frequent, and precision at k of each way to pick texts for labelling.

Deviations: the error classifier is judged on all texts, each by a classifier that has not seen it, at the share of
errors that the base has, and not on a balanced fifth. Features are named by tests of slices that are corrected for
their number, and so are relations whatever the parts of speech of their words, since a cause can be spread over many;
permutation orders features, and the paper's impurity is shown beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trustnlp.attribution.model_calls import Floats, Labels, check_probabilities, distinct_texts
from trustnlp.data.annotation.spacy_annotation import PIPELINE, annotate
from trustnlp.data.registry import DataError
from trustnlp.data.words.emotion_lexicon import read_emotion_lexicon
from trustnlp.error_analysis.error_classifiers import (
    LEAST_ERRORS,
    CrossValidation,
    Flags,
    Learner,
    check_errors,
    cross_validate,
)
from trustnlp.error_analysis.error_slices import ErrorSlice, SliceTests, find_slices
from trustnlp.error_analysis.feature_rankings import (
    areas_under_curve,
    feature_directions,
    impurity_ranking,
    permutation_ranking,
)
from trustnlp.error_analysis.readable_features import (
    ANNOTATED,
    FeatureTable,
    feature_table,
    with_relation_families,
)
from trustnlp.error_analysis.sampling_strategies import LEARNT, UNCERTAINTY, BaseOutput, error_counts, learner_of
from trustnlp.files.label_spellings import check_spellings, lone_labels
from trustnlp.files.missing_values import is_missing
from trustnlp.files.same_rows import in_one_order

_FEWEST_TEXTS = 10  # that a relation is kept for; rarer ones have too few texts to be tested
_LARGEST = 1e38  # of float32, in which trees compare


@dataclass(frozen=True)
class RankedFeature:
    """A feature, by how much the error classifier needs it.

    Attributes
    ----------
    name, group
        Of the feature.
    importance, deviation
        Fall of the area under the ROC curve of held-out texts when it is shuffled; mean and standard deviation over the
        folds.
    impurity_rank
        The paper's rank, 1 for the first; None where the learner keeps no impurities.
    direction
        Rank-biserial correlation with being an error: above 0, the more of it, the more errors.
    slice
        The texts that have it against the others; None where these are too few to be tested.
    """

    name: str
    group: str
    importance: float
    deviation: float
    impurity_rank: int | None
    direction: float
    slice: ErrorSlice | None


@dataclass(frozen=True, eq=False)
class Characterisation:
    """The findings of `characterise`; `trustnlp.error_analysis.report_pages.report_page` makes a page of it.

    Attributes
    ----------
    texts, errors
        How many texts there are, and on how many the base errs.
    by_class
        Label that was predicted → how often, and how often wrongly.
    features
        The most important first.
    slices
        One test a feature, and one for each relation whatever its parts of speech (`neg-*-*`); `slices.causes` are the
        ones to look at first.
    error_probability
        `(n,)` for each text, by an error classifier that has not seen it; of a stream with 50 % errors.
    area, area_by_chance
        Area under the ROC curve of `error_probability`, and the upper end of what is within 95 % of chance around 0.5.
        Where the first is below the second, the order of `features` says nothing.
    ks, counts
        Precision at k: strategy → errors among the k texts it picks first, `(len(ks),)`. What a strategy learned from
        are the other texts, with their labels.
    left_out
        Features that are the same in all texts.
    notes
        What a reader of the report has to know beside.
    """

    texts: int
    errors: int
    by_class: Mapping[str, tuple[int, int]]
    features: tuple[RankedFeature, ...]
    slices: SliceTests
    error_probability: Floats
    area: float
    area_by_chance: float
    ks: tuple[int, ...]
    counts: Mapping[str, Labels]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def characterise(
    texts: Sequence[str],
    truth: Sequence[Any],
    predicted: Sequence[Any],
    probabilities: Sequence[Sequence[float]] | None = None,
    *,
    features: FeatureTable | None = None,
    labels: Sequence[Any] | None = None,
    learner: Learner = "random_forest",
    ks: Sequence[int] = (10, 20, 30, 40, 50),
    folds: int = 5,
    repeats: int = 5,
    false_discovery_rate: float = 0.05,
    rng: np.random.Generator,
) -> Characterisation:
    """Characterise the errors of a classifier on texts that it was not trained on.

    Parameters
    ----------
    texts
        `n` of them. Texts that are equal are kept in one fold.
    truth, predicted
        `n` labels each, numbers or strings. Series and DataFrames are matched by their index, lists by position.
    probabilities
        `(n, c)` what the classifier says of each label; without them there is no uncertainty to compare with.
    features
        Of the texts, `n` rows; None takes the paper's, which needs spaCy and its English pipeline.
    labels
        All labels, in the order of the columns of `probabilities`. None: 0 to c - 1 with probabilities, else those that
        occur, of which none may look like another spelling of one (`trustnlp.files.label_spellings`).
    learner
        Of the error classifier (`fit_error_classifier`).
    ks
        At which precision is counted, each at most n.
    folds, repeats
        Of the cross-validation, and shuffles of each feature in each fold.
    false_discovery_rate
        At which slices are found.
    rng
        Of all that is drawn.

    Raises
    ------
    ValueError
        If given sizes that do not agree, labels that are missing, outside the set or, without `labels`, two spellings
        of one by their looks; one true label only, probabilities that are none, features that are all constant, no
        errors, errors only, or fewer than 30 errors or correct predictions; or what the parts refuse.
    ImportError
        If `features` is None and spaCy is not installed.
    DataError
        If `features` is None and the pipeline cannot be fetched.
    """
    texts, truth, predicted, probabilities = in_one_order(
        texts=texts, truth=truth, predicted=predicted, probabilities=probabilities
    )
    groups = distinct_texts(texts)[1]
    answers = None if probabilities is None else np.asarray(probabilities, dtype=np.float64)
    if answers is not None:
        check_probabilities(answers, (len(texts),), "the classifier")
    names = _label_set(truth, predicted, answers, labels)
    true, said = _numbers(truth, names, len(texts), "truth"), _numbers(predicted, names, len(texts), "predicted")
    if labels is None:
        check_spellings([*map(_plain, truth)], [*map(_plain, predicted)])
    if len(np.unique(true)) == 1:
        raise ValueError(f"all {len(texts)} texts have the true label {names[true[0]]!r}; give texts of two or more")
    wrong: Flags = true != said
    check_errors(wrong, least=LEAST_ERRORS, what="ranking features")
    table, notes = (features, ()) if features is not None else _readable_features(texts)
    notes = (*notes, *_unlikely(answers, said), *lone_labels([names[at] for at in true], [names[at] for at in said]))
    if len(table.values) != len(texts):
        raise ValueError(f"{len(texts)} texts and features of {len(table.values)}; give one row to each text")
    if (large := np.argwhere(np.abs(table.values) > _LARGEST)).size:
        raise ValueError(
            f"feature {table.names[large[0, 1]]!r} of text {large[0, 0] + 1} is above {_LARGEST:g}; scale it"
        )
    table, left_out = table.without_constants()
    if not table.names:
        raise ValueError(f"all {len(left_out)} features are the same in all texts, and tell nothing; give others")
    base = BaseOutput(table, said, answers, wrong)
    repeated = groups if groups.max() + 1 < len(groups) else None
    settings: dict[str, Any] = {"folds": folds, "groups": repeated, "rng": rng}
    validations = {
        strategy: cross_validate(columns(base), wrong, learner=learner_of(strategy, learner), **settings)
        for strategy, columns in LEARNT.items()
        if answers is not None or strategy == "aec"
    }
    scores = {} if answers is None else {name: score(answers) for name, score in UNCERTAINTY.items()}
    scores |= {name: validation.probability for name, validation in validations.items()}
    slices = find_slices(with_relation_families(table), wrong, false_discovery_rate=false_discovery_rate)
    own = validations["aec"]
    errors = int(wrong.sum())
    return Characterisation(
        texts=len(texts),
        errors=errors,
        by_class={
            str(name): (int((said == number).sum()), int(wrong[said == number].sum()))
            for number, name in enumerate(names)
        },
        features=_ranked(own, table, wrong, slices, repeats, rng),
        slices=slices,
        error_probability=own.probability,
        area=float(areas_under_curve(own.probability[None], wrong)[0]),
        # Of Mann and Whitney's statistic where errors and correct predictions have one law.
        area_by_chance=0.5 + 1.96 * np.sqrt((len(texts) + 1) / (12 * errors * (len(texts) - errors))),
        ks=tuple(ks),
        counts={name: error_counts(each, wrong, ks, rng=rng) for name, each in scores.items()},
        left_out=left_out,
        notes=notes,
    )


def _ranked(
    validation: CrossValidation,
    table: FeatureTable,
    wrong: Flags,
    slices: SliceTests,
    repeats: int,
    rng: np.random.Generator,
) -> tuple[RankedFeature, ...]:
    ranking = permutation_ranking(validation, table, wrong, repeats=repeats, rng=rng)
    directions = feature_directions(table, wrong)
    keeps_impurity = hasattr(validation.classifiers[0].model, "feature_importances_")
    impurity = impurity_ranking(validation) if keeps_impurity else None
    own = {each.name: each for each in slices.slices}
    return tuple(
        RankedFeature(
            name=table.names[at],
            group=table.groups[at],
            importance=float(ranking.importance[at]),
            deviation=float(ranking.deviation[at]),
            impurity_rank=None if impurity is None else impurity.rank_of(table.names[at]),
            direction=float(directions[at]),
            slice=own.get(table.names[at]),
        )
        for at in ranking.order
    )


def _label_set(
    truth: Sequence[Any], predicted: Sequence[Any], probabilities: Floats | None, labels: Sequence[Any] | None
) -> list[Any]:
    """All labels, in the order of the columns."""
    if labels is not None:
        names = [_plain(label) for label in labels]
        if len(set(names)) != len(names):
            raise ValueError(f"a label is given twice in labels={names}")
    elif probabilities is not None:
        names = list(range(probabilities.shape[1]))
        if any(isinstance(_plain(label), str) for label in (*truth, *predicted)):
            raise ValueError(
                "labels are strings, and the columns of probabilities have no names: give labels=[…] in the order of "
                "the columns"
            )
    else:
        names = sorted({_plain(label) for label in (*truth, *predicted)}, key=lambda label: (str(type(label)), label))
    if probabilities is not None and len(names) != probabilities.shape[1]:
        raise ValueError(f"{len(names)} labels, and probabilities of {probabilities.shape[1]}")
    return names


def _numbers(given: Sequence[Any], names: Sequence[Any], texts: int, called: str) -> Labels:
    if len(given) != texts:
        raise ValueError(f"{texts} texts need a label each, {called} has {len(given)}")
    if missing := [row for row, label in enumerate(given) if is_missing(label)]:
        raise ValueError(
            f"{called} has no label for {len(missing)} texts, the first is text {missing[0]}; label them, or leave "
            "them out of all that is given"
        )
    number = {name: at for at, name in enumerate(names)}
    if outside := [label for label in map(_plain, given) if label not in number]:
        raise ValueError(
            f"{called} has the label {outside[0]!r} ({len(outside)} times), which is not one of {list(names)}; give "
            "all labels in labels=[…] or with --label, or correct it"
        )
    return np.array([number[_plain(label)] for label in given], dtype=np.int64)


def _plain(label: Any) -> Any:
    """A label as Python's own number or string."""
    return label.item() if isinstance(label, np.generic) else label


def _unlikely(probabilities: Floats | None, predicted: Labels) -> tuple[str, ...]:
    """A note where the predicted labels are not the likeliest ones: columns in another order look like this."""
    unlike = 0 if probabilities is None else int((probabilities.argmax(axis=1) != predicted).sum())
    if not unlike:
        return ()
    return (
        f"For {unlike:,} of {len(predicted):,} texts the predicted label is not the likeliest by the probabilities; "
        "check that their columns are in the order of the labels.",
    )


def _readable_features(texts: Sequence[str]) -> tuple[FeatureTable, tuple[str, ...]]:
    """The paper's features, without emotions where the lexicon, which may not be passed on, is not there."""
    try:
        annotations = annotate(texts, ANNOTATED)
    except DataError as error:
        raise DataError(
            f"{error}. Readable features need spaCy's English pipeline: run 'trustnlp data fetch {PIPELINE}', or give "
            "features of your own"
        ) from error
    try:
        lexicon = read_emotion_lexicon()
    except DataError as error:
        notes = (f"No emotions among the features: {error}",)
        return feature_table(annotations, {}, fewest_texts=_FEWEST_TEXTS), notes
    return feature_table(annotations, lexicon, fewest_texts=_FEWEST_TEXTS), ()
