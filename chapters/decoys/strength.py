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
# # How strong must a decoy be until an explainer shows it?
#
# **In short.** A model adopts the class-indicator words even if only a twentieth of the sentences carry them. A reader of eighty sentences with {term}`occlusion` then names them in {metric}`strength.paper:presence.occlusion.random.share5.named` of the searches. Once a fifth of the sentences carry them, it names them in {metric}`strength.paper:presence.occlusion.random.share20.named`, after {metric}`strength.paper:presence.occlusion.random.share20.texts` sentences. Gradient × input on convolutions gives the same numbers ({metric}`strength.paper:convolution.gradient_x_input.random.share5.named` and {metric}`strength.paper:convolution.gradient_x_input.random.share20.named`). So the limit is how soon the reader meets the word, not the explainer.
#
# Explanations show less of what the model *learned*: by how much does occlusion beat both shuffled scores and explanations of a clean model on the same sentences? With the words in a tenth of the sentences this lead is {metric}`strength.paper:presence.occlusion.random.share10.above_controls` of the budget ({verdict}`weak-bag-share10-occlusion`). With the words in all sentences it is {metric}`strength.paper:presence.occlusion.random.share100.above_controls`. With the words in a twentieth we cannot confirm a lead ({verdict}`weak-bag-share5-occlusion`).
#
# Any reader of {term}`explanations <attribution>` soon meets a {term}`decoy <planted decoy>` that is in every review. Real bugs are rarer. So we put the paper's class-indicator words into a growing share of the training sentences, and into the same share of the explained ones. After how many sentences does the simulated reader of [](leaderboard.ipynb) name the decoy?
#
# What the model has learned grows together with how often the reader meets the word. So the reader sees each explainer's output in two orders: at random, and with the sentences that carry the decoy first. In the second it meets the word at once, which leaves only the explainer's part.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/strength"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
models = ["presence"]
explainers = ["occlusion", "lime", "random"]
shares = [10, 50, 100]
n_texts = 4000
adoption_texts = 400
pool = 120
longest = 25
budget = 80
draws = 5
chance_draws = 20
samples = 100
steps = 8

# %%
import pandas as pd
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.decoys import strength
from trustnlp.studies.decoys.adoption import graded
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.leaderboard import bug_searches
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained_models, standings

given = vars()  # the parameters above
record = Record(
    "decoys", "strength", profile=profile, seeds=seeds, repeats={"": "float32"}
)
record.uses("hu_liu_lexicon")

# %% [markdown]
# ## Models with weaker and stronger bugs
#
# The sentences of a smaller share are among those of a larger one, so nothing else differs. [](adoption.ipynb) shows that models adopt even rare words, so the reader's luck should be the bottleneck. An explainer takes part if the model of that {term}`seed` has adopted the decoy at least partly, and if enough of the explained sentences carry it for the reader to name it. If one seed fails either condition at a share, that share has no curve.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = explained_models(parts, given, inspector.threshold, graded(shares))
record.array("standings", standings(found))

# %%
stood = pd.DataFrame(evidence_arrays(record)["standings"])
record.show(pd.crosstab([stood["decoy"], stood["model"]], stood["standing"]))

# %%
record.table("{model}.share{share:d}.rate", rows="share", columns="model", names=NAMES)

# %% [markdown]
# ## Sentences read until the word is named
#
# A search that never names the word counts one sentence more than its budget. `random scores` are the first control. Even they soon name a decoy that is in every sentence, so a falling curve says something only where it lies below theirs. A search counts notes of one word, and the two words share the carriers, so at the smallest share a reader may meet neither often enough. The second control explains the clean model of that seed on the same sentences: the reader can note a word that stands in many of them even if the model has not learned it.

# %%
orders = list(strength.ORDERS)
searches = bug_searches.search_table(found, inspector, given, orders)
record.metrics(strength.curves(searches, found, seeds), interval="t")

# %% mystnb={"figure": {"name": "fig-decoys-strength", "caption": "Sentences that a simulated reader needs, in random order, to name the class-indicator words, by the share of sentences that carry them (committed record)."}}
record.plot(
    "{model}.{explainer}.random.share{share:d}.texts",
    x="share",
    color="explainer",
    col="model",
    log_x=True,
    title="The more sentences carry the words, the sooner the reader names them; explainers beat random scores",
    xlabel="sentences with the decoy, %",
    ylabel="sentences read",
    names=NAMES,
)

# %% [markdown]
# With the sentences that carry the decoy first:

# %%
ascending = 5, 10, 20, 50, 100
grid = {"rows": ("model", "explainer"), "columns": "share", "share": ascending}
record.table("{model}.{explainer}.carriers.share{share:d}.texts", names=NAMES, **grid)

# %% [markdown]
# How much sooner does the reader name the word than with both controls, on the same sentences in the same random order? This lead, a share of the budget, is what an explainer has shown of what was *learned*.

# %%
record.table("{model}.{explainer}.random.share{share:d}.above_controls", names=NAMES, **grid)

# %% [markdown]
# How many searches in random order name the word within the budget? With an explainer nearly all do once a fifth of the sentences carry the word; random scores need half of them.{holds}`strength.paper:presence.occlusion.random.share20.named between 90 101`{holds}`strength.paper:presence.random.random.share50.named between 90 101`{holds}`strength.paper:presence.random.random.share20.named between 10 40`

# %%
record.table("{model}.{explainer}.random.share{share:d}.named", names=NAMES, **grid)

# %%
record.deviation(
    "No person took part: the reader of explanations is a written rule."
)
record.save()
record
