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
# # Words that turn the answer
#
# *A sometimes tedious film*: negative. Which adjective in the place of *tedious* makes it positive? Such a word is a {term}`counterfactual`, and MOXIE names one without asking the teacher: the student predicts the answer for each of three thousand adjectives. Then the teacher answers for the ten of which the student is surest. The paper calls their accuracy better than chance. We measure chance as well.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/counterfactuals"
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
few_pairs = 60
sentences = 30
all_contexts = 15
random_words = 5

# %%
import numpy as np
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import counterfactuals
from trustnlp.studies.moxie.models import explained, other_student, reviews_for

record = Record(
    "moxie", "counterfactuals", profile=profile, seeds=seeds, repeats="float32"
)
record.uses_encoder(encoder)
reviews = reviews_for(record, n_texts)

# %% [markdown]
# ## Named, then looked up
#
# Are the words that the student names right? Contexts are the words of development sentences whose part of speech has a dictionary. For each, the student names up to ten words, surest first, and the teacher answers. Without this selection it answers for all words that the student names, in a random part of the contexts. *Chance* is random words of the same part of speech in the same contexts. A second student, trained on fewer pairs, shows whether a better student names better words.

# %%
record.deviation(
    f"E.2 without selection: a random {all_contexts} of the contexts with a counterfactual.",
    keys=["median.all", "median.size_all", "median.selection_gain"],
)
whole = sentences >= len(reviews.tagged["dev"])
if not whole:
    record.deviation(f"The first {sentences} sentences of dev.")
rows, ranks, examples = {}, {}, {}
for seed in seeds:
    found = explained(reviews, vars(), seed)
    lesser = other_student(found, reviews, seed, pairs=few_pairs)
    contexts = counterfactuals.contexts_of_dev(reviews, sentences)
    named = counterfactuals.top_ten(found, found.student, reviews, contexts)
    less = counterfactuals.top_ten(found, lesser, reviews, contexts)
    rng = np.random.default_rng([seed, 4])
    rows[seed] = counterfactuals.compared(
        found, reviews, contexts, named, less, random_words, all_contexts, rng
    )
    rows[seed] |= counterfactuals.better_student(
        found, lesser, reviews, sentences, rows[seed]["better.accuracy_gain"]
    )
    ranks[seed] = counterfactuals.by_rank(named)
    examples[seed] = counterfactuals.table10(found, reviews)
table = pd.DataFrame(rows).T.rename_axis("seed")

# %%
for key, values in table.items():
    if values.notna().all() and (whole or key not in counterfactuals.COUNTS):
        record.metric(key, values, interval="t")
for key, values in pd.DataFrame(examples).T.items():
    record.metric(key, values, interval="t", unit="probability")
for rank in sorted(set.intersection(*map(set, ranks.values()))):
    values = [ranks[s][rank] for s in seeds]
    record.metric(f"rank.up{rank}", values, interval="t", unit="%")

# %% [markdown]
# ## Figure 3
#
# Named words should turn the answer far more often than random ones, and the first more often than the tenth. The first of these holds. But accuracy hardly falls with rank: the student cannot say which of its ten words is best. The paper's median covers only contexts *with* a counterfactual, however few they are.

# %% mystnb={"figure": {"name": "fig-moxie-counterfactuals", "caption": "How often the word that the student names first, second, … turns the teacher's answer (committed record). Random words of the same part of speech stand in the same contexts."}}
record.plot(
    "rank.up{rank:d}",
    x="rank",
    title="A named word turns the answer far more often than a random one, whatever its rank",
    xlabel="rank of the named word",
    ylabel="answers turned (%)",
    levels={"random words": record.frame("accuracy.random").loc[0, "mean"]},
)

# %%
record.table(
    {
        "accuracy of ten words, median of Figure 3": "median.top10",
        "accuracy of all words, median": "median.all",
        "what selection gains": "median.selection_gain",
        "words tried in a context, median": "median.size",
        "the same without selection": "median.size_all",
    }
)

# %% [markdown]
# A student cannot be wrong in a context for which it names no word. So read its accuracy together with the share of contexts for which it names any: a more daring student finds more and errs more. Where both students name a word, the one of more pairs is ahead with four of five teachers. But with one of these four it gets fewer whole sentences right.

# %%
record.table(
    {
        "turned by words of the student": "accuracy.student",
        "by words of the student of fewer pairs": "accuracy.lesser",
        "by random words": "accuracy.random",
        "contexts with a word, student": "share",
        "contexts with a word, student of fewer pairs": "share.lesser",
        "gain of the student, where both name a word": "better.accuracy_gain",
        "its gain in sentences all right": "better.all_correct_gain",
    }
)

# %% [markdown]
# ## Table 10
#
# Do the paper's three example words turn our teachers, too? In the place of an adjective of its sentence, each turns the answer of every teacher.

# %%
record.table("table10.{word}", names={"word": "probability of positive, less one half"})

# %%
record.save()
record
