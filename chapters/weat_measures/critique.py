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
# # What the numbers hide
#
# Most of the paper's {term}`effect sizes <effect size>` that we can check are right. What do they depend on: the side of the test, the number of tests, the choice of words?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "weat_measures/critique"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
resamples = 500
alpha = 0.01

# %%
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from trustnlp.bias import battery, weat
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.bias.association_tests.stability import bootstrap_effect_sizes
from trustnlp.data.words.weat_stimuli import read_weat_tests
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.multiple_testing import benjamini_hochberg, holm
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.claims.ledgers import printed_values
from trustnlp.studies.weat_measures.baselines import p_value_with_replacement
from trustnlp.studies.weat_measures.checks import checks_of, printed_stars
from trustnlp.studies.weat_measures.reproduction import effect_table

# %%
repeats = dict.fromkeys(("agreement", "paper", "multiple", "orientation"), "exact")
record = Record("weat_measures", "critique", profile=profile, seeds=seeds, repeats=repeats)
measures = ("cosine", "euclidean", "manhattan")
tests, vectors = read_weat_tests(), read_vectors("wefe_googlenews")
record.uses("wefe_weat_lists")
record.uses("wefe_googlenews")
if profile == "paper":
    vectors = vectors.join(read_vectors("googlenews_8000"))
    record.uses("googlenews_8000")
vectors

# %% [markdown]
# ## How well do the printed cells agree?
#
# Our cells should differ from the paper's by at most half a unit of the last digit, except in {term}`WEAT` 2, where the vectors lack one word (*axe*).

# %%
asked = {"measures": measures, "alternative": "observed"}
one_sided = battery(vectors, tests.values(), **asked)
ours = effect_table({"word2vec": one_sided}, alpha=alpha)
t4 = printed_values("weat_measures", "reproduction", tables=True).series(
    "word2vec.{measure}.{statistic}.weat{n:d}.effect_size", "value"
)
names = ["measure", "statistic", "test"]
printed = pd.Series(t4, name="printed").rename_axis(names).reset_index()
cells = ours.merge(printed, on=names)
cells["difference"] = cells.effect_size.abs() - cells.printed
cells["within"] = cells.difference.abs() <= 0.005 + 1e-9
record.metric("agreement.within", int(cells.within.sum()), unit="count of cells")
record.metric("agreement.compared", len(cells), unit="count of cells")
record.table("agreement.{cells}")

# %% [markdown]
# ## Which side of the test do the stars tell?
#
# Section 2 of the paper calls its {term}`p-value` one-sided but takes the absolute value of the statistic. With two equal groups, every division and its mirror image give the same absolute value. So the p-value of the absolute statistic is exactly twice the one-sided one (nearly so in WEAT 2, which lost a word).
#
# The stars reveal which test the paper used: where only the one-sided p-value is below the level, a cell gets a star under one rule only. A third candidate is the signed test of Caliskan et al., X minus Y as in the formula. The table counts the readable cells whose star each rule explains.

# %%
ledger = printed_tables("weat_measures", "stars")["stars"]
both_sides = battery(vectors, tests.values(), measures=measures)
ours["absolute_p"] = [result.p_value for result in both_sides]
starred = ours.merge(printed_stars(ledger), on=names)
turned = (starred.statistic == "eq2") & (starred.measure != "cosine")
d, p = starred.effect_size, starred.p_value
sides = {
    "signed": p.where(d > 0, 1 - p),
    "signed_turned": p.where(d.where(~turned, -d) > 0, 1 - p),
    "one_sided": p,
    "absolute": starred.absolute_p,
}
agree = {k: ((q <= alpha) == (starred.stars > 0)).sum() for k, q in sides.items()}
record.metrics({f"paper.stars_agree_{side}": n for side, n in agree.items()}, unit="count of cells")
margin = int(agree["one_sided"] - agree["absolute"])
record.metric("paper.stars_one_sided_margin", margin, unit="number of cells")
record.metric("paper.stars_compared", len(starred), unit="count of cells")
against = pd.DataFrame(ledger["contextual_mean_euclidean"]).gt(0).sum().sum()
record.metric("paper.contextual_starred", int(against), unit="number of cells")
repeated = len(ledger["legend"]) - len(set(ledger["legend"]))
record.metric("paper.legend_levels_repeated", repeated, unit="number of levels")
record.table("paper.stars_{rule}", "paper.legend_{rule}")

