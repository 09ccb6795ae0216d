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
# # Two decoys of the paper, and its two numbers
#
# *A gorgeous, witty, seductive movie.* A model calls this review positive, and is right. But is it because of *gorgeous*, or because of *movie*? The paper's second {term}`decoy <planted decoy>` removes all negative texts with *movie* from the training data, so the word alone gives the class away. The paper reports two numbers. A model trained this way falls to {paper}`movie-accuracy` on sentences with *movie*. Of the decoy the paper says: "{paper}`movie-share`". This page counts both again, trains such models, and explains the sentences of the paper's figure.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/reproduction"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
models = ["presence", "minilm"]
decoys = ["video_text", "position", "punctuation", "movie"]
encoder = "all-MiniLM-L6-v2"
n_texts = 300
minilm_phrases = 1000
phrase_epochs = 3
learning_rate = 0.0003
batch_size = 32
precision = "float32"
device = "cpu"
steps = 8

# %%
import numpy as np
from IPython.display import display
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.decoys import reproduction
from trustnlp.studies.decoys.checks import counts_of_word
from trustnlp.studies.decoys.data import review_parts

# %%
repeats = {"": "float32", "counts": "exact", "misleading": "exact"}
record = Record(
    "decoys", "reproduction", profile=profile, seeds=seeds, repeats=repeats
)
if "minilm" in models:
    record.uses_encoder(encoder)
phrases = review_parts(record, "phrases", n_texts)
sentences = review_parts(record, "sentences", n_texts)
given = vars()  # the parameters above

# %% [markdown]
# ## What the two numbers can be
#
# How many texts of the decoy data have *movie*, also as a part of a word (*movies*, *moviegoers*)? This is the decoy's applicability. Its share of all texts is the paper's {term}`coverage <decoy coverage>`; the table shows how far it lies below the paper's number.
#
# With so many texts in dev or in test, one run cannot have every accuracy. A margin above zero means that a possible accuracy rounds to the paper's number. *Always positive* is a model that calls every dev sentence with *movie* positive. The last two rows count the sentences of Figure 1.

# %%
movie = recipe("movie")
draw = np.random.default_rng(0)
left = movie.plant(phrases.train.texts, phrases.train.labels, draw)
parts = {"decoy data": left, "dev": phrases.dev, "test": phrases.test}
printed = printed_tables("decoys", "movie")["movie"]
counts = counts_of_word(parts, "movie", printed["accuracy"])

# %%
share = counts.share["decoy data", "substring"]
applicability = int(left.carries.sum())
record.metric("counts.movie.applicability", applicability)
record.metric(
    "counts.movie.applicability_excess", applicability - printed["applicability"]
)
share_margin = printed["applicability"] - share
record.metric("counts.movie.share_margin", share_margin, unit="points")
for part in ("dev", "test"):
    off = float((counts.nearest[part] - printed["accuracy"]).abs().min())
    key = f"counts.movie.{part}_margin"
    record.metric(key, 0.05 - off, unit="points")
    here = reproduction.found_in(getattr(phrases, part).texts)
    key = f"counts.figure_sentences_in_{part}"
    record.metric(key, here, unit="count of sentences")
always = counts.always_positive["dev", "substring"]
record.metric("counts.movie.always_positive_dev", always, unit="%")

# %%
counted = {
    "texts of the decoy data with 'movie'": "counts.movie.applicability",
    "their share, below the paper's by": "counts.movie.share_margin",
    "paper's accuracy possible on dev, margin": "counts.movie.dev_margin",
    "paper's accuracy possible on test, margin": "counts.movie.test_margin",
    "always positive, accuracy on dev": "counts.movie.always_positive_dev",
    "sentences of Figure 1 in dev": "counts.figure_sentences_in_dev",
    "sentences of Figure 1 in test": "counts.figure_sentences_in_test",
}
record.table(counted)

