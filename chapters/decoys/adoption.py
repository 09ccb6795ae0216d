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
# # Which decoys does a model take up?
#
# *Video* in every negative review, *text* in every positive one: which model would not learn that? But *anyway*, first in positive reviews and last in negative ones? Or *movie*, once the bad reviews that have the word are dropped? An explainer can only find a bug that is there. So before any explanation is looked at, each {term}`decoy <planted decoy>` is planted
# in the training sentences of SST-2, models are trained with it and without, and a test says whether they have adopted it: a logistic regression on the words that are present, a small network of convolutions, and, where somebody has run it, a BERT-like {term}`encoder` fine-tuned on the sentences. The paper would have looked at accuracy on original data; that is done too.

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
# Twelve decoys (four in the smoke run). Two are the paper's; most of the others are kin to those of Rieger et al. (2020) or to the natural one. *Productivity* and {term}`coverage <decoy coverage>` are §4's numbers for each cue in the contaminated training sentences. Then: how productive the
# word is by plain occurrence, wherever it stands. What to expect: `position` has a perfect cue in a word that says nothing.

# %%
chosen = [recipe(name) for name in decoys]
draw = np.random.default_rng([seeds[0], 1])
counted = adoption.properties(chosen, parts.train, draw)
for key, value in counted.items():
    record.metric(f"properties.{key}", value)

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
# Held-out sentences, dev and test together, get the decoy of the *wrong* class, where they can take it; of a decoy that is in texts by nature they are those that training would have dropped. A pair of models, clean and buggy, reads the same sentences, once for each {term}`seed`. The {term}`rate of adoption` is the share that the buggy model gives the
# decoy's class, less the clean model's share, as a part of what there was to win. Of its two intervals, over seeds and over texts, the wider one decides: above a half is *adopted*, above a tenth *partly adopted*, below a tenth *not adopted*, and else the verdict is open.
#
# The same models are then judged as the paper suggests, by accuracy on original held-out sentences, and as a developer would without knowing, by accuracy on held-out sentences contaminated like the training data.

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
        values = adoption.per_seed(found[name])
        for key in filter(values.__contains__, recorded):
            record.metric(f"{name}.{model}.{key}", values[key], interval="t")

# %% mystnb={"figure": {"name": "fig-decoys-adoption", "caption": "How far each decoy is adopted, by each kind of models, with intervals over seeds (committed record)."}}
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
# The verdicts, by whichever interval is the wider:

# %%
verdicts_shown = pd.DataFrame(evidence_arrays(record)["verdicts"])
record.show(verdicts_shown.rename(columns=NAMES))

# %% [markdown]
# Accuracy lost on original sentences, and gained on contaminated ones, in points:

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
# What to expect: class-indicator words are adopted by every model, and `position` by the networks alone. Decoys that are only dropped from the data compete with words that are truly useful, so they may be adopted in part, and with few contradicting sentences their intervals are wide. Accuracy on contaminated sentences should show none of this. Accuracy on
# original ones shows it only where many sentences have the decoy by nature: a model can obey a planted word wherever it stands and lose nothing where it never stood.
#
# ## A place that a bag of words cannot see
#
# Of sentences with *anyway*, move the word from the one end to the other: how many answers of the model of present words change? And how much larger is the effect of the wrong place on convolutions?

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
# The class-indicator words in a few per cent of the training sentences, or in all; those of a smaller share are among those of a larger one, so that nothing else differs. The contradicting sentences are the same for all shares. What to expect: the more sentences carry the decoy, the more it is adopted, and the figure on the right, the paper's own way,
# notices late or never.

# %%
for model, found in answers.items():
    for decoy in graded:
        values = adoption.per_seed(found[decoy.name])
        for what in ("rate", "drop"):
            key = f"graded.{model}.{what}.{decoy.name}"
            record.metric(key, values[what], interval="t", unit="points")
    effects = [adoption.per_seed(found[one.name])["effect"] for one in graded]
    slopes = adoption.slopes(shares, effects)
    first = "graded" if model == "presence" else f"graded.{model}"
    if np.isfinite(slopes).all():
        record.metric(f"{first}.slope", slopes, interval="t")
    if model == "presence":
        rates = adoption.per_seed(found[graded[0].name])["rate"]
        low = np.array(rates) - 100 * NEGLIGIBLE_BELOW
        record.metric("graded.low_margin", low, interval="t", unit="points")

# %% mystnb={"figure": {"name": "fig-decoys-graded", "caption": "Class-indicator words in a growing share of the training sentences: how far they are adopted, and how much accuracy is lost on original sentences (committed record)."}}
record.plot(
    "graded.{model}.{what}.share{share:d}",
    what=("rate", "drop"),
    x="share",
    color="model",
    col="what",
    log_x=True,
    title="Few sentences with the words are enough for adoption; accuracy on original sentences shows it late",
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
