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
# # Which measure of bias sees a bias of 10 %?
#
# ANSWER
#
# Take an invented word, *x3*, and put it into sentences that speak of one person: *the x3 of her father*, *a x3 boy*. Write each sentence twice, once with *father* and once with *mother*. Now *x3* stands equally often beside men and beside women, in the very same sentences. Whatever a measure of bias says about *x3*, the text is not the cause.
#
# Then move a tenth of its sentences from *mother* to *father*. For other invented words, the *y* words, move a tenth the other way. That is a bias whose size and sign we know. We train word vectors on the text and ask every measure in this book whether the *x* words lean to the male side.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "across/planted_bias"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
compared = 2
stepped = 2
tokens = 40_000
dim = 50
epochs = 5
contexts = 100

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.across.planted_bias.runs import DOSES, Setting, Study, summary

record = Record("across", "planted_bias", profile=profile, seeds=seeds, repeats="float32")
corpus = "eltec_en" if profile == "paper" else "made"
if profile == "paper":
    record.uses(corpus)
NAMES = {
    "weat_cosine_mean": "WEAT, mean cosine",
    "weat_cosine_median": "WEAT, median cosine",
    "weat_cosine_eq2": "WEAT, Eq. 2",
    "weat_mahalanobis_mean": "WEAT, mean Mahalanobis",
    "ripa": "RIPA",
    "ect": "cosines of ECT",
    "rnd": "RND",
    "rnsb": "RNSB's classifier",
    "direction_pca": "gender direction",
    "probe": "MOXIE's probes",
}

# %% [markdown]
# ## The plant
#
# Real text: 300,000 words of English novels of the nineteenth century (ELTeC, in the public domain; 3 words in a thousand are planted). Eight *x* words and eight *y* words, 80 sentences each, ten for each of eight pairs from *he/she* to *husband/wife*. Which sentences a word gets is drawn anew for every {term}`seed`; larger doses move what smaller ones move, and nothing else differs between two doses of a seed.
#
# All measures answer the same question. Each gives one score to each of the sixteen words, and the exact {term}`permutation test` asks how many of the 12,870 ways to split them into two eights differ as much. The word lists of the measures are the eight pairs themselves, so no measure is short of the right words.

# %%
study = Study(Setting(corpus, tokens, dim, epochs, contexts))
runs = study.runs(seeds, compared, stepped)
for key, (values, interval) in summary(runs).items():
    record.metric(key, values, interval=interval)

# %% [markdown]
# ## How often does each measure see it?
#
# The share of texts in which the test is significant at 5 %. At a dose of 0 every such finding is a false alarm.

# %%
doses = [f"dose{dose}" for dose in DOSES]
record.table(
    "hits.dose{dose:d}.{measure}", dose=DOSES, rows="measure", columns="dose", names=NAMES
)

# %% mystnb={"figure": {"name": "fig-across-planted-bias", "caption": "Share of texts in which the test over the words is significant at 5 %, by the share of sentences moved (committed record; bands are exact 95 % intervals)."}}
shown = ["weat_cosine_mean", "weat_cosine_median", "weat_mahalanobis_mean", "weat_cosine_eq2", "rnsb", "probe"]
record.plot(
    "hits.dose{dose:d}.{measure}",
    dose=DOSES,
    measure=shown,
    x="dose",
    color="measure",
    title="TITLE",
    xlabel="sentences moved, %",
    ylabel="texts with p ≤ .05, %",
    names=NAMES,
    levels={"level of the test": 5},
)

# %% [markdown]
# ## The sign, and the dose
#
# In how many texts do the *x* words lean to the male side at 10 %, significant or not? And does what the measure prints grow with the dose? The second number is {term}`Spearman's rank correlation <Spearman correlation>` of the six doses of a text.

# %%
record.table("right.dose10.{measure}", names=NAMES)

# %%
record.table("response.{measure}", names=NAMES)

# %% [markdown]
# ## No bias, but rarer words
#
# In real lists one set of words is often more frequent than the other. Here the *x* words have 128 sentences each and the *y* words 32, all of them balanced. There is no bias to find.

# %%
record.table("hits.rare.{measure}", names=NAMES)

# %% [markdown]
# ## No bias, and no second set
#
# "Engineers lean male: their mean score is above zero." Is zero where a balanced word stands? The eight *x* words by themselves, without any bias, in a t-test against zero:

# %%
record.table("alone.{measure}", names=NAMES)

# %% [markdown]
# LIMITS

# %%
record.save()
record
