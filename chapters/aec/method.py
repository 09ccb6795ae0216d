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
# # A cause of errors that is known
#
# *Why is the gate so slow?* A classifier has learned from film reviews, which contain no questions. It reads *slow*, says negative, and errs: asking is not complaining. Does the paper's method find this cause: the question mark, or the *why*? On real tweets the cause is unknown. So we make up the sentences ({term}`stand-in`) and the errors: a rule decides how often the classifier is wrong, and so says what the method should find.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "aec/method"
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
from html import escape

import numpy as np
import pandas as pd
from IPython.display import HTML
from trustnlp.error_analysis.error_reports import characterise
from trustnlp.error_analysis.report_pages import report_page
from trustnlp.error_analysis.sampling_strategies import error_counts, score_texts
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.aec import method
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.standins import CAUSES

record = Record("aec", "method", profile=profile, seeds=seeds, repeats="float64")
record.uses("en_core_web_sm")

# %% [markdown]
# ## What is planted
#
# Each sentence may carry a negation, a name of a place or a day, or a question. Each of the three is in about half of the sentences, independently of the others. One of them is the cause: with it, the made-up classifier errs at one rate, without it at another. At the strong rates the difference is easy to see; the weak ones are nearer to a real classifier's. The other two candidates are as frequent, and mean nothing.
#
# The features are the paper's, read by spaCy: relations between words, types of entity, signs of a conversation. (We leave out the lexicon of emotions, which its owner asks not to pass on.) A cause can have more than one name among them. A negation is the word *no* or a relation *neg*. A name has its type, or the relation of a proper noun to its preposition. A question has its sign. We count a feature as such a name if nearly all texts that have it carry the cause.

# %%
pool = method.planted_pool(pool_texts, np.random.default_rng(0))
strong = method.STRENGTHS["strong"]
case = pool.case(n_texts, "question", strong, rng=np.random.default_rng(2))

# %% [markdown]
# ## The paper's three steps
#
# First, a base classifier labels texts: here the rule does. Second, an {term}`error classifier`, a random forest, learns from the features of labelled texts where the base errs; it sees as many correct predictions as errors ({term}`undersampling`). Third, it ranks texts with hidden labels by its probability of an error.
#
# We count the errors among the first $K$, which is {term}`precision at k` times $K$, and compare with {term}`uncertainty sampling`. The made-up classifier is as sure when it errs as when it is right, so uncertainty can do no better than chance. AEC should find more errors, for the error classifier has seen labels, and there is a rule to learn. In lists as short as these, chance still plays a part.

# %%
rows = np.random.default_rng(0).permutation(n_texts)
labelled, hidden = (case.output(part) for part in np.split(rows, [4 * n_texts // 5]))
counts = {}
for name in ("aec", "least_confidence", "oracle"):
    draw = np.random.default_rng(1)
    scores = score_texts(name, hidden, labelled=labelled, rng=draw)
    counts[name] = error_counts(scores, hidden.wrong, (10, 20, 30), rng=draw)
pd.DataFrame(counts, pd.Index((10, 20, 30), name="first K")).T

# %% [markdown]
# ## Is the rule named?
#
# The paper ranks features by the forest's {term}`impurity importance`. We add a ranking without any forest: how much the error rate differs between the texts that have a feature and the others ($z$ of two proportions). The table has the first feature of each ranking, for each cause at the strong rates, in one draw:

# %%
table = pd.DataFrame(
    row for seed in seeds for row in method.ranked_seed(pool, n_texts, seed)
)
table[: len(CAUSES)].set_index("cause").filter(like="first.").T

# %% [markdown]
# One draw says little. So we draw texts and errors anew for each {term}`seed`, at both rates, and count the share of seeds in which a ranking puts a name of the cause first. At the strong rates, that should be all of them.

# %%
method.record_rankings(record, table)
record.table(
    "planted.{strength}.{ranking}.{cause}.named",
    rows=["strength", "ranking"],
    columns="cause",
    cause=CAUSES,
)

# %% [markdown]
# The table is that of the committed record. Negation is as frequent as the others, but no single feature covers more than a part of it, since spaCy parses *not*, *never* and *no* in different ways. At the strong rates, impurity misses the negation in many seeds{holds}`method.paper:planted.strong.impurity.negation.named clearly below 75`. At the weak rates, it always puts another feature first. There was something to find: $z$ names two of the causes in every seed.
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
swept = [method.named_by_share(pool, n_texts, seed, shares) for seed in seeds]
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
record.table("characterise.{strength}.named", strength=tuple(method.STRENGTHS))

# %% [markdown]
# ## On your own predictions
#
# One call does all of this for any classifier. It needs texts that the classifier was not trained on, their labels, its predictions, and its probabilities if there are any. You may leave out the features; `characterise` then reads them from the texts, with emotions if the lexicon is installed.

# %%
tweets, errors = case.errors.tweets, case.errors
report = characterise(
    tweets.texts,
    [LABEL_NAMES[label] for label in tweets.labels],
    [LABEL_NAMES[label] for label in errors.predicted],
    errors.probabilities,
    labels=LABEL_NAMES,
    features=case.table,
    repeats=1,
    rng=np.random.default_rng(0),
)
[each.rule for each in report.slices.causes]

# %% [markdown]
# The report is a single page that opens without a network and shows none of the texts. Write `Path("errors.html").write_text(report_page(report), encoding="utf-8")`, or look at it here:

# %%
page = report_page(report)
HTML(
    f'<div><iframe title="Report of errors" srcdoc="{escape(page, quote=True)}" '
    'style="width: 100%; height: 30rem; border: 1px solid"></iframe></div>'
)

# %% [markdown]
# Next: [the paper's tables](reproduction.ipynb), on tweets whose causes of error are unknown.

# %%
record.save()
record
