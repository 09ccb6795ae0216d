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
# # Critique: counting, false alarms, and a reader who is a rule
#
# **What a simulated reader cannot say.** The paper asks how useful explanations are *to people*. The reader of [](leaderboard.ipynb) is a written rule: it does not tire, overlooks nothing, has no idea what a film is, and notices a word because its score is among the largest, where a person notices it because it is *odd*. A person may name *text* at
# first sight, and never name *and*. So its counts of sentences are no estimate of what people need, its false names none of what people believe, and whether anybody would *trust* the model, the other half of the paper's first set-up, is not asked at all.
#
# **What it can say.** Whether the information is there. Scores that do not lead this rule to the planted word any sooner than chance show the word to nobody who looks at the largest scores. And since all explainers meet the same rule, on the same sentences in the same order, they can be compared. How much of that hangs on the rule's two numbers is asked below.
#
# The questions of this page: does one need an explainer, or does counting words do? Which words are named where nothing was planted? And would another {term}`decoy <planted decoy>`, seed or model have given another ranking?

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
minilm_seeds = [0]
models = ["presence"]
explainers = ["occlusion", "lime", "kernel_shap", "gradient_x_input", "random"]
decoys = ["video_text", "position", "punctuation", "movie"]
encoder = "all-MiniLM-L6-v2"
n_texts = 4000
epochs = 3
learning_rate = 0.0003
batch_size = 32
precision = "float32"
device = "cpu"
adoption_texts = 400
pool = 120
longest = 25
budget = 80
draws = 5
chance_draws = 100
samples = 100
steps = 8

# %%
import numpy as np
import pandas as pd
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.decoys import baselines, critique
from trustnlp.studies.decoys.data import NAMES, review_parts
from trustnlp.studies.decoys.leaderboard import bug_searches
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained_models, standings

given = vars()  # the parameters above
repeats = {"": "float32", "corpus": "float64"}
record = Record("decoys", "critique", profile=profile, seeds=seeds, repeats=repeats)
record.uses("hu_liu_lexicon")
if "minilm" in models:
    record.uses_encoder(encoder)

# %% [markdown]
# Models, sentences and explanations are those of [](leaderboard.ipynb): under the `paper` profile what it kept is read, and where it has not run, this page computes it.

# %%
lexicon = read_opinion_lexicon()
opinions = frozenset((*lexicon.positive, *lexicon.negative))
inspector = Inspector(reasons=opinions)
parts = review_parts(record, "sentences", n_texts)
found = explained_models(parts, given, inspector.threshold)
kinds = list(dict.fromkeys(model.kind for model in found))
main = bug_searches.main_kind(kinds)
own = [model for model in found if model.kind == main]
searches = bug_searches.search_table(found, inspector, given, ["random"])
leaders = {}
for kind in kinds:
    of_kind, draw = bug_searches.of_kind(searches, kind), np.random.default_rng(0)
    ranks, _ = bug_searches.ranking(of_kind, explainers, kind, draw)
    leaders[kind] = bug_searches.leader(ranks)
record.array("standings", standings(own))
record.array("leader", leaders[main])

# %% [markdown]
# ## Counting against explaining
#
# Which words go with a class? That can be counted in the training texts, with no model and no explainer. One statistic is not "the" count, so here are several: the z-score of the log-odds ratio with a Dirichlet prior that is the corpus itself, in three strengths; the smoothed ratio of relative frequencies; χ²; pointwise mutual information; and the plain difference of shares.
# Each word counts once in a text. Opinion words are left out, as the reader passes over them.
#
# What to expect: words that were put in are first by nearly all of them. Where texts were *dropped*, the word has a zero count in one class, whose variance is large: the z-score divides by it, and should hide the word unless the prior is strong. So has a word that is written into one class alone, if it occurs nowhere else.

# %%
by_count = baselines.corpus_ranks(parts.train, decoys, opinions, seeds)
by_scores = baselines.explanation_ranks(own, opinions)
for key, by_seed in baselines.ranks_per_seed(by_count, seeds).items():
    record.metric(f"corpus.{key}", by_seed, interval="t", unit="rank")
every = pd.concat([by_count, by_scores])
record.array("ranks", baselines.median_ranks(every))
for kind in kinds:
    these = [model for model in found if model.kind == kind]
    both = pd.concat([by_count, baselines.explanation_ranks(these, opinions)])
    pairs = {(model.decoy, model.seed) for model in these if model.is_ranked}
    first = "" if kind == main else bug_searches.prefix(kind)
    told = baselines.comparison(both, leaders[kind], pairs, seeds)
    for key, (values, unit) in told.items():
        record.metric(f"{first}{key}", values, interval="t", unit=unit)