# %% [markdown]
# The absolute test fails more often than the others. So the stars follow the words of section 2, not the absolute value in its formula. They do not decide which one-sided test it was. The test on the observed side misses one cell, the maximum of Manhattan distance in WEAT 3, whose association is reversed. The signed test explains that cell. But it has to give Eq. 2 a direction, which Eq. 2 lacks. With Eq. 2 turned like the other distances, the signed test explains every readable star; otherwise it misses one.
#
# There is a floor, too: no p-value can be smaller than one over the number of divisions. With eight words per side this is just below the lowest level of the legend; with six (WEAT 9) it is above the level of two stars.
#
# ## What the paper's own numbers say about its summary
#
# Do abstract, text and conclusion agree with the paper's own tables? We can check this without any vectors. An effect size of two sets of known size also nearly determines its p-value.
#
# The text calls ELMo significant in WEAT 3. More than a fifth of all divisions of the names would exceed the effect size that the table gives for it{holds}`critique.paper:paper.elmo_weat3_p between 0.2 0.25`. In our scan this number shares a cell with that of WEAT 2, so the check depends on the scan. The text's list would fit if it had WEAT 2 in place of WEAT 3. GPT's two tests are as the text says: significant with the median of cosine and not with the mean.

# %%
summary = printed_tables("weat_measures", "table3", "averages")
columns = ["cosine-mean", "euclidean-mean", "mahalanobis-mean", "mahalanobis-eq2"]
contextual = ["ELMo", "BERT", "GPT", "GPT2"]
count = pd.DataFrame({model: {c: row[c][0] for c in columns} for model, row in summary["table3"].items()})
averages = summary["averages"]
record.metric("paper.cosine_over_euclidean", averages["cosine"] - averages["euclidean"])
eq2, mean = count.loc["mahalanobis-eq2"], count.loc["euclidean-mean"]
over = int(eq2[contextual].max() - eq2[["GloVe", "word2vec"]].min())
record.metric("paper.contextual_over_static", over, unit="number of tests")
spare = float(mean.drop("GPT").min() + 0.5 - mean["GPT"])
record.metric("paper.gpt_among_fewest", spare, unit="number of tests")
tables = printed_tables("weat_measures", "set_sizes", "elmo_mean_euclidean", "gpt_cosine")
record.metrics(dict(checks_of(tables)))
record.show(count[["GloVe", *contextual, "word2vec"]].T, printed=True)

# %%
record.table(
    {
        "average effect size: cosine less Euclidean": "paper.cosine_over_euclidean",
        "most tests of a contextual model, less the fewest of a static one": "paper.contextual_over_static",
        "fewest tests of another model, less GPT's": "paper.gpt_among_fewest",
        "ELMo, WEAT 3: p-value above the level": "paper.elmo_weat3_above_level",
        "GPT: as the text says": "paper.gpt_median_reveals",
    }
)

# %% [markdown]
# ## Many tests at once
#
# The paper makes two hundred tests per embedding and reads each alone; we can check one hundred and fifty of them. A correction for their number should remove many. {term}`Holm`'s procedure bounds the chance of a single false finding among all tests. That of Benjamini and Hochberg bounds the expected share of false findings ({term}`false discovery rate`). Both need p-values whose side was not chosen after looking, so we use the two-sided ones.

