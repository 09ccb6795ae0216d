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
# **In short.** No explainer here shows them all. {term}`Occlusion <occlusion>` and gradient × input show every used word{holds}`planted_words.paper:found.flip.occlusion between 90 101`{holds}`planted_words.paper:found.flip.gradient_x_input between 90 101`, except where one of two is enough: there they show neither{holds}`planted_words.paper:found.or.occlusion between -0.05 0.05`. {term}`Integrated gradients <integrated gradients>` and {term}`Shapley values <Shapley value>` show both there, but where one word turns what another says they show only {metric}`planted_words.paper:found.flip.integrated_gradients | full` and {metric}`planted_words.paper:found.flip.shapley | full` of the used words. {term}`LIME` keeps most in its worst case: it shows {metric}`planted_words.paper:worst.lime | full`. Ask two explainers of unlike kind.
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

# %%
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
# Some cells could not be otherwise, and get no verdict: where one word is enough, taking away the other changes nothing, so occlusion and the gradient at the text give both exactly zero; where one word turns the other, the first speaks for the label where it comes before the other, and as strongly against it where it comes after, so its Shapley value and its integrated gradient of the *score* are zero. (The table has Shapley values of the probability, which need not be.) The rest is measured.

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
    title="Two words of which one is enough hide from occlusion; a word that another turns hides from integrated gradients",
    xlabel="what the classifier does with the two words",
    ylabel="used words shown, %",
    names=NAMES,
)

# %% [markdown]
# - *Where one word turns what another says, occlusion shows both in more than $80\,\%$ of cases* {verdict}`words-turn-occlusion`; LIME does {verdict}`words-turn-lime` with {metric}`planted_words.paper:found.flip.lime | full`; exact Shapley values of the probability {verdict}`words-turn-shapley`
# - *Where one word is enough, LIME shows both* {verdict}`words-either-lime`
# - *In a classifier that learned its cue, occlusion puts it first* {verdict}`words-learned-occlusion`, as does every other explainer{holds}`planted_words.paper:found.learned.lime between 95 101`{holds}`planted_words.paper:found.learned.shapley between 95 101`{holds}`planted_words.paper:found.learned.integrated_gradients between 95 101`{holds}`planted_words.paper:found.learned.chi_squared between 95 101`. A single strong cue tells explainers nothing apart: a benchmark of decoys alone would call them equal.
# - *LIME's worst case is better than that of Shapley values* {verdict}`words-worst-case`, by {ours}`words-worst-case | interval` (share of the words).
#
# Bastings et al. {cite}`bastings2022shortcuts` planted shortcuts in the training data of BERT and LSTM classifiers and found that some of the most popular methods do poorly even on simple ones, so that methods should be tried on each task and model. Ours were written, not learned, and the answer already changes with what the classifier does with two words.
#
# ## False alarms
#
# The cues are in these texts, too, and count for nothing. How many explanations have one of them among their first words all the same?

# %%
record.table("alarm.{form}.{explainer}", rows="explainer", columns="form", names=NAMES)

# %% [markdown]
# *LIME shows an unused cue in fewer than $5\,\%$ of the texts* {verdict}`words-clean-lime`; *a χ² count does so in more than $5\,\%$* {verdict}`words-clean-counts` An explainer that asks the model does not name a word with no weight as long as others have some.
#
# ## Twice the same?
#
# LIME and KernelSHAP draw. In how many texts do two runs have the same first words?

# %%
record.table("again.{form}.{explainer}", rows="explainer", columns="form", names=NAMES)

# %% [markdown]
# *Two runs of LIME agree in more than $90\,\%$ of the texts where one word turns the other* {verdict}`words-turn-again` ({metric}`planted_words.paper:again.flip.lime | full`).
#
# ## What it costs
#
# Calls of the model and seconds a text. The χ² count asks once for each of two thousand texts, whatever is explained.

# %%
record.table("calls.{explainer}", names=NAMES)

# %%
record.table("seconds.{explainer}", names=NAMES)

# %% [markdown]
# Exact Shapley values take {metric}`planted_words.paper:calls.shapley` calls a text, occlusion {metric}`planted_words.paper:calls.occlusion`.
#
# ## Limits
#
# - The classifiers are written or linear. A transformer with a decoy, which nobody wrote, stands in [the decoys' chapter](../decoys/encoder_size.ipynb); we did not run one here.
# - Texts have eleven or twelve different words, so that Shapley values are exact; LIME drew 500 subsets, a tenth of its default.
# - The cues are strong: together they take even odds to about 50 to 1. Weaker ones would be lost among the other words sooner.
# - Occlusion leaves a word out, and so do LIME and Shapley values. A mask in its place could differ in a model that knows masks.
# - Not run: MOXIE's student, which predicts what an {term}`encoder` would say; AEC's forest, which ranks what goes with errors, of which a written classifier makes none; EDIN's decoder, which writes rules of relations.

# %%
record.save()
record
