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
# **What to use.** To look for spurious words, count before you explain: χ² or a smoothed ratio of the words in the training texts of each class has all{holds}`critique.paper:finds.chi2 above 99` {term}`decoys <planted decoy>` that a model of present words adopted among its first five words and not among those of the clean data; the words that {term}`occlusion` puts first most often name {metric}`critique.paper:finds.occlusion.first_places` of them [](critique.ipynb). Then explain, for what such a count cannot see: of the decoys that convolutions adopted χ² has {metric}`critique.paper:convolution.finds.chi2` and misses a word that only changes its *place*, since it counts words without their place; the first places by occlusion have {metric}`critique.paper:convolution.finds.occlusion.first_places`. Gradient × input is the cheapest explainer: by it a reader of convolutions names {metric}`leaderboard.paper:convolution.ranking.gradient_x_input.found | full` of the decoys, by occlusion {metric}`leaderboard.paper:convolution.ranking.occlusion.found`, by {term}`integrated gradients` {metric}`leaderboard.paper:convolution.ranking.integrated_gradients.found`, by random scores {metric}`leaderboard.paper:convolution.ranking.random.found`. {term}`LIME` and KernelSHAP name no more and cost more. Then verify each word, since the same reader names words of a sound model, too: {metric}`leaderboard.paper:convolution.gradient_x_input.false_alarms` by gradient × input, {metric}`leaderboard.paper:convolution.occlusion.false_alarms` by occlusion, {metric}`leaderboard.paper:convolution.lime.false_alarms` by LIME. For {term}`encoders <encoder>` none of this is measured yet.
#
# A model has learned that *movie* means praise. Somebody reads {term}`explanations <attribution>` of its answers, one review after the other: which words spoke for the label? If *movie* keeps turning up, it is named, and the bug is found. How many reviews does that take, with which explainer, in which order? And does the same reader name a word when *nothing* was
# planted? The paper calls the first two effectiveness and efficiency, and asks for a benchmark of them. This page is one: explainers × decoys × models, a reader who is a written rule, and chance measured beside it.

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
# For each {term}`seed` and decoy one model learns from contaminated sentences, and one from clean ones. A decoy takes part where the model of that seed has adopted it, if only partly: held-out texts get the decoy of a wrong class, both models answer, and the {term}`rate of adoption` is which part of them the decoy won. Two more rules: a decoy without words, such as the
# length of a text, cannot be named by anyone who reads scores of words; and one that fewer of the shown texts carry than the reader must have seen it in cannot either. Shown are random test sentences, contaminated as the training texts were, the same for all explainers.
#
# Each explainer scores the words of these sentences for the label that the model predicts. The cells (explainer, decoy, model, seed) are computed once and kept under the `paper` profile, so a run that was stopped goes on, and [](critique.ipynb) reads them again.

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
# The reader of this page notes the words with the largest scores in each explanation, passes over opinion words of the lexicon of Hu and Liu (they are good reasons), and names a word once it is noted often enough. It stops at its budget of sentences. What that can say about people is little, and [](critique.ipynb) begins with it.
#
# Three comparisons keep the reader honest. *Chance*: the same explanations with their scores permuted within each text. *The clean model on these texts*: what the same explainer says of the clean model of that seed, on the same contaminated sentences in the same order. A word that stands in many sentences can be noted without having been learned, so an explainer has helped by the smaller of its leads over these two. False alarms: the same reader with the clean model on original sentences, where every name is false.

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
    for key, per_seed in values.items():
        record.metric(f"{first}{key}", per_seed, interval="t")
    for key, (value, interval) in ranks.items():
        record.metric(f"{first}{key}", value, interval=interval)

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
# By explanations in random order. An explainer is better if more decoys are named, and of equal shares, if they are named sooner; a search that names nothing counts one instance more than its budget. Shares, and the sentences read, have intervals over decoys and their seeds, the other columns over seeds alone.

# %%
grid = {"rows": "explainer", "columns": "model", "names": NAMES}
record.table("{model}.ranking.{explainer}.{shares}", shares=("found",), **grid)

# %% [markdown]
# Sentences read until then, and the share of the budget by which the planted word is named sooner than by both controls, chance and the clean model on the same texts:

# %%
record.table("{model}.ranking.{explainer}.instances", **grid)

# %%
record.table("{model}.{explainer}.all.above_controls", **grid)

# %% [markdown]
# What to expect: random scores at chance, and all others above it. On a model of present words, occlusion reads off what each word weighs, so that the sampled methods can come near it and not beyond; such a model has no gradients. On convolutions all six explainers apply.

# %% mystnb={"figure": {"name": "fig-decoys-leaderboard", "caption": "How often a simulated inspector who reads an explainer's words names the planted decoy, and how often by shuffled scores (committed record)."}}
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
# *Named in a clean model too*, the first table below, should be near zero for words that were put into the data, and need not be for words that reviews
# use anyway, such as *movie*: there a name is a find only so far as it is rarer in the clean model. *Words named in a clean model*, the second, need not follow the rank: who marks a few words strongly and always the same ones raises more alarms.

# %%
record.table("{model}.{explainer}.in_clean.all", **grid)

# %%
record.table("{model}.{explainer}.false_alarms", **grid)

# %% [markdown]
# And what a text costs, in seconds of this machine:

# %%
record.table("{model}.{explainer}.seconds", **grid)

# %% [markdown]
# Which words are the false alarms? Those named in the first random order of the first seed's clean model, in the order of naming. Negations and intensifiers are no opinion words of the lexicon, though they may well be good reasons.

# %%
named_first = pd.DataFrame(evidence_arrays(record)["alarms"])
record.show(named_first.set_index(["model", "explainer"])[["words"]])

# %% [markdown]
# ## Which sentences to read first
#
# Instances saved by an order against the random one, mean over adopted decoys. The paper names two orders that need no knowledge of the bug, {cite:t}`ribeiro2016why`'s submodular pick and clusters of explanations, and one that does: `carriers`, only sentences with the decoy. `typical` shows what is nearest to the mean of all explanations first: what clusters save
# beyond it is due to the clusters. What to expect: `carriers` saves most where the decoy is rare, and nothing where every text has it. A negative number is an order that hides the bug.

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
# {py:mod}`trustnlp.attribution.explainer_registry` says what its function gets and returns. If it raises, or returns something else than a finite score for each word, its cells fail by name, and all others go on.

# %%
record.save()
record
