"""A text classifier whose representation gets noise before it is classified. Lyu, He and Li (2020), Algorithm 1.

Pooled vector of the encoder → dropout → min–max scaling → noise → linear map to the labels. The released code has the
dropout in this place, and none after the noise. Non-private training is the same without noise: the scaling stays, so
that representations are compared like with like.

The adversary is the baseline of the paper's Table 4 (Coavoux et al. 2018; Li et al. 2018): a network that reads the
private attributes from the scaled vector, while the encoder is trained against it. Which form the paper ran is not
said; here one step trains both, through a reversed gradient (Ganin and Lempitsky 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from trustnlp.encoders.split_bert import SplitBert
from trustnlp.privacy.accounting.guarantee import check_epsilon
from trustnlp.privacy.mechanisms.representation import VARIANTS, Variant, noise_layer, normalise

_DROPOUT = 0.1
_ADVERSARY_WIDTH = 256


@dataclass(frozen=True)
class Defence:
    """How a classifier is trained and its representations released.

    Attributes
    ----------
    variant, epsilon
        The noise of Algorithms 1 and 2, see `trustnlp.privacy.mechanisms.representation`; the same in training and
        release.
    rate
        Share of word pieces dropped, μ.
    adversary
        Weight of the adversary's reversed gradient; 0 for none.

    Raises
    ------
    ValueError
        If given an unknown variant, ε not positive and finite, a rate outside [0, 1), or a negative weight.
    """

    variant: Variant = "none"
    epsilon: float = 1.0
    rate: float = 0.0
    adversary: float = 0.0

    def __post_init__(self) -> None:
        if self.variant not in VARIANTS:
            raise ValueError(f"unknown noise variant {self.variant!r}; choose from {', '.join(VARIANTS)}")
        check_epsilon(self.epsilon)
        if not 0 <= self.rate < 1:
            raise ValueError(f"the rate of word dropout is at least 0 and below 1, got {self.rate}")
        if not self.adversary >= 0:
            raise ValueError(f"the adversary's weight is not negative, got {self.adversary}")

    @property
    def name(self) -> str:
        """Name of this defence in records and figures; defences that train or release differently have different ones.

        `non_private`, `adversarial`, or `released.eps0.05.mu0`. A weight of the adversary other than 1 is said, as in
        `adversarial.weight3`, and so are an adversary beside noise and dropped words without noise.
        """
        if self.variant != "none":
            name = f"{self.variant}.eps{_digits(self.epsilon)}.mu{_digits(self.rate)}"
            return f"{name}.weight{_digits(self.adversary)}" if self.adversary else name
        name = "adversarial" if self.adversary else "non_private"
        if self.adversary not in (0.0, 1.0):
            name += f".weight{_digits(self.adversary)}"
        return f"{name}.mu{_digits(self.rate)}" if self.rate else name


def _digits(number: float) -> str:
    """As many digits as tell it from its neighbours, so that two settings never share a name: `1`, `0.05`."""
    return repr(float(number)).removesuffix(".0")


class PrivateClassifier(nn.Module):
    """Encoder, privacy layer and linear classifier.

    Parameters
    ----------
    body
        Encoder that gives pooled vectors `(B, k)`.
    labels, attributes
        Number of labels, and of private attributes (for the adversary).
    """

    def __init__(self, body: SplitBert, labels: int, attributes: int, defence: Defence) -> None:
        super().__init__()
        self.body = body
        self.dropout = nn.Dropout(_DROPOUT)
        self.noise = noise_layer(defence.variant, defence.epsilon, body.width)
        self.classifier = nn.Linear(body.width, labels)
        self.adversary_weight = defence.adversary
        self.adversary = (
            nn.Sequential(nn.Linear(body.width, _ADVERSARY_WIDTH), nn.ReLU(), nn.Linear(_ADVERSARY_WIDTH, attributes))
            if defence.adversary
            else None
        )

    def represent(self, states: Tensor, attended: Tensor) -> Tensor:
        """Scaled representations `(B, k)`, before the noise."""
        return normalise(self.dropout(self.body(states, attended).float()))

    def forward(self, states: Tensor, attended: Tensor, *, generator: torch.Generator) -> tuple[Tensor, Tensor | None]:
        """Scores of the labels `(B, c)`, and of the attributes `(B, a)` where there is an adversary."""
        scaled = self.represent(states, attended)
        attributes = None
        if self.adversary is not None:
            attributes = self.adversary(_ReversedGradient.apply(scaled, self.adversary_weight))
        return self.classifier(self.noise(scaled, generator=generator)), attributes


class _ReversedGradient(torch.autograd.Function):
    """The identity, with the gradient multiplied by a negative weight on the way back."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, weight: float) -> Tensor:
        ctx.weight = weight
        return values.view_as(values)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -ctx.weight * gradients[0], None
