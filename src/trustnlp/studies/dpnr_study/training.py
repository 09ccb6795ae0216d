"""Accuracy under noise of models trained with more, less or no noise: Figures 7 and 8 of Zouhri and Abecidan (2021).

§5.2 trains with the noise of test time ("robust") or without ("non robust", here `classic`), and adds a third training,
"adaptative", whose ε_n = c/n falls from epoch to epoch. All are tested with noise of each ε, and at one ε with words
dropped. `rising` trains with the adaptive ε in reverse order, so that the noise shrinks, as the report describes it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from trustnlp.data.texts.sentence_sets import SentenceSet
from trustnlp.encoders.devices import find_device
from trustnlp.privacy.mechanisms.representation import Variant
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.training.embedding_bag import BagClassifiers, adaptive, train
from trustnlp.training.ngrams import DROPPING, UNKNOWN, Bags, Vocabulary

_EPOCHS = 5
_TRAINED_SHARE = 0.95  # the rest is the report's validation part, of which no choice is made


def training_plans(epsilons: Sequence[float], *, firsts: Sequence[float] = (1.0, 10.0)) -> dict[str, list[float]]:
    """ε of each of five epochs: `classic`, `robust=ε`, for each c of `firsts` `adaptive=c`, for the largest `rising=c`.

    >>> plans = training_plans([4.0], firsts=[60.0])
    >>> list(plans)
    ['classic', 'robust=4', 'adaptive=60', 'rising=60']
    >>> plans["adaptive=60"], plans["rising=60"]
    ([60.0, 30.0, 20.0, 15.0, 12.0], [12.0, 15.0, 20.0, 30.0, 60.0])
    """
    plans = {"classic": [math.inf] * _EPOCHS}
    plans |= {f"robust={epsilon:g}": [epsilon] * _EPOCHS for epsilon in epsilons}
    plans |= {f"adaptive={first:g}": adaptive(first, _EPOCHS) for first in firsts}
    return plans | {f"rising={max(firsts):g}": adaptive(max(firsts), _EPOCHS)[::-1]}


def accuracy_under_noise(
    texts: SentenceSet,
    *,
    dim: int,
    epsilons: Sequence[float],
    seeds: Sequence[int],
    rates: Sequence[float] = (),
    rates_epsilon: float = 4.0,
    plans: dict[str, list[float]] | None = None,
    decay: float = 0.9,
    variant: Variant = "as_written",
    unseen_too: bool = False,
    device: torch.device | str = "cpu",
) -> pd.DataFrame:
    """Train and test every plan once a seed; one row an accuracy.

    A seed draws the training texts (95 % of the training part), the start of the model, the order of the texts and the
    noise. `robust=ε` is tested at its own ε only.

    The vocabulary is that of both parts: n-grams of test texts that training lacks have rows of their own, which stay
    as they were drawn; nothing is learnt from test texts. In the released code, whose vocabulary is that of all
    published training texts, this holds for a part of them, and the others share `UNKNOWN`. `unseen_too` adds the other
    extreme, a vocabulary of the training part alone.

    Parameters
    ----------
    texts
        With a training and a test part; see `balanced_split`.
    dim
        Width of the representation.
    epsilons
        ε of the noise at test time; the first row of a plan has none (ε infinite).
    rates
        Shares of words dropped at test time, with noise of `rates_epsilon` and without.
    plans
        ε of each training epoch by name; None takes `training_plans(epsilons)`.
    decay, variant
        See `trustnlp.training.embedding_bag.train`.
    unseen_too
        Test also with `UNKNOWN` for every n-gram that the training texts lack.
    device
        Where models are trained and tested, in float32.

    Returns
    -------
    DataFrame
        Columns seed, plan, epsilon (test time), dropping, rate, accuracy; dropping is "none", a way of
        `trustnlp.training.ngrams`, or "unseen".

    Raises
    ------
    ValueError
        If there is no test part, no seed or ε, or whatever `train` does not accept.
    """
    if texts.test is None:
        raise ValueError(f"{texts.name} has no test part; cut one with balanced_split")
    if not len(seeds) or not len(epsilons):
        raise ValueError("give at least one seed and one ε")
    plans = training_plans(epsilons) if plans is None else plans
    place = find_device(device)
    vocabulary = Vocabulary([*texts.train.texts, *texts.test.texts])
    bags, tested = (vocabulary.bags(part.texts).to(place) for part in (texts.train, texts.test))
    labels, truth = (torch.tensor(part.labels, device=place) for part in (texts.train, texts.test))
    rows: list[dict[str, Any]] = []
    for seed in seeds:
        source = mixed_generator([seed, 0], place)
        chosen = torch.randperm(len(bags), generator=source, device=place)[: int(_TRAINED_SHARE * len(bags))]
        models = train(
            bags.take(chosen), labels[chosen], plans, dim=dim, vocabulary_size=len(vocabulary),
            classes=len(texts.label_names), generator=source, decay=decay, variant=variant,
        )  # fmt: skip
        plain = {"none": tested} | ({"unseen": without_unseen(tested, bags)} if unseen_too else {})
        tests = [_noise_tests(models, plain, truth, epsilons, seed)]
        tests.append(_dropping_tests(models, tested, truth, rates, rates_epsilon, seed))
        rows += [{"seed": seed, **row} for row in itertools.chain(*tests)]
    return pd.DataFrame(rows)


def sizes_of(texts: SentenceSet, vocabulary: Vocabulary) -> dict[str, float]:
    """How much there is to train and to test on; `unseen` is the share of the test texts' n-grams not trained on."""
    train, test = texts.splits.values()
    bags = [vocabulary.bags(part.texts) for part in (train, test)]
    return {
        "training texts": len(train),
        "test texts": len(test),
        "classes": len(texts.label_names),
        "rows": len(vocabulary),
        "unseen": 1 - float(torch.isin(bags[1].ids, bags[0].ids).double().mean()),
    }


