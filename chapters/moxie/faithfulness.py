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
# # Explainers side by side
#
# *It's a charming and often affecting journey* has seven words: 128 copies with some of them masked, and the classifier can answer for each. So for short sentences nothing need be sampled or learned: {term}`occlusion`, {term}`Shapley values <Shapley value>` and
# {term}`LIME` have exact values. Here eleven explainers score the words of the same sentences, and each is held against what the classifier does. Two questions come first: how much of an explanation by LIME is chance, and how much is its definition?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/faithfulness"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
encoder = "all-MiniLM-L6-v2"
n_texts = 300
teacher_epochs = 2
teacher_rate = 0.0003
pairs = 200
student_epochs = 2
student_rate = 0.0003
selection = 10
batch_size = 32
max_length = 64
precision = "float32"
device = "cpu"
texts = 6
longest = 8
lime_samples = [100, 1000]
random_sets = 30
steps = 16
tweets = 20

# %%
import numpy as np
import pandas as pd
from trustnlp.attribution.word_switches import WordSwitches, all_answers
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.moxie import faithfulness
from trustnlp.studies.moxie.models import explained, reviews_for

repeats = {"": "float32", "cost.seconds": "timed"}
record = Record(
    "moxie", "faithfulness", profile=profile, seeds=seeds, repeats=repeats
)
record.uses_encoder(encoder)

# %%
reviews = reviews_for(record, n_texts)
given = vars()  # the parameters above
found = {seed: explained(reviews, given, seed) for seed in seeds}
chosen = {
    seed: faithfulness.short_texts(reviews, texts, longest, seed) for seed in seeds
}

# %% [markdown]
# ## Chance and definition
#
# LIME draws copies of a sentence at random, so that two runs may differ. With all copies of a short sentence it has a limit, which needs no draw. But the limit depends on its settings, the kernel's width for one; and it is another quantity
# than a Shapley value or an occlusion. Three shares, in per cent of sentences: how often the word with the largest magnitude, and how often the whole order, differs between two runs of LIME, between two widths of the kernel (both exact), and between
# exact definitions.

# %%
rows = {
    seed: faithfulness.disagreements(found[seed], chosen[seed], lime_samples, seed)
    for seed in seeds
}
table = pd.DataFrame(rows).T.rename_axis("seed")
for key, values in table.items():
    record.metric(key, values, interval="t")
WHAT = {"top": "the largest word differs", "order": "the order differs"}
RUNS = {f"s{n}": f"two runs, {n:,} copies" for n in (100, 1000, 5000)}
record.table(
    "lime.{between}.{what}",
    between=(*RUNS, "width"),
    what=tuple(WHAT),
    columns="what",
    names={**WHAT, **RUNS, "width": "two widths, exact", "between": "LIME"},
)

# %%
record.table(
    "definition.{between}.{what}",
    what=tuple(WHAT),
    columns="what",
    names={
        **WHAT,
        "between": "exact definitions",
        "occlusion_shapley": "occlusion, Shapley values",
        "occlusion_lime_exact": "occlusion, LIME",
        "shapley_lime_exact": "Shapley values, LIME",
    },
)

# %% [markdown]
# What was seen: two runs of LIME with a hundred copies of a sentence hardly ever agree on the order of its words, with five thousand copies in about half of the sentences. But two *exact* definitions agree on it less often than that. The word with the largest score is safer: LIME's stays the same in nearly all sentences
# with five thousand copies, while occlusion and Shapley values name another one in some sentences. So more samples do not settle what to show; a definition does.
#
# ## Which scores follow the classifier?
#
# Four measures, none of which needs a person. *Deletion*: mask the words from the highest score down; a good order makes the probability fall early (small area). *Insertion*: the reverse (large area). *Occlusion*: rank correlation with what masking each
# word alone does. *Infidelity*: how far sums of scores are from what masking random sets of words does, after scaling. No explainer wins all of them by being right: occlusion is measured by itself in the third, and LIME and Shapley values, which fit sums of scores, answer the fourth best.

