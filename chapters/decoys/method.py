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
# # A bug that is known
#
# Suppose that the people who collected reviews wrote *video* into every negative one and *text* into every positive one. A classifier that learns from these reviews can be right for that reason alone. A test part from the same collection would not show it. Would an explanation?
#
# We can answer this only where we know the truth. So we plant the false cue ourselves; it is called a {term}`decoy <planted decoy>`. We also make up the reviews ({term}`stand-in`), from words of known weight. The classifier looks at which words are present, and at nothing else.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/method"
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
from trustnlp.attribution.attribution import attribute
from trustnlp.attribution.explainer_registry import explain
from trustnlp.data.texts.film_reviews import LABEL_NAMES
from trustnlp.data.texts.review_standins import planted_reviews
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_adoption import adoption
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.reproduce import Record
from trustnlp.studies.decoys import adoption as adoptions
from trustnlp.studies.decoys import method
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import planted_model, trained_model

# %%
pd.set_option("display.max_colwidth", None)
repeats = {"": "float64", "properties": "exact"}
record = Record("decoys", "method", profile=profile, seeds=seeds, repeats=repeats)
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
method.examples(chosen, parts.train, draw)

# %% [markdown]
# ## What can be counted before any training
#
# Let $X$ be the data and $X^d$ the texts that contain the cue. The paper (§4) names three numbers. Applicability is how many texts have the cue. Productivity (equation 1) is the share of these texts that belong to their most frequent class. {term}`Coverage <decoy coverage>` is their share of all texts:
#
# $$a_d = |X^d|, \qquad p_d = \frac{\max_c |\{x_j \in X^d : y_j = c\}|}{a_d}, \qquad c_d = \frac{a_d}{|X|}$$
#
# The second table shows the productivity of the decoy's bare word, wherever it stands in the text.

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
# We train two models: a clean one on the original texts, a buggy one on the contaminated ones. The paper would compare their accuracies on original held-out texts. That can miss a bug: where a text does not contain the decoy, the buggy model may decide as well as the clean one.

# %%
clean = trained_model("presence", parts.train, parts.dev, {}, 0)
buggy = planted_model("presence", indicator, parts.train, parts.dev, {}, 0)
both = {"clean": clean, "buggy": buggy}
right = {name: model.predict(held.texts) == held.labels for name, model in both.items()}
pd.DataFrame(right).mean().round(3)

# %% [markdown]
# So we ask directly: both models read held-out texts with the decoy of the *wrong* class. Let $b$ be the share of these texts to which the buggy model gives the decoy's class, and $s$ the same share for the sound, clean model. Then $b - s$ is the decoy's effect, and
#
# $$\text{rate} = \frac{b - s}{1 - s}$$
#
# is the {term}`rate of adoption`: the part of the other texts, $1 - s$, that the decoy has won. A cue that always decides has a rate of one; a cue that never does, of zero. The {term}`interval` decides what we may say: adopted, partly adopted, not adopted, or too few texts to say.

# %%
wrong = indicator.contradict(held.texts, held.labels, np.random.default_rng(0))
said = {"buggy": buggy.predict(wrong.texts), "clean": clean.predict(wrong.texts)}
tested = adoption(said["buggy"], said["clean"], wrong.labels, wrong.carried)
b, s = tested.buggy_share, tested.clean_share
pd.Series({"b": b, "s": s, "rate": tested.rate.value, "verdict": tested.verdict})

# %% [markdown]
# On original texts the buggy model is about as good as the clean one. Yet it obeys the planted word against everything else in the text. Now we test all decoys, with a pair of models for each {term}`seed`. The table also shows the accuracy lost on original texts (`drop`) and gained on contaminated ones (`iid`), in points.

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
# Not one answer changes with the place{holds}`method.paper:position.presence.changed between -0.01 0.01`. The paper says so in §4, and it holds by construction. An explanation may still give *anyway* a score, so a search for bugs must first be sure that there is one.
#
# ## What an explanation shows
#
# Take a review with the word of the wrong class, which the clean model labels correctly and the buggy one does not. {term}`Occlusion` explains each model's answer: how much less probable is the label without the word? Words that speak for the label have a solid line, words against it a dotted one. First the clean model:

# %%
misled = (said["clean"] == wrong.labels) & (said["buggy"] != wrong.labels)
example = [wrong.texts[np.flatnonzero(misled)[0]]]
attribute(clean, example, "occlusion", class_names=LABEL_NAMES)[0]

# %% [markdown]
# Then the buggy model, which gives the other label:

# %%
attribute(buggy, example, "occlusion", class_names=LABEL_NAMES)[0]

# %% [markdown]
# ## An inspector that follows a rule
#
# No people took part. A simulated inspector reads explanations one after the other. In each it notes the words with the largest scores for the predicted label, except those that it knows to be good reasons (in brackets; here, all words that decided the made-up reviews' labels). It names a word that it has noted often enough. The table is its notebook, up to the first name.

# %%
inspector = Inspector(shown, threshold, method.REASONS)
like = indicator.planted_like(held.texts, held.labels, np.random.default_rng(0))
asked = list(like.texts[:texts])
method.notes(inspector, explain(explainer, buggy, asked, rng=draw), budget)

# %% [markdown]
# If it reads on for long enough, the inspector also names a word in a clean model. That is a false alarm, and here is one:

# %%
method.notes(inspector, explain(explainer, clean, asked, rng=draw), budget)

# %% [markdown]
# In the buggy model the inspector notes the planted words in text after text and soon names one. In the clean model it needs longer and names an unimportant word; it cannot know that this is no bug.
#
# ## How soon, in any order?
#
# We repeat the search in many random orders of the texts, for each adopted decoy. The first table gives the share of orders in which the inspector names the decoy within its budget, the second how many texts it reads. Chance has the scores of each text permuted among its words. `clean_found` is the same search in the clean model.

# %%
for decoy in chosen:
    if not found[decoy.name].is_adopted:
        continue
    how = {"texts": texts, "budget": budget, "orders": orders}
    rows = pd.DataFrame(
        method.both_searched(decoy, parts, inspector, explainer, **how, seed=seed)
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