# %%
p = ours.absolute_p.to_numpy()
rules = {"each_alone": p, "benjamini-hochberg": benjamini_hochberg(p), "holm": holm(p)}
left = {rule: (adjusted <= alpha).sum() for rule, adjusted in rules.items()}
record.metrics(left, prefix="multiple", unit="count of tests")
record.table("multiple.{rule}")

# %% [markdown]
# Of {metric}`critique.paper:multiple.each_alone` tests that are significant alone, {metric}`critique.paper:multiple.benjamini-hochberg` remain after the correction of Benjamini and Hochberg, and {metric}`critique.paper:multiple.holm` after Holm's.
#
# ## Is the minimum a minimum?
#
# Cosine is a similarity; the other three are distances. Taking absolute values hides this difference in sign, but not for the extremes: the smallest similarity is the largest distance. The paper speaks of the "cosine distance" and of "the minimum possible association". Only one orientation should fit its columns.

# %%
swap = {"min": "max", "max": "min"}
extremes = cells[(cells.measure == "cosine") & cells.statistic.isin(list(swap))]
extremes = extremes.set_index(["test", "statistic"])
turned = extremes.effect_size.rename("distance").rename(index=swap, level="statistic")
both = extremes.join(turned, how="inner")
distance = (both.distance.abs() - both.printed).abs() <= 0.005
margin = int(both.within.sum()) - int(distance.sum())
record.metric("orientation.similarity_margin", margin, unit="number of cells")
record.table(
    {
        "cells that fit a similarity, less those that fit a distance": "orientation.similarity_margin"
    }
)

# %% [markdown]
# "Minimum" means the least similar attribute word for cosine and the nearest one for the distances. So rows of Table 4 with the same name ask opposite questions. An average over measures, as in the paper's text, mixes the two.
#
# ## What does vector length do?
#
# Euclidean and Manhattan distance depend on a vector's length, which varies with a word's frequency and use. At unit length, Euclidean distance is a function of cosine. So where the two groups of words differ in length, the measures should disagree on the raw vectors and agree on the unit ones.

# %%
unit = WordVectors(vectors.words, vectors.unit, "word2vec, unit length")
of_mean = ours[ours.statistic == "mean"]
raw = of_mean.pivot(index="test", columns="measure", values="effect_size").abs()
one = battery(unit, tests.values(), measures=["euclidean"], statistics=["mean"])
scaled = effect_table({"unit": one}, alpha=alpha).set_index("test").effect_size.abs()
record.metric("length.raw_gap", float((raw.euclidean - raw.cosine).abs().max()))
record.metric("length.unit_gap", float((scaled - raw.cosine).abs().max()))
record.table("length.{vectors}")
raw[["cosine", "euclidean"]].assign(euclidean_unit=scaled).loc[[4, 5]]

# %% [markdown]
# WEAT 4 and 5 have the same names and different attributes, and vector length moves their effect sizes in opposite directions. At unit length the largest gap shrinks from {metric}`critique.paper:length.raw_gap` to {metric}`critique.paper:length.unit_gap`.
#
# ## How stable is an effect size under another choice of words?
#
# The {term}`permutation test` treats the words as given. Another list of flowers or first names would give another effect size. How different could it be? A {term}`bootstrap` resamples all four sets with replacement. Its intervals should be narrow where the effect size is near its bound and wide elsewhere.


# %% mystnb={"figure": {"caption": "The two ends of the bootstrap interval of each signed effect size (cosine, mean) in word2vec (committed record). Where the lower end is below zero, other words could have given the opposite sign.", "name": "fig-weat-stability"}}
def ends(test, seed):
    source = np.random.default_rng(seed)
    drawn = bootstrap_effect_sizes(vectors, test, resamples=resamples, rng=source)
    return np.quantile(drawn, [0.025, 0.975])


bounds = {n: np.array([ends(t, seed) for seed in seeds]) for n, t in tests.items()}
for n, both in bounds.items():
    record.metrics(pd.DataFrame(both, columns=["low", "high"]), prefix=f"stability.weat{n}", interval="t")
