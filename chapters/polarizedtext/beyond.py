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
# Where to cut? The post varies the threshold and draws a curve; whoever redacts a document needs one number. {term}`Conformal prediction` turns secrets that are known, such as planted ones, into a threshold with a promise: of a new document, all secrets are removed with a stated probability. The promise needs units that are alike, and enough of them.

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
from trustnlp.studies.polarizedtext import beyond as promised
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
# A unit is what is drawn independently: a document, or an owner. Its score is the lowest score among its secrets. Sort the scores of the units that calibrate, and cut at the k-th lowest, where $k = \lfloor (1 - c)(n + 1) \rfloor$: all secrets of a new unit are removed with probability at least $c$.

# %%
lowest = np.random.default_rng(0).normal(size=60)
{
    "threshold": round(guaranteed_threshold(lowest, 0.95), 2),
    "with confidence": round(guaranteed_threshold(lowest, 0.95, confidence), 2),
}

# %% [markdown]
# ## What so many units allow
#
# For the coverage that we ask for it takes the number of units in the first row, and with a confidence that in the second. Below them is the best coverage that the documents and owners of each set allow. What to expect: documents suffice; owners do only for the policies, and hardly.

# %%
for corpus in corpora.values():
    for key, value in promised.allowed(corpus, confidence).items():
        if key not in record.metrics:
            record.metric(key, value)
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
# Units are divided at random, many times per seed: some calibrate, the others test. *Coverage* is the share of test units whose secrets are all gone, *cost* the share of ordinary words that go with them. Presidio's score is its confidence, and nothing for a word that it does not find.

# %%
for corpus in corpora.values():
    record_measured(record, promised.keep_promises(corpus, seeds, METHODS, given))
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
# What was seen: the promise is kept, more or less, by every method, because the threshold adapts. The methods differ in the price. With cosines the promise removes nearly every word, since one secret of a document far from its owner's name is enough; with counts it removes few. Presidio misses secrets in so many documents that its threshold falls to nothing, and every word goes. A promise is only as good as the score below it.

# %% mystnb={"figure": {"name": "fig-polarizedtext-promise", "caption": "Share of ordinary words that are removed when nearly all documents are promised, on average, to lose all their secrets (committed record, intervals over seeds)."}}
record.plot(
    "{corpus}.documents.{method}.mean.cost",
    x="method",
    color="corpus",
    title="A promise by cosines costs nearly every word, one by log-odds few",
    xlabel="score",
    ylabel="ordinary words removed (%)",
    names=NAMED,
)

# %% [markdown]
# ## On your own documents
#
# `anonymise` takes a share or a threshold. To have a threshold with a promise, plant secrets of your own kind (`trustnlp.studies.polarizedtext.standins` shows how), score the documents, and ask `guaranteed_threshold`. The promise is about secrets like those that were planted. It says nothing about others, nor about [an attacker who reads the rest](reidentification.ipynb).

# %%
record.save()
record
