"""Which audit sees which fault: mechanisms with one planted fault each, audited again and again.

Every mechanism claims ε per unit of Euclidean distance with multivariate Laplace noise (PrivEmb, Claim 3), and is
audited at inputs at distance 1/ε, so that a loss of one nat is claimed. But for its fault each is right: noise in
float64, rounded to the grid of `trustnlp.privacy.noise.grid`, so that an audit that convicts has seen the fault
planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee, L2Sensitivity, Relation
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.audits.examination import AUDITS, Subject
from trustnlp.privacy.audits.noise_law import NoiseLaw
from trustnlp.privacy.noise.grid import noisy_on_grid
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.privacy.noise.samplers import laplace, multivariate_laplace

Noise = Callable[[int, int, float, torch.Generator | None], Tensor]
_SEEDS = 1 << 16
_BARE = -1
SEEN = 0.8


@dataclass(frozen=True)
class Planted:
    """A mechanism: the dimension of its inputs, its noise `(n, dim, scale, generator)`, and what is wrong with it."""

    label: str
    dim: int
    noise: Noise
    rounded: bool = True

    def subject(self, epsilon: float) -> Subject:
        """The mechanism and inputs that the audits are given, for a claim of `epsilon` per unit of distance."""
        sensitivity = L2Sensitivity(1.0, Relation.METRIC)
        law = NoiseLaw("multivariate_laplace", 1 / epsilon)
        guarantee = Guarantee(epsilon, 0.0, sensitivity)
        return Subject(self._mechanism(epsilon), guarantee, self.dim, 1 / epsilon, law, torch.float64)

    def _mechanism(self, epsilon: float) -> BlackBox:
        scale = 1 / epsilon

        def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
            noise = self.noise(len(vectors), self.dim, scale, generator)
            return noisy_on_grid(vectors, noise, scale) if self.rounded else vectors + noise

        return release


def _right(n: int, dim: int, scale: float, generator: torch.Generator | None) -> Tensor:
    return multivariate_laplace(n, dim, scale, generator=generator, dtype=torch.float64)


def _times(factor: float) -> Noise:
    return lambda n, dim, scale, generator: _right(n, dim, factor * scale, generator)


def _forgotten_dimension(n: int, dim: int, scale: float, generator: torch.Generator | None) -> Tensor:
    directions = torch.nn.functional.normalize(_right(n, dim, scale, generator))
    return directions * _right(n, 1, scale, generator).abs()


def _one_value(n: int, dim: int, scale: float, generator: torch.Generator | None) -> Tensor:
    return laplace((n, 1), scale, generator=generator, dtype=torch.float64).expand(n, dim)


def _few_seeds(n: int, dim: int, scale: float, generator: torch.Generator | None) -> Tensor:
    """Row by row the noise that belongs to a seed of 16 bits: a row of a table with 2¹⁶ of them."""
    if (dim, scale) not in _TABLES:
        _TABLES[dim, scale] = _right(_SEEDS, dim, scale, mixed_generator([16]))
    return _TABLES[dim, scale][torch.randint(_SEEDS, (n,), generator=generator)]


def _bare_coordinate(n: int, dim: int, scale: float, generator: torch.Generator | None) -> Tensor:
    noise = _right(n, dim, scale, generator)
    noise[:, _BARE] = 0
    return noise


_TABLES: dict[tuple[int, float], Tensor] = {}

RIGHT = {f"right_{dim}": Planted(f"nothing wrong, d = {dim}", dim, _right) for dim in (1, 8, 54)}
FAULTS = {
    **{f"half_{dim}": Planted(f"half the scale, d = {dim}", dim, _times(0.5)) for dim in (1, 8, 54)},
    "less_10": Planted("scale 10 % too small, d = 8", 8, _times(0.9)),
    "less_5": Planted("scale 5 % too small, d = 8", 8, _times(0.95)),
    "forgotten": Planted("length forgets d = 8", 8, _forgotten_dimension),
    "one_value": Planted("one value for all coordinates", 8, _one_value),
    "bare": Planted("one coordinate without noise", 8, _bare_coordinate),
    "few_seeds": Planted("noise from 16-bit seeds", 8, _few_seeds),
    "float_leak": Planted("sum not rounded to a grid", 8, _right, rounded=False),
}


def convictions(
    planted: dict[str, Planted],
    *,
    draws: Sequence[int],
    seeds: Iterable[int],
    epsilon: float = 1.0,
    alpha: float = 0.01,
    audits: Iterable[str] = tuple(AUDITS),
) -> pd.DataFrame:
    """One row per mechanism, audit, number of draws and seed, with `convicted`; every audit at level `alpha`.

    An audit that cannot be tried with so few draws does not convict. Every run has random numbers of its own, which
    depend on its mechanism, audit, draws and seed only.
    """
    names = list(AUDITS)
    places = {key: place for place, key in enumerate((*RIGHT, *FAULTS))}
    rows = []
    for key, what in planted.items():
        subject = what.subject(epsilon)
        for audit in audits:
            for count in draws:
                for seed in seeds:
                    words = [places[key], names.index(audit), count, seed]
                    generator, rng = mixed_generator(words), np.random.default_rng([7, *words])
                    found = AUDITS[audit](subject, count, alpha, generator, rng)
                    rows.append((key, audit, count, seed, bool(found.convicts)))
    return pd.DataFrame(rows, columns=["fault", "audit", "draws", "seed", "convicted"])


def draws_to_see(found: pd.DataFrame) -> pd.DataFrame:
    """Fault × audit: the fewest draws from which on at least `SEEN` of the runs convict; NaN where none suffice."""
    rates = found.groupby(["fault", "audit", "draws"])["convicted"].mean().unstack("draws").sort_index(axis=1)
    lasting = (rates >= SEEN).iloc[:, ::-1].cummin(axis=1).iloc[:, ::-1]
    fewest = lasting.idxmax(axis=1).astype(float).where(lasting.any(axis=1))
    table = fewest.unstack("audit")
    return table.reindex(index=list(dict.fromkeys(found["fault"])), columns=list(dict.fromkeys(found["audit"])))
