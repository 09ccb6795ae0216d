"""The broken mechanisms are broken in the way they say, and an audit convicts each."""

import pytest
import torch

from trustnlp.privacy.audits.auditing import audit
from trustnlp.privacy.audits.broken import forgotten_dimension, half_noise, shared_noise

MAKERS = (half_noise, forgotten_dimension, shared_noise)


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_noise_has_the_length_and_shape_it_should_not_have() -> None:
    zeros = torch.zeros(20_000, 6)
    lengths = {make: make(2.0)(zeros, generator=generator(0)).norm(dim=1).mean().item() for make in MAKERS}
    assert lengths[half_noise] == pytest.approx(6 / 4, rel=0.02)
    assert lengths[forgotten_dimension] == pytest.approx(1 / 2, rel=0.02)
    shared = shared_noise(2.0)(zeros, generator=generator(0))
    assert torch.equal(shared, shared[:, :1].expand(-1, 6))


@pytest.mark.parametrize("make", MAKERS)
def test_an_audit_convicts_it(make) -> None:  # type: ignore[no-untyped-def]
    bound = audit(make(1.0), torch.zeros(2), torch.eye(2)[0], draws=20_000, alpha=0.001, generator=generator(1))
    assert bound.epsilon > 1.0
