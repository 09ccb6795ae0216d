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
# # Classifiers trained on private text
#
# Does a classifier learn more from text privatised with senses than with words? §4.2 of the paper answers for WiC and for eight tasks of GLUE (Table 2), of which we have five.
# A {term}`mechanism` replaces each text word by word, at the $\epsilon$ at which nine of ten words (p = .90), or half of them (p = .50), are replaced in at least half of the draws.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "sense_privatization/tasks"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
tasks = ["WiC", "CoLA", "SST2", "MRPC", "STSB", "RTE"]
quantiles = [0.9, 0.5]
spaces = ["planted"]
corpora = []
text = ""
train_limit = 100
calibration_words = 30
calibration_draws = 40
epsilons = [2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0]

# %%
from functools import partial

import numpy as np
from trustnlp.encoders.pretrained import MINILM, load_encoder
from trustnlp.reproduce import Record
from trustnlp.studies.sense_privatization import data, models, standins
from trustnlp.studies.sense_privatization.data import SOURCES
from trustnlp.studies.sense_privatization.tasks import (
    encoder_states,
    features_of,
    kept_score,
    release_of,
    score_of,
    static_states,
)

# %%
repeats = {"": "float32"} | {f"{task}.majority": "exact" for task in tasks}
record = Record(
    "sense_privatization", "tasks", profile=profile, seeds=seeds, repeats=repeats
)
record.condition("encoder", "all-MiniLM-L6-v2, frozen")
record.deviation(
    "A frozen MiniLM with a linear model on its states in place of a fine-tuned BERT."
)
record.deviation(f"At most {train_limit:,} rows to train on, drawn at random.")
record.deviation(
    "Scored on what the mirror has with labels: dev, and for MRPC the corpus's test part."
)

# %% [markdown]
# ## The tasks
#
# WiC asks whether a word means the same in two texts, CoLA whether a sentence is acceptable, SST-2 whether a phrase of a review is positive. MRPC, STS-B and RTE are pairs: do they say
# the same, how alike are they, does the first entail the second? As in the paper, the score is accuracy, for CoLA Matthews' correlation and for STS-B the rank correlation. `majority`
# is the best constant answer; its correlation is zero. (The smoke run has made-up texts with planted topics.)

# %%
if profile == "paper":
    read = {
        name: data.read_task(name, train_limit=train_limit)
        for name in tasks
    }
    for name in tasks:
        record.uses(SOURCES[name])
