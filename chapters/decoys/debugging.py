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
# A model has learned that *movie* means praise. Somebody reads its {term}`explanations <attribution>`, suspects five words, *movie* among them, has them dropped from the training reviews, and trains again. Is the bug gone? What did the four other words cost? And if the model had been sound, what would the same zeal have cost it?
#
# The paper lists such set-ups and runs none: choosing between two models, improving one, finding contaminated training texts. This page runs them with a reader who is a written rule, on {term}`decoys <planted decoy>` of [](adoption.ipynb). What that reader cannot say about people is said at the head of [](critique.ipynb).

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
from trustnlp.studies.decoys.debugging import measurements as measured
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
# Models, sentences and the reader are those of [](leaderboard.ipynb): for each {term}`seed` a clean model, and one for each decoy, of which those take part that the model has adopted, if only partly, and that enough of the shown sentences carry. The reader notes the words with the largest scores, passes over opinion words, and names what it has noted often enough.
#
# On this page each buggy model meets three tasks. The words that the reader names first, a handful at most (`most`), are what it would have dropped.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = {kind: debugged(kind, parts, inspector, given) for kind in models}
for kind, own in found.items():
    for key, values in measured.per_seed(own, seeds).items():
        record.metric(f"{kind}.{key}", values, interval="t")
    record.array(f"{kind}.standings", benchmark_models.standings(own.models))
    record.array(f"{kind}.repairs", measured.by_decoy(own.repaired))

# %%
stood = pd.DataFrame(evidence_arrays(record)["presence.standings"])
record.show(pd.crosstab(stood["decoy"], stood["standing"]))

# %% [markdown]
# ## Which of two models has the bug?
#
# The paper's second set-up: two models, one with a bug, explained on the same sentences; success is to prefer the other. The reader looks for the word that comes first in many more explanations of the one model than of the other, and mistrusts the model that it comes first in. Who tosses a coin is right half of the time; with the scores of both models shuffled within each sentence,
# the same rule should be so too, and so should random scores.
#
# Two who read no explanation stand below. One (`accuracy, contaminated dev`) prefers the model that is more accurate on validation sentences like the training data: they have the bug as well, so that it pays there. The other has original sentences, which in practice means knowing about the bug. What to expect: every explainer but random scores far above a half, the first of these two far below it. `decoy first` asks
# for more: the word that tells the two apart is the planted one. A model that has lost a good word could be found out by that as well.
#
# The paper wants the two to be of similar validation performance. A decoy in every sentence makes the buggy model much better on sentences that have it too (*buggy model ahead*), so that the pairs that are similar, in accuracy on such sentences, are counted again for themselves.

# %%
pairs_of = {"rows": "by", "columns": "what", "names": NAMES}
what = "success", "similar_success", "decoy_first"
record.table("presence.compare.{by}.{what}", what=what, **pairs_of)

# %% [markdown]
# The same, less what it is with shuffled scores; and by how many points the buggy model is ahead.

# %%
what = "above_chance", "similar_above_chance", "decoy_first_above_chance"
record.table("presence.compare.{by}.{what}", what=what, **pairs_of)
record.table("presence.compare.{by}.ahead", names=NAMES)

# %% [markdown]
# What was seen, on made-up reviews as on SST-2 (models of present words): {term}`occlusion` and {term}`LIME` tell the sound model from the buggy one in nearly every pair, mostly by a word of the decoy, and no less where the two are of similar accuracy. Random scores are not away from a half. Who trusts accuracy on contaminated sentences chooses the buggy one every time, and original
# sentences, with their labels, tell the two apart less often than explanations do.
#
# ## Drop what was named, train again
#
# The third set-up, and the loop closed. The words are dropped from the training sentences. Then the model is trained anew and asked as before: of held-out sentences with the decoy of a wrong class, how many does it still win? That is the {term}`rate of adoption` left. It is counted against a sound model that lost the same words: dropping good words makes every model worse, and that is not the bug.
#
# Beside each explainer: the words that the same reader names by random scores, which is the level that any explainer must beat; words that a count names without any model; and the decoy's own words, as if they were known, all that contain it where it goes by parts of words. What to expect: whoever drops all words of the decoy is rid of it, and one word left in every sentence of a class is enough
# to keep it. Test accuracy on original sentences says little of this. *cost* is what the drop itself costs the control. A rate can be below nought, and then hides in the mean what is left of another decoy; so the rates left follow decoy by decoy.

# %%
what = "before", "left", "gain", "loss", "cost"
record.table(
    "presence.repair.{source}.words.{what}",
    what=what,
    rows="source",
    columns="what",
    names=NAMES,
)

# %% mystnb={"figure": {"name": "fig-decoys-repair", "caption": "What is left of the bug after the named words were dropped and the model trained again, and the accuracy that the model then lacks on original sentences (committed record)."}}
bug_before = evidence(record)["presence.repair.known.words.before"]["mean"]
record.plot(
    "presence.repair.{source}.words.{what}",
    what=("left", "loss"),
    x="source",
    color="what",
    title="Explanations name words whose loss leaves a third of the bug; a count leaves hardly any",
    xlabel="words named by",
    ylabel="points",
    levels={"bug before": bug_before, "counts as none": 10.0},
    names=NAMES | {"left": "bug left", "loss": "accuracy lost"},
)

# %% [markdown]
# Decoy by decoy, what is left of the rate where words were dropped, mean over seeds, in points; and which words that were, in the first seed in which the decoy took part.

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
# What was seen: who knows the words of a decoy that was written into sentences leaves nothing of it. That is so by construction, as what is left are the original sentences. Of a natural one something is left, of *movie* more than counts as none, though all words with *movie* in them are dropped.
#
# On SST-2, words named by explanations win the accuracy back and leave much less of the bug than random scores do. But in the mean a good part of it is left, and the mean is of two kinds: decoys that most sentences carry are gone, those in few sentences are mostly still there. The reader names what recurs in explanations, so that *and* and commas take the places of a rare decoy. The count,
# which has the training labels and no model, leaves about as little as those who know. Losing the same words costs a sound model nothing that could be measured.
#
# ## Repairing a model that has no bug
#
# Whoever debugs does not know whether there is one. The same reader with the clean model names words as well, all of them wrongly. What to expect: they cost little, since what the reader names beyond opinion words is frequent rather than telling.

# %%
record.table("presence.clean_repair.{source}.words.loss", names=NAMES)

# %% [markdown]
# What was seen: a clean model of SST-2 loses nothing that could be measured when the words go.
#
# ## Which training sentences are contaminated?
#
# The fourth set-up is made for explanations that point at training texts. Here the named words point: sentences with the most of them are checked first, a tenth of all. Words named by random scores are the level to beat: they find more than sentences drawn by lot, as the reader names what it saw. A count that sees the training sentences and their labels should do at least as well as
# explanations; that it names words of a class that were not planted costs it places too. Decoys that most sentences carry are left out: there is nothing to search for.

# %%
record.table("presence.uncover.{source}.found", names=NAMES)

# %% [markdown]
# What was seen: words named by explanations point to somewhat more contaminated sentences than words by random scores, and on SST-2 to less than half as many as the count does.
#
# ## Exercises
#
# **1.** Which decoy keeps the largest rate when the first explainer's words are dropped? **2.** How many words did that explainer have dropped that were none of the decoy's, in the first seed of each decoy, over all decoys?

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
