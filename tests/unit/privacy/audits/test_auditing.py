"""Lower bounds of ε: their arithmetic, what they find in broken mechanisms, and what they refuse."""

from __future__ import annotations

import math

import pytest
import torch
from refusals import assert_refused
from torch import Tensor

from trustnlp.evaluation.intervals import clopper_pearson
from trustnlp.privacy.accounting.guarantee import Guarantee, L2Sensitivity, Relation
from trustnlp.privacy.audits.auditing import (
    BlackBox,
    LowerBound,
    audit,
    draws_needed,
    violates,
    with_companion,
)


def laplace(shape: tuple[int, ...], scale: float, generator: torch.Generator) -> Tensor:
    """Independent draws, the difference of two exponential ones."""
    uniform = torch.rand(2, *shape, generator=generator, dtype=torch.float64).clamp(min=1e-300)
    return (scale * (uniform[0].log() - uniform[1].log())).float()


def independent(scale: float) -> BlackBox:
    return lambda vectors, /, *, generator: vectors + laplace(tuple(vectors.shape), scale, generator)


def one_draw_for_all_coordinates(scale: float) -> BlackBox:
    return lambda vectors, /, *, generator: vectors + laplace((len(vectors), 1), scale, generator)


def one_draw_for_all_rows(scale: float) -> BlackBox:
    return lambda vectors, /, *, generator: vectors + laplace((1, vectors.shape[1]), scale, generator)


def seeded_in_every_call(scale: float) -> BlackBox:
    again = independent(scale)
    return lambda vectors, /, *, generator: again(vectors, generator=torch.Generator().manual_seed(7))


def no_noise(vectors: Tensor, /, *, generator: torch.Generator) -> Tensor:
    return vectors


def balanced(scale: float) -> BlackBox:
    """Noise in every coordinate, but none in their sum: the last coordinate takes back what the others got."""

    def release(vectors: Tensor, /, *, generator: torch.Generator) -> Tensor:
        noise = laplace((len(vectors), vectors.shape[1] - 1), scale, generator)
        return vectors + torch.cat([noise, -noise.sum(dim=1, keepdim=True)], dim=1)

    return release


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def metric(epsilon: float, delta: float = 0.0) -> Guarantee:
    return Guarantee(epsilon, delta, L2Sensitivity(1.0, Relation.METRIC))


def local(epsilon: float) -> Guarantee:
    return Guarantee(epsilon, 0.0, L2Sensitivity(1.0, Relation.LOCAL))


ZERO, ONE = torch.zeros(1), torch.ones(1)


@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_the_bound_is_that_of_its_counts(delta: float) -> None:
    options = {"draws": 4000, "alpha": 0.1, "delta": delta, "distance": 2.0, "generator": seeded()}
    bound = audit(independent(1.0), ZERO, 2 * ONE, **options)
    k1, n1, k2, n2 = bound.counts
    assert n1 == n2 == 2000 and bound.confidence == pytest.approx(0.9)
    most, least = max(k1, k2), min(k1, k2)
    expected = math.log((clopper_pearson(most, n1, 0.05)[0] - delta) / clopper_pearson(least, n2, 0.05)[1])
    assert bound.epsilon == pytest.approx(expected) and 0 < bound.epsilon < 2 and bound.delta == delta
    assert bound.per_distance == pytest.approx(bound.epsilon / 2)
    assert ("likelier for the first" in bound.event) == (k1 > k2)


def test_the_order_of_the_inputs_does_not_matter() -> None:
    """A mechanism that sometimes reveals the larger input only: the event belongs to that input, named either way."""

    def reveals(vectors: Tensor, /, *, generator: torch.Generator) -> Tensor:
        return vectors * (torch.rand(vectors.shape, generator=generator) < 0.3)

    for first, second, name in ((ZERO, ONE, "second"), (ONE, ZERO, "first")):
        bound = audit(reveals, first, second, draws=2000, generator=seeded())
        assert bound.epsilon > 4 and f"likelier for the {name} input" in bound.event


@pytest.mark.parametrize("gap", [1.0, 1e-2])
def test_one_draw_for_all_coordinates_hides_nothing(gap: float) -> None:
    """DPNR's released code at ε = 0.05: the bound is all that the draws can prove, for inputs however close."""
    first = torch.rand(768, generator=seeded(1))
    second = first + gap * (torch.rand(768, generator=seeded(2)) - first)
    bound = audit(one_draw_for_all_coordinates(20.0), first, second, draws=1000, generator=seeded())
    assert bound.epsilon == bound.ceiling > 4.8
    assert violates(bound, local(0.05)) and violates(bound, local(4.8))


def test_a_direction_without_noise_is_found() -> None:
    """Only the discriminant can: the coordinate that differs has noise, and so has every distance."""
    first, second = torch.zeros(16), 0.5 * torch.eye(16)[0]
    bound = audit(balanced(2.0), first, second, draws=2000, generator=seeded())
    assert bound.epsilon == bound.ceiling and "discriminant" in bound.event


def test_noise_shared_by_rows_is_caught_beside_a_companion() -> None:
    first, second = torch.zeros(4), torch.eye(4)[0]
    seen = with_companion(one_draw_for_all_rows(1.0), torch.ones(4), same_call=True)
    bound = audit(seen, first, second, draws=200, generator=seeded())
    assert bound.epsilon == bound.ceiling


