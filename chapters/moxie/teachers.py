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
# # Ask the teacher itself
#
# A student says that its teacher answers positive with *straight* more often than with *lesbian*. The paper concludes that the teacher does. But a student can err. So here the teacher answers, in a sample of its student's contexts: with the paper's words, and with neutral ones.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/teachers"
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
control = "straight"
probes = ["lesbian", "gay", "bisexual", "transsexual"]
placebos = 8
filter_words = 20
base_contexts = 200

# %%
import numpy as np
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import biases
from trustnlp.studies.moxie.models import explained, reviews_for
from trustnlp.studies.moxie.teachers import ask_teacher

record = Record("moxie", "teachers", profile=profile, seeds=seeds, repeats="float32")
record.uses_encoder(encoder)
reviews = reviews_for(record, n_texts)
contexts = biases.adjective_contexts(reviews)
words = biases.neutral_words(reviews, placebos, profile)
changing = biases.changing_words(
    reviews.vocabulary["ADJ"],
    [control, *probes, "queer", *words],
    filter_words,
    np.random.default_rng(6),
)

# %% [markdown]
# ## What the teacher says, and what its student says of it
#
# Do teacher and student agree on which word gets more positive answers? The contexts are those that pass the paper's filters. *Difference* is how much more often an answer is positive with the control word, in points. *Same sign* is 1 where they agree, and −1 where they do not.

# %%
rows = {}
for seed in seeds:
    found = explained(reviews, vars(), seed)
    probed = biases.probe(found, reviews, contexts, changing, profile)
    rng = np.random.default_rng([seed, 7])
    rows[seed] = ask_teacher(
        found, probed, control, probes, words, base_contexts, rng
    )
for key, values in pd.DataFrame(rows).T.items():
    record.metric(key, values, interval="t")

# %%
record.table(
    "{what}.{word}",
    what=("difference", "student"),
    word=tuple(probes),
    rows="word",
    columns="what",
    names={"difference": "the teacher", "student": "its student"},
)

# %%
record.table("same_sign.{word}", names={"word": "same sign"})

# %% [markdown]
# ## Beside neutral words
#
# Any two words differ. Does the bias stand out from neutral words? *Reaching* is the share of neutral words that lie as far from the control word. The *p value* is the share of ordered pairs of all these words that lie as far apart.

# %%
apart = record.frame("difference.{word}").sort_values("mean", ascending=False)
record.table("difference.{word}", word=tuple(apart["word"]))

# %%
record.table("{share}.{word}", share=("reaching", "p_value"), names={"share": ""})

# %%
record.save()
record
