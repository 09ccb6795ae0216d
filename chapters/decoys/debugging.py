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
# # Debugging closed: name the bug, drop it, ask again
#
# A model has learned that *movie* means praise. An engineer reads its {term}`explanations <attribution>`, suspects five words, *movie* among them, drops them from the training reviews and trains again. Is the bug gone? What did the four other words cost? And what would the same zeal have cost a sound model?
#
# The paper lists such set-ups and runs none: choosing between two models, improving one, finding contaminated training texts. This page runs them on {term}`decoys <planted decoy>` of [](adoption.ipynb), with a written rule as the reader. [](critique.ipynb) opens with what that reader cannot say about people.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/debugging"
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
explainers = ["occlusion", "lime", "random"]
decoys = ["video_text", "position", "punctuation", "movie"]
minilm_decoys = ["video_text", "movie"]
minilm_explainers = ["integrated_gradients"]
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
chance_draws = 20
samples = 100
steps = 8
most = 5

# %%
import pandas as pd
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence, evidence_arrays
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.debugging import measurements
from trustnlp.studies.decoys.debugging.measurements import debugged
from trustnlp.studies.decoys.leaderboard import benchmark_models

given = vars()  # the parameters above
record = Record(
    "decoys", "debugging", profile=profile, seeds=seeds, repeats={"": "float32"}
)
record.uses("hu_liu_lexicon")
if "minilm" in models:
    record.uses_encoder(encoder)

# %% [markdown]
# ## Models and what is asked of them
#
# Models, sentences and the reader are those of [](leaderboard.ipynb): for each {term}`seed` one clean model, and one for each decoy. A decoy takes part if the model has adopted it at least partly and enough of the shown sentences carry it. The reader notes the words with the largest scores, passes over opinion words, and names what it has noted often enough.
#
# On this page each buggy model meets three tasks. The reader's first few names (`most` says how many) are the words that we drop.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = {kind: debugged(kind, parts, inspector, given) for kind in models}
for kind, own in found.items():
    record.metrics(measurements.per_seed(own, seeds), prefix=kind, interval="t")
    record.array(f"{kind}.standings", benchmark_models.standings(own.models))
    record.array(f"{kind}.repairs", measurements.by_decoy(own.repaired))

# %%
stood = pd.DataFrame(evidence_arrays(record)["presence.standings"])
record.show(pd.crosstab(stood["decoy"], stood["standing"]))

# %% [markdown]
# ## Which of two models has the bug?
#
# In the paper's second set-up, a reader sees explanations of two models for the same sentences and should prefer the one without the bug. Our reader looks for the word that comes first in many more explanations of one model than of the other, and mistrusts that model. With random scores, or scores shuffled within each sentence, this rule should be right half of the time, like a coin toss.
#
# Two readers see no explanation. One (`accuracy, contaminated dev`) prefers the model that is more accurate on validation sentences like the training data, where the bug pays. The other has original sentences, which in practice means knowing about the bug. Every explainer should succeed far more often than half of the time, the first of these readers far less often. `decoy first` asks for more: the distinguishing word must be the planted one, since the loss of a good word could also give a model away.
#
# The paper wants two models of similar validation performance. A decoy in every sentence makes the buggy model much better on contaminated sentences (*buggy model ahead*). So we also count separately the pairs with similar accuracy on such sentences.

# %%
pairs_of = {"rows": "by", "columns": "what", "names": NAMES}
what = "success", "similar_success", "decoy_first"
record.table("presence.compare.{by}.{what}", what=what, **pairs_of)

# %% [markdown]
# The same shares minus those with shuffled scores; then the buggy model's lead in points:

# %%
what = "above_chance", "similar_above_chance", "decoy_first_above_chance"
record.table("presence.compare.{by}.{what}", what=what, **pairs_of)
record.table("presence.compare.{by}.ahead", names=NAMES)

# %% [markdown]
# With {term}`occlusion` the reader prefers the sound model in {metric}`debugging.paper:presence.compare.occlusion.success` of the pairs, with {term}`LIME` in {metric}`debugging.paper:presence.compare.lime.success`, and hardly less often where both have similar accuracy. Mostly a word of the decoy decides. With random scores its success does not differ detectably from a half{holds}`debugging.paper:presence.compare.random.above_chance between -20 20`. A developer who trusts accuracy on contaminated sentences chooses the buggy model every time{holds}`debugging.paper:presence.compare.validation.success between -0.01 0.01`. Even original sentences with labels identify the sound model less often than explanations do ({metric}`debugging.paper:presence.compare.original_validation.success`{holds}`debugging.paper:presence.compare.original_validation.success between 60 90`).
#
# ## Drop what was named, train again
#
# The third set-up closes the loop. We drop the named words from the training sentences, train the model anew, and ask as before: in how many held-out sentences does the decoy of a wrong class still win? That is the {term}`rate of adoption` left. We compare with a sound model that lost the same words: dropping good words makes every model worse, and that is not the bug.
#
# Three other sources name words too. Random scores, read by the same reader, set the level that any explainer must beat. A count names words without any model. The third source is told the decoy's own words, and all words that contain it if the decoy goes by parts of words.
#
# Dropping all words of the decoy should remove the bug; one word left in every sentence of a class is enough to keep it. Test accuracy on original sentences should say little of this. *cost* is what the drop itself costs the sound model. A decoy's negative rate can hide in the mean what is left of another, so the rates left follow decoy by decoy.

