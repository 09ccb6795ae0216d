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
# # Which explainer shows the words that a classifier uses?
#
# ANSWER
#
# *a brillig film that never quite tulgey works*: the two invented words are ours, and so is the classifier. We wrote down what it does with them, so nobody has to guess what an explanation should say.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "across/planted_words"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
texts = 5
samples = 500
steps = 50

# %%
import numpy as np
from tqdm.auto import tqdm
from trustnlp.reproduce import Record
from trustnlp.studies.across.planted_words import FORMS, film_reviews, made_sentences, run_once, summary

repeats = {"": "float32", "calls": "exact", "seconds": "timed"}
record = Record("across", "planted_words", profile=profile, seeds=seeds, repeats=repeats)
if profile == "paper":
    sentences = film_reviews()
    record.uses("mr")
else:
    sentences = made_sentences(np.random.default_rng(0))
NAMES = {
    "sum": "each by itself",
    "and": "only together",
    "or": "one is enough",
    "flip": "one turns the other",
    "clean": "neither, by design",
    "learned": "learned",
    "unlearned": "neither, as learned",
    "gradient_x_input": "gradient × input",
    "integrated_gradients": "integrated gradients",
    "lime": "LIME",
    "kernel_shap": "KernelSHAP",
    "shapley": "Shapley, exact",
    "chi_squared": "χ² count",
    "random": "random scores",
}

# %% [markdown]
# ## Seven classifiers
#
# Each text is a film review's sentence cut to ten words, with the two cues put in at random places. All other words have small random weights. With $a$ and $b$ for the presence of the cues, the classifier adds to its score four times
#
# - *each by itself*: $(a + b)/2$;
# - *only together*: $a b$;
# - *one is enough*: $a + b - a b$;
# - *one turns the other*: $a - 2 a b$;
# - *neither*: nothing.
#
# Two more classifiers are learned from reviews, by a regression on the words: one from texts with a cue of their class in each, as a {term}`planted decoy`, and one from texts with cues at random, which has nothing to learn from them. Their texts have one cue.
#
# An explainer is right where the cues are its first words by size: the first two, or the first one in the learned classifiers.

# %%
progress = tqdm([(form, seed) for form in FORMS for seed in seeds], disable=None)
given = sentences, texts, samples, steps
done = {(form, seed): run_once(form, *given, seed) for form, seed in progress}
runs = {form: [done[form, seed] for seed in seeds] for form in FORMS}
for key, values in summary(runs).items():
    record.metric(key, values, interval="t")

# %% [markdown]
# ## Which used words do they show?
#
# Some cells could not come out otherwise, and get no verdict: where one word is enough, taking away the other changes nothing, so occlusion and the gradient at the text give both exactly zero; where one word turns the other, the first has as much for the label in one order as against it in the other, so its Shapley value of the *score* is zero. The rest is measured.

# %%
record.table("found.{form}.{explainer}", rows="explainer", columns="form", names=NAMES)

# %% mystnb={"figure": {"name": "fig-across-planted-words", "caption": "Share of the used words among an explanation's first words, by what the classifier does with them (committed record)."}}
shown = ["occlusion", "gradient_x_input", "integrated_gradients", "lime", "shapley", "chi_squared"]
record.plot(
    "found.{form}.{explainer}",
    form=["sum", "and", "or", "flip", "learned"],
    explainer=shown,
    x="form",
    color="explainer",
    title="TITLE",
    xlabel="what the classifier does with the two words",
    ylabel="used words shown, %",
    names=NAMES,
)

# %% [markdown]
# ## False alarms
#
# The cues are in these texts, too, and count for nothing. How many explanations have one of them among their first words all the same?

# %%
record.table("alarm.{form}.{explainer}", rows="explainer", columns="form", names=NAMES)

# %% [markdown]
# ## Twice the same?
#
# LIME and KernelSHAP draw. In how many texts do two runs have the same first words?

# %%
record.table("again.{form}.{explainer}", rows="explainer", columns="form", names=NAMES)

# %% [markdown]
# ## What it costs
#
# Calls of the model and seconds a text. The χ² count asks once for each of 2,000 texts, whatever is explained.

# %%
record.table("calls.{explainer}", names=NAMES)

# %%
record.table("seconds.{explainer}", names=NAMES)

# %% [markdown]
# LIMITS

# %%
record.save()
record
