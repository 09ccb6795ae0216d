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
# # Which audit sees which fault
#
# You receive a {term}`mechanism` that adds {term}`multivariate Laplace noise` to word vectors, as PrivEmb does. By mistake its noise has half the length. An {term}`audit` of two
# inputs convicts it in one dimension. In the dimension that the paper's projection releases, that audit sees nothing at any number of draws that we tried. This notebook plants
# ten faults and counts how many draws each audit needs to convict.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "privemb/audits"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
draws = [100, 1000]
alarm_runs = 10

# %%
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from scipy.stats import binomtest
from trustnlp.evaluation.intervals import clopper_pearson
from trustnlp.privacy import L2Sensitivity, MultivariateLaplace, Relation
from trustnlp.privacy.audits.examination import AUDITS, Subject, examine
from trustnlp.privacy.audits.noise_law import NoiseLaw
from trustnlp.privacy.audits.sequential import audit_until_refuted
from trustnlp.reproduce import Record
from trustnlp.studies.privemb import audits
from trustnlp.studies.privemb.reproduction import stream

record = Record(
    "privemb", "audits", profile=profile, seeds=seeds, repeats={"": "float32"}
)
keys = {name: name.replace(" ", "_") for name in AUDITS}

# %% [markdown]
# ## The audits
#
# Every mechanism below claims a {term}`privacy loss` of $\epsilon$ per unit of distance. Six audits test that claim.
#
# - **Two inputs**: release both many times, find an event that is likelier for one of them, and count it on fresh releases. It needs no knowledge of the mechanism and proves a loss.
# - **Every axis**: the same along each coordinate axis, with the draws and the probability of an error divided among the axes.
# - **Law of the length** and **law of the direction**: the release minus the input is the noise. Its length must follow a Gamma distribution (Claim 3 of the paper), and its
#   direction must be uniform on the sphere, whatever the lengths are. Each {term}`p-value` is exact. These audits need the law that the mechanism claims.
# - **Repeated noise**: count releases of one input that are equal to the last bit, and compare with the number that rounding explains.
# - **Last digits**: an audit of two inputs that reads only the place of the last set bit of each number. In sums of floating-point numbers this place depends on what was added
#   {cite}`mironov2012significance`.
#
# A conviction by a law means that the noise is not what the author stated. It proves no loss: noise that is too long is convicted too, and is private.

# %% [markdown]
# The two inputs differ along one direction, and in many dimensions the noise is spread over all of them. The events that lose most should then be too rare to be drawn. The total
# length of the noise adds up over draws *and* dimensions, so the law of the length should see more in more dimensions. No test of the distribution should see repeated noise or
# last digits, because the distribution is right.

# %%
table = audits.convictions(audits.PLANTED, draws=draws, seeds=seeds)
by_run = table.groupby(["fault", "audit", "draws"], sort=False)["convicted"]
seen = {f"{fault}.{keys[audit]}.draws{n}": hits.astype(float) for (fault, audit, n), hits in by_run}
record.metrics(seen, prefix="seen", interval="t", unit="share of runs")
record.array("rates", by_run.mean().reset_index().to_dict("list"))

# %% [markdown]
# Draws are counted per input: two inputs take two releases per draw, the laws one. Every axis takes a least number per axis, in many dimensions far more.
#
# The table gives, for each fault and audit, the fewest draws from which on at least four runs in five convict (at level $\alpha = 0.01$). An empty cell means that no number of
# draws that we tried suffices.

# %%
fewest = {f"{fault}.{keys[audit]}": n for (fault, audit), n in audits.draws_to_see(table).items()}
record.metrics(fewest, prefix="fewest", unit="count of draws (of those tried)")
labels = {key: what.label for key, what in audits.PLANTED.items()}
record.table(
    "fewest.{fault}.{audit}",
    fault=list(audits.FAULTS),
    audit=list(keys.values()),
    columns="audit",
    names=labels,
)

# %% mystnb={"figure": {"caption": "Share of the runs that convict, over draws (committed record). Up to the draws tried, in many dimensions only the law of the length sees half the scale.", "name": "fig-privemb-audit-power"}}
record.plot(
    "seen.{fault}.{audit}.draws{draws:d}",
    fault=("half_54", "few_seeds", "float_leak"),
    x="draws",
    color="audit",
    col="fault",
    title="Only one audit sees each of these faults",
    xlabel="draws",
    ylabel="runs that convict (%)",
    log_x=True,
    names=labels,
)

# %% [markdown]
# No audit sees every fault. The law of the length sees half the scale in any dimension, at the smallest number of draws that we tried; the audit of two inputs sees it in one
# dimension only, or late. A pair along another axis misses a coordinate without noise; a pair along that axis finds it.
#
# ## False alarms
#
# An audit that convicts the innocent is worthless: its false alarms must not exceed its level $\alpha$. Audits of two inputs use bounds of binomial probabilities and should
# alarm far more rarely. The tests of the law are exact, so they should alarm about as often as $\alpha$ says, or less where a level is divided. Up to chance, no audit in the
# table exceeds its level.

