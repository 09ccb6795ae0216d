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
# # What the paper leaves open
#
# The paper comes without code, and its text leaves three ingredients open: the exact word lists, the synonyms that enlarge the {term}`attribute sets <attribute set>`, and how the covariance is formed. We try each choice both ways and, where they can decide, compare with the paper's cells.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "weat_measures/choices"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
neighbours = [0, 5]

# %%
import numpy as np
import pandas as pd
from IPython.display import display
from trustnlp.bias import STATISTICS, battery, weat
from trustnlp.data.words.weat_stimuli import read_weat_tests
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledgers import printed_values
from trustnlp.studies.weat_measures.reproduction import effect_table

# %%
repeats = dict.fromkeys(("lists", "paper", "small_copy.missing"), "exact") | {"mahalanobis": "float64"}
record = Record("weat_measures", "choices", profile=profile, repeats=repeats)
tests, vectors = read_weat_tests(), read_vectors("wefe_googlenews")
record.uses("wefe_weat_lists")
record.uses("wefe_googlenews")
if profile == "paper":
    vectors = vectors.join(read_vectors("googlenews_8000"))
    record.uses("googlenews_8000")
keys = ["measure", "statistic", "test"]
t4 = printed_values("weat_measures", "reproduction", tables=True).series(
    "word2vec.{measure}.{statistic}.weat{n:d}.effect_size", "value"
)
printed = pd.Series(t4, name="printed").rename_axis(keys).reset_index()
printed = printed[printed.measure != "mahalanobis"]

# %% [markdown]
# ## Which word lists?
#
# Public copies of the lists differ in four tests. For {term}`WEAT` 4 and 5, Appendix A gives sixteen names per set, which is what Caliskan et al. kept for GloVe; their full lists have eighteen. In WEAT 9 one copy has *short-term*, which the vectors lack, and another has *short*. The first name *Billy* of WEAT 10 is *Bill* in one copy. If the choice matters, only one of each pair should give the paper's digits.

# %%
rare = {"Jay", "Kristen", "Tremayne", "Latonya"}
lists = {}


def sets_of(test):
    return test.X, test.Y, test.A, test.B


for n in (4, 5):
    X, Y, A, B = sets_of(tests[n])
    fewer = [[word for word in side if word not in rare] for side in (X, Y)]
    lists |= {(f"{len(X)} names", n): (X, Y, A, B), (f"{len(fewer[0])} names", n): (*fewer, A, B)}
X, Y, A, B = sets_of(tests[9])
lists["short", 9] = (X, Y, A, B)
lists["neither", 9] = (X, Y, [word for word in A if word != "short"], B)
X, Y, A, B = sets_of(tests[10])
for name in {"Bill", "Billy"} & set(vectors):
    lists[name, 10] = ([name if w.startswith("Bill") else w for w in X], Y, A, B)

# %%
rows = []
for (name, n), sets in lists.items():
    for cell in printed[printed.test == n].itertuples():
        d = weat(vectors, sets, measure=cell.measure, statistic=cell.statistic).effect_size
        rows.append((n, name, abs(abs(d) - cell.printed) <= 0.005 + 1e-9))
tried = pd.DataFrame(rows, columns=["test", "lists", "within"])
agreed = tried.groupby(["test", "lists"]).within.agg(["sum", "size"])
within = {f"weat{n}.{name.replace(' ', '_')}": cells for (n, name), cells in agreed["sum"].items()}
record.metrics(within, prefix="lists", unit="count of cells")
eighteen, sixteen = (agreed.xs(f"{k} names", level="lists")["sum"].sum() for k in (18, 16))
record.metric("paper.names_18_margin", int(eighteen - sixteen), unit="number of cells")
agreed.rename(columns={"sum": "cells that agree", "size": "readable cells"})

# %% [markdown]
# The lists with eighteen names agree in every readable cell, and those with sixteen in none{holds}`choices.paper:lists.weat4.16_names between -0.05 0.05`. The copy with *short* gives the paper's cells of WEAT 9, and *Billy* those of WEAT 10. The other copies give few of them or none.
#
# ## How much does the covariance decide?
#
# {term}`Mahalanobis distance` needs the {term}`covariance <covariance matrix>` of an attribute set of a few words. The paper adds synonyms, which it does not list. It writes $\Sigma_A$ without saying whether the distances to B use $\Sigma_B$ or the same matrix. We try both readings, with and without near neighbours in place of the synonyms, and a shrunk estimate because it is fast. If a cell can be reproduced without the missing ingredients, these choices should hardly move it.

