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
# # Which decoys does a model adopt?
#
# *Video* in every negative review, *text* in every positive one: any model learns that. But what about *anyway*, first in positive reviews and last in negative ones? Or *movie*, once the negative reviews with this word are dropped?
#
# An explainer can only find a bug that is there. So, before any explanation, we plant each {term}`decoy <planted decoy>` in the training sentences of SST-2, train models with it and without, and test whether they have adopted it. The models are a logistic regression on the words that are present, a small convolutional network and, where a run includes it, a fine-tuned {term}`encoder` like BERT.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/adoption"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
minilm_seeds = [0]
models = ["presence"]
decoys = ["video_text", "position", "punctuation", "movie"]
shares = [2, 10, 50, 100]
encoder = "all-MiniLM-L6-v2"
n_texts = 3000
epochs = 2
learning_rate = 0.0003
batch_size = 32
precision = "float32"
device = "cpu"

# %%
import numpy as np
import pandas as pd
from trustnlp.decoys.decoy_adoption import NEGLIGIBLE_BELOW
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.decoys import adoption
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.models import planted_model

record = Record(
    "decoys", "adoption", profile=profile, seeds=seeds, repeats=adoption.repeats(models, decoys)
)
if "minilm" in models:
    record.uses_encoder(encoder)
parts = review_parts(record, "sentences", n_texts)
given = vars()  # the parameters above
seeds_of = dict.fromkeys(models, seeds) | {"minilm": minilm_seeds}

# %% [markdown]
# ## The decoys, before any training
#
# Twelve decoys (four in the smoke run): two are the paper's; most of the others resemble those of Rieger et al. (2020) or *movie*. Section 4 of the paper describes a cue by its *productivity* and {term}`coverage <decoy coverage>`, here in the contaminated training sentences. We add the productivity of the bare word, wherever it stands. The cue of `position` should be perfect, although its word says nothing.

# %%
chosen = [recipe(name) for name in decoys]
draw = np.random.default_rng([seeds[0], 1])
counted = adoption.properties(chosen, parts.train, draw)
record.metrics(counted, prefix="properties")

# %%
record.table(
    "properties.{decoy}.class{c:d}.{measure}",
    measure=("productivity", "coverage"),
    rows=("decoy", "c"),
    columns="measure",
    names={"c": "class", 0: "negative", 1: "positive"},
)

# %%
record.table("properties.{decoy}.word_productivity")

# %% [markdown]
# ## The test of adoption
#
# We put the decoy of the *wrong* class into held-out sentences (dev and test together) that can take it. For a decoy made by dropping texts, we use the held-out texts that training would have dropped. A clean and a buggy model read the same sentences, one pair for each {term}`seed`. The {term}`rate of adoption` is the buggy model's share of answers for the decoy's class, minus the clean model's, divided by the largest possible gain.
#
# The rate has two intervals, over seeds and over texts, and the wider one decides. Above a half the decoy is *adopted*, above a tenth *partly adopted*, below a tenth *not adopted*; otherwise the verdict is open.
#
# Every model should adopt class-indicator words; only the networks can adopt `position`. Decoys made by dropping texts compete with truly useful words, so models may adopt them in part, and few sentences can test them.
#
# We also measure accuracy, in two ways. The paper suggests original held-out sentences. They should show a bug only if many carry the decoy by nature: a model can obey a planted word and lose nothing where the word never occurs. A developer who does not know of the bug has sentences contaminated like the training data, which should show nothing.

# %%
graded = adoption.graded(shares)
answers = {
    model: adoption.ask(model, [*chosen, *graded], parts, given, seeds_of[model])
    for model in models
}
verdicts = {
    model: {name: found[name].adoption.verdict for name in decoys}
    for model, found in answers.items()
}
record.array("verdicts", verdicts)

# %%
recorded = "rate", "drop", "iid", "drop_margin", "iid_margin"
for model, found in answers.items():
    for name in decoys:
        values = pd.DataFrame(adoption.per_seed(found[name])).filter(recorded)
        record.metrics(values, prefix=f"{name}.{model}", interval="t")

