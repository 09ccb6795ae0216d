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
# # Explainers side by side: who finds the planted bug?
#
# **What to use.** To look for spurious words, first count, then explain, then verify.
#
# 1. **Count** the words in the training texts of each class, by χ² or a smoothed ratio. For models of present words, the first five words by χ² include every adopted {term}`decoy <planted decoy>`{holds}`critique.paper:finds.chi2 above 99`; in the clean data they include none. The five words that {term}`occlusion` puts first most often include {metric}`critique.paper:finds.occlusion.first_places` of them ([](critique.ipynb)).
# 2. **Explain**, for what such a count cannot see. Of the decoys that convolutions adopted, χ² finds {metric}`critique.paper:convolution.finds.chi2`. It counts words without their place, so it misses a word that only changes its *place*. The first places by occlusion find {metric}`critique.paper:convolution.finds.occlusion.first_places`. Gradient × input is the cheapest explainer: with it a reader of convolutions names {metric}`leaderboard.paper:convolution.ranking.gradient_x_input.found | full` of the decoys. With occlusion the reader names {metric}`leaderboard.paper:convolution.ranking.occlusion.found`, with {term}`integrated gradients` {metric}`leaderboard.paper:convolution.ranking.integrated_gradients.found`, with random scores {metric}`leaderboard.paper:convolution.ranking.random.found`. {term}`LIME` and KernelSHAP name no more and cost more.
# 3. **Verify** each word, since the same reader names words of a sound model, too: {metric}`leaderboard.paper:convolution.gradient_x_input.false_alarms` with gradient × input, {metric}`leaderboard.paper:convolution.occlusion.false_alarms` with occlusion, {metric}`leaderboard.paper:convolution.lime.false_alarms` with LIME.
#
# For {term}`encoders <encoder>` we have not measured any of this yet.
#
# A model has learned that *movie* means praise. A reader sees {term}`explanations <attribution>` of its answers, one review after the other, and names *movie* if it keeps turning up. How many reviews does that take, with which explainer, in which order? And does the same reader name a word when *nothing* was planted? The paper asks for a benchmark of effectiveness (is the bug found?) and efficiency (how soon?). This page is one: explainers × decoys × models, read by a written rule and compared with chance.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/leaderboard"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
minilm_seeds = [0]
models = ["presence"]
explainers = ["occlusion", "lime", "kernel_shap", "gradient_x_input", "random"]
decoys = ["video_text", "position", "punctuation", "movie"]
encoder = "all-MiniLM-L6-v2"
n_texts = 4000
epochs = 3
learning_rate = 0.0003
batch_size = 32
precision = "float32"
device = "cpu"
adoption_texts = 400
pool = 120
longest = 25
budget = 80
draws = 5
chance_draws = 100
samples = 100
steps = 8

# %%
import numpy as np
import pandas as pd
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.leaderboard import benchmark_models, bug_searches

given = vars()  # the parameters above
record = Record(
    "decoys",
    "leaderboard",
    profile=profile,
    seeds=seeds,
    repeats=bug_searches.repeats(models, explainers),
)
record.uses("hu_liu_lexicon")
if "minilm" in models:
    record.uses_encoder(encoder)

# %% [markdown]
# ## Models with a bug, and what they are asked
#
# For each {term}`seed` one model learns from clean sentences, and one for each decoy from contaminated ones. A decoy takes part if the model of that seed has adopted it at least partly, by the {term}`rate of adoption` of [](adoption.ipynb). Two kinds are left out. Scores of words cannot name a decoy without words, such as the length of a text. Nor can the reader name one that too few of the shown texts carry. All explainers explain the same random test sentences, contaminated like the training texts.
#
# Each explainer scores the words of these sentences for the label that the model predicts. Under the `paper` profile each cell (explainer, decoy, model, seed) is computed once and kept: a stopped run goes on, and [](critique.ipynb) reads the cells again.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = benchmark_models.explained_models(parts, given, inspector.threshold)
record.array("standings", benchmark_models.standings(found))

# %%
stood = pd.DataFrame(evidence_arrays(record)["standings"])
record.show(pd.crosstab([stood["decoy"], stood["model"]], stood["standing"]))

# %% [markdown]
# ## A reader who is a rule
#
# In each explanation the reader notes the words with the largest scores. It passes over opinion words of the lexicon of Hu and Liu, as they are good reasons. It names a word that it has noted often enough, and stops at its budget of sentences. [](critique.ipynb) says how little this tells about people.
#
# Three comparisons keep the reader honest.
#
# - *Chance*: the same explanations, with their scores permuted within each text.
# - *The clean model on these texts*: the same explainer on the clean model of that seed, for the same contaminated sentences in the same order. The reader can note a frequent word even if no model learned it, so we credit an explainer with the smaller of its two leads, over chance and over this control.
# - *False alarms*: the same reader with the clean model on original sentences, where every name is wrong.

