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
# # Does the test find what was planted?
#
# We make word vectors with a bias of known size, and vectors without any. {term}`WEAT` should return the planted {term}`effect size`, and on vectors without bias its {term}`p-values <p-value>` should be
# as small as chance makes them. The [lesson](method) builds the test step by step.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "weat_measures/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
dim = 50
planted = [0.0, 0.5, 1.0, 1.5]
null_draws = 100

# %%
from itertools import product

import numpy as np
import pandas as pd
from trustnlp.bias import weat
from trustnlp.bias.association_tests.measures import distance_matrix
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.bias.association_tests.statistics import associations
from trustnlp.data.words.weat_stimuli import read_weat_tests
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.plots import show
from trustnlp.plots.tidy import draw
from trustnlp.reproduce import Record
from trustnlp.studies.weat_measures.standins import null_vectors, planted_vectors

# %%
repeats = {"weat6": "exact", "null": "exact"}
record = Record("weat_measures", "planted", profile=profile, seeds=seeds, repeats=repeats)
vectors = read_vectors("wefe_googlenews")
test = read_weat_tests()[6]
record.uses("wefe_googlenews")
record.uses("wefe_weat_lists")
test.title, test.A, test.B

# %% [markdown]
# ## Do the exact and the drawn *p*-value agree?
#
# On real vectors, test 6 asks about male and female names, career and family. Its sixteen names can be divided into halves in `comb(16, 8)` ways. We count all of them, and then draw `20_000` at random.

# %%
targets = vectors.stack(test.X + test.Y)
near = distance_matrix(targets, vectors.stack(test.A), "cosine")
far = distance_matrix(targets, vectors.stack(test.B), "cosine")
scores = associations(near, far, "mean")
asked = {"n_first": len(test.X), "alternative": "greater"}
exact = permutation_test(scores, **asked)
drawn = {"method": "monte-carlo", "draws": 20_000}
rng = np.random.default_rng(seeds[0])
sampled = permutation_test(scores, **asked, **drawn, rng=rng)
record.metric("weat6.exact_p", exact.p_value, unit="p-value")
assert abs(exact.p_value - sampled.p_value) < 5e-4
exact, sampled

# %% [markdown]
# They agree. But the estimate can never fall below about one over its number of draws, and it changes with the seed. From here on every *p*-value is exact.
#
# ## Does it find what is there?
#
# {term}`Stand-in <stand-in>` vectors carry a planted effect size. Their construction fixes the cosine of each target with the {term}`attribute sets <attribute set>`, so we know in advance the effect size for cosine and mean. Cosine with the mean should recover it up to rounding. The other measures also see random vector lengths, so they should come close at best.

# %%
rows = []
for seed, d in product(seeds, planted):
    standin = planted_vectors(test, d, dim=dim, rng=np.random.default_rng(seed))
    for measure in ("cosine", "euclidean", "manhattan"):
        result = weat(standin, test=test, measure=measure, alternative="greater")
        rows.append((seed, d, measure, result.effect_size))
measured = pd.DataFrame(rows, columns=["seed", "planted", "measure", "effect_size"])

# %% mystnb={"figure": {"caption": "Planted and measured effect sizes on stand-in vectors, averaged over seeds (this build's smoke run).", "name": "fig-weat-planted"}}
recovered = measured.groupby(["measure", "planted"]).effect_size.mean()
show(
    *draw(
        recovered.rename("mean").reset_index().assign(low=float("nan"), high=float("nan"), paper=None),
        x="planted",
        color="measure",
        title="Cosine recovers what was planted, the other measures come close",
        xlabel="planted effect size",
        ylabel="measured effect size",
    )
)

# %%
error = (measured.effect_size - measured.planted).abs()
assert error[measured.measure == "cosine"].max() < 1e-4
error.groupby(measured.measure).max()

# %% [markdown]
# Cosine with the mean returns the planted value up to rounding. Euclidean and Manhattan distance miss a little in either direction, because random vector lengths are noise to them. On real vectors length can depend on the group. Then the miss becomes a bias itself, as the [critique](critique) shows.
#
# ## Does it stay silent when nothing is there?
#
# Isotropic vectors have no association at all. If we fix the side beforehand, each exact p-value should be uniform: the share of tests at or below any level should equal that level. We try three of the statistics, with cosine.


# %%
def silent(seed, statistic):
    rng = np.random.default_rng(seed)
    draws = (null_vectors(test, dim=dim, rng=rng) for _ in range(null_draws))
    one = {"statistic": statistic, "alternative": "greater"}
    return np.array([weat(v, test, **one).p_value for v in draws])


null = {
    statistic: [silent(seed, statistic) for seed in seeds]
    for statistic in ("mean", "min", "eq2")
}

# %%
shares = {name: [float((q <= 0.05).mean()) for q in p] for name, p in null.items()}
record.metrics(shares, prefix="null.share_at_05", interval="t", unit="share of tests")
grid = (np.arange(null_draws) + 0.5) / null_draws
distance = max(np.abs(np.sort(q) - grid).max() for p in null.values() for q in p)
# Kolmogorov-Smirnov bound at one in a thousand
assert distance < 1.95 / np.sqrt(null_draws)
record.table("null.share_at_05.{statistic}")

# %% [markdown]
# The shares match their levels up to chance, for the three statistics tried. Choosing the side after looking would double the level; counting one-sided stars on either side does just that. The next notebooks ask how large and how stable an association is on real vectors.

# %%
record.save()
record
