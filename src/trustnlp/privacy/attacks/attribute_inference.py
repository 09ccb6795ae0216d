"""Attackers that read private attributes off released representations: Lyu, He & Li (2020), §3.1, §4.3 and §4.5.

The attacker holds the released representations of the training texts with their attributes, trains a classifier on
them, and applies it to one release of each test text. The paper's classifier is "a 2-layer MLP with 512 hidden units
and ReLU activation", read here as one hidden layer that predicts all attributes at once. The released code
(xlhex/dpnlp, `model.py` and `run_dp.py`, commit 70f9abd) has for every attribute a network of its own, with one hidden
layer of 256 and two outputs, and clips their joint gradient to length 1. The loss is the sum of the attributes'
cross-entropies.

An attack that fails for want of input scaling, or of the right threshold, is not privacy. `ATTACKERS` therefore holds
four: the two above, a `tuned` one that standardises its inputs, stops early and decides where F1 is best on dev, and a
`knowing` one that also removes the noise of the released code, which adds one number to all coordinates of a text after
min–max scaling made the smallest one 0.

Noise. Inputs may be a function of a generator that releases all texts anew; the attacker then trains on fresh noise in
every epoch. The released code draws noise in every batch, which is the same: a text stands in one batch of an epoch.

Deviations: weights start as torch's linear layers do, as in the released code, but from the generator given; the paper
says neither rate, epochs nor batch of its attacker, the released code's are taken (Adam at a constant 1e-3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_vectors
from trustnlp.privacy.attacks.attribute_metrics import AttributeKind, best_threshold, bits_of, check_kind
from trustnlp.privacy.attacks.attribute_network import attribute_probabilities, first_weights, logits, loss_of

Inputs = Tensor | Callable[[torch.Generator], Tensor]


@dataclass(frozen=True)
class Attacker:
    """How an attack is trained. Several learning rates are candidates, compared by their loss on dev.

    Attributes
    ----------
    name
        Stands in error messages.
    hidden
        Units of the one hidden layer.
    separate
        A network with two outputs, absent and present, for every attribute, in place of one network for all.
    clip
        Greatest length of the joint gradient of all weights; None does not clip.
    epochs
        Passes over the training texts; the most there may be where `patience` is given.
    learning_rates
        Of Adam.
    batch
        Texts per step.
    patience
        Stop after so many epochs without a smaller loss on dev, and keep the weights of the best epoch. None trains to
        the last epoch and does not look at dev.
    fit_threshold
        Say "present" from the score on at which micro-F1 is best on dev, where entities are attacked: with weak
        evidence that is far below one half. Otherwise, and for demographic variables, from one half on.
    standardise
        Give every coordinate mean 0 and standard deviation 1 over the training texts.
    subtract_minimum
        Subtract its smallest coordinate from every vector first, see `subtract_minimum`.

    Raises
    ------
    ValueError
        If given a setting without value or out of range.
    """

    name: str
    hidden: int = 512
    epochs: int = 4
    learning_rates: tuple[float, ...] = (1e-3,)
    batch: int = 64
    patience: int | None = None
    fit_threshold: bool = False
    standardise: bool = False
    subtract_minimum: bool = False
    separate: bool = False
    clip: float | None = None

    def __post_init__(self) -> None:
        for what in ("hidden", "epochs", "batch", "patience"):
            if (value := getattr(self, what)) is not None and value < 1:
                raise ValueError(f"attacker {self.name!r}: {what} is 1 or more, got {value}")
        if self.clip is not None and not 0 < self.clip < math.inf:
            raise ValueError(f"attacker {self.name!r}: gradients are clipped to a length above 0, got {self.clip}")
        if not self.learning_rates or not all(0 < rate < math.inf for rate in self.learning_rates):
            raise ValueError(f"attacker {self.name!r}: learning rates are above 0, got {self.learning_rates}")

    @property
    def needs_dev(self) -> bool:
        """Whether something is chosen on dev."""
        return self.patience is not None or self.fit_threshold or len(self.learning_rates) > 1


PAPER = Attacker("paper", hidden=512)
"""§4.3: 512 hidden units. Four epochs like the target, Adam at 1e-3, raw inputs, as in the released code."""

CODE = Attacker("code", hidden=256, separate=True, clip=1.0)
"""The released code: a network of 256 hidden units and two outputs for each attribute, gradients clipped."""

TUNED = Attacker(
    "tuned",
    hidden=128,
    epochs=30,
    learning_rates=(1e-3, 3e-4),
    batch=128,
    patience=4,
    fit_threshold=True,
    standardise=True,
)
"""Who wants to succeed: standardised inputs; rate, number of epochs and threshold chosen on dev.