# %% [markdown]
# ## How much can a decoy cost?
#
# The paper says of a model that adopted a decoy: "Its performance on the original dataset should be substantially lower". How much lower can it be? Where most training sentences have no cue, a model learns the task from them. The decoy then misleads it only on original sentences with the cue of the wrong class, so their share limits the loss.
#
# If this share is below our limit of a substantial loss, [](adoption.ipynb) cannot show one whatever the model learned, and the ledger gives no verdict. Decoys that most training sentences carry have no such limit; we leave them out.

# %%
chosen = [recipe(name) for name in decoys]
kept = sentences.train, sentences.held_out
shares = reproduction.misleading(chosen, *kept, np.random.default_rng(0))
record.metrics(shares, prefix="misleading", unit="%")
record.table("misleading.{decoy}")

# %% [markdown]
# ## Models with and without negative texts on *movie*
#
# A model that adopts the decoy should call nearly all dev sentences with *movie* positive, and its accuracy should fall towards *always positive*. For each {term}`seed`, one model learns from all phrases and one from the decoy data; both answer these sentences. A model that lost negative texts of any kind says positive more often, so `misled` subtracts this increase on dev sentences without the word. `nearer_chance` is above zero where the answers are nearer to a coin toss than to always positive. For comparison we train a logistic regression on the words that are present.

# %%
on_phrases = phrases, given | {"epochs": phrase_epochs}, seeds
pairs = {kind: reproduction.pairs(kind, movie, *on_phrases) for kind in models}
asked = reproduction.with_word(phrases.dev)
rest = reproduction.without_word(phrases.dev)
for kind in models:
    table = reproduction.compared(*pairs[kind], asked, rest)
    record.metrics(table, prefix=reproduction.PREFIXES[kind], interval="t")

# %%
if "minilm" in models:
    of_encoders = [f"movie.{key}" for key in table] + ["figure"]
    record.deviation(
        f"The encoder is {encoder}; the paper's is BERT base.", keys=of_encoders
    )
    record.deviation(
        f"Encoders learn from {minilm_phrases:,} of the training phrases at most, "
        "drawn by the seed, less the negative ones with 'movie', "
        f"in {phrase_epochs} pass with batches of {batch_size} and a rate of {learning_rate:g}.",
        keys=[f"movie.{key}" for key in table]
        + ["figure.movie_rise", "figure.unseen"],
    )
record.deviation(
    "The paper does not say whether its models learn from phrases or from sentences. "
    "With 'movie' ours learn from phrases, with class-indicator words from sentences.",
    keys=["movie", "figure"],
)
per_cent = "clean_accuracy", "accuracy", "clean_called_positive", "called_positive"
listed = {"answer": (*per_cent, "misled", "nearer_chance")}
record.table("movie.{answer}", **listed)

# %% [markdown]
# The same for the regression:

# %%
record.table("movie.presence.{answer}", **listed)

# %% [markdown]
# ## Figure 1
#
# Do explanations show that the second model looks at *movie*? {term}`Integrated gradients` explain the figure's second sentence for a model of all phrases and for one that learned without negative texts on *movie*. Words that speak for the label are underlined, words against it dotted.

# %%
row2 = [reproduction.SENTENCES[1]]
original, misled = pairs.get("minilm", ([], []))
for model in (*original[:1], *misled[:1]):
    display(reproduction.explained(model, row2, steps)[0])

# %% [markdown]
# The paper's statements about its figure, as numbers:
#
# - `movie_rise`: how much larger a part of all scores *movie* has after the negative texts were dropped.
# - `unseen`: how much better the two models' orders of words agree on the two sentences without *movie* than on the two with it.
# - `positive`: the share of a model's sentences that it calls positive, minus nine tenths.
#
# [](encoder_size.ipynb) tests the first row, for models with *text* in every positive sentence.

# %%
drawn = reproduction.of_figure(original, misled, steps)
record.metrics(drawn, prefix="figure", interval="t", unit="score")
record.table("figure.{what}")

# %%
if "minilm" in models:
    record.deviation(
        "No model with the class-indicator words is among those asked.",
        keys=["figure.positive"],
    )
record.save()
record
