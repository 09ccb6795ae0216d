"""Training of the small private classifier: against plain torch, one plan at a time, and on planted texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
import torch
from on_gpu import GPU, needs_gpu
from refusals import assert_refused
from torch import Tensor, nn

from trustnlp.privacy.mechanisms.representation import noise_layer
from trustnlp.training.embedding_bag import BagClassifiers, adaptive, train
from trustnlp.training.ngrams import Bags, Vocabulary

PLANS = {"classic": [math.inf, math.inf], "robust": [2.0, 2.0], "adaptive": [10.0, 5.0]}
WORDS = ["good fine nice", "bad poor sad"]


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def planted(n: int = 400, seed: int = 0) -> tuple[list[str], Tensor]:
    """Texts of four words, two thirds of them of the class's own."""
    source = generator(seed)
    labels = torch.randint(2, (n,), generator=source)
    texts = []
    for label in labels.tolist():
        own = torch.rand(4, generator=source) < 0.67
        picks = torch.randint(3, (4,), generator=source)
        texts.append(" ".join(WORDS[label if o else 1 - label].split()[p] for o, p in zip(own, picks, strict=True)))
    return texts, labels


@pytest.fixture(scope="module")
def task() -> tuple[Vocabulary, Bags, Tensor]:
    texts, labels = planted()
    vocabulary = Vocabulary(texts)
    return vocabulary, vocabulary.bags(texts), labels


def slow(
    bags: Bags, labels: Tensor, plans: Mapping[str, Sequence[float]], dim: int, size: int, source: torch.Generator
) -> dict[str, tuple[Tensor, Tensor, Tensor]]:
    """The same training with `nn.EmbeddingBag`, autograd and steps on every row of the table, one model a plan."""
    start = torch.empty(size, dim).uniform_(-0.5, 0.5, generator=source)
    weight = torch.empty(2, dim).uniform_(-0.5, 0.5, generator=source)
    models = {}
    for name in plans:
        bag = nn.EmbeddingBag.from_pretrained(start.clone(), freeze=False, mode="mean")
        linear = nn.Linear(dim, 2)
        linear.weight.data.copy_(weight)
        linear.bias.data.zero_()
        models[name] = bag, linear
    for epoch in range(2):
        for rows in torch.randperm(len(bags), generator=source).split(64):
            part = bags.take(rows)
            noise = noise_layer("as_written", 1.0, dim)(torch.zeros(len(rows), dim), generator=source)
            for name, (bag, linear) in models.items():
                x = bag(part.ids, part.starts[:-1])
                low, high = x.min(dim=1, keepdim=True).values, x.max(dim=1, keepdim=True).values
                logits = linear((x - low) / (high - low) + noise / plans[name][epoch])
                nn.functional.cross_entropy(logits, labels[rows]).backward()
                for parameter in (*bag.parameters(), *linear.parameters()):
                    assert parameter.grad is not None
                    parameter.data -= 2.0 * 0.9**epoch * parameter.grad
                    parameter.grad = None
    return {name: (bag.weight.data, linear.weight.data, linear.bias.data) for name, (bag, linear) in models.items()}


def test_training_equals_plain_torch(task):
    vocabulary, bags, labels = task
    options = {"dim": 5, "vocabulary_size": len(vocabulary)}
    fast = train(bags, labels, PLANS, classes=2, generator=generator(), **options)
    expected = slow(bags, labels, PLANS, 5, len(vocabulary), generator())
    for at, name in enumerate(PLANS):
        table, weight, bias = expected[name]
        np.testing.assert_allclose(fast.table[:, 5 * at : 5 * (at + 1)], table, atol=2e-4)
        np.testing.assert_allclose(fast.weight[at], weight, atol=2e-4)
        np.testing.assert_allclose(fast.bias[at], bias, atol=2e-4)