Width, batch and the two rates were picked from about a dozen settings on one seed of AG, with its test result in sight;
they differed by less than a point.
"""

KNOWING = replace(TUNED, name="knowing", subtract_minimum=True)
"""`TUNED` by someone who read the released code and undoes its noise first."""

ATTACKERS: Mapping[str, Attacker] = MappingProxyType({a.name: a for a in (PAPER, CODE, TUNED, KNOWING)})


@dataclass(frozen=True, eq=False)
class Released:
    """Representations as the attacker sees them, with the attributes of their texts.

    Attributes
    ----------
    vectors
        `(n, k)` float32 or float64, or a function of a generator that returns them with fresh noise.
    attributes
        `(n, a)` of 0 and 1. One that is the same in all training texts is allowed: the attacker learns to say so.
    """

    vectors: Inputs
    attributes: Tensor | ArrayLike


@dataclass(frozen=True, eq=False)
class Prediction:
    """The attacker's answers on the test texts.

    Attributes
    ----------
    scores
        `(n, a)` float32, the probability of 1.
    threshold
        The score from which on an attribute is said to be present.
    """

    scores: NDArray[np.float32] = field(repr=False)
    threshold: float

    @property
    def predicted(self) -> NDArray[np.int64]:
        """`(n, a)` of 0 and 1."""
        return (self.scores >= self.threshold).astype(np.int64)


def subtract_minimum(vectors: Tensor) -> Tensor:
    """Each row `(n, k)` minus its smallest coordinate: undoes the noise of DPNR's released code up to rounding.

    The released code scales each text's vector `x` by its minimum and maximum, so that its smallest coordinate is 0,
    and then adds the same `c` to all coordinates. The smallest coordinate of the result is `c`, whatever ε is, as far
    as numbers have the digits for both: float32 at the paper's ε, float16 at the larger ones.
    """
    return vectors - vectors.amin(dim=1, keepdim=True)


def attack(
    train: Released,
    dev: Released | None,
    test: Inputs,
    attacker: Attacker,
    *,
    kind: AttributeKind,
    generator: torch.Generator,
) -> Prediction:
    """Lyu, He & Li (2020), §4.5: train an attacker on released representations and apply it to the test texts.

    Parameters
    ----------
    train
        Released representations of the texts the target model was trained on, in the paper.
    dev
        For attackers that choose something on it. Its noise is drawn once.
    test
        `(m, k)`, or a function that releases them; it is called once, and before everything else, so that attackers
        started from the same generator see the same test vectors.
    attacker
        One of `ATTACKERS`, or your own settings.
    kind
        `entities` or `demographic`: what the attack is judged by, see `empirical_privacy`.
    generator
        Draws noise, first weights and the order of the texts.

    Raises
    ------
    TypeError
        If given vectors that are no float32 or float64 tensors.
    ValueError
        If given an empty split, vectors that are not finite, widths or numbers of texts that differ, attributes other
        than 0 and 1, no dev where the attacker needs it, or another kind.
    FloatingPointError
        If the loss is no longer finite.
    """
    check_kind(kind)
    if dev is None and attacker.needs_dev:
        raise ValueError(f"attacker {attacker.name!r} chooses on dev: give dev, or settings without a choice")
    tested = _draw(test, generator, "test")
    first = _draw(train.vectors, generator, "train")
    device = first.device
    targets = _targets(train, first, "train")
    prepare = _preparation(first, attacker)
    held_out = None
    if dev is not None:
        developed = _draw(dev.vectors, generator, "dev")
        _same_width(first, developed, "dev", "coordinates")
        held_out = prepare(developed).to(device), _targets(dev, developed, "dev").to(device)
        _same_width(targets, held_out[1], "dev", "attributes")
    _same_width(first, tested, "test", "coordinates")
    fixed = prepare(first) if isinstance(train.vectors, Tensor) else None

    def draw() -> Tensor:
        return fixed if fixed is not None else prepare(_draw(train.vectors, generator, "train"))

    runs = [_train(draw, targets, held_out, attacker, rate, generator) for rate in attacker.learning_rates]
    best = min(runs, key=lambda run: run.dev_loss)
    threshold = 0.5
    if held_out is not None and attacker.fit_threshold and kind == "entities":
        threshold = best_threshold(held_out[1].cpu(), attribute_probabilities(held_out[0], best.weights))
    return Prediction(attribute_probabilities(prepare(tested).to(device), best.weights), threshold)


class _Run(NamedTuple):
    dev_loss: float  # NaN without dev, where there is nothing to compare
    epoch: int
    weights: Sequence[Tensor]


def _train(
    draw: Callable[[], Tensor],
    targets: Tensor,
    held_out: tuple[Tensor, Tensor] | None,
    attacker: Attacker,
    rate: float,
    generator: torch.Generator,
) -> _Run:
    """Train one candidate; `draw` returns the prepared training vectors `(n, k)` of the next epoch."""
    best: _Run | None = None
    for epoch in range(attacker.epochs):
        vectors = draw()
        if epoch == 0:
            weights = first_weights(
                vectors.shape[1], attacker.hidden, targets.shape[1], attacker.separate, vectors.device, generator
            )
            optimiser = torch.optim.Adam(weights, rate, fused=True)
        order = torch.randperm(len(vectors), generator=generator, device=generator.device).to(vectors.device)
        losses = []
        for x, y in zip(vectors[order].split(attacker.batch), targets[order].split(attacker.batch), strict=True):
            loss = loss_of(logits(x, weights), y)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            if attacker.clip is not None:
                torch.nn.utils.clip_grad_norm_(weights, attacker.clip)
            optimiser.step()
            losses.append(loss.detach())
        # Once an epoch, because every look at a loss makes a GPU wait.
        if not bool(torch.stack(losses).isfinite().all()):
            raise FloatingPointError(
                f"attacker {attacker.name!r}, {attacker.hidden} hidden units, learning rate {rate:g}: the loss is not "
                f"finite in epoch {epoch + 1}; lower the rate, or scale the inputs"
            )
        dev_loss = math.nan
        if held_out is not None:
            with torch.no_grad():
                dev_loss = float(loss_of(logits(held_out[0], weights), held_out[1]))
        if best is None or attacker.patience is None or dev_loss < best.dev_loss:
            copies = weights if attacker.patience is None else [each.detach().clone() for each in weights]
            best = _Run(dev_loss, epoch, copies)
        elif epoch - best.epoch >= attacker.patience:
            break
    assert best is not None  # an attacker has at least one epoch
    return best


def _preparation(vectors: Tensor, attacker: Attacker) -> Callable[[Tensor], Tensor]:
    """The scaling of every vector before the network sees it, fitted on the training vectors."""
    shifted = subtract_minimum(vectors) if attacker.subtract_minimum else vectors
    mean, scale = torch.zeros(()), torch.ones(())
    if attacker.standardise:
        mean, scale = shifted.mean(dim=0), shifted.std(dim=0, correction=0)
        scale = torch.where(scale > 0, scale, torch.ones_like(scale))

    def prepare(drawn: Tensor) -> Tensor:
        shifted = subtract_minimum(drawn) if attacker.subtract_minimum else drawn
        return ((shifted - mean.to(drawn.device)) / scale.to(drawn.device)).float()

    return prepare


def _draw(inputs: Inputs, generator: torch.Generator, split: str) -> Tensor:
    try:
        return check_vectors(inputs if isinstance(inputs, Tensor) else inputs(generator)).detach()
    except (TypeError, ValueError) as error:
        raise type(error)(f"{split}: {error}") from None


def _targets(released: Released, vectors: Tensor, split: str) -> Tensor:
    attributes = released.attributes
    bits = bits_of(attributes.cpu() if isinstance(attributes, Tensor) else attributes, f"{split} attributes")
    if len(bits) != len(vectors):
        raise ValueError(f"{split}: {len(vectors)} vectors need as many attributes, got {len(bits)}")
    return torch.from_numpy(bits).to(vectors.device, torch.float32)


def _same_width(train: Tensor, other: Tensor, split: str, what: str) -> None:
    if train.shape[1] != other.shape[1]:
        raise ValueError(f"train has {train.shape[1]} {what} and {split} {other.shape[1]}: they must agree")
