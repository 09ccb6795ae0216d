"""Which audit sees which fault: mechanisms with one planted fault each, audited again and again.

Every mechanism claims ε per unit of Euclidean distance with multivariate Laplace noise (PrivEmb, Claim 3), and is
audited at inputs at distance 1/ε, so that a loss of one nat is claimed. But for its fault each is right: noise in
float64, rounded to the grid of `trustnlp.privacy.noise.grid`, so that an audit that convicts has seen the fault
planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee, L2Sensitivity, Relation
from trustnlp.privacy.audits.examination import AUDITS, Subject
from trustnlp.privacy.audits.noise_law import NoiseLaw
from trustnlp.privacy.noise.grid import noisy_on_grid
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.privacy.noise.samplers import laplace, multivariate_laplace

Noise = Callable[[int, int, torch.Generator | None], Tensor]
_SEEDS = 1 << 16
SEEN = 0.8


@dataclass(frozen=True)
class PlantedNoise:
    """A mechanism: its inputs' dimension, its noise `(n, dim, generator)` at scale 1, and what is wrong with it."""

    label: str
    dim: int
    noise: Noise
    rounded: bool = True

    def subject(self) -> Subject:
        """The mechanism and inputs that the audits are given, for a claim of ε = 1 per unit of distance."""

        def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
            noise = self.noise(len(vectors), self.dim, generator)
            return noisy_on_grid(vectors, noise, 1.0) if self.rounded else vectors + noise

        guarantee = Guarantee(1.0, 0.0, L2Sensitivity(1.0, Relation.METRIC))
        return Subject(release, guarantee, self.dim, 1.0, NoiseLaw("multivariate_laplace", 1.0), torch.float64)


def _right(n: int, dim: int, generator: torch.Generator | None, scale: float = 1.0) -> Tensor:
    return multivariate_laplace(n, dim, scale, generator=generator, dtype=torch.float64)


def scaled(scale: float) -> Noise:
    """Right noise but for its scale."""
    return lambda n, dim, generator: _right(n, dim, generator, scale)


def _forgotten_dimension(n: int, dim: int, generator: torch.Generator | None) -> Tensor:
    directions = torch.nn.functional.normalize(_right(n, dim, generator))
    return directions * _right(n, 1, generator).abs()


def _one_value(n: int, dim: int, generator: torch.Generator | None) -> Tensor:
    return laplace((n, 1), 1.0, generator=generator, dtype=torch.float64).expand(n, dim)


@cache
def _by_seed(dim: int) -> Tensor:
    return _right(_SEEDS, dim, mixed_generator([16]))


def _few_seeds(n: int, dim: int, generator: torch.Generator | None) -> Tensor:
    """Row by row the noise that belongs to a seed of 16 bits: a row of a table with 2¹⁶ of them."""
    return _by_seed(dim)[torch.randint(_SEEDS, (n,), generator=generator)]


def _bare_coordinate(n: int, dim: int, generator: torch.Generator | None) -> Tensor:
    noise = _right(n, dim, generator)
    noise[:, -1] = 0
    return noise


RIGHT = {f"right_{dim}": PlantedNoise(f"nothing wrong, d = {dim}", dim, _right) for dim in (1, 8, 54)}
FAULTS = {
    **{f"half_{dim}": PlantedNoise(f"half the scale, d = {dim}", dim, scaled(0.5)) for dim in (1, 8, 54)},
    "less_10": PlantedNoise("scale 10 % too small, d = 8", 8, scaled(0.9)),
    "less_5": PlantedNoise("scale 5 % too small, d = 8", 8, scaled(0.95)),
    "forgotten": PlantedNoise("length forgets d = 8", 8, _forgotten_dimension),
    "one_value": PlantedNoise("one value for all coordinates", 8, _one_value),
    "bare": PlantedNoise("one coordinate without noise", 8, _bare_coordinate),
    "few_seeds": PlantedNoise("noise from 16-bit seeds", 8, _few_seeds),
    "float_leak": PlantedNoise("sum not rounded to a grid", 8, _right, rounded=False),
}
PLANTED = RIGHT | FAULTS


def convictions(
    names: Iterable[str],
    *,
    draws: Sequence[int],
    seeds: Iterable[int],
    alpha: float = 0.01,
    audits: Iterable[str] = tuple(AUDITS),
) -> pd.DataFrame:
    """One row per mechanism of `PLANTED`, audit, number of draws and seed, with `convicted`; each audit at `alpha`.

    An audit that cannot be tried with so few draws does not convict. Every run has random numbers of its own, which
    depend on its mechanism, audit, draws and seed only.
    """
    rows = []
    for name, audit, count, seed in product(names, audits, draws, seeds):
        words = [list(PLANTED).index(name), list(AUDITS).index(audit), count, seed]
        randomness = mixed_generator(words), np.random.default_rng([7, *words])
        verdict = AUDITS[audit](PLANTED[name].subject(), count, alpha, *randomness)
        rows.append((name, audit, count, seed, bool(verdict.convicts)))
    return pd.DataFrame(rows, columns=["fault", "audit", "draws", "seed", "convicted"])


def draws_to_see(table: pd.DataFrame) -> pd.Series[float]:
    """By fault and audit: the fewest draws from which on at least `SEEN` of the runs convict, where any suffice."""
    rates = table.groupby(["fault", "audit", "draws"])["convicted"].mean().unstack("draws")
    lasting = (rates >= SEEN).iloc[:, ::-1].cummin(axis=1)
    return lasting.apply(lambda seen: seen.index[seen].min(), axis=1).dropna()
