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
# **In short.** In a twentieth of the sentences the class-indicator words are adopted. A reader of eighty sentences names them with {term}`occlusion` in {metric}`strength.paper:presence.occlusion.random.share5.named` of the searches, and in {metric}`strength.paper:presence.occlusion.random.share20.named` once a fifth of the sentences carry them, after {metric}`strength.paper:presence.occlusion.random.share20.texts` sentences. Gradient × input on convolutions gives the same numbers ({metric}`strength.paper:convolution.gradient_x_input.random.share5.named` and {metric}`strength.paper:convolution.gradient_x_input.random.share20.named`): what limits the reader is how soon it meets the word, not the explainer. What was learned shows less: over shuffled scores and explanations of a clean model on the same sentences the lead of occlusion is {metric}`strength.paper:presence.occlusion.random.share10.above_controls` of the budget with the words in a tenth of the sentences ({verdict}`weak-bag-share10-occlusion`), and {metric}`strength.paper:presence.occlusion.random.share100.above_controls` with the words in all; with a twentieth it is {verdict}`weak-bag-share5-occlusion`.
#
# A {term}`decoy <planted decoy>` in every review is easy: any reader of {term}`explanations <attribution>` meets it at once. Real bugs are rarer. Here the paper's class-indicator words go into a growing share of the training sentences, and into the same share of the sentences that are explained. For each share: has the model adopted the decoy, and after
# how many sentences does the simulated reader of [](leaderboard.ipynb) name it?
#
# Two things grow together: what the model has learned, and how often the reader meets the word. So each explainer is read in two orders: at random, and with the sentences that carry the decoy first. In the second the reader meets the word at once, and what is left is the explainer's part.

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
# The sentences of a smaller share are among those of a larger one, so that nothing else differs. Explainers are read where the model of that {term}`seed` has adopted the decoy, if only partly, and where as many of the explained sentences carry it as the reader must note it in; a share at which one seed fails either has no curve. What to expect: [](adoption.ipynb)
# has found that little is needed for adoption, so that the reader's luck should be the bottleneck.

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
# A search that never names the word counts one sentence more than its budget. `random scores` are the control: a decoy in every sentence is named soon by chance as well, so that a curve that falls says nothing until it lies below that of random scores. A search counts notes of one word, and the two words share the carriers, so that at the smallest share a reader may meet neither often enough. The second control is the clean model of that seed, explained on the same sentences: a word that stands in many of them can be noted without having been learned.

# %%
orders = list(strength.ORDERS)
searches = bug_searches.search_table(found, inspector, given, orders)
for key, values in strength.curves(searches, found, seeds).items():
    record.metric(key, values, interval="t")

# %% mystnb={"figure": {"name": "fig-decoys-strength", "caption": "Sentences that a simulated reader reads in random order until it names the class-indicator words, over the share of sentences that carry them (committed record)."}}
record.plot(
    "{model}.{explainer}.random.share{share:d}.texts",
    x="share",
    color="explainer",
    col="model",
    log_x=True,
    title="The more sentences carry the words, the fewer are read, with any explainer and sooner than by random scores",
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
# By which share of the budget is the word named sooner than by both controls, shuffled scores and explanations of the clean model, on the same sentences in the same random order? That is what an explainer has shown of what was *learned*.

# %%
record.table("{model}.{explainer}.random.share{share:d}.above_controls", names=NAMES, **grid)

# %% [markdown]
# The share of searches in random order that name the word within the budget. What to expect: nearly all do with an explainer where a fifth of the sentences carry the word, and by random scores only where half of them do.

# %%
record.table("{model}.{explainer}.random.share{share:d}.named", names=NAMES, **grid)

# %%
record.deviation(
    "No person took part: the reader of explanations is a written rule."
)
record.save()
record
