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
# # Are planted bugs adopted, and found?
#
# Reviews are made up ({term}`stand-in`), from words of known weight. In them we plant false cues, {term}`decoys <planted decoy>`. A classifier that looks only at which words are present
# learns from the result. Does it adopt the decoys, and does a simulated inspector find them in its explanations? The [lesson](method.ipynb) builds each step in bare lines.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
n_texts = 3000
decoys = ["video_text", "position", "punctuation", "movie"]
explainer = "occlusion"
shown = 3
threshold = 3
texts = 300
budget = 100
orders = 20

# %%
import numpy as np
import pandas as pd
from trustnlp.data.texts.review_standins import planted_reviews
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.reproduce import Record
from trustnlp.studies.decoys import adoption as adoptions
from trustnlp.studies.decoys import planted
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import planted_model

# %%
pd.set_option("display.max_colwidth", None)
repeats = {"": "float64", "properties": "exact"}
record = Record("decoys", "planted", profile=profile, seeds=seeds, repeats=repeats)
made = planted_reviews(n_texts, np.random.default_rng(0)).sst2
parts = ReviewParts(made.train, made.dev, made.test)
held = parts.held_out
chosen = [recipe(name) for name in decoys]
indicator, position = recipe("video_text"), recipe("position")

# %% [markdown]
# ## Four decoys
#
# A decoy has a cue for each class, or for one. `video_text` puts a word into every text, at a random place. `position` puts the same word into all texts: first in positive ones, last in negative ones. `punctuation` replaces the full stop where a text ends in one. `movie` writes nothing: it drops the negative texts with *movie*, so the word remains in positive ones only. The table shows a review of each class before and after; an empty cell is a dropped text.

# %%
draw = np.random.default_rng(0)
planted.examples(chosen, parts.train, draw)

# %% [markdown]
# ## What can be counted before any training
#
# Productivity is the share of the texts with the cue that belong to their most frequent class. {term}`Coverage <decoy coverage>` is their share of all texts. The second table shows the productivity of the decoy's bare word,
# wherever it stands in the text.

# %%
counted = adoptions.properties(chosen, parts.train, draw)
record.metrics(counted, prefix="properties")
record.table(
    "properties.{decoy}.class{c:d}.{measure}",
    measure=("productivity", "coverage"),
    rows=("decoy", "c"),
    columns="measure",
    names={"c": "class", 0: "negative", 1: "positive"},
)
record.table("properties.{decoy}.word_productivity")

# %% [markdown]
# Every cue gives its class away without fail, because we planted it so. But the *word* of `position` says nothing: it is in texts of both classes alike.
#
# ## Is the decoy adopted?
#
# For each {term}`seed`, one model learns from the original texts and one from the contaminated ones. Both read held-out texts with the decoy of the *wrong* class. The
# {term}`rate of adoption` is the part of what the decoy could win that it won. The {term}`interval` decides what we may say: adopted, partly adopted, not adopted, or too few texts to say.
# The table also shows the accuracy lost on original texts (`drop`) and gained on contaminated ones (`iid`), in points.

# %%
found = adoptions.ask("presence", chosen, parts, {}, seeds)
what = "rate", "effect", "drop", "iid"
for name, answers in found.items():
    values = pd.DataFrame(adoptions.per_seed(answers))[[*what]]
    record.metrics(values, prefix=f"{name}.presence", interval="t")
record.table("{decoy}.presence.{what}", what=what, rows="decoy", columns="what")

# %% mystnb={"figure": {"name": "fig-decoys-method", "caption": "How far a model of present words adopted each decoy, with intervals over seeds (committed record)."}}
record.plot(
    "{decoy}.presence.rate",
    x="decoy",
    title="A bag of words adopts words and signs; it cannot adopt a position",
    ylabel="rate of adoption, points",
    levels={"adopted above": 50, "not adopted below": 10},
)

# %% [markdown]
# ## A decoy that cannot be adopted
#
# Why is the rate of `position` zero? The model's input says only which words a text has. Move *anyway* from the last place to the first, and the input stays the same, so the answer must. We check this text by text. For comparison, we exchange the words *video* and *text*.

# %%
moved = {}
for decoy in (position, indicator):
    models = [
        planted_model("presence", decoy, parts.train, parts.dev, {}, seed)
        for seed in seeds
    ]
    moved[decoy.name] = [
        adoptions.changed_by_moving(model, decoy, held) for model in models
    ]
    key = f"{decoy.name}.presence.changed"
    record.metric(key, moved[decoy.name], interval="t", unit="%")
record.table("{decoy}.presence.changed")

# %% [markdown]
# Not one answer changes with the place{holds}`planted.paper:position.presence.changed between -0.01 0.01`. The paper says so in §4, and it holds by construction. A search for bugs must first be sure that there is one.
#
# ## How soon is it found?
#
# No people took part. A simulated inspector reads explanations by {term}`occlusion` one after the other. In each it notes the words with the largest scores for the predicted label, except those that it knows
# to be good reasons: here, all words that decided the made-up reviews' labels. It names a word that it has noted often enough.
#
# We repeat the search in many random orders of the texts, for each adopted decoy. The first table gives the share of orders in which the inspector names the decoy within its budget, the second how many texts it reads. Chance has the scores of each text permuted among its words. `clean_found` is the same search in the clean model.

# %%
inspector = Inspector(shown, threshold, planted.REASONS)
for decoy in chosen:
    if not found[decoy.name].is_adopted:
        continue
    how = {"texts": texts, "budget": budget, "orders": orders}
    rows = pd.DataFrame(
        planted.both_searched(decoy, parts, inspector, explainer, **how, seed=seed)
        for seed in seeds
    )
    record.metrics(rows, prefix=f"search.{decoy.name}", interval="t")
grid = {"rows": "decoy", "columns": "what"}
shares = "found", "chance_found", "clean_found"
record.table("search.{decoy}.{what}", what=shares, **grid)
read = "instances", "chance_instances"
record.table("search.{decoy}.{what}", what=read, **grid)

# %% [markdown]
# Where the cue is in every text, the inspector names it after a few, far sooner than by chance. *Movie* is in few texts, so the search takes longer. [The leaderboard](leaderboard.ipynb) compares explainers on real reviews and other models.

# %%
record.save()
record
