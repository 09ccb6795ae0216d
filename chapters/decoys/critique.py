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
# # Critique: counting, and a reader who is a rule
#
# **What a simulated reader cannot say.** The paper asks how useful explanations are *to people*. The reader of [](leaderboard.ipynb) is a written rule. It does not tire, overlooks nothing and has no idea what a film is. It notices a word for its large score; a person notices a word because it is *odd*, and may name *text* at first sight and *and* never. So the rule's counts of sentences do not estimate what people need, nor its false alarms what people would believe. Whether people would *trust* the model, the other half of the paper's first set-up, is not asked at all.
#
# **What it can say.** Whether the information is there. If scores lead this rule to the planted word no sooner than chance, they show it to no reader who looks at the largest scores. And since all explainers meet the same rule on the same sentences in the same order, we can compare them.
#
# This page asks: to find a {term}`decoy <planted decoy>`, do we need an explainer, or is counting words enough?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/critique"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
models = ["presence"]
explainers = ["occlusion", "lime", "kernel_shap", "gradient_x_input", "random"]
decoys = ["video_text", "position", "punctuation", "movie"]
n_texts = 4000
adoption_texts = 400
pool = 120
longest = 25
samples = 100
steps = 8

# %%
import pandas as pd
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.decoys import critique
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained_models, standings

given = vars()  # the parameters above
repeats = {"": "float32", "corpus": "float64"}
record = Record("decoys", "critique", profile=profile, seeds=seeds, repeats=repeats)
record.uses("hu_liu_lexicon")

# %% [markdown]
# Models, sentences and explanations are those of [](leaderboard.ipynb). Under the `paper` profile this page reads what that notebook kept; otherwise it computes them.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = explained_models(parts, given, inspector.threshold, controls=False)

# %% [markdown]
# ## Counting against explaining
#
# Which words go with a class? We can count that in the training texts, with no model and no explainer. We try several statistics: the z-score of the log-odds ratio, whose Dirichlet prior is the corpus itself, in three strengths; the smoothed ratio of relative frequencies; χ²; pointwise mutual information; and the plain difference of shares. Each word counts once in a text. We leave out opinion words, as the reader passes over them.
#
# Nearly all statistics should put first the words that we inserted. A word from *dropped* texts has a zero count in one class, and so a large variance. The z-score divides by the variance's root, so it should hide the word unless the prior is strong. The same holds for a word that we inserted into one class alone, if it occurs nowhere else.

# %%
by_count = critique.corpus_ranks(parts.train, decoys, opinions, seeds)
ranks = critique.ranks_per_seed(by_count, seeds)
record.metrics(ranks, prefix="corpus", interval="t", unit="rank")
for kind in models:
    own = [model for model in found if model.kind == kind]
    by_scores = critique.explanation_ranks(own, opinions)
    every = pd.concat([by_count, by_scores])
    pairs = {(model.decoy, model.seed) for model in own if model.is_ranked}
    shares = critique.found_shares(every, pairs, seeds)
    first = "finds" if kind == "presence" else f"{kind}.finds"
    record.metrics(shares, prefix=first, interval="t", unit="share of decoys")
    if kind == "presence":
        record.array("ranks", critique.median_ranks(by_scores))

# %%
record.table(
    "corpus.{decoy}.{statistic}", rows="decoy", columns="statistic", names=NAMES
)

# %% [markdown]
# For comparison, median ranks by {term}`occlusion` on models of present words: by first places, by the mean of scores and by their sum. `clean_rank` is the rank in the clean model's explanations: a word that is first there too is no find. Only adopted decoys have a row; a count does not need adoption.

# %%
medians = pd.DataFrame(evidence_arrays(record)["ranks"])
medians = medians[medians["method"].str.startswith("occlusion.")]
record.show(medians.pivot(index="decoy", columns="method", values=["rank", "clean_rank"]))

# %% [markdown]
# One number sums up the two tables: the share of adopted decoys that a method *finds*, with the word among its first few and not among those of the clean data. A count should leave an explainer little to gain on inserted words. An explainer helps where the training texts are not at hand, or where we ask what the *model* learned: a count also names cues that the model ignores.

# %%
record.table("finds.{statistic}", names=NAMES)

# %%
grid = {"rows": "explainer", "columns": "by", "names": NAMES}
record.table("finds.{explainer}.{by}", **grid)

# %% [markdown]
# The same for convolutions:

# %%
record.table("convolution.finds.{statistic}", names=NAMES)

# %%
record.table("convolution.finds.{explainer}.{by}", **grid)

# %% [markdown]
# ## Exercises
#
# **1.** Which decoy's rank changes most with the strength of the z-score's prior? **2.** How many randomly drawn sentences must one read on average to meet *movie* as often as the reader needs to name it? **3.** The reader passes over opinion words. How many of the first twenty words by χ² in the *clean* data would it pass over?

# %% tags=["hide-cell"]
z = by_count[by_count["method"].str.startswith("z")]
spread = z.groupby("decoy")["rank"].agg(lambda own: own.max() - own.min())
rows = pd.DataFrame(standings(found)).query("decoy == 'movie'")
share = rows["carried"].mean() / pool
plain = critique.first_words(parts.train, "chi2", 20)
{
    "1": spread.idxmax(),
    "2": round(float(inspector.threshold / share), 1),
    "3": sum(word in opinions for word in plain),
}

# %%
record.deviation(
    "No person took part: the reader of explanations is a written rule."
)
record.save()
record
