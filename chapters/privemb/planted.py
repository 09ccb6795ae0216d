# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Do the noise, the dimension and the audit behave as they should?
#
# The [lesson](method) builds the {term}`mechanism` step by step. Here we measure its parts where the truth is known: the law of the noise, the dimension of the projection, and
# the factor by which a linear map stretches distances. An {term}`audit` then refutes broken mechanisms and leaves right ones alone.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "privemb/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1, 2]
draws = 4000
audit_draws = 20000
claimed = [0.5, 1.0, 2.0]
device = "cpu"

# %%
import math

import numpy as np
import torch
from scipy import stats
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.encoders.devices import find_device
from trustnlp.privacy.audits.auditing import audit
from trustnlp.privacy.audits.broken import forgotten_dimension, half_noise, shared_noise
from trustnlp.privacy.mechanisms.approximation import noise_length_bound
from trustnlp.privacy.mechanisms.lipschitz import extreme_ratios
from trustnlp.privacy.mechanisms.projection import PlainRelease, ProjectedRelease, target_dimension
from trustnlp.privacy.noise.samplers import multivariate_laplace
from trustnlp.reproduce import Record

# %%
place = find_device(device)
repeats = {"": "float64", "noise.ks_p_value": "float32", "audit": "float32"}
record = Record("privemb", "planted", profile=profile, seeds=seeds, repeats=repeats)
vectors = read_vectors("wefe_googlenews")
record.uses("wefe_googlenews")
d, delta = vectors.dim, 1e-6


def generator(seed, where=place):
    return torch.Generator(where).manual_seed(seed)


# %% [markdown]
# ## The law of the noise
#
# In many dimensions the length hardly varies: the paper says it is "tightly concentrated around its mean". We read that as: nine draws in ten lie within a tenth of the mean. The
# Gamma law gives the answer without drawing, and the draws must agree with it.

# %%
law = stats.gamma(d, scale=1.0)
inside = law.cdf(1.1 * d) - law.cdf(0.9 * d)
record.metric("noise.concentration_margin", inside - 0.9, unit="difference of probabilities")
noise = [multivariate_laplace(draws, d, 1.0, generator=generator(s)).norm(dim=1).cpu() for s in seeds]
p_values = [stats.kstest(lengths.numpy(), law.cdf).pvalue for lengths in noise]
record.metric("noise.ks_p_value", p_values, interval="bootstrap", unit="p-value")
assert min(p_values) > 1e-6  # a wrong law is rejected far below this
record.table(
    {
        "share of draws within a tenth of the mean, minus nine tenths": "noise.concentration_margin",
        "p-value against the Gamma law": "noise.ks_p_value",
    }
)

# %% [markdown]
# Claim 6 bounds the length from above with a term that grows like $m \ln m$. The exact tail of the Gamma law shows that the bound holds, but allows several times the mean
# length.

# %%
spare, slack = [], []
for beta in (0.5, 0.6, 0.7, 0.9):
    m = target_dimension(d, beta, delta)
    for gamma in np.geomspace(1e-9, 0.5, 40):
        bound = noise_length_bound(round(m), gamma, epsilon=1.0, beta=beta)
        tail = stats.gamma(round(m), scale=1 + beta).logsf(bound)
        spare.append(math.log(gamma) - tail)
        slack.append(bound / (m * (1 + beta)))
record.metric("claim6.margin", min(spare), unit="nats")
record.metric("claim6.smallest_slack", min(slack), unit="ratio")
record.table(
    {
        "log γ minus the log of the exact tail": "claim6.margin",
        "bound divided by mean length": "claim6.smallest_slack",
    }
)

# %% [markdown]
# ## How many dimensions?
#
# A {term}`random projection` to fewer dimensions first makes the noise shorter. The paper sets
#
# $$m = \Omega\left(\frac{(\omega + \sqrt{\log(1/\delta)})^2}{\beta^2}\right), \qquad \omega = \sqrt{\log d},$$
#
# and leaves open the constant inside $\Omega$ and the bases of the logarithms. Here $\omega$ is the {term}`Gaussian width` that the paper assumes. Appendix A gives three pairs
# of $\beta$ and dimension. Does constant one, with some choice of bases, give all three?

# %%
appendix = {0.93: 50, 0.66: 100, 0.468: 200}
# The third dimension, by the constants that give the first two with β as rounded.
size = target_dimension(d, 0.5, delta) * 0.5**2
least = max((m - 0.5) * (b - 0.005) ** 2 for b, m in appendix.items() if b > 0.5)
most = min((m + 0.5) * (b + 0.005) ** 2 for b, m in appendix.items() if b > 0.5)
ends = least / (0.468 + 0.0005) ** 2, most / (0.468 - 0.0005) ** 2
record.metric("dimension.constant.smallest", least / size)
record.metric("dimension.constant.largest", most / size)
for b, printed in appendix.items():
    m, known = target_dimension(d, b, delta), {"interval": ends} if b == 0.468 else {}
    record.metric(f"dimension.beta_{1000 * b:.0f}", m, unit="number of dimensions", **known)
    constant = printed / target_dimension(d, b, delta, width_log="log")
    record.metric(f"dimension.natural_constant.beta_{1000 * b:.0f}", constant)
