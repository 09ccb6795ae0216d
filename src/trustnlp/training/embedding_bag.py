"""A small private classifier: mean of word vectors, min–max, noise, linear layer; many trainings at a time.

Zouhri and Abecidan (2021), §5: the smallest model on which DPNR's robust training (Lyu et al. 2020, Algorithm 1) can
be tried. A text's vector is the mean of its n-grams' vectors (`trustnlp.training.ngrams`), scaled to [0, 1] by its own
minimum and maximum, plus noise. A plan says how much noise each training epoch gets: ε per epoch, infinity for none.

- classic training ("non robust" where noise comes at test time): `[inf] * 5`;
- robust training: `[ε] * 5`;
- adaptive training (Algorithm 3, ε_n = c/n): `adaptive(c, 5)`.

`train` trains all plans in one pass: same start, same batches and one unit draw of noise for all, which each plan
scales by its own 1/ε. Plans therefore differ by their noise alone. As released: SGD of rate 2, times 0.9 after each
epoch, batches of 64, start uniform in [-½, ½], no bias at the start.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, embedding_bag

from trustnlp.privacy.mechanisms.representation import Variant, noise_layer, normalise
from trustnlp.training.ngrams import Bags

_START = 0.5


def adaptive(first: float, epochs: int) -> list[float]:
    """ε_n = `first`/n for n = 1, …, `epochs`: Algorithm 3's "decreasing sequence". As ε falls the noise grows.

    >>> adaptive(10, 4)
    [10.0, 5.0, 3.3333333333333335, 2.5]
    """
    return [first / n for n in range(1, epochs + 1)]


@dataclass(frozen=True)
class BagClassifiers:
    """Models with the same vocabulary and width, one a plan: M models of width k for c classes and V rows.

    Attributes
    ----------
    names
        The plans, in the order of the models.
    table
        `(V, M·k)` float32 vectors of the n-grams; those of model m are columns m·k to (m + 1)·k.
    weight, bias
        `(M, c, k)` and `(M, c)`: the linear layers.
    variant
        Kind of noise that the models were trained with and are tested with; see
        `trustnlp.privacy.mechanisms.representation`.
    """

    names: tuple[str, ...]
    table: Tensor = field(repr=False)
    weight: Tensor = field(repr=False)
    bias: Tensor = field(repr=False)
    variant: Variant = "as_written"

    @property
    def dim(self) -> int:
        """Width k of a representation."""
        return self.weight.shape[2]

    def representations(self, bags: Bags, names: Sequence[str] | None = None) -> dict[str, Tensor]:
        """Scaled representations before noise, `(n, k)` in [0, 1] for each model, or for those of `names`.

        Raises
        ------
        ValueError
            If given an unknown name, or a text whose vector is constant: min–max cannot scale it.
        """
        means = embedding_bag(bags.ids, self.table, bags.starts[:-1], mode="mean")
        return {
            name: normalise(means[:, at * self.dim : (at + 1) * self.dim])
            for name, at in self._places(self.names if names is None else names).items()
        }

    def accuracy(
        self, released: Mapping[str, Tensor], labels: Tensor, epsilon: float, *, generator: torch.Generator
    ) -> dict[str, float]:
        """Share of texts that each model gets right from representations with noise.

        Parameters
        ----------
        released
            Model → its `(n, k)` representations, from `representations`.
        epsilon
            ε of the noise, the same unit draw for every model; infinity adds none.
        """
        first = next(iter(released.values()))
        noise = _unit_noise(self.variant, first.shape[0], self.dim, generator) / epsilon
        right = {}
        for name, at in self._places(released).items():
            logits = (released[name] + noise) @ self.weight[at].T + self.bias[at]
            right[name] = float((logits.argmax(dim=1) == labels).double().mean())
        return right

    def _places(self, names: Sequence[str] | Mapping[str, Tensor]) -> dict[str, int]:
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise ValueError(f"no model is called {unknown[0]!r}; there are {', '.join(self.names)}")
        return {name: self.names.index(name) for name in names}


def train(
    bags: Bags,
    labels: Tensor,
    plans: Mapping[str, Sequence[float]],
    *,
    dim: int,
    vocabulary_size: int,
    classes: int,
    generator: torch.Generator,
    batch: int = 64,
    rate: float = 2.0,
    decay: float = 0.9,
    variant: Variant = "as_written",
) -> BagClassifiers:
    """Train one model a plan by stochastic gradient descent on the cross entropy.

    Parameters
    ----------
    bags, labels
        Training texts, and their classes `(n,)` int64 from 0.
    plans
        Name → ε of each epoch, infinity for no noise; every plan has the same number of epochs.
    dim
        Width k of the representation, at least 2.
    vocabulary_size
        Rows of the table, that of unknown n-grams included.
    generator
        Draws the start, the order of the texts and the noise, in this order in each epoch. On the device of the bags
        and labels, where all is computed.

    Raises
    ------
    ValueError
        If there is no plan, plans of unequal length, an ε that is not positive, labels or row numbers out of range, or
        a text whose vector is constant.
    FloatingPointError
        If the loss of a plan is not finite: the message names plan, epoch and batch.
    """
    device = generator.device
    scales = _scales(plans).to(device)
    _check_data(bags, labels, vocabulary_size, classes, dim)
    models = scales.shape[1]

    def start(rows: int) -> Tensor:
        return torch.empty(rows, dim, device=device).uniform_(-_START, _START, generator=generator)

    table, weight = start(vocabulary_size).repeat(1, models), start(classes).repeat(models, 1, 1)
    bias = torch.zeros(models, classes, device=device)
    models_trained = BagClassifiers(tuple(plans), table, weight, bias, variant)
    for epoch, scale in enumerate(scales):
        order = torch.randperm(len(bags), generator=generator, device=device)
        for number, rows in enumerate(order.split(batch)):
            noise = _unit_noise(variant, len(rows), dim, generator)[:, None] * scale[:, None]
            losses = _step(models_trained, bags.take(rows), labels[rows], noise, rate * decay**epoch)
            if not bool(torch.isfinite(losses).all()):
                name = models_trained.names[int((~torch.isfinite(losses)).nonzero()[0, 0])]
                raise FloatingPointError(
                    f"plan {name!r}: the loss is not finite in epoch {epoch + 1}, batch {number + 1}; lower `rate`"
                )
    return models_trained


def _step(models: BagClassifiers, bags: Bags, labels: Tensor, noise: Tensor, rate: float) -> Tensor:
    """One step of gradient descent on every model, in place; the loss of each, `(M,)`.

    Only the rows that the batch uses have a gradient, so only they are touched. The dense part, small, is left to
    autograd; the gradient of a mean is spread over its rows by hand, rows that occur more than once summed first.
    """
    count, dim = len(models.names), models.dim
    means = embedding_bag(bags.ids, models.table, bags.starts[:-1], mode="mean").requires_grad_()
    finite = torch.isfinite(means.detach().view(-1, count, dim)).all(dim=2).all(dim=0)
    if not bool(finite.all()):  # an earlier step overflowed
        return torch.where(finite, 0.0, math.nan)
    weight, bias = models.weight.requires_grad_(), models.bias.requires_grad_()
    scaled = normalise(means.view(-1, dim)).view(-1, count, dim) + noise
    logits = torch.einsum("nmk,mck->mnc", scaled, weight) + bias[:, None]
    losses = cross_entropy(logits.flatten(0, 1), labels.repeat(count), reduction="none").view(count, -1).mean(dim=1)
    gradients = torch.autograd.grad(losses.sum(), [means, weight, bias])
    with torch.no_grad():
        weight.requires_grad_(False).sub_(gradients[1], alpha=rate)
        bias.requires_grad_(False).sub_(gradients[2], alpha=rate)
        ids, at = bags.ids.sort()
        rows, counts = torch.unique_consecutive(ids, return_counts=True)
        shares = gradients[0] / bags.lengths[:, None]
        summed = embedding_bag(bags.texts[at], shares, counts.cumsum(0) - counts, mode="sum")
        models.table.index_add_(0, rows, summed, alpha=-rate)
    return losses.detach()


def _unit_noise(variant: Variant, n: int, dim: int, generator: torch.Generator) -> Tensor:
    """Noise for ε = 1, `(n, dim)`; that of every variant shrinks with 1/ε."""
    return noise_layer(variant, 1.0, dim)(torch.zeros(n, dim, device=generator.device), generator=generator)


def _scales(plans: Mapping[str, Sequence[float]]) -> Tensor:
    """1/ε by epoch and plan, `(epochs, M)`."""
    if not plans:
        raise ValueError("give at least one plan: a name and ε for each epoch")
    lengths = {name: len(epsilons) for name, epsilons in plans.items()}
    if len(set(lengths.values())) > 1 or 0 in lengths.values():
        raise ValueError(f"every plan needs ε for the same number of epochs, at least one, got {lengths}")
    for name, epsilons in plans.items():
        if not all(epsilon > 0 and not math.isnan(epsilon) for epsilon in epsilons):
            raise ValueError(f"plan {name!r}: every ε must be positive, infinity for no noise, got {list(epsilons)}")
    return (1 / torch.tensor([list(epsilons) for epsilons in plans.values()], dtype=torch.float32)).T


def _check_data(bags: Bags, labels: Tensor, vocabulary_size: int, classes: int, dim: int) -> None:
    if labels.shape != (len(bags),) or labels.dtype != torch.int64:
        raise ValueError(f"{len(bags)} texts need as many int64 labels, got {labels.dtype} {tuple(labels.shape)}")
    if int(labels.min()) < 0 or int(labels.max()) >= classes:
        raise ValueError(f"labels must lie in 0 to {classes - 1}, got {int(labels.min())} to {int(labels.max())}")
    if int(bags.ids.min()) < 0 or int(bags.ids.max()) >= vocabulary_size:
        raise ValueError(f"row numbers must lie in 0 to {vocabulary_size - 1}, the vocabulary's; take them from it")
    if dim < 2:
        raise ValueError(f"min–max needs at least 2 coordinates, got dim {dim}")
