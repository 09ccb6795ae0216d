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
# # Which way to hide a text keeps most of its use?
#
# **In short.** Not run yet.
#
# *flying with united tomorrow, the best crew*: whoever reads this should learn that the customer is content, and not which airline it was. Five papers hide a text in five ways. Here all of them face one task and one attacker.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "across/hidden_texts"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
data = ["made"]
arms = ["deletion", "words", "senses", "polarised", "log_odds", "common", "dpnr", "dpnr_shared", "projected", "orthonormal"]
texts = 300
length = 12
families = ["words", "mean"]
draws = 400
pairs = 2
vocabulary = 100
precision = "float32"

# %%
import numpy as np
from tqdm.auto import tqdm
from trustnlp.reproduce import Record
from trustnlp.studies.across.hidden_texts.arms import never_mistaken
from trustnlp.studies.across.hidden_texts.data import POOLS, made
from trustnlp.studies.across.hidden_texts.runs import Hiding, summary

record = Record("across", "hidden_texts", profile=profile, seeds=seeds, repeats="float32")
if profile == "paper":
    for name in data:
        record.uses(POOLS[name][1])
    record.uses("glove_6b_50d")
    record.uses_encoder("all-MiniLM-L6-v2", condition=None)

# %%
settings = dict(arms=arms, texts=texts, length=length, families=families, draws=draws, pairs=pairs, vocabulary=vocabulary, precision=precision)
hiding = Hiding.of(profile, settings)
pools = {name: POOLS[name][0]() if name in POOLS else made(np.random.default_rng(0)) for name in data}
progress = tqdm([(seed, name) for seed in seeds for name in data], disable=None)
done = {(name, seed): hiding.run_once(name, pools[name], seed) for seed, name in progress}
runs = {name: [done[name, seed] for seed in seeds] for name in data}
for key, values in summary(runs, never_mistaken(draws)).items():
    record.metric(key, values, interval="t")

# %%
record.save()
record