def test_equal_seeds_train_alike_and_others_do_not(task):
    vocabulary, bags, labels = task
    options = {"dim": 4, "vocabulary_size": len(vocabulary), "classes": 2}
    one, same, other = (train(bags, labels, PLANS, generator=generator(s), **options).table for s in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.allclose(one, other)


@pytest.fixture(scope="module")
def models(task) -> BagClassifiers:
    vocabulary, bags, labels = task
    return train(bags, labels, PLANS, dim=8, vocabulary_size=len(vocabulary), classes=2, generator=generator())


def test_planted_labels_are_learnt_and_noise_hides_them(task, models):
    vocabulary, *_ = task
    texts, truth = planted(seed=1)
    found = models.representations(vocabulary.bags(texts))
    clean = models.accuracy(found, truth, math.inf, generator=generator())
    drowned = models.accuracy(found, truth, 0.01, generator=generator())
    # The majority of four words decides right in .74 of the texts, ties broken by a coin.
    assert clean["classic"] > 0.65
    assert all(abs(accuracy - 0.5) < 0.1 for accuracy in drowned.values())


def test_representations_are_scaled_and_noise_is_the_variants(task, models):
    _, bags, labels = task
    found = models.representations(bags, ["classic"])
    assert list(found) == ["classic"]
    low, high = found["classic"].amin(dim=1), found["classic"].amax(dim=1)
    assert torch.equal(low, torch.zeros_like(low))
    assert torch.equal(high, torch.ones_like(high))
    # Oracle: the noise layer of that ε applied to the representation.
    released = noise_layer("as_written", 3.0, 8)(found["classic"], generator=generator(7))
    logits = released @ models.weight[0].T + models.bias[0]
    expected = float((logits.argmax(dim=1) == labels).double().mean())
    assert models.accuracy(found, labels, 3.0, generator=generator(7))["classic"] == pytest.approx(expected, abs=0.005)


def test_training_undoes_noise_shared_by_all_coordinates_only(task):
    """DPNR's released variant draws once a text: a linear layer whose rows have equal sums does not notice."""
    vocabulary, bags, labels = task
    accuracy = {}
    for variant in ("released", "as_written"):
        models = train(
            bags, labels, {"robust": [0.5] * 20}, dim=8, vocabulary_size=len(vocabulary), classes=2,
            generator=generator(), rate=0.2, decay=1.0, variant=variant,
        )  # fmt: skip
        accuracy[variant] = models.accuracy(models.representations(bags), labels, 0.5, generator=generator())["robust"]
    assert accuracy["released"] > accuracy["as_written"] + 0.1


def test_adaptive_noise_grows():
    assert adaptive(10, 5) == [10.0, 5.0, pytest.approx(10 / 3), 2.5, 2.0]


def test_mistakes_are_named(task):
    vocabulary, bags, labels = task
    given = {
        "bags": bags, "labels": labels, "plans": {"a": [1.0]}, "dim": 4, "classes": 2,
        "vocabulary_size": len(vocabulary), "generator": generator(),
    }  # fmt: skip
    assert_refused(
        lambda changes: train(**{**given, **changes}),
        [
            ({"plans": {}}, ValueError, "at least one plan"),
            ({"plans": {"a": [1.0], "b": [1.0, 2.0]}}, ValueError, "same number of epochs"),
            ({"plans": {"a": [0.0]}}, ValueError, "'a': every ε must be positive"),
            ({"labels": torch.zeros(3, dtype=torch.int64)}, ValueError, "as many int64 labels"),
            ({"classes": 1}, ValueError, "labels must lie in 0 to 0"),
            ({"vocabulary_size": 5}, ValueError, "row numbers must lie in 0 to 4"),
            ({"dim": 1}, ValueError, "at least 2 coordinates"),
            ({"variant": "shared"}, ValueError, "unknown noise variant"),
            ({"rate": 1e38, "plans": {"fine": [math.inf] * 2}}, FloatingPointError, "'fine'.*not finite in epoch 1"),
        ],
    )


def test_an_unknown_model_is_named(task, models):
    _, bags, _ = task
    with pytest.raises(ValueError, match="no model is called 'best'; there are classic, robust, adaptive"):
        models.representations(bags, ["best"])


@pytest.mark.gpu
@needs_gpu
def test_on_a_gpu_the_tables_learn_the_same(task: tuple[Vocabulary, Bags, Tensor]) -> None:
    """From a first table that each device's generator draws, so what agrees is the accuracy."""
    vocabulary, bags, labels = task
    right = []
    for name in ("cpu", GPU):
        device = torch.device(name)
        models = train(
            bags.to(device), labels.to(device), {"plain": [math.inf] * 8}, dim=8, vocabulary_size=len(vocabulary),
            classes=2, generator=torch.Generator(device).manual_seed(0),
        )  # fmt: skip
        vectors = models.representations(bags.to(device))
        source = torch.Generator(device).manual_seed(1)
        right.append(models.accuracy(vectors, labels.to(device), math.inf, generator=source)["plain"])
    assert right[0] > 0.65 and right[1] == pytest.approx(right[0], abs=0.05)
