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
# # Does AEC name a planted cause?
#
# A classifier has learned from film reviews, which contain no questions. It reads *Why is the gate so slow?* and errs. On real tweets, nobody knows the cause of the errors. So we make up sentences ({term}`stand-in`), and errors that one cause decides. The paper's ranking of features should put that cause first. The [lesson](method.ipynb) builds the method step by step.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "aec/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
pool_texts = 700
n_texts = 300
shares = [10, 50]

# %%
import numpy as np
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.aec import planted
from trustnlp.studies.aec.standins import CAUSES

record = Record("aec", "planted", profile=profile, seeds=seeds, repeats="float64")
record.uses("en_core_web_sm")

# %% [markdown]
# ## What is planted
#
# Each sentence may carry a negation, a name of a place or a day, or a question. Each of the three is in about half of the sentences, independently of the others. One of them is the cause: with it, the made-up classifier errs at one rate, without it at another. At the strong rates the difference is easy to see; the weak ones are nearer to a real classifier's. The other two candidates are as frequent, and mean nothing.
#
# The features are the paper's, read by spaCy: relations between words, types of entity, signs of a conversation. (We leave out the lexicon of emotions, which its owner asks not to pass on.) A cause can have more than one name among them. A negation is the word *no* or a relation *neg*. A name has its type, or the relation of a proper noun to its preposition. A question has its sign. We count a feature as such a name if nearly all texts that have it carry the cause.

# %%
pool = planted.planted_pool(pool_texts, np.random.default_rng(0))
strong = planted.STRENGTHS["strong"]
case = pool.case(n_texts, "question", strong, rng=np.random.default_rng(2))
texts, errs = case.errors.tweets.texts[:5], case.errors.wrong[:5]
pd.DataFrame({"text": texts, "asks": case.carries[:5], "the classifier errs": errs})

# %% [markdown]
# ## Is the cause named?
#
# The paper ranks features by the {term}`impurity importance` of a random forest, the {term}`error classifier`. We add a ranking without a forest: how much the error rate differs between the texts that have a feature and the others ($z$ of two proportions). In one draw at the strong rates, these features come first:

# %%
table = pd.DataFrame(
    row for seed in seeds for row in planted.ranked_seed(pool, n_texts, seed)
)
table[: len(CAUSES)].set_index("cause").filter(like="first.").T

# %% [markdown]
# One draw says little. So we draw texts and errors anew for each {term}`seed`, at both rates, and count the share of seeds in which a ranking puts a name of the cause first. At the strong rates, that should be all of them.

# %%
planted.record_rankings(record, table)
record.table(
    "planted.{strength}.{ranking}.{cause}.named",
    rows=["strength", "ranking"],
    columns="cause",
    cause=CAUSES,
)

# %% [markdown]
# The table is that of the committed record. Negation is as frequent as the others, but no single feature covers more than a part of it, since spaCy parses *not*, *never* and *no* in different ways. At the strong rates, impurity misses the negation in many seeds{holds}`planted.paper:planted.strong.impurity.negation.named clearly below 75`. At the weak rates, it always puts another feature first. There was something to find: $z$ names two of the causes in every seed.
#
# Which features does impurity put first without cause? The next table counts them over all seeds and causes.

# %%
wrong_first = table.loc[table["ranking.impurity"] == 0, "first.impurity"]
record.array("impurity_first", wrong_first.value_counts().to_dict())
first = pd.Series(evidence_arrays(record)["impurity_first"], name="times first")
record.show(first.sort_values(ascending=False).to_frame())

# %% [markdown]
# Impurity puts common features first: the sign "!", a relation, a type of entity. Not all of them are without meaning. No question ends with "!", so where questions are the cause, that sign marks texts without it: it helps the forest, though it does not name the cause. Elsewhere such a feature says little more than how long the text is: its value is a count over the length, so a forest can split the column at many places. [The critique](critique.ipynb) asks whether this also happens on real tweets, with meaningless columns.
#
# ## How common must a cause be?
#
# A cause in half of the texts is easy to find. Below we make the weak cause rarer and ask `characterise`. It tests each feature with the $z$ above, and each relation whatever the parts of speech of its words (`neg-*-*`), so that a cause in many guises counts as one. It corrects for the number of tests: its finds have a {term}`false discovery rate` of at most a twentieth. It names the cause if its strongest find does. We decided to add up relations after a first look, which missed the negation; the record uses other seeds.

# %%
swept = [planted.named_by_share(pool, n_texts, seed, shares) for seed in seeds]
named = pd.DataFrame(swept)
record.metrics(named, prefix="sweep", interval="t", unit="share of seeds")

# %% mystnb={"figure": {"name": "fig-aec-planted-shares", "caption": "At the weak error rates (committed record). Several features share a negation, so it must be more frequent than the others to be named."}}
record.plot(
    "sweep.{cause}.share{share:d}",
    cause=CAUSES,
    x="share",
    color="cause",
    title="A rare cause is seldom named",
    xlabel="texts that carry the cause (%)",
    ylabel="seeds that name it (%)",
)

# %% [markdown]
# Where a cause is in about half of the texts, the strongest find names this share of the causes, at either rate:

# %%
record.table("characterise.{strength}.named", strength=tuple(planted.STRENGTHS))

# %%
record.save()
record