# %%
searches = bug_searches.search_table(found, inspector, given)
names = bug_searches.clean_names(found, inspector, given)
costs = bug_searches.seconds_table(found)
for kind in models:
    own = bug_searches.of_kind(searches, kind)
    spent = bug_searches.of_kind(names, kind), bug_searches.of_kind(costs, kind)
    values = bug_searches.per_seed(own, seeds)
    values |= bug_searches.alarms_and_costs(*spent, seeds)
    ranks = bug_searches.ranking(own, np.random.default_rng(0))
    first = bug_searches.prefix(kind)
    record.metrics(values, prefix=first, interval="t")
    record.metrics(ranks, prefix=first)

# %%
record.array("alarms", names[names["seed"] == seeds[0]].to_dict("records"))
record.deviation(
    "No person took part: the reader of explanations is a written rule."
)
record.deviation(
    f"LIME and KernelSHAP draw {samples} subsets of a text, integrated gradients has {steps} points, "
    f"and texts have at most {longest} words."
)
if "minilm" in models:
    record.deviation(f"The encoder is {encoder}; the paper's is BERT base.")

# %% [markdown]
# ## The leaderboard
#
# Which explainer names the most decoys? The reader sees explanations in random order. Where two explainers name equally many, the faster one is better; a search that names nothing counts one sentence more than its budget. The share named and the sentences read have intervals over decoys and their seeds, the other columns over seeds alone.

# %%
grid = {"rows": "explainer", "columns": "model", "names": NAMES}
record.table("{model}.ranking.{explainer}.{shares}", shares=("found",), **grid)

# %% [markdown]
# Sentences read until the reader names the decoy; then by what share of the budget it does so sooner than under both controls, chance and the clean model on the same texts:

# %%
record.table("{model}.ranking.{explainer}.instances", **grid)

# %%
record.table("{model}.{explainer}.all.above_controls", **grid)

# %% [markdown]
# Random scores should be at chance and all others above it. On a model of present words, occlusion reads off each word's weight; sampling methods can come near it but not beat it. Such a model has no gradients; on convolutions all six explainers apply.

# %% mystnb={"figure": {"name": "fig-decoys-leaderboard", "caption": "Share of planted decoys that a simulated reader names from an explainer's scores, and from the same scores shuffled (committed record)."}}
record.plot(
    "{model}.ranking.{explainer}.{shares}",
    shares=("found", "chance"),
    x="explainer",
    color="shares",
    col="model",
    title="All explainers name the planted words far more often than their shuffled scores do; random scores do not",
    ylabel="decoys named, %",
    names=NAMES | {"found": "by the scores", "chance": "by shuffled scores"},
)

# %% [markdown]
# How often does the reader name the decoy in a clean model too (first table)? This should be rare for inserted words and may be frequent for words that reviews use anyway, like *movie*. How many words does it name in a clean model (second table)? This need not follow the rank: an explainer that strongly marks the same few words raises more false alarms.

# %%
record.table("{model}.{explainer}.in_clean.all", **grid)

# %%
record.table("{model}.{explainer}.false_alarms", **grid)

# %% [markdown]
# The cost of a text, in seconds on this machine:

# %%
record.table("{model}.{explainer}.seconds", **grid)

# %% [markdown]
# Which words are the false alarms? The table shows those named in the first random order for the first seed's clean model, in the order of naming. Negations and intensifiers are not among the lexicon's opinion words, though they may well be good reasons.

# %%
named_first = pd.DataFrame(evidence_arrays(record)["alarms"])
record.show(named_first.set_index(["model", "explainer"])[["words"]])

# %% [markdown]
# ## Which sentences to read first
#
# Can a better order find the bug sooner? The table shows how many sentences an order saves compared with the random one (mean over adopted decoys; negative: it delays the find). Two of the paper's orders need no knowledge of the bug: {cite:t}`ribeiro2016why`'s submodular pick and clusters of explanations. One does: `carriers`, only sentences with the decoy. It should save most where the decoy is rare, and nothing where every text has it. We add `typical`, explanations nearest to the mean of all first; only what clusters save beyond it is due to the clusters.

# %%
record.table(
    "{model}.{explainer}.{order}_saved",
    order=("uncertainty", "pick", "clusters", "typical", "carriers"),
    rows=("model", "explainer"),
    columns="order",
    names=NAMES,
)

# %% [markdown]
# ## Add an explainer
#
# A package that declares an entry point of the group `trustnlp.explainers` joins without a change here: install it, and name it.
#
# ```bash
# trustnlp run decoys/leaderboard --set 'explainers=[occlusion,random,masked_words]'
# ```
#
# {py:mod}`trustnlp.attribution.explainer_registry` says what its function receives and returns. If the function raises, or does not return a finite score for each word, its cells fail by name and all others go on.

# %%
record.save()
record