# %%
what = "before", "left", "gain", "loss", "cost"
record.table(
    "presence.repair.{source}.words.{what}",
    what=what,
    rows="source",
    columns="what",
    names=NAMES,
)

# %% mystnb={"figure": {"name": "fig-decoys-repair", "caption": "The bug left after we drop the named words and train again, and the accuracy that the model then lacks on original sentences (committed record)."}}
bug_before = evidence(record)["presence.repair.known.words.before"]["mean"]
record.plot(
    "presence.repair.{source}.words.{what}",
    what=("left", "loss"),
    x="source",
    color="what",
    title="Dropping words that explanations name leaves a third of the bug; dropping those of a count leaves hardly any",
    xlabel="words named by",
    ylabel="points",
    levels={"bug before": bug_before, "counts as none": 10.0},
    names=NAMES | {"left": "bug left", "loss": "accuracy lost"},
)

# %% [markdown]
# What is left of the rate, decoy by decoy, in points (mean over seeds); then the dropped words, from the first seed in which the decoy took part:

# %%
by_words = pd.DataFrame(evidence_arrays(record)["presence.repairs"])
# The committed record has, after these, repairs of clean models and by dropped sentences.
by_words = by_words.dropna(subset="left").drop_duplicates(["decoy", "source"])
rates_left = by_words.pivot(index="decoy", columns="source", values="left")
record.show(rates_left.map("{:.0f}".format))

# %%
what_went = by_words.pivot(index="decoy", columns="source", values="words")
record.show(what_went[[explainers[0], "random", "count"]])

# %% [markdown]
# If we know the words of an inserted decoy, hardly anything of it is left: dropping added words restores the original sentences. Of *movie* a rate above the limit for *not adopted* is left, although we dropped all words that contain it.
#
# Words named by explanations win the accuracy back and leave much less of the bug than words named by random scores. Still, {metric}`debugging.paper:presence.repair.occlusion.words.left` are left on average with occlusion. Decoys that most sentences carry are gone; those in few sentences mostly survive, because *and* and commas take their places among the recurring words. The count, which has the training labels and no model, leaves about as little as knowing the words. Losing the same words costs a sound model nothing measurable{holds}`debugging.paper:presence.repair.occlusion.words.cost between -1 0.5`.
#
# ## Repairing a model that has no bug
#
# The same reader also names words of a clean model, all of them wrongly. Dropping them should cost little: the reader names frequent words rather than telling ones.

# %%
record.table("presence.clean_repair.{source}.words.loss", names=NAMES)

# %% [markdown]
# The clean model loses nothing measurable when these words go{holds}`debugging.paper:presence.clean_repair.occlusion.words.loss between -1 0.5`.
#
# ## Which training sentences are contaminated?
#
# The paper designed its fourth set-up for explanations that point at training texts. Here the named words point: we check first the sentences with the most of them, a tenth of all. Words named by random scores set the level to beat. A count sees the training sentences and their labels, so it should do at least as well as explanations, although it also names words of a class in which nothing was planted. We leave out decoys that most sentences carry: there is nothing to search for.

# %%
record.table("presence.uncover.{source}.found", names=NAMES)

# %% [markdown]
# Words named by occlusion find {metric}`debugging.paper:presence.uncover.occlusion.found` of the contaminated sentences, words by random scores {metric}`debugging.paper:presence.uncover.random.found`, and words by the count {metric}`debugging.paper:presence.uncover.count.found`.
#
# ## Exercises
#
# **1.** Which decoy keeps the largest rate when we drop the first explainer's words? **2.** How many words that are not the decoy's did that explainer name, in the first seed of each decoy, over all decoys?

# %% tags=["hide-cell"]
first_by = rates_left[explainers[0]]
wrong = [
    set(went[explainers[0]]) - set(went["known"])
    for _, went in what_went.iterrows()
]
record.show({"1": first_by.idxmax(), "2": sum(map(len, wrong))})

# %%
record.deviation(
    "No person took part: the reader of explanations is a written rule."
)
record.deviation(
    "Words that were named in explanations of other texts rank the training texts; the paper's "
    "fourth set-up has explanations by example, and mislabelled texts to be relabelled."
)
record.deviation(
    "The two models that are compared are not of similar validation performance: on sentences "
    "contaminated like the training data the buggy one is ahead, by the points of "
    "compare.validation.ahead; pairs that are similar are counted for themselves.",
    keys=[f"{kind}.compare" for kind in models],
)
if "minilm" in models:
    why = f"The encoder is {encoder}, the paper's BERT base."
    record.deviation(why, keys=["minilm"])
record.save()
record
