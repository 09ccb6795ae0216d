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
# *It's a charming and often affecting journey* has seven words, so the classifier can answer for all 128 copies with some of them masked. For sentences this short, {term}`occlusion`, {term}`Shapley values <Shapley value>` and {term}`LIME` have exact values, without sampling or learning. Here ten explainers, and random scores, rate the words of the same sentences; we compare each with what the classifier does. But first: how much of an explanation by LIME is chance, and how much is its definition?

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
# LIME draws copies of a sentence at random, so two runs may differ. With all copies it is exact. But the exact value depends on LIME's settings, such as the width of its kernel, and it differs from a Shapley value or an occlusion. How often do two runs of LIME, two kernel widths, or two exact definitions differ in the word of largest magnitude, and how often in the whole order?

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
# Two runs of LIME with a hundred copies hardly ever agree on the order of the words; with five thousand, they agree in about half of the sentences. Two *exact* definitions agree less often than that. The top word is safer. With five thousand copies LIME's stays the same in nearly all sentences, but occlusion and Shapley values name another one in {metric}`faithfulness.paper:definition.occlusion_shapley.top` of them. So more samples do not settle what to show; a definition does.
#
# ## Which scores follow the classifier?
#
# Four measures answer without a person:
#
# - *Deletion* masks the words from the highest score down. A good order makes the probability fall early (small area).
# - *Insertion* does the reverse (large area).
# - *Occlusion* is the rank correlation with what masking each word alone does.
# - *Infidelity* is how far sums of scores, after scaling, lie from what masking random sets of words does.
#
# Two of them favour some explainers: the third compares occlusion with itself, and the fourth tests sums of scores, which LIME and Shapley values fit.

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
    names={**names, "explainer": "passes per sentence"},
)

# %% mystnb={"figure": {"name": "fig-moxie-faithfulness", "caption": "Rank correlation of each explainer's scores with exact occlusion, on the same short sentences (committed record)."}}
record.plot(
    "occlusion.{explainer}",
    explainer=tuple(faithfulness.METHODS),
    x="explainer",
    title="MOXIE's influence agrees with occlusion about as well as integrated gradients do",
    names=names,
    ylabel="rank correlation with occlusion",
)

# %% [markdown]
# - Shapley values and LIME are alike, exact or sampled, and best by deletion. For sentences this short KernelSHAP asks every copy, so it is exact as well.
# - MOXIE's influence agrees with occlusion nearly as well as {term}`integrated gradients` do, with a tenth of the passes. By infidelity it is further off.
# - It agrees better than the ridge regression, which trains no {term}`encoder`, with every teacher. How much better is not settled.
# - Gradient × input is hardly better than random scores.
#
# For sentences this short, a few hundred passes buy exact values. A student cannot be cheaper than occlusion, which needs one pass per word. But a student can answer for words that are *not* in the sentence, and occlusion cannot.
#
# ## Try it
#
# Press a word to mask it, and press it again to bring it back. The number is the classifier's answer; this page stores all of them.

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
# The student learned from film reviews. Does it still follow its teacher on tweets to airlines? If it learned more about reviews than about its teacher, it gains less here. The smoke run has made-up sentences with shuffled words instead.

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
# The student stays ahead of the context alone{holds}`faithfulness.paper:elsewhere.gain clearly above 0`, by fewer than half of the points that it gains on reviews. Most tweets are negative, and the context alone is right about as often as a guess that always says so.

# %%
record.save()
record
