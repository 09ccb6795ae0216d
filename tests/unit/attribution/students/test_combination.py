"""The combine module, and its fast paths against the form in which the paper writes it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from torch import Tensor

from trustnlp.attribution.students import combination
from trustnlp.attribution.students.combination import Combine, FoldedContexts, FoldedTokens
from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.loop import seeded

CPU = torch.device("cpu")


class Linear(Teacher):
    """C alone."""

    mask, fingerprint = "[MASK]", "C alone"

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self.weight, self.bias = weight, bias

    def representations(self, texts: object) -> Tensor:
        raise NotImplementedError


def made(d: int, out: int, classes: int, seed: int) -> tuple[Combine, Linear, torch.Generator]:
    generator = torch.Generator().manual_seed(seed)
    with seeded(seed, CPU):
        combine = Combine(d, out)
        torch.nn.init.normal_(combine.output.weight, std=(3 * d) ** -0.5)
        torch.nn.init.normal_(combine.output.bias)
    teacher = Linear(torch.randn(classes, out, generator=generator), torch.randn(classes, generator=generator))
    return combine, teacher, generator


def by_hand(combine: Combine, c: Tensor, t: Tensor) -> Tensor:
    """Equation (3) in float64, one pair at a time."""
    rows = []
    for one, other in zip(c.double(), t.double(), strict=True):
        joined = torch.cat([one + other, one - other, one * other])
        hidden = torch.tanh(combine.hidden.weight.double() @ joined + combine.hidden.bias.double())
        rows.append(combine.output.weight.double() @ hidden + combine.output.bias.double())
    return torch.stack(rows).detach()


def test_a_student_begins_as_the_context_alone() -> None:
    with seeded(0, CPU):
        combine = Combine(6, 4)
    c, t = torch.randn(3, 6), torch.randn(3, 6)
    assert torch.equal(combine(c, t), torch.zeros(3, 4))
    combine(c, t).sub(1).pow(2).sum().backward()
    assert combine.output.weight.grad is not None and float(combine.output.weight.grad.abs().max()) > 0


def test_it_computes_in_float32_under_autocast() -> None:
    combine, _, generator = made(8, 8, 2, 1)
    c, t = torch.randn(3, 8, generator=generator), torch.randn(3, 8, generator=generator)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(combine(c, t), combine.eval()(c, t))
        found = combine(c, t)
    torch.testing.assert_close(found, combine(c, t), atol=0, rtol=0)


@given(
    d=st.integers(1, 12),
    out=st.integers(1, 9),
    classes=st.integers(2, 4),
    n=st.integers(1, 30),
    seed=st.integers(0, 99),
)
def test_folding_gives_the_same_numbers(d: int, out: int, classes: int, n: int, seed: int) -> None:
    """Against equation (3) pair by pair, for one token in many contexts and for one context with many tokens."""
    combine, teacher, generator = made(d, out, classes, seed)
    many, one = torch.randn(n, d, generator=generator), torch.randn(d, generator=generator)
    base = torch.randn(n, out, generator=generator)
    alone = one.expand(n, d)

    def y(z: Tensor, r: Tensor) -> Tensor:
        return (z.double() + r) @ teacher.weight.double().T + teacher.bias.double()

    torch.testing.assert_close(combine(many, one).double(), by_hand(combine, many, alone), atol=1e-5, rtol=1e-5)
    contexts = FoldedContexts(combine, teacher, many, base)
    expected = y(base, by_hand(combine, many, alone))
    torch.testing.assert_close(contexts.logits(one).double(), expected, atol=1e-5, rtol=1e-5)
    tokens = FoldedTokens(combine, teacher, many)
    expected = y(base[:1], by_hand(combine, alone, many))
    torch.testing.assert_close(tokens.logits(one, base[0]).double(), expected, atol=1e-5, rtol=1e-5)
    assert len(contexts) == len(tokens) == n


def test_blocks_and_repeated_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    combine, teacher, generator = made(6, 4, 2, 3)
    c, z, t = (torch.randn(50, width, generator=generator) for width in (6, 4, 6))
    whole = FoldedContexts(combine, teacher, c, z)
    first = whole.logits(t[0])
    assert not torch.equal(first, whole.logits(t[1]))
    monkeypatch.setattr(combination, "_BLOCK", 7)
    torch.testing.assert_close(FoldedContexts(combine, teacher, c, z).logits(t[0]), first, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(whole.logits(t[0]), first, atol=1e-6, rtol=1e-6)


def test_labels_agree_in_float32_and_nearly_in_bfloat16() -> None:
    combine, teacher, generator = made(48, 48, 2, 4)
    c, z = torch.randn(4000, 48, generator=generator), torch.randn(4000, 48, generator=generator)
    t = torch.randn(48, generator=generator)
    direct = teacher.logits(z + combine(c, t).detach())
    exact, rough = (FoldedContexts(combine, teacher, c, z, p) for p in ("float32", "bfloat16"))
    # A label could differ where two scores are equal up to rounding; here none is that near.
    assert float((direct[:, 0] - direct[:, 1]).abs().min()) > 1e-4
    assert torch.equal(exact.labels(t), direct.argmax(1))
    assert float((rough.labels(t) == direct.argmax(1)).double().mean()) > 0.99
    np.testing.assert_allclose(rough.logits(t), direct, atol=0.1)
    assert rough.logits(t).dtype == torch.float32


def test_another_combine_module_is_not_folded() -> None:
    class Other(Combine):
        def forward(self, contexts: Tensor, tokens: Tensor) -> Tensor:
            return super().forward(contexts, 0 * tokens)

    _, teacher, _ = made(4, 3, 2, 5)
    with pytest.raises(ValueError, match=r"folding is exact for the paper's combine module alone, and this is a Other"):
        FoldedTokens(Other(4, 3), teacher, torch.zeros(2, 4))


def test_numbers_that_are_not_finite_are_refused() -> None:
    combine, teacher, generator = made(4, 3, 2, 5)
    c, z = torch.randn(5, 4, generator=generator), torch.randn(5, 3, generator=generator)
    bad = torch.full((4,), float("nan"))
    assert_refused(
        lambda call: call(),
        [
            (lambda: FoldedContexts(combine, teacher, c * float("inf"), z), "only finite numbers"),
            (lambda: FoldedContexts(combine, teacher, c, z).logits(bad), "4 finite numbers, got .4,. with NaN"),
            (lambda: FoldedTokens(combine, teacher, c).logits(c[0, :3], z[0]), "4 finite numbers, got .3,."),
        ],
    )