# %%
measured = {}
for seed in seeds:
    scores, costs = faithfulness.all_scores(
        found[seed], reviews, chosen[seed], lime_samples[-1], steps, seed
    )
    measured[seed] = faithfulness.measured(
        found[seed], chosen[seed], scores, costs, random_sets, seed
    )
for name in measured[seeds[0]]:
    for measure in measured[seeds[0]][name]:
        values = [measured[s][name][measure] for s in seeds]
        key = f"{measure}.{name}"
        record.metric(key, values, interval="t")

# %%
MEASURES = {
    "deletion": "deletion (small)",
    "insertion": "insertion (large)",
    "infidelity": "infidelity (small)",
}
names = {**faithfulness.METHODS, "explainer": ""}
record.table(
    "{measure}.{explainer}",
    measure=tuple(MEASURES),
    explainer=tuple(faithfulness.METHODS),
    rows="explainer",
    columns="measure",
    names={**names, **MEASURES},
)

# %%
record.table(
    "cost.passes.{explainer}",
    explainer=tuple(faithfulness.METHODS),
    names={**names, "explainer": "what a sentence costs"},
)

# %% mystnb={"figure": {"name": "fig-moxie-faithfulness", "caption": "Explainers of one classifier on the same short sentences (committed record): rank correlation of their scores with exact occlusion."}}
record.plot(
    "occlusion.{explainer}",
    explainer=tuple(faithfulness.METHODS),
    x="explainer",
    title="MOXIE's influence agrees with occlusion about as well as integrated gradients do",
    names=names,
    ylabel="rank correlation with occlusion",
)

# %% [markdown]
# What was seen: Shapley values and LIME are alike, exact or sampled, and the best by deletion; of sentences this short KernelSHAP asks every copy, so it is exact as well. MOXIE's influence agrees with occlusion nearly as well as {term}`integrated gradients` do, with a tenth of the passes (each of theirs forward and backward), but is further off by infidelity. It is ahead of the ridge regression, which trains no {term}`encoder`, with every teacher, by no settled amount. Gradient × input
# is near random scores. What to take from it: for sentences this short, exact values are to be had for a few hundred passes, and a student cannot be cheaper than occlusion, which needs one pass a word. What a student can do, and occlusion cannot, is to answer for words that
# are *not* in the sentence.
#
# ## Try it
#
# Press a word to mask it, and press it again to bring it back: the number is what the classifier says then. All answers are stored in this page, so nothing is asked of anybody.

# %%
sentence = tuple("the film is not very good".split())
asked = found[seeds[0]].teacher
switches = all_answers(
    asked.probabilities, sentence, 1, "probability of positive", mask=asked.mask
)
record.array("switches", {str(seeds[0]): switches.probabilities})
answers = np.array(evidence_arrays(record)["switches"][str(seeds[0])])
WordSwitches(sentence, answers, "probability of positive")

# %% [markdown]
# ## Other text
#
# The student learned from film reviews. Is it still faithful to its teacher on tweets to airlines? The tweets are read, never shown; in the smoke run, made-up sentences with shuffled words stand in for them.

# %%
if profile == "paper":
    record.uses("airline_tweets")
other = {
    seed: faithfulness.accuracies(found[seed], reviews, tweets, profile, seed)
    for seed in seeds
}
far = pd.DataFrame(other).T.rename_axis("seed")
for key, values in far.items():
    unit = "points" if key.endswith("gain") else "%"
    record.metric(f"elsewhere.{key}", values, interval="t", unit=unit)
record.table("elsewhere.{what}", names={"what": "on tweets", "positive": "tweets called positive"})

# %% [markdown]
# Fewer gains here than on reviews would mean that what the student learned is about reviews, not about its teacher. What was seen: it stays ahead of the context alone, by fewer than half of the points that it has on reviews. Compare the context alone with the share of the teacher's commoner answer, too: most tweets are negative.

# %%
record.save()
record