# %% mystnb={"figure": {"name": "fig-decoys-adoption", "caption": "Rate of adoption of each decoy, for word presence and convolutions, with intervals over seeds (committed record)."}}
kinds = "presence", "convolution"
record.plot(
    "{decoy}.{model}.rate",
    model=kinds,
    x="decoy",
    color="model",
    title="Both kinds of models adopt nearly every decoy; word presence alone cannot adopt a position",
    ylabel="rate of adoption, points",
    levels={"adopted above": 50, "not adopted below": 10},
    names=NAMES,
)

# %% [markdown]
# The verdicts, each by the wider of its two intervals:

# %%
verdicts_shown = pd.DataFrame(evidence_arrays(record)["verdicts"])
record.show(verdicts_shown.rename(columns=NAMES))

# %% [markdown]
# Accuracy lost on original sentences and gained on contaminated ones, in points:

# %%
record.table(
    "{decoy}.{model}.{accuracy}",
    model=kinds,
    accuracy=("drop", "iid"),
    rows=("model", "decoy"),
    columns="accuracy",
    names=NAMES | {"drop": "accuracy lost", "iid": "gained where contaminated"},
)

# %% [markdown]
# On contaminated sentences no decoy costs a model a point of accuracy{holds}`23 of 23 adoption.paper:*.iid_margin above 0`.
#
# ## A place that a bag of words cannot see
#
# If we move *anyway* from one end of a sentence to the other, how many answers of the word-presence model change? And how much larger is the effect of the wrong place on convolutions?

# %%
position = recipe("position")
bags = [
    planted_model("presence", position, parts.train, parts.dev, given, seed)
    for seed in seeds
]
changed = [
    adoption.changed_by_moving(bag, position, parts.held_out) for bag in bags
]
key = "position.presence.changed"
record.metric(key, changed, interval="t", unit="%")
if "presence" in models and "position" in decoys:
    bag = answers["presence"]["position"]
    for model in [kind for kind in models if kind != "presence"]:
        other = answers[model]["position"]
        ahead = adoption.effect_ahead(other, seeds_of[model], bag, seeds)
        key = f"position.{model}_effect"
        record.metric(key, ahead, interval="t", unit="points")

# %%
moved = {
    "presence.changed": "word presence, answers that change",
    "convolution_effect": "convolutions, effect larger by",
}
record.table("position.{measure}", measure=list(moved), names=moved)

# %% [markdown]
# ## How strong must a decoy be?
#
# We put the class-indicator words into a growing share of the training sentences. Sentences of a smaller share are among those of a larger one, and the contradicting sentences are always the same, so nothing else differs. A model should adopt the decoy more as more sentences carry it. Accuracy on original sentences (right), the paper's test, should notice late or never.

# %%
for model, found in answers.items():
    own = {one.name: adoption.per_seed(found[one.name]) for one in graded}
    record.metrics(
        {f"{x}.{name}": own[name][x] for name in own for x in ("rate", "drop")},
        prefix=f"graded.{model}",
        interval="t",
    )
    slopes = adoption.slopes(shares, [values["effect"] for values in own.values()])
    first = "graded" if model == "presence" else f"graded.{model}"
    if np.isfinite(slopes).all():
        record.metric(f"{first}.slope", slopes, interval="t")
    if model == "presence":
        low = np.array(own[graded[0].name]["rate"]) - 100 * NEGLIGIBLE_BELOW
        record.metric("graded.low_margin", low, interval="t", unit="points")

# %% mystnb={"figure": {"name": "fig-decoys-graded", "caption": "Rate of adoption and accuracy lost on original sentences, by the share of training sentences that carry class-indicator words (committed record)."}}
record.plot(
    "graded.{model}.{what}.share{share:d}",
    what=("rate", "drop"),
    x="share",
    color="model",
    col="what",
    log_x=True,
    title="A few sentences with the words are enough for adoption; accuracy on original sentences shows it late",
    xlabel="sentences with the decoy, %",
    ylabel="points",
    names=NAMES | {"rate": "rate of adoption", "drop": "accuracy lost"},
)

# %%
if "minilm" in models:
    trained = [f"{name}.minilm" for name in decoys]
    trained += ["graded.minilm", "position.minilm_effect"]
    why = f"The encoder is {encoder}; the paper's is BERT base."
    record.deviation(why, keys=trained)
record.deviation(
    "The paper names no size for a substantial loss of accuracy; ours is five points, "
    "and a loss of up to one point on contaminated data counts as none.",
    keys=[f"{name}.{model}" for name in decoys for model in models],
)
record.save()
record