else:
    planted = standins.planted_senses(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    read = {
        name: data.planted_task(name, planted, train_limit, rng)
        for name in tasks
    }
record.metrics({f"{name}.majority": task.majority for name, task in read.items()})
record.table("{task}.majority", task=tasks)

# %% [markdown]
# ## From texts to scores
#
# MiniLM is an {term}`encoder` that gives every text one vector, the mean of its states. The features of a pair are both vectors, their distance in each coordinate and their product.
# For WiC we compare the states of the word in question in the same way, and add their cosine. On these features we train a logistic regression, for STS-B a ridge regression.
# Cross-validation within the training part chooses the penalty. The encoder is not trained here, so all that is learned about a task comes from the released text. (The smoke run has
# means of word vectors instead.)

# %%
if profile == "paper":
    record.uses("minilm")
    encode = partial(encoder_states, load_encoder(MINILM))
else:
    encode = partial(static_states, planted.vectors)
clean = {
    name: features_of(task.evaluation, encode)
    for name, task in read.items()
}
without = {
    name: score_of(task, encode, clean[name])
    for name, task in read.items()
}
record.metrics({f"{name}.none": without[name] for name in tasks})
record.table("{task}.none", task=tasks)

# %% [markdown]
# ## Two mechanisms, two budgets
#
# As in [the notebook before](similarity), each mechanism gets its own $\epsilon$ by the rule of §4.1, now for two quantiles of the words, and each seed takes another {term}`bootstrap` of the words
# that set it. The larger quantile means more noise. With no quantiles, nothing is privatised.

# %%
epsilon, drawn = {}, {}
if quantiles:
    for name in data.sources_of(spaces, corpora, text):
        record.uses(name)
    sentences = data.query_text(text)
for space in spaces if quantiles else []:
    vectors = data.read_space(space, corpora=corpora)
    inventory = data.senses_of(space, vectors)
    drawn[space] = (vectors, inventory)
    rng = np.random.default_rng([0, 5])
    asked = models.draw_queries(sentences, vectors, calibration_words, rng)
    arms = models.words_and_senses(vectors, inventory)
    found = models.calibrations(
        arms, asked, inventory, vectors, epsilons, calibration_draws
    )
    for arm, curves in found.items():
        for quantile in quantiles:
            of_seed = [models.resampled_epsilon(curves, quantile, s) for s in seeds]
            epsilon[space, arm, f"{100 * quantile:.0f}"] = of_seed
named = {f"{space}.epsilon.{arm}_{p}": values for (space, arm, p), values in epsilon.items()}
record.metrics(named, interval="t")
if epsilon:
    record.table("{space}.epsilon.{arm}", columns="arm")

# %% [markdown]
# ## Table 2
#
# Noise should cost accuracy. Do senses cost less, and is it the *context* that helps? A third mechanism (`prior`) gives each word its most probable sense, whatever its context. CoLA
# has little to lose here: the mean of a sentence's states says little about its grammar.
#
# The paper privatises "the training data"; what is scored stays as it was. Words that the vectors do not know become a mask; punctuation stays. Each {term}`seed` draws noise once, for
# all texts of a task. So the intervals show how far other noise, and other words to set $\epsilon$, would move a score. They do not show how far other texts would.

# %%
scores = {}
for (space, mechanism, p), of_seed in epsilon.items():
    # The arm without context is asked where noise is strong, at the budget of the arm with it.
    without_context = ["prior"] if mechanism == "sense" and p == "90" else []
    for arm in [mechanism, *without_context]:
        for place, seed in enumerate(seeds):
            release = release_of(arm, *drawn[space], of_seed[place])
            for name, task in read.items():
                score = kept_score(
                    task, encode, clean[name], release, seed
                )
                scores.setdefault((space, name, f"{arm}_{p}"), []).append(score)
record.metrics({".".join(key): values for key, values in scores.items()}, interval="t")
if scores:
    record.table("{space}.{task}.{arm}", task=tasks)

# %% [markdown]
# ## Do senses gain over words?
#
# The table has the difference of two mechanisms at the same quantile and seed: senses less words (`gain`), and senses less senses without context (`context_gain`). The average needs
# all five tasks of GLUE.

# %%
gains = {}
compared = [("gain", "word", p) for p in ("90", "50")]
for kind, other, p in [*compared, ("context_gain", "prior", "90")]:
    for space in spaces:
        of_task = {
            name: np.subtract(scores[space, name, f"sense_{p}"], scores[space, name, f"{other}_{p}"])
            for name in tasks
            if (space, name, f"{other}_{p}") in scores
        }  # fmt: skip
        if set(data.OF_GLUE) <= set(of_task):
            of_glue = [of_task[name] for name in data.OF_GLUE]
            of_task["average"] = np.mean(of_glue, axis=0)
        gains |= {f"{space}.{kind}.{name}.p{p}": values for name, values in of_task.items()}
record.metrics(gains, interval="t")
if gains:
    record.table("{space}.{gain}.{task}.p{p:d}", gain=("gain", "context_gain"))

# %% mystnb={"figure": {"caption": "WiC and the tasks of Table 2 that are scored by accuracy, p = .90 and .50 (committed record, where there is one). Ours filled, with interval over draws of noise; the paper's hollow. Compare mechanisms within either, not ours with the paper's: ours have a frozen MiniLM with a linear model, the paper's a fine-tuned BERT. The paper has WiC for p = .90 only.", "name": "fig-senses-tasks"}}
if scores:
    record.plot(
        "{space}.{task}.{arm}",
        task=[name for name in tasks if name not in ("CoLA", "STSB")],
        arm=("word_90", "sense_90", "word_50", "sense_50"),
        x="task",
        color="arm",
        col="space",
        title="Do senses keep more accuracy than words?",
        ylabel="accuracy (%)",
    )

# %% [markdown]
# A score no better than the constant answer says that nothing of the task is left in the released text. A difference between two such scores says nothing about senses. RTE and WiC have
# few texts to score on, so small differences may be chance.
#
# Table 2 and WiC wait for their run at this reading of the paper ({verdict}`table2`, {verdict}`wic`). So do two questions: are senses ahead ({verdict}`t2-gain`), and because of the
# context ({verdict}`t2-context`)? At one quantile the two mechanisms do not protect alike; [the critique](critique.ipynb) compares them at equal success of an attacker.

# %%
record.save()
record