# %%
how = {"measures": ["mahalanobis"], "alternative": "observed"}
choices = {
    (matrix, k): battery(vectors, tests.values(), **how, neighbours=k, pooled=matrix == "one matrix")
    for matrix in ("one per set", "one matrix")
    for k in neighbours
}
named = {f"{matrix}, {k} neighbours": results for (matrix, k), results in choices.items()}
moved = effect_table(named, alpha=0.01).assign(d=lambda table: table.effect_size.abs())
by_choice = moved.pivot(index=["test", "statistic"], columns="embedding", values="d")
spread = by_choice.max(axis=1) - by_choice.min(axis=1)
record.metric("mahalanobis.median_spread", round(float(spread.median()), 2))
by_choice.groupby("statistic").mean().loc[list(STATISTICS)].round(2)

# %% [markdown]
# These choices move a typical cell by {metric}`choices.paper:mahalanobis.median_spread`, about as much as a typical {term}`effect size`. With two matrices, the distances to the two attribute sets have different scales. Even Eq. 2, which is small by construction, becomes large.
#
# The paper says that Mahalanobis distance gives the smallest average effect size of the four measures, and the fewest significant tests. Is this true of word2vec under each choice? The next tables compare Mahalanobis distance with the smallest of the other three.

# %%
rest = ["cosine", "euclidean", "manhattan"]
others = battery(vectors, tests.values(), measures=rest, alternative="observed")
others = effect_table({"others": others}, alpha=0.01)
least = others.effect_size.abs().groupby(others.measure).mean().min()
fewest = others.significant.groupby(others.measure).sum().min()
sums = moved.groupby("embedding", sort=False).agg({"d": "mean", "significant": "sum"})
keys = [f"{matrix.replace(' ', '_')}.{k}.average" for matrix, k in choices]
record.metrics(dict(zip(keys, sums.d, strict=True)), prefix="mahalanobis")
record.metric("mahalanobis.least_of_others", least)
for name, smaller in {"smallest": sums.d < least, "fewest": sums.significant < fewest}.items():
    record.metric(f"mahalanobis.{name}_in", int(smaller.sum()), unit="number of choices")
    # A statement that has to hold under each choice
    record.metric(f"mahalanobis.{name}", int(smaller.sum()) - len(sums) + 0.5)

# %%
record.table("mahalanobis.{matrix}.{k:d}.average", rows="k", columns="matrix", names={"k": "neighbours"})
record.table(
    {
        "smallest average of the other three": "mahalanobis.least_of_others",
        "choices whose average is smaller": "mahalanobis.smallest_in",
        "choices with fewer significant tests than the other three": "mahalanobis.fewest_in",
    }
)

# %%
record.deviation(
    "word2vec alone, and shrunk covariances with near neighbours for the unpublished synonyms; the choices decide.",
    keys=["mahalanobis.smallest", "mahalanobis.fewest"],
    lacks=True,
)

# %% [markdown]
# The matrix decides whether the paper's sentences hold: with one for each set they fail, with one for both they hold, for any number of neighbours. The paper does not say which it uses. So the book shows our Mahalanobis cells and calls the paper's *not testable here*, which is no evidence against them.
#
# ## What does a lower-cased, quantised vocabulary do?
#
# Small copies of large embeddings are common. They have fewer words, in lower case, and rounded values. Rounding should change little, missing names a lot. The GloVe copy registered here has some ten thousand words. (The `smoke` profile does not have it.)

# %%
if profile == "paper":
    exact, small = (read_vectors(f"glove_840b_{x}") for x in ("weat_exact", "9910"))
    record.uses("glove_840b_weat_exact")
    record.uses("glove_840b_9910")
    missing = {n: np.mean([w not in small for w in t.words]) for n, t in tests.items()}
    lowered = {n: np.mean([w.lower() not in small for w in t.words]) for n, t in tests.items()}
    shared = [word for word in tests[1].words if word in small]
    for name, vectors_of in {"exact": exact, "quantised": small}.items():
        lookup = {word: vectors_of[word] for word in shared}
        d = weat(lookup, tests[1], alternative="greater", max_missing=0.6).effect_size
        record.metric(f"small_copy.{name}.weat1.effect_size", d)
    median = float(np.median(list(missing.values())))
    record.metric("small_copy.missing.median", median, unit="share of words")
    display(pd.DataFrame({"missing": missing, "missing after lower-casing": lowered}).round(2))

# %%
record.table("small_copy.{copy}.weat1.effect_size", "small_copy.missing.{copy}")

# %% [markdown]
# On the words that both copies have, the effect size of WEAT 1 hardly moves. But the median test loses {metric}`choices.paper:small_copy.missing.median` of its words, and lower-casing the {term}`stimuli` brings back few of the names. A test with missing words is another test, so no claim here uses that copy.

# %%
record.save()
record
