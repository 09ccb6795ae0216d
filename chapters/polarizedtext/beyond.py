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
# # A threshold with a promise
#
# The post varies the threshold and draws a curve, but a document needs one threshold. {term}`Conformal prediction` derives it from known secrets, such as planted ones, with a promise: all secrets of a new document go, with a stated probability. The promise needs enough units, and units that are alike.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "polarizedtext/beyond"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
epochs = [6, 6]
splits = 20
confidence = 0.9
presidio_seeds = 0

# %%
import numpy as np
from trustnlp.privacy.text.anonymisation.removal_guarantee import guaranteed_threshold
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext import beyond
from trustnlp.studies.polarizedtext.baselines import NAMED
from trustnlp.studies.polarizedtext.data import CORPORA, corpora_for
from trustnlp.studies.polarizedtext.detection import record_measured

given = vars()  # the parameters above
METHODS = ["polarised", "skipgram", "log_odds", "tf_idf", "presidio"]
PROMISES = {"mean": "on average", "sure": "with confidence"}
record = Record(
    "polarizedtext",
    "beyond",
    profile=profile,
    seeds=seeds,
    repeats={"": "float32", "needed": "exact"},
)
if presidio_seeds:
    record.uses("en_core_web_sm")
corpora = corpora_for(record, profile)

# %% [markdown]
# ## The rule
#
# A unit is a document or an owner, whichever is drawn independently. Its score is the lowest score among its secrets. Sort the scores of $n$ units with known secrets, and cut at the $k$-th lowest, where $k = \lfloor (1 - c)(n + 1) \rfloor$. Then all secrets of a new unit are removed with probability at least $c$.

# %%
lowest = np.random.default_rng(0).normal(size=60)
{
    "threshold": round(guaranteed_threshold(lowest, 0.95), 2),
    "with confidence": round(guaranteed_threshold(lowest, 0.95, confidence), 2),
}

# %% [markdown]
# ## What so many units allow
#
# Are there enough documents and owners? The first table shows how many units our coverage needs, on average and with confidence; the second, the best coverage that each set allows. On average documents suffice, and so do the owners of the policies. With confidence, only the documents of the policies suffice.

# %%
numbers = {}
for corpus in corpora.values():  # all sets need equally many
    numbers |= beyond.allowed(corpus, confidence)
record.metrics(numbers)
record.table("needed.{promise}", names=PROMISES)
record.table(
    "{corpus}.{units}.best.{promise}",
    rows=("corpus", "units"),
    columns="promise",
    names=PROMISES,
)

# %% [markdown]
# ## Is the promise kept?
#
# We divide the units at random, many times per seed: some set the threshold, the others test it. *Coverage* is the share of test units that lose all secrets, and *cost* the share of ordinary words that go, too. Presidio's score is its confidence, or zero for a word that it does not find.

# %%
for corpus in corpora.values():
    record_measured(record, beyond.keep_promises(corpus, seeds, METHODS, given))
record.deviation(
    "Not in the post, which has no rule for the threshold. Planted secrets of one owner share their words across its documents, so documents are not independent.",
    keys=list(CORPORA),
)
record.table(
    "{corpus}.{units}.{method}.mean.{what}",
    what=("coverage", "cost"),
    rows=("corpus", "units", "method"),
    columns="what",
    names=NAMED,
)

# %% [markdown]
# Every method keeps the promise, because the threshold adapts; the cost differs. With cosines most words go, since one secret far from its owner's name lowers the threshold; with counts few go. Presidio misses secrets in so many documents that its threshold is zero, and every word goes. A promise is only as useful as its score.

# %% mystnb={"figure": {"name": "fig-polarizedtext-promise", "caption": "Share of ordinary words removed under the promise that nearly all documents lose all their secrets, on average (committed record, intervals over seeds)."}}
record.plot(
    "{corpus}.documents.{method}.mean.cost",
    x="method",
    color="corpus",
    title="A promise with cosines costs most of the words, one with log-odds few",
    xlabel="score",
    ylabel="ordinary words removed (%)",
    names=NAMED,
)

# %% [markdown]
# ## On your own documents
#
# `anonymise` takes a share or a threshold. For a threshold with a promise, plant secrets of your own kind (`trustnlp.studies.polarizedtext.standins` shows how), score the documents, and call `guaranteed_threshold`. The promise covers secrets like the planted ones, but not others, nor [an attacker who reads the rest](reidentification.ipynb).

# %%
record.save()
record