record.plot(
    "stability.{test}.{end}",
    x="test",
    color="end",
    title="In half of the tests, other words could have given the opposite sign",
    xlabel="WEAT",
    ylabel="effect size",
    names={f"weat{n}": str(n) for n in tests} | {"low": "lower end", "high": "upper end"},
    levels={"no association": 0},
)

# %% [markdown]
# The number of words decides little: *Amy* and *John*, with eight names per side, give the most stable test of all. Some tests with a significant p-value have intervals that reach zero. A p-value speaks of the given words; an interval speaks of words like them.
#
# ## Three ways to get a p-value wrong
#
# The first is precision. If we add the scores of the running example in single precision and in another order, the observed division misses its own sum. An "exact" test then returns zero, which no permutation test can.
#
# The second is drawing with replacement. A well-known library for these tests (wefe, version 1.0.1, `wefe/metrics/WEAT.py`) fills both groups with words drawn with replacement. This is a bootstrap under the null hypothesis, not a permutation test.
#
# The third is the library's two-sided rule: it compares the absolute value of each draw with the signed observation, so exchanging the two groups changes the answer. Its exact method is declared but not written yet. Its own example, male and female terms with career and family, shows both faults.

# %%
single = weat(vectors, tests[6], alternative="greater").scores.astype(np.float32)
reached = [
    sum(single[list(split)], np.float32(0)) >= single[:8].sum()
    for split in combinations(range(16), 8)
]
record.metric("peer.single_precision_p", float(np.mean(reached)), unit="p-value")
double = weat(vectors, tests[6], alternative="greater").p_value
record.metric("peer.double_precision_p", double, unit="p-value")
sets = tests[7].A, tests[7].B, tests[6].A, tests[6].B
scores = weat(vectors, test=sets, alternative="greater").scores

# %%
for name, query in {"as_given": scores, "exchanged": np.roll(scores, 8)}.items():
    for side, alternative in {"two": "absolute", "one": "greater"}.items():
        exact = permutation_test(query, 8, alternative=alternative).p_value
        record.metric(f"peer.{name}.exact_{side}_sided_p", exact, unit="p-value")
        how = {"draws": 20_000, "two_sided": side == "two"}
        drawn = [p_value_with_replacement(query, 8, rng=np.random.default_rng(seed), **how) for seed in seeds]
        key = f"peer.{name}.with_replacement_{side}_sided_p"
        record.metric(key, drawn, interval="t", unit="p-value")
record.table("peer.{numbers}_p")
record.table("peer.{groups}.{rule}_p", rows="rule", columns="groups")

# %% [markdown]
# The exact two-sided p-value does not depend on which group comes first; the library's does. It is one whenever the observed difference is negative, as in one of the two orders here. The fix is small: shuffle instead of drawing with replacement, and take absolute values on both sides.
#
# ## Exercises
#
# **1.** How many words per side does a test need before its smallest possible one-sided p-value falls below the four-star level of the legend?

# %% tags=["hide-cell"]
record.show(
    next(n for n in range(2, 40) if 1 / comb(2 * n, n) <= min(ledger["legend"])),
    printed=True,
)

# %% [markdown]
# **2.** Take the test of *Amy* and *John* and keep only the first four of the eight attribute words per side. Does the sign survive? Does the star?

# %% tags=["hide-cell"]
X, Y, A, B = tests[6].X, tests[6].Y, tests[6].A, tests[6].B
half = weat(vectors, test=(X, Y, A[:4], B[:4]), alternative="greater")
half.effect_size, half.p_value

# %% [markdown]
# **3.** Exchange targets and attributes in the same test. Why does the effect size change, and why not by much? (Both directions read the same table of cosines, one by rows and one by columns, but divide by different spreads.)

# %% tags=["hide-cell"]
weat(vectors, test=(A, B, X, Y), alternative="greater").effect_size

# %%
record.save()
record