record.table("dimension.beta_{beta:d}", names={"beta": "β, ‰"})
record.table("dimension.natural_constant.beta_{beta:d}", names={"beta": "β, ‰"})
record.table("dimension.constant.{end}")

# %% [markdown]
# Base two for the width and the natural logarithm for $\delta$ give the first two pairs; the third dimension is slightly too small. But the paper states no constant and rounds
# $\beta$. Constants a little below and above one give the first two pairs as well, and with them the third dimension ranges over an interval that holds the paper's. So these
# pairs do not settle the constant. With natural logarithms throughout, a constant a little above one fits as well (second table). We use the first reading, with constant one.
# [The last notebook](tradeoff) shows what depends on it.
#
# After projection the mean length of the noise is $m(1+\beta)/\epsilon$: there are fewer dimensions, but the noise is scaled up by $1+\beta$. The projection should therefore pay
# for large $\beta$ only. By the first reading every $\beta$ that the paper uses lies above the break-even point, the smallest one only just.

# %%
betas = np.linspace(0.39, 0.99, 61)
lengths = np.array([(1 + b) * target_dimension(d, b, delta) for b in betas])
record.metric("noise.break_even_beta", float(np.interp(-d, -lengths, betas)))
tried = [0.468, 0.5, 0.6, 0.66, 0.7, 0.9, 0.93]
shorter = [d - (1 + b) * target_dimension(d, b, delta) for b in tried]
record.metric("noise.m2_shorter", min(shorter), unit="none")
record.table(
    {
        "β from which the projected noise is shorter": "noise.break_even_beta",
        "how much shorter it is at the paper's least favourable β": "noise.m2_shorter",
    }
)

# %% [markdown]
# ## Known truth first: the constant of a linear map
#
# The guarantee rests on the largest factor by which the projection stretches a difference. We measure that factor first on maps where it is known. A rotation stretches nothing.
# A rotation times two doubles every distance. In a map that triples one direction, only the pair that differs in that direction reveals the factor.

# %%
points = torch.randn(400, 20, generator=generator(1, "cpu"))
rotation = torch.linalg.qr(torch.randn(20, 20, generator=generator(2, "cpu")))[0]
stretch = torch.eye(20)
stretch[0, 0] = 3.0
points[1] = points[0] + torch.eye(20)[0]  # a pair that differs in the stretched direction only
known = {
    "rotation": (rotation, 1.0),
    "twice a rotation": (2 * rotation, 2.0),
    "one direction": (stretch, 3.0),
}
measured = {name: extreme_ratios(points, points @ f.T).largest for name, (f, _) in known.items()}
assert all(math.isclose(measured[name], truth, rel_tol=1e-5) for name, (_, truth) in known.items())
measured

# %% [markdown]
# ## Known truth first: the audit
#
# An audit draws many releases of two inputs and finds, on one half of them, an event that is likelier for one input. It counts that event on the other half. Exact binomial
# bounds turn the counts into a lower bound on $\epsilon$. This bound is wrong with at most a probability that we choose beforehand.
#
# The right mechanisms should stay at or below their claim. The audit should refute three deliberately wrong ones: noise of half the scale, noise whose length forgets the
# dimension, and one noise value shared by all coordinates.

# %%
pair = torch.zeros(2, device=place), torch.eye(2, device=place)[0]
projection = torch.eye(2, device=place)[:1]
mechanisms = {
    "plain (M1)": PlainRelease,
    "projected": lambda e: ProjectedRelease(e, 0.2, 0.5, projection),
    "half the noise": half_noise,
    "length forgets d": forgotten_dimension,
    "one shared value": shared_noise,
}

# %%
def certified(make, epsilon, seed):
    settings = {"draws": audit_draws, "alpha": 0.01, "distance": 1.0}
    return audit(make(epsilon), *pair, **settings, generator=generator(seed)).per_distance


excess = {
    name: [max(certified(make, e, s) - e for e in claimed) for s in seeds] for name, make in mechanisms.items()
}
right = ("plain (M1)", "projected")
assert max(max(excess[name]) for name in right) <= 0 < min(min(excess[name]) for name in excess if name not in right)

# %% mystnb={"figure": {"caption": "The largest certified lower bound on ε minus the claimed ε, at distance one in two dimensions (committed record). A mark above zero proves a violation.", "name": "fig-privemb-audit"}}
named = {f"{name.split(' (')[0].replace(' ', '_')}.excess": values for name, values in excess.items()}
record.metrics(named, prefix="audit", interval="t", unit="nats")
record.plot(
    "audit.{mechanism}.excess",
    x="mechanism",
    title="Only the three broken mechanisms exceed their claim",
    ylabel="certified minus claimed ε (nats)",
    levels={"the claim": 0},
)

# %% [markdown]
# An audit that finds nothing proves nothing: the number of draws and the events that it tries limit its bound.

# %%
record.save()
record
