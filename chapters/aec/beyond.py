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
# # Beyond: probabilities, other bases, other texts
#
# Suppose AEC, the paper's {term}`error classifier`, has learned that *thanks* in a tweet means trouble for a classifier of film reviews. Four questions come next. Did the classifier's own probabilities show it already? Would other tweets show it again? Does AEC also find the errors of a better classifier? Does it work on texts that are not tweets? The paper leaves stronger bases, texts of the same domain and further data sets for later. We try them here.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "aec/beyond"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_imdb = 100
device = "cpu"
vectors = ["wefe_googlenews"]
maps = 10
epochs = 3
patience = 2
encoder = "all-MiniLM-L6-v2"
precision = "float32"
fewest_texts = 20
drawn = [240, 220, 100]
n_reviews = 400
n_tweets = 800

# %%
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.aec import beyond
from trustnlp.studies.aec.data.error_corpus import answers_of, base_of, corpus_for, elsewhere_for
from trustnlp.studies.aec.data.experiments import experiment_of
from trustnlp.studies.aec.models import results_folder
from trustnlp.training.kept_classifiers import probabilities_once

given = vars()  # the parameters above
record = Record("aec", "beyond", profile=profile, seeds=seeds, repeats="float32")
for name in vectors:
    record.uses(name)
record.uses_encoder(encoder)
corpus = corpus_for(record, given)
held_out, imdb = elsewhere_for(record, corpus, n_imdb)

# %%
record.deviation(
    "GoogleNews vectors of 16,103 words; vectors of other words are drawn at random.",
    keys=["combined", "slices", "same_domain", "imdb", "tweets"],
)
record.deviation(
    f"SST's dev part chose the epoch of the CNN, so that its errors there are a little fewer; {n_imdb} reviews of IMDB are drawn.",
    keys=["same_domain", "imdb"],
)
record.deviation(
    "MiniLM is frozen under a regression; the paper names BERT as a next step.",
    keys=["minilm"],
)

# %% [markdown]
# ## One experiment per seed and base
#
# The experiments are those of [](reproduction.ipynb). Each {term}`seed` has a CNN and a MiniLM base, a draw of tweets, a balanced set, and an error classifier. One cell computes all numbers of a seed; the sections below say what they mean.

# %%
rows = {}
for seed in seeds:
    cnn, minilm = (
        experiment_of(corpus, answers_of(base, corpus, given, seed), drawn, seed)
        for base in ("cnn", "minilm")
    )
    said = probabilities_once(
        base_of("cnn", corpus, given, seed), imdb[0].texts, results_folder(given)
    )
    rows[seed] = beyond.other_base_numbers(minilm)
    rows[seed] |= beyond.combined_numbers(cnn) | beyond.replication_numbers(cnn)
    rows[seed] |= beyond.elsewhere_numbers(cnn, held_out, imdb, said)
    if seed == seeds[0]:
        tests = beyond.slices(cnn, cnn.drawn)
        slices = {str(seed): beyond.slice_rows(tests, 12)}

# %%
record.metrics(pd.DataFrame(rows).T, interval="t")
record.array("slices", slices)

# %% [markdown]
# ## Do the features know what the probabilities do not?
#
# We train two forests on the same labels: one sees readable features *and* the base's probabilities, the other the probabilities alone. If the first leads, the features know something that the classifier does not say itself. They do: they raise the share of errors among the first fifty tweets by {metric}`beyond.paper:combined.p50_gain | full`{holds}`beyond.paper:combined.p50_gain clearly above 0`.

# %%
record.table(
    {
        "area that features add": "combined.auc_gain",
        "errors among the first 50 that they add": "combined.p50_gain",
    }
)

# %% [markdown]
# ## Slices that are found again
#
# Each feature cuts the tweets in two, and we test whether the error rates of the two sides differ. There are hundreds of tests, so we correct their {term}`p-values <p-value>` to a {term}`false discovery rate` of five in a hundred finds. We do this on one half of the tweets, and again on the other. A find *replicates* if the other half finds it too, with the same sign; most finds should. As a check we also shuffle the errors: what is found then is false.

# %%
record.table(
    {
        "features tested": "slices.tested",
        "found on one half": "slices.found",
        "found with shuffled errors": "slices.found_shuffled",
        "found again, less one half": "slices.replicated_margin",
    }
)

# %% [markdown]
# Does a majority of the finds replicate? The record leaves it open ({verdict}`slices-replicate`). With shuffled errors the test finds hardly anything{holds}`beyond.paper:slices.found_shuffled between 0 0.09`. A find that is missing on the other half need not be false: with so few tweets, a weak effect may pass one test and fail the other.
#
# Below are the strongest slices of the first seed, on all its drawn tweets: how many texts have the feature, and the error rates of these (with Wilson's interval) and of the other texts. Slices that a stronger one explains are left out.

# %%
(strongest,) = map(pd.DataFrame, evidence_arrays(record)["slices"].values())
record.show(strongest.drop(columns="group").set_index("texts that have").round(1))

# %% [markdown]
# ## Another base
#
# Does AEC also find more errors than uncertainty where the base is MiniLM? The lead is the mean over the lengths of list of Table 4, in points.

# %%
record.table(
    {
        "AEC's lead on MiniLM, mean": "minilm.lead.mean",
        "area of AEC on MiniLM": "minilm.aec.auc",
        "area of the forest on probabilities": "minilm.probabilities.auc",
    }
)

# %% [markdown]
# On average, AEC and uncertainty do not differ detectably on MiniLM ({verdict}`minilm-ahead`). In the longest lists of Table 4, AEC finds fewer errors, by {metric}`beyond.paper:minilm.lead.p50 | abs | full`{holds}`beyond.paper:minilm.lead.p50 clearly below 0`.
#
# ## Other texts
#
# Does AEC also work on reviews? On SST's held-out sentences we train and test it anew, by cross-validation. On IMDB we use the forest that has learned from tweets; a neutral answer counts as an error there. Uncertainty needs no labels, and the figure shows it next to AEC.

# %% mystnb={"figure": {"name": "fig-aec-elsewhere", "caption": "How well AEC and uncertainty rank the errors of the CNN, by kind of text (committed record). Uncertainty uses no labels; AEC learns from SST for SST, and from tweets for the other two."}}
TEXTS = {
    "tweets": "airline tweets",
    "same_domain": "SST",
    "imdb": "IMDB",
}
record.plot(
    "{texts}.{ranking}_above_half",
    texts=tuple(TEXTS),
    ranking=("auc", "uncertainty"),
    x="texts",
    color="ranking",
    title="On reviews, uncertainty ranks the CNN's errors better than AEC",
    names={**TEXTS, "auc": "AEC"},
    ylabel="area above chance (points)",
)

# %%
record.save()
record