# %%
record.table(
    "corpus.{decoy}.{statistic}", rows="decoy", columns="statistic", names=NAMES
)

# %% [markdown]
# Beside it, the words of the explainer that is first on the leaderboard, ranked over all sentences that were explained: by first places, by the mean of scores, and by their sum; medians over seeds. Then the rank by the clean model's explanations: a word that is first anyway is no find. Explainers have a row where the model has adopted the decoy; a count does not need that.

# %%
leading = evidence_arrays(record)["leader"]
medians = pd.DataFrame(evidence_arrays(record)["ranks"])
medians = medians[medians["method"].str.startswith(f"{leading}.")]
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
# By how much does a count find a larger share than the first places of the first explainer?

# %%
record.table("lead.{statistic}", names=NAMES)

# %% [markdown]
# The same of convolutions:

# %%
record.table("convolution.finds.{statistic}", names=NAMES)

# %%
record.table("convolution.finds.{explainer}.{by}", **grid)

# %%
record.table("convolution.lead.{statistic}", names=NAMES)

# %% [markdown]
# ## Where nothing was planted
#
# False alarms hang on how words are ranked over explanations. Below is the short list of each explainer for the first clean model: by first places, by sums, by means. What to expect: sums put frequent words first, commas among them; means put rare ones first, if they are in enough texts; first places put negations first. None of
# these words was planted, and some are good reasons that the lexicon does not have.

# %%
record.array("clean", baselines.leading_words(own[:1], opinions))
lists = pd.DataFrame(evidence_arrays(record)["clean"])
record.show(lists.pivot(index="explainer", columns="statistic", values="words"))

# %% [markdown]
# ## Does the ranking persist?
#
# If explainers were ranked alike on all decoys, one decoy would do, and the paper's call for a collection would be idle. Kendall's τ-b compares the rankings of each pair of decoys, of seeds, and of kinds of models; its interval is over decoys, and *shuffled* is what rankings at random would give. Random scores are left out, as they would make any two
# rankings look alike. What to expect: seeds agree more than decoys do; a wide interval, with so few explainers. Where all explainers name every decoy at once, there is nothing to compare; and on a logistic regression, where all of them read off the same weights, a τ of one says so and nothing more. Between kinds of models only those four explainers are compared that both have; where they hardly differ in the shares above, a τ ranks thousandths.

# %%
for kind in kinds:
    draw, first = np.random.default_rng(0), bug_searches.prefix(kind)
    agreed = critique.agreements(searches, kind, draw)
    measures = critique.agreement_metrics(agreed)
    for key, (value, interval) in measures.items():
        record.metric(f"{first}tau.{key}", value, interval=interval)
record.table(
    "{model}.tau.{between}.{rankings}",
    rows=("model", "between"),
    columns="rankings",
    names=NAMES | {"mean": "as they are", "chance": "shuffled"},
)

# %% [markdown]
# ## The rule's two numbers
#
# The reader notes so many words of an explanation (`shown`), and names a word after so many notes (`threshold`). Other numbers are another reader. The tables have τ with the ranking by the reader's own numbers, and the share of decoys named. What to expect: a reader who notes more names more, by chance too; the ranking should move less
# than the shares.

# %%
rules = critique.inspector_settings(own, opinions, given)
record.array("rules", rules)
for rule in rules:
    if rule["tau"] is not None:
        key = f"rules.shown{rule['shown']}_threshold{rule['threshold']}.tau"
        record.metric(key, rule["tau"])
record.table(
    "rules.shown{shown:d}_threshold{threshold:d}.tau",
    rows="shown",
    columns="threshold",
)

# %%
tried = pd.DataFrame(evidence_arrays(record)["rules"])
tried = tried.set_index(["shown", "threshold"])
named_by = tried["found"].apply(pd.Series).join(tried["chance"])
record.show(named_by.map("{:.0%}".format))

# %% [markdown]
# ## Exercises
#
# **1.** Which statistic changes its ranks most with the strength of its prior, and on which decoy? **2.** How many sentences must one read on average, drawn at random, until as many with *movie* have come by as the reader must have noted it in? **3.** The reader passes over opinion words. How many of the first words by χ² in the *clean* data would it pass over?

# %% tags=["hide-cell"]
z = by_count[by_count["method"].str.startswith("z")]
spread = z.groupby("decoy")["rank"].agg(lambda own: own.max() - own.min())
rows = pd.DataFrame(standings(own)).query("decoy == 'movie'")
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
