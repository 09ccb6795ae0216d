"""Private release of vectors and texts: guarantees, noise, mechanisms, accounting, audits, and attacks on releases."""

from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, L2Sensitivity, Relation, clip_l1, clip_l2
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, Mechanism, MultivariateLaplace
from trustnlp.privacy.mechanisms.releases import release

__all__ = [
    "Gaussian",
    "Guarantee",
    "L1Sensitivity",
    "L2Sensitivity",
    "Laplace",
    "Mechanism",
    "MultivariateLaplace",
    "Relation",
    "clip_l1",
    "clip_l2",
    "release",
]