def test_a_seed_set_again_is_caught_beside_a_companion() -> None:
    first, second = torch.zeros(4), torch.eye(4)[0]
    plain = audit(seeded_in_every_call(1.0), first, second, draws=1000, generator=seeded())
    seen = with_companion(seeded_in_every_call(1.0), torch.ones(4), same_call=False)
    bound = audit(seen, first, second, draws=1000, generator=seeded())
    assert bound.epsilon == bound.ceiling > 4 and plain.epsilon < 1.5


def test_a_constant_mechanism_proves_nothing() -> None:
    bound = audit(lambda v, /, *, generator: torch.ones(len(v), 2), ZERO, ONE, draws=100, generator=seeded())
    assert bound.epsilon == 0
    assert audit(independent(1.0), ZERO, ONE, draws=400, delta=0.99, generator=seeded()).epsilon == 0


def test_known_centres_reveal_what_estimated_ones_blur() -> None:
    """Projected to 400 dimensions: the true difference of distances is a better score than its estimate."""
    matrix = torch.randn(40, 400, generator=seeded(1))
    first, second = torch.zeros(40), 0.05 * torch.eye(40)[0]

    def project(vectors: Tensor, /, *, generator: torch.Generator) -> Tensor:
        return independent(1.0)(vectors @ matrix, generator=generator)

    blurred = audit(project, first, second, draws=1500, generator=seeded(2))
    sharp = audit(project, first, second, draws=1500, centres=(first @ matrix, second @ matrix), generator=seeded(2))
    assert "known" in sharp.event and sharp.epsilon > blurred.epsilon + 0.2


def test_discrete_releases() -> None:
    """Randomised response that keeps a bit with probability 3/4: ε = ln 3."""

    def respond(vectors: Tensor, /, *, generator: torch.Generator) -> Tensor:
        keep = torch.rand(vectors.shape, generator=generator) < 0.75
        return torch.where(keep, vectors, 1 - vectors).to(torch.int64)

    bound = audit(respond, ZERO, ONE, draws=20_000, generator=seeded())
    assert math.log(3) * 0.93 < bound.epsilon < math.log(3)


@pytest.mark.parametrize(("epsilon", "delta", "alpha"), [(2.0, 0.0, 0.05), (5.0, 0.0, 0.01), (3.0, 0.1, 0.05)])
def test_draws_needed_is_where_the_ceiling_passes_the_claim(epsilon: float, delta: float, alpha: float) -> None:
    needed = draws_needed(epsilon, delta=delta, alpha=alpha)
    enough = audit(no_noise, ZERO, ONE, draws=needed, delta=delta, alpha=alpha, generator=seeded())
    too_few = audit(no_noise, ZERO, ONE, draws=max(40, needed - 6), delta=delta, alpha=alpha, generator=seeded())
    assert enough.epsilon == enough.ceiling >= epsilon > too_few.ceiling


def test_seeds_both_ways() -> None:
    def run(seed: int | None) -> tuple[int, int, int, int]:
        return audit(independent(1.0), ZERO, ONE, draws=2000, generator=None if seed is None else seeded(seed)).counts

    assert run(1) == run(1) != run(2)
    assert len({run(None) for _ in range(3)}) > 1


def test_without_a_generator_the_mechanism_gets_none() -> None:
    """What people get is audited: a mechanism draws from its own source when it is given no generator."""
    generators: list[torch.Generator | None] = []

    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        generators.append(generator)
        return vectors + laplace(tuple(vectors.shape), 1.0, seeded(len(generators)))

    audit(release, ZERO, ONE, draws=100)
    audit(with_companion(release, ONE, same_call=True), ZERO, ONE, draws=100)
    assert generators and set(generators) == {None}


def test_a_bound_violates_what_is_claimed_below_it() -> None:
    bound = LowerBound(1.5, 0.95, 0.0, "", (9, 10, 1, 10), ceiling=4.0)
    assert violates(bound, local(1.0)) and not violates(bound, local(2.0)) and not violates(bound, local(1.5))
    assert violates(bound, metric(1.0), 1.4) and not violates(bound, metric(1.0), 2.0)
    assert_refused(
        lambda *claim: violates(bound, *claim),
        [
            (metric(1.0), "needs the distance"),
            (local(5.0), r"more than 1\.1e\+03 draws"),
            (metric(1.0, delta=0.01), 1.0, r"delta=0\.01"),
        ],
    )
    with pytest.raises(ValueError, match="pass the distance"):
        _ = bound.per_distance
    with pytest.raises(ValueError, match="no number of draws"):
        draws_needed(1e4)


def test_errors_say_what_to_do() -> None:
    good = independent(1.0)
    assert_refused(
        lambda settings: audit(**{"mechanism": good, "first": ZERO, "second": ONE, "draws": 100, **settings}),
        [
            ({"draws": 10}, r"10 draws are too few.*\(1 \+ e\^ε\)"),
            ({"alpha": 0.0}, "alpha"),
            ({"delta": 1.0}, "delta"),
            ({"second": torch.ones(2)}, "one shape"),
            ({"first": ONE}, "are equal"),
            ({"second": ONE * math.nan}, "an input holds NaN"),
            ({"distance": 0.0}, "distance"),
            ({"mechanism": lambda v, /, *, generator: v / 0}, "released NaN or infinity"),
            ({"mechanism": lambda v, /, *, generator: v[:1]}, "expected"),
            ({"mechanism": lambda v, /, *, generator: v[:, :0]}, "m of at least 1"),
            ({"centres": (torch.zeros(2), torch.ones(2))}, "centres shapes"),
        ],
    )
