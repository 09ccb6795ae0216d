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
# # The loop: label, train again, repeat
#
# A tweet that thanks an airline for a lost bag is an error of the base, and AEC says that it is likely to be one. So somebody labels it, and the base learns from it. Was that a better way to spend a label than any other tweet? The paper plans this
# loop ("work in progress") and does not run it. Here it runs: round after round some tweets are labelled as a strategy picks them, the base is trained again, and it is tested on tweets that nobody picks. It is a loop of {term}`active learning`, and what counts is not how
# many errors a strategy finds but what the base learns from them.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "aec/loop"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_reviews = 400
n_tweets = 800
drawn = [240, 220, 100]
fewest_texts = 20
encoder = "all-MiniLM-L6-v2"
precision = "float32"
device = "cpu"
first = 80
step = 40
rounds = 3
own_labels = 20

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.aec import loop
from trustnlp.studies.aec.data.error_corpus import corpus_for

record = Record("aec", "loop", profile=profile, seeds=seeds, repeats="float32")
record.uses_encoder(encoder)
corpus = corpus_for(record, vars())

# %% [markdown]
# ## What is compared
#
# Each {term}`seed` draws its tweets, holds some of them out for the test, and puts the others into a pool. In each round a strategy scores the tweets that are left, the highest are labelled (their labels are looked up), and the base is trained again on the reviews and all
# labelled tweets. The strategies: a random order; {term}`uncertainty sampling`; AEC, an {term}`error classifier` on readable features; the same with the base's probabilities among the features; and, as a bound that nobody can reach, known errors in random order.
#
# The paper's base takes minutes to train, and a loop trains it a thousand times. So here the base is the second one of this chapter: a regression on the states of MiniLM, which takes less than a second. It begins as poor on tweets as the paper's, and it can learn.
#
# AEC learns from errors, so it has to know some. A base does not err on what it has learned from; where it errs is therefore asked of bases that have not learned from the tweet. This is kinder to AEC than the paper's plan, in which labels that teach AEC never teach the base.

# %%
record.condition("base", "MiniLM, logistic regression")
record.deviation(
    "The base is a regression on states of MiniLM, not the paper's network, which takes minutes to train."
)
record.deviation(
    f"AEC learns from {first} random tweets at first (the paper: 7,448), and then from all that were labelled.",
    keys=["charged", "given"],
)
record.deviation(
    "Labels that teach AEC teach the base, too; where the base errs on them is asked of bases of other folds.",
    keys=["charged", "given"],
)

# %% [markdown]
# ## Two accounts
#
# *Charged*: all strategies begin with reviews alone. AEC spends its first labels on random tweets, since it has nothing to learn from before; uncertainty picks from the start. *Given*: all begin with the same labelled tweets, and count from there. Strategies are compared by
# {term}`macro-F1` on the test tweets, averaged over equally spaced numbers of labels.

# %%
curves, errors = {}, {}
how = {"step": step, "first": first, "rounds": rounds, "own_labels": own_labels}
for seed in seeds:
    texts = loop.texts_for(corpus, vars(), seed)
    curves[seed], errors[seed] = loop.accounts_of(texts, profile, **how)
loop.record_accounts(record, curves, errors)

# %% [markdown]
# What to expect: if likely errors are what a base should learn from, AEC is above random order, and known errors are far above it. Known errors are not only what the base has yet to learn, though: some are tweets that no one can tell, and some are labels that are wrong.

# %% mystnb={"figure": {"name": "fig-aec-loop-charged", "caption": "All labels count, those from which AEC learned among them (committed record). Up to its first round, AEC is the random order."}}
NAMES = {
    "random": "random",
    "least_confidence": "uncertainty",
    "aec": "AEC",
    "aec_with_probabilities": "AEC with probabilities",
    "aec_and_confident": "AEC and the most confident",
    "oracle": "known errors",
}
how_shown = {"x": "labels", "color": "picks", "names": NAMES, "ylabel": "macro-F1 (%)"}
record.plot(
    "charged.{picks}.macro_f1.labels{labels:d}",
    picks="random least_confidence aec aec_with_probabilities".split(),
    title="The base learns more from uncertainty's picks than from AEC's",
    xlabel="labels spent",
    **how_shown,
)

# %% mystnb={"figure": {"name": "fig-aec-loop-given", "caption": "All strategies and the base begin with the same labelled tweets (committed record). Known errors are a bound: to use them one has to know the labels already."}}
record.plot(
    "given.{picks}.macro_f1.labels{labels:d}",
    picks="random least_confidence aec aec_and_confident oracle".split(),
    title="With the same first labels, uncertainty's picks still teach more",
    xlabel="labels bought after the first",
    **how_shown,
)

# %% [markdown]
# ## Who learns more from a label
#
# Differences of the mean macro-F1, per seed, with their intervals. A comparison with AEC in it is also a matter of its first labels, which are fewer than the paper's. The last comparison of AEC is the second half of the paper's plan: in each round the tweets that AEC is surest are right are added as well, with the label that the base gives them.

# %%
record.table(
    {
        "charged: AEC over random": "charged.aec_over_random",
        "charged: AEC over uncertainty": "charged.aec_over_uncertainty",
        "charged: uncertainty over random": "charged.uncertainty_over_random",
        "given: AEC over random": "given.aec_over_random",
        "given: AEC over uncertainty": "given.aec_over_uncertainty",
        "given: uncertainty over random": "given.uncertainty_over_random",
        "given: known errors over random": "given.oracle_over_random",
        "given: AEC with probabilities over uncertainty": "given.combined_over_uncertainty",
        "given: AEC with the most confident over AEC": "given.confident_gain",
    },
    names={"label": "macro-F1 of"},
)

# %% [markdown]
# ## What is picked
#
# Of the tweets that each strategy picked: how many the base had wrong at that time.

# %%
record.table(
    "picked.{strategy}.errors", strategy=tuple(NAMES), names={**NAMES, "strategy": "picks of"}
)

# %% [markdown]
# What was seen: on this base AEC picks fewer errors than uncertainty does, with the same labels in hand, so that the loop is no trial of a list that is ahead. And known errors are not far above random order: uncertainty, whose picks are errors in part, teaches more than they do.
#
# A strategy that finds many errors is not yet one that teaches much. Errors that resemble each other teach the same thing again and again, and an error that comes from a wrong label teaches something false. Compare the table with the differences above.

# %%
record.save()
record
