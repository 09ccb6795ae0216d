"""Train a relation extractor and its rule decoder. Tang and Surdeanu (2021), §3 and Appendix A.

Adagrad; "from epoch 1 we start to anneal the learning rate by a factor of 0.9 every time the F1 score on the
development set does not increase after one epoch". F1 is over all relations but `no_relation`, counted together
(micro). The epoch with the best F1 is kept: the paper does not say which, the released code takes the best sum of F1
and BLEU.

An example has one rule to learn at most. Which one, where several match, is the caller's choice.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.devices import find_device
from trustnlp.relations.relation_inputs import Numbers, RelationInputs
from trustnlp.relations.relation_network import RelationNetwork
from trustnlp.relations.relation_vocabulary import RelationVocabulary, Rule
from trustnlp.relations.rule_decoder import rule_loss
from trustnlp.relations.trained_extractor import ExtractorRecipe, TrainedExtractor, encoded_batches
from trustnlp.training.batches import Rows
from trustnlp.training.kept_results import texts_fingerprint, trained_once, weights_fingerprint
from trustnlp.training.loop import Draws, Task, fit, seeded
from trustnlp.training.multichannel_cnn import word_table
from trustnlp.training.whole_files import fingerprint

# Part of every kept training's name: raise it with any change to what training computes.
_VERSION = 1
_DIMENSIONS = 50  # of words that start at random


def train_extractor(
    examples: Sequence[RelationExample],
    targets: Sequence[Rule | None],
    dev: Sequence[RelationExample],
    recipe: ExtractorRecipe,
    *,
    seed: int,
    dev_targets: Sequence[Rule | None] | None = None,
    vectors: WordVectors | None = None,
    others: Iterable[RelationExample] = (),
    device: str = "cpu",
    folder: Path | None = None,
) -> TrainedExtractor:
    """Train an extractor, or read the finished one from a folder.

    Parameters
    ----------
    targets
        The tokens of the rule that explains each example, None where there is none.
    dev, dev_targets
        Examples that choose the epoch and the learning rate. Their rules are needed where there is no classifier: the
        decoder's loss on them then takes the place of F1.
    seed
        Of the vectors of words without one, the first weights, the batches and the dropout.
    vectors
        Of words, to start from; all are drawn at random if None. Words of `dev` and of `others` that have one are
        known too.
    others
        Further examples, such as those of test, of which nothing but the words is read.
    folder
        Where the network is kept, and a checkpoint while it is trained; None keeps nothing.

    Raises
    ------
    ValueError
        If given examples that cannot be read (`trustnlp.relations.relation_inputs`), a decoder without any rule, no
        classifier and no rules of dev, or a file in the folder that is damaged.
    FloatingPointError
        If the loss is not finite: with the epoch and the step.
    """
    sizes, place = recipe.sizes, find_device(device)
    vocabulary = RelationVocabulary.of(examples, targets, vectors=vectors, others=[*dev, *others])
    taught = RelationInputs.of(examples, vocabulary, targets, distance=recipe.distance)
    checked = RelationInputs.of(dev, vocabulary, dev_targets, distance=recipe.distance)
    if sizes.decoder and not taught.ruled.any():
        raise ValueError("a decoder learns from rules and no example has one: train with sizes.decoder=False")
    if not sizes.classifier:
        if not checked.ruled.any():
            raise ValueError("without a classifier the rules of dev choose the epoch: give dev_targets")
        taught, checked = (part.select(np.flatnonzero(part.ruled)) for part in (taught, checked))
    with seeded(seed, place):
        table = _word_table(vocabulary, vectors, np.random.default_rng([seed, 1]))
        borrowed = taught.distinct_words(recipe.batch_size) if recipe.tune_words else 0
        network = RelationNetwork(vocabulary, table, borrowed, sizes).to(place)
    settings: dict[str, Any] = {
        "version": _VERSION,
        "vocabulary": texts_fingerprint([json.dumps(asdict(vocabulary))]),
        "first weights": weights_fingerprint(network),
        "examples": fingerprint(*taught.arrays),
        "examples of dev": fingerprint(*checked.arrays),
        "device": place.type,
        "recipe": asdict(recipe),
        "seed": seed,
    }

    optimiser = torch.optim.Adagrad(
        network.parameters(), lr=recipe.learning_rate, initial_accumulator_value=recipe.first_sum
    )
    network.encoder.words.train_with(optimiser)
    # Beside the rate, so that a checkpoint holds both.
    optimiser.param_groups[0]["last_dev_loss"] = math.inf

    def loss(rows: Rows, draws: Draws) -> Tensor:
        batch = taught.batch(rows, place, draws.here, recipe.word_dropout)
        relations = torch.from_numpy(taught.relations[rows]).to(place)
        return network.loss(batch, relations, taught.rules_of(rows, place), recipe.pooling_penalty)

    def dev_loss() -> float:
        now = _dev_loss(network, checked, vocabulary.relation(NO_RELATION), recipe, place)
        (group,) = optimiser.param_groups  # reading a checkpoint makes new ones
        if now >= group["last_dev_loss"]:
            group["lr"] *= recipe.decay
        group["last_dev_loss"] = now
        return now

    called = f"a relation extractor at rate {recipe.learning_rate}"
    task = Task(called, network, optimiser, place, taught.lengths, loss, dev_loss)

    def run(checkpoint: Path | None) -> tuple[float, ...]:
        return fit(task, recipe.schedule, seed=seed, settings=settings, checkpoint=checkpoint)

    losses = trained_once(network, "extractor", settings, folder, run)
    return TrainedExtractor(network, vocabulary, recipe, losses, place)


def relation_f1(gold: Numbers, predicted: Numbers, negative: int) -> float:
    """F1 over all labels `(n,)` but the negative one, counted together; 0 where nothing is right.

    >>> relation_f1(np.array([1, 2, 0, -1]), np.array([1, 1, 0, 2]), negative=0)
    0.3333333333333333
    """
    right = int(((gold == predicted) & (gold != negative)).sum())
    answers = int((gold != negative).sum()) + int((predicted != negative).sum())
    return 2 * right / answers if answers else 0.0


def _word_table(vocabulary: RelationVocabulary, vectors: WordVectors | None, rng: np.random.Generator) -> Tensor:
    if vectors is not None:
        return word_table(vocabulary.words[1:], vectors, rng)
    table = rng.uniform(-1, 1, (len(vocabulary.words), _DIMENSIONS)).astype(np.float32)
    table[0] = 0
    return torch.from_numpy(table)


def _dev_loss(
    network: RelationNetwork, dev: RelationInputs, negative: int, recipe: ExtractorRecipe, device: torch.device
) -> float:
    """1 - F1, or the mean loss of the rules by their own lengths where there is no classifier."""
    predicted: NDArray[np.int64] = np.empty(len(dev), dtype=np.int64)
    loss = 0.0
    for rows, encoded in encoded_batches(network, dev, recipe, device):
        if network.classifier is not None:
            predicted[rows] = network.scores(encoded).argmax(1).cpu().numpy()
        elif network.decoder is not None:
            rules = dev.rules_of(rows, device)
            loss += float(rule_loss(network.decoder.losses(rules, encoded), rules, "paper", examples=len(dev)))
    return loss if network.classifier is None else 1 - relation_f1(dev.relations, predicted, negative)