def without_unseen(bags: Bags, trained: Bags) -> Bags:
    """`bags` with `UNKNOWN` for every row that `trained` lacks."""
    return Bags(torch.where(torch.isin(bags.ids, trained.ids.unique()), bags.ids, UNKNOWN), bags.starts)


def _noise_tests(
    models: BagClassifiers, bags: Mapping[str, Bags], labels: Tensor, epsilons: Sequence[float], seed: int
) -> Iterator[dict[str, Any]]:
    """Without noise and with that of each ε; a generator for each, so that none depends on which others are asked."""
    for dropping, tested in bags.items():
        representations = models.representations(tested)
        for epsilon in (math.inf, *epsilons):
            asked = _tested_at(models.names, epsilon)
            noise = mixed_generator([seed, 1, *_as_words(epsilon)], labels.device)
            scores = models.accuracy({name: representations[name] for name in asked}, labels, epsilon, generator=noise)
            for plan, accuracy in scores.items():
                yield {"plan": plan, "epsilon": epsilon, "dropping": dropping, "rate": 0.0, "accuracy": accuracy}


def _dropping_tests(
    models: BagClassifiers, bags: Bags, labels: Tensor, rates: Sequence[float], rates_epsilon: float, seed: int
) -> Iterator[dict[str, Any]]:
    """With words dropped in each way, a generator for each rate and way."""
    for rate in rates:
        for way, dropping in enumerate(DROPPING):
            drawn = mixed_generator([seed, 2, way, *_as_words(rate)], labels.device)
            hidden = bags.drop(rate, dropping, generator=drawn)
            released = models.representations(hidden, _tested_at(models.names, rates_epsilon))
            for epsilon in (rates_epsilon, math.inf):
                scores = models.accuracy(released, labels, epsilon, generator=drawn)
                for plan, accuracy in scores.items():
                    yield {"plan": plan, "epsilon": epsilon, "dropping": dropping, "rate": rate, "accuracy": accuracy}


def _tested_at(names: Sequence[str], epsilon: float) -> list[str]:
    """All plans, of the robust ones only that for this ε; all of them without noise."""
    if math.isinf(epsilon):
        return list(names)
    return [name for name in names if not name.startswith("robust=") or name == f"robust={epsilon:g}"]


def _as_words(number: float) -> tuple[int, int]:
    """A number as two whole ones, for a generator's seed."""
    return (0, 0) if math.isinf(number) else float(number).as_integer_ratio()