# %%
alpha = 0.05
alarms = audits.convictions(
    ["right_8"], draws=[200], seeds=range(1000, 1000 + alarm_runs), alpha=alpha
)
for audit, hits in alarms.groupby("audit", sort=False)["convicted"].sum().items():
    ends = clopper_pearson(int(hits), alarm_runs, 0.025)
    key = f"alarms.{keys[audit]}"
    record.metric(key, hits / alarm_runs, interval=ends, unit="share of runs")
    tested = binomtest(int(hits), alarm_runs, alpha, alternative="greater")
    assert tested.pvalue > 1e-3, audit
record.table("alarms.{audit}")

# %% [markdown]
# ## Stopping early
#
# You cannot know beforehand how many draws a fault takes. `audit_until_refuted` looks after few draws, doubles them, and looks again. Look $k$ has the level $\alpha 2^{-k}$, so
# all looks together convict an innocent with probability $\alpha$ at most, whenever they stop. The more noise is missing, the sooner the audit should end; a right mechanism
# should go through all looks. Both hold in the table.

# %%
needed = audits.RIGHT["right_1"].subject().guarantee
looks = {}
for factor in (0.2, 0.5, 0.9, 1.0):
    looks[factor] = audit_until_refuted(
        MultivariateLaplace(1 / factor, L2Sensitivity(1.0, Relation.METRIC)),
        torch.zeros(1),
        torch.ones(1),
        needed,
        most_draws=40 * max(draws),
        distance=1.0,
        alpha=0.01,
        generator=stream(21, factor),
    )
    key = f"looks.scale{100 * factor:.0f}.draws"
    record.metric(key, looks[factor].draws, unit="count of draws")
assert looks[0.2].violated and not looks[1.0].violated
record.table("looks.scale{share:d}.draws", names={"share": "scale, % of what is needed"})

# %% [markdown]
# ## The package's own release, and yours
#
# `examine` runs all audits with one $\alpha$ divided among them ({term}`family-wise error`). Without a generator, it audits the release that users get, with noise from the
# cryptographic source.

# %%
release = MultivariateLaplace(5.0, L2Sensitivity(1.0, Relation.METRIC))
law = NoiseLaw("multivariate_laplace", release.scale)
own = Subject(release, release.guarantee, dim=54, distance=0.1, law=law)
verdicts = examine(own, draws=5000, alpha=1e-4)
assert not any(verdict.convicts for verdict in verdicts)
pd.DataFrame([(v.audit, v.convicts, v.text) for v in verdicts], columns=["audit", "convicts", "what was seen"])

# %% [markdown]
# For your own mechanism there is a command. It takes a file or a module and the name of a function in it, from a tensor `(n, d)` to a tensor `(n, m)`:
#
# ```bash
# trustnlp audit mine.py:release --dim 54 --epsilon 5 --scale 0.2
# ```
#
# Its exit status is `1` if an audit convicts. `--norm`, `--relation` and `--delta` state the claim, `--law` the law of the noise; without `--scale` only the audits that need no
# law run.
#
# ## Exercises
#
# **1.** A careful author doubles the noise. Which audits convict, and is the claim broken? (The law of the length convicts, because the noise does not follow the stated law. The
# claim holds with half the $\epsilon$; no audit of two inputs convicts.)

# %% tags=["hide-cell"]
double = audits.PlantedNoise("twice the scale", 8, audits.scaled(2.0)).subject()
careful = examine(double, draws=2000, generator=stream(31), rng=np.random.default_rng(0))
{verdict.audit: verdict.convicts for verdict in careful}

# %% [markdown]
# **2.** Noise comes from seeds of 16 bits. After how many releases are two equal with probability one half? (The birthday bound: $\sqrt{2 \cdot 2^{16} \ln 2}$.) Compare it with
# the table.

# %% tags=["hide-cell"]
math.ceil(math.sqrt(2 * 2**16 * math.log(2)))

# %% [markdown]
# **3.** Round the sum that leaks through its last digits to a grid of powers of two *afterwards*. Does the audit still convict? (No. Rounding to a fixed grid is
# {term}`post-processing`, and a grid much coarser than the last digits hides them.)

# %% tags=["hide-cell"]
leak = audits.FAULTS["float_leak"].subject()


def rounded(vectors, /, *, generator):
    return (leak.mechanism(vectors, generator=generator) * 2**20).round() / 2**20


tried = {"as it was": leak, "rounded": replace(leak, mechanism=rounded)}
{
    name: AUDITS["last digits"](subject, 4000, 0.01, stream(32), np.random.default_rng(0)).convicts
    for name, subject in tried.items()
}

# %%
record.save()
record
