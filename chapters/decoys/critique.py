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
# **What a simulated reader cannot say.** The paper asks how useful explanations are *to people*. The reader of [](leaderboard.ipynb) is a written rule: it does not tire, overlooks nothing, has no idea what a film is, and notices a word because its score is among the largest, where a person notices it because it is *odd*. A person may name *text* at
# first sight, and never name *and*. So its counts of sentences are no estimate of what people need, its false names none of what people believe, and whether anybody would *trust* the model, the other half of the paper's first set-up, is not asked at all.
#
# **What it can say.** Whether the information is there. Scores that do not lead this rule to the planted word any sooner than chance show the word to nobody who looks at the largest scores. And since all explainers meet the same rule, on the same sentences in the same order, they can be compared.
#
# The question of this page: to find a {term}`decoy <planted decoy>`, does one need an explainer, or does counting words do?

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
from trustnlp.studies.decoys import baselines
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained_models, standings

given = vars()  # the parameters above
repeats = {"": "float32", "corpus": "float64"}
record = Record("decoys", "critique", profile=profile, seeds=seeds, repeats=repeats)
record.uses("hu_liu_lexicon")

# %% [markdown]
# Models, sentences and explanations are those of [](leaderboard.ipynb): under the `paper` profile what it kept is read, and where it has not run, this page computes it.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = explained_models(parts, given, inspector.threshold, controls=False)

# %% [markdown]
# ## Counting against explaining
#
# Which words go with a class? That can be counted in the training texts, with no model and no explainer. One statistic is not "the" count, so here are several: the z-score of the log-odds ratio with a Dirichlet prior that is the corpus itself, in three strengths; the smoothed ratio of relative frequencies; χ²; pointwise mutual information; and the plain difference of shares.
# Each word counts once in a text. Opinion words are left out, as the reader passes over them.
#
# What to expect: words that were put in are first by nearly all of them. Where texts were *dropped*, the word has a zero count in one class, whose variance is large: the z-score divides by it, and should hide the word unless the prior is strong. So has a word that is written into one class alone, if it occurs nowhere else.

# %%
by_count = baselines.corpus_ranks(parts.train, decoys, opinions, seeds)
for key, ranks in baselines.ranks_per_seed(by_count, seeds).items():
    record.metric(f"corpus.{key}", ranks, interval="t", unit="rank")
for kind in models:
    own = [model for model in found if model.kind == kind]
    by_scores = baselines.explanation_ranks(own, opinions)
    every = pd.concat([by_count, by_scores])
    pairs = {(model.decoy, model.seed) for model in own if model.is_ranked}
    first = "" if kind == "presence" else f"{kind}."
    for method, shares in baselines.found_shares(every, pairs, seeds).items():
        unit = "share of decoys"
        record.metric(f"{first}finds.{method}", shares, interval="t", unit=unit)
    if kind == "presence":
        record.array("ranks", baselines.median_ranks(by_scores))

# %%
record.table(
    "corpus.{decoy}.{statistic}", rows="decoy", columns="statistic", names=NAMES
)

# %% [markdown]
# Beside it, ranks by {term}`occlusion` on models of present words, over all sentences that were explained: by first places, by the mean of scores, and by their sum; medians over seeds. Then the rank by the clean model's explanations: a word that is first anyway is no find. Decoys have a row where the model has adopted them; a count does not need that.

# %%
medians = pd.DataFrame(evidence_arrays(record)["ranks"])
medians = medians[medians["method"].str.startswith("occlusion.")]
record.show(medians.pivot(index="decoy", columns="method", values=["rank", "clean_rank"]))

# %% [markdown]
# The two tables in one number: the share of adopted decoys that are *found*, on the short list of the first few words, and not on that of the clean data. All methods have the same decoys. What to expect: on words that were put in, no explainer can beat a count by much, because the count has nothing left to gain. An explainer's place is where the
# training texts are not at hand, or where the question is what the *model* learned: a count names the cue that a bag of words cannot adopt just as well.

# %%
record.table("finds.{statistic}", names=NAMES)

# %%
grid = {"rows": "explainer", "columns": "by", "names": NAMES}
record.table("finds.{explainer}.{by}", **grid)

# %% [markdown]
# The same of convolutions:

# %%
record.table("convolution.finds.{statistic}", names=NAMES)

# %%
record.table("convolution.finds.{explainer}.{by}", **grid)

# %% [markdown]
# ## Exercises
#
# **1.** Which statistic changes its ranks most with the strength of its prior, and on which decoy? **2.** How many sentences must one read on average, drawn at random, until as many with *movie* have come by as the reader must have noted it in? **3.** The reader passes over opinion words. How many of the first words by χ² in the *clean* data would it pass over?

# %% tags=["hide-cell"]
z = by_count[by_count["method"].str.startswith("z")]
spread = z.groupby("decoy")["rank"].agg(lambda own: own.max() - own.min())
rows = pd.DataFrame(standings(found)).query("decoy == 'movie'")
share = rows["carried"].mean() / pool
plain = baselines.first_words(parts.train, "chi2", 20)
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
