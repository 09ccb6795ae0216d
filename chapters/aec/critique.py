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
# # Arithmetic, labels and rankings
#
# *Thanks for losing my bag again!* (Made up, as before.) Say the {term}`error classifier` ranks this tweet first, and *thanks* is high among its features. Three doubts arise. Its list leads uncertainty's by a few tweets of fifty: is that more than chance? It knows thousands of labels, and uncertainty knows none: could the labels have been spent better? And a forest ranked *thanks*: would it rank a meaningless column lower?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "aec/critique"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
device = "cpu"
vectors = ["wefe_googlenews"]
maps = 10
epochs = 3
patience = 2
fewest_texts = 20
drawn = [240, 220, 100]
n_reviews = 400
n_tweets = 800

# %%
import numpy as np
import pandas as pd
from trustnlp.evaluation.intervals import wilson_interval
from trustnlp.evaluation.printed_numbers import count_behind
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.aec import checks, critique
from trustnlp.studies.aec.data.error_corpus import answers_of, corpus_for
from trustnlp.studies.aec.data.experiments import experiment_of

repeats = {"": "float32", "printed": "exact", "table5": "exact"}
record = Record("aec", "critique", profile=profile, seeds=seeds, repeats=repeats)
for name in vectors:
    record.uses(name)
printed = printed_tables("aec", "table2", "table3", "table4", "table5", "table6")
printed |= printed_tables("aec", "split", "test_of_table4", "emotions", "conversation")

# %% [markdown]
# ## Precisions as counts
#
# Are the printed leads larger than chance? {term}`Precision at k <precision at k>` of so few tweets is a count, and each cell of Table 4 fits exactly one. So we can read off the errors, how many each longer list adds, and an interval of each cell. Half of the test set are errors. The last column has the precision above the same threshold if errors were as frequent as in Table 3.

# %%
record.show(checks.precision_table(printed).round(2), printed=True)

# %% [markdown]
# Next come the leads in tweets, and Fisher's test of each. The two lists may share tweets, and the paper does not say how many. Shared tweets say nothing about the difference. So there are two {term}`p-values <p-value>`: one if the lists share none, and the smallest over all numbers that they may share.

# %%
record.show(checks.leads(printed).round(3), printed=True)

# %% [markdown]
# AEC's last ten tweets hold as many errors as ten random tweets of the test set, and its lead at the end of the table is a single tweet. However many tweets the lists share, no lead of the table exceeds chance{holds}`critique.paper:printed.table4.beyond_chance between -0.06 -0.04`. AEC may still lead; the table cannot show it.
#
# ## Do the printed numbers fit?
#
# We check the printed sizes in the same way: a margin above zero means that the numbers fit. Tables 2 and 3 also allow us to compare the base with always answering "negative". The last rows count entries that the paper's lists of features have in excess or leave out.

# %%
record.metrics(checks.checks_of(printed))
record.table(
    {
        "Table 2 adds up to Table 3": "printed.table2.sum_margin",
        "Table 3 adds up": "printed.table3.sum_margin",
        "accuracy of Table 3": "printed.table3.accuracy_margin",
        "base above always saying negative": "printed.table3.above_majority",
        "tweets for training": "printed.split.train",
        "tweets for testing": "printed.split.test",
        "tweets that the test of Table 4 lacks": "printed.split.missing",
        "cells of Table 4 are counts of K": "printed.table4.grid_margin",
        "AEC's last ten above one half": "printed.table4.aec.last_step_above_half",
        ".05 less the least p-value of a lead": "printed.table4.beyond_chance",
        "emotions too many": "printed.emotions.excess",
        "features that no text describes": "printed.table6.undescribed",
    }
)

# %% [markdown]
# The counts of Tables 2 and 3, the balanced set and its split agree with each other. The paper gives two sizes of the test set. Always answering "negative" is right more often than the paper's base{holds}`critique.paper:printed.table3.above_majority between -3.1 -3`.
#
# ## What the examples hold
#
# The paper says that row 3 of Table 5 contains an entity of type *time*. Does it? A few words find the tweets in the public file, and spaCy counts the times. The texts are not shown. The margin is one half minus the count.

# %%
given = vars()  # the parameters above
corpus = corpus_for(record, given)
record.metrics(critique.example_checks(corpus, printed["table5"]))
record.table(
    {
        "times in row 3, margin": "table5.row3.time_margin",
        "times in row 2": "table5.row2.times",
    }
)

# %% [markdown]
# spaCy finds no time in row 3{holds}`critique.paper:table5.row3.time_margin between 0.4 0.6`; row 2 has one.
#
# ## One experiment per seed
#
# Each {term}`seed` trains a base on reviews, draws tweets, leaves out some right or some wrong predictions, whichever are more ({term}`undersampling`), and holds out a fifth. On that fifth we compare AEC with other uses of its labels, and its forest's features with meaningless columns. The next two cells compute all numbers below.

# %%
reviews = corpus.features_of(corpus.reviews.train.texts)
rows, rankings = {}, {}
for seed in seeds:
    answers = answers_of("cnn", corpus, given, seed)
    one = experiment_of(corpus, answers, drawn, seed)
    rows[seed] = {
        **critique.stream_numbers(one),
        **critique.control_numbers(one, reviews),
        **critique.decoy_numbers(one),
        **critique.power_numbers(one),
    }
    rankings[seed] = critique.ranked_signs(one)

# %%
record.metrics(pd.DataFrame(rows).T, interval="t")
margins = critique.sign_margins(rankings)
record.metric("ranking.signs_margin", margins, interval="t")
record.condition("googlenews", "in part")
record.condition("subset", "drawn")
record.condition("cnn_settings", "Kim 2014")
record.deviation(
    "The sentiment classifier of the control is a logistic regression on words and pairs of words; the paper has no such control.",
    keys=["controls.disagreement"],
)

# %% [markdown]
# ## As tweets come
#
# Balancing the test set requires its labels. But the method is meant for tweets without labels, and there errors are as frequent as the base makes them. So the same classifiers score the held-out fifth as it was before undersampling. Where the base errs on fewer than half of the tweets, precision should fall for all rankings alike.

# %%
SHOWN = {
    "aec": "AEC",
    "disagreement": "sentiment classifier disagrees",
    "probabilities": "forest on probabilities",
    "least_confidence": "uncertainty (no labels)",
}
by_list = {"rows": "ranking", "columns": "k", "names": SHOWN}
record.table("stream.{ranking}.p{k:d}", k=(10, 30, 50), **by_list)

# %% [markdown]
# Does AEC's precision hold on the stream? These means leave it open ({verdict}`stream-holds`), because they mix two kinds of base (see `stream.errors` in the record). Some of our bases err on more than half of the tweets: there the stream has more errors than the test set, and precision hardly falls, or rises. Where the base errs as seldom as the paper's does, precision falls.
#
# ## What else the labels can buy
#
# Knowing where the base errs means knowing labels. Could the labels be spent better? We give the same labelled tweets to an ordinary sentiment classifier, a logistic regression on words. It ranks by its disagreement: one minus the probability that it gives to the base's answer. The other controls are cheaper:
#
# - the same forest on the base's probabilities alone;
# - the error rate of each predicted label;
# - a forest that separates tweets from reviews, in case AEC says no more than "this is not a review".
#
# {term}`Uncertainty sampling <uncertainty sampling>` is `least_confidence`. If a control is above AEC, AEC's labels were better spent on it. The last table has AEC's leads.

# %%
record.table("controls.{ranking}.p{k:d}", k=(10, 50), **by_list)
record.table("controls.{ranking}.auc", names={**SHOWN, "ranking": "area under the curve"})

# %% mystnb={"figure": {"name": "fig-aec-controls", "caption": "Errors among the first K tweets of the balanced test set (committed record), by what the labels train."}}
record.plot(
    "controls.{ranking}.p{k:d}",
    ranking=tuple(SHOWN),
    x="k",
    color="ranking",
    title="The same labels find more errors if they train a sentiment classifier",
    names=SHOWN,
    xlabel="tweets at the top of the list (K)",
    ylabel="errors among the first K (%)",
    levels={"random order": 50},
)

# %%
record.table(
    {
        "first 50, over the sentiment classifier": "controls.disagreement.p50_lead",
        "first 50, over the forest on probabilities": "controls.probabilities.p50_lead",
        "area, over error rates by class": "controls.predicted_class.auc_lead",
        "area, over tweet or review": "controls.domain.auc_lead",
        "first 50, as tweets come, plus 2": "stream.aec.margin",
    },
    names={"label": "AEC's lead"},
)

# %% [markdown]
# ## Power, or frequency?
#
# The paper ranks features "according to their individual predictive power", and its table shows {term}`impurity importance`. Does that ranking follow how well each feature alone predicts the errors, or how many tweets have the feature?
#
# And where would meaningless columns rank? We copy the ten most frequent features and shuffle each copy among the tweets, so that it is as frequent as before but says nothing: a {term}`planted decoy`. We also rank a random number, and one divided by the length of the text, as the paper's features are. The table has correlations of ranks, and places among the true features:

# %%
record.table(
    {
        "impurity and power": "ranking.impurity.power",
        "impurity and prevalence": "ranking.impurity.prevalence",
        "the former less the latter": "ranking.power_over_prevalence",
        "best shuffled copy, place less 100": "ranking.shuffled_place_margin",
        "random number": "ranking.random_place",
        "random number over the length": "ranking.random_over_length_place",
    }
)

# %% [markdown]
# The ranking follows how frequent a feature is ({metric}`critique.paper:ranking.impurity.prevalence`) more closely than what it predicts ({metric}`critique.paper:ranking.impurity.power`){holds}`critique.paper:ranking.power_over_prevalence clearly below -0.2`. On average, the best shuffled copy ranks third or fourth{holds}`critique.paper:ranking.shuffled_place_margin between -97.5 -95.5`: a high place says little about errors.
#
# ## Does the sign persist?
#
# A feature may stay at the top for bases that were trained separately, and still mean more errors of one and fewer of another. The table has the share of pairs of trainings and features with the same sign, minus nine tenths. Each pair counts for both of its trainings, so the interval is too short; doubling it would not change the verdict.

# %%
changing = critique.changing_signs(rankings, corpus.features.names)
record.array("changing_signs", changing.T.to_dict())
record.table({"same sign, less .9": "ranking.signs_margin"})

# %% [markdown]
# Fewer than nine tenths of the pairs keep their sign{holds}`critique.paper:ranking.signs_margin clearly below 0`. Some of the features that change it are among the twenty highest of all trainings. For each of these, the table counts the trainings in which more of it means more errors, or fewer:

# %%
record.show(pd.DataFrame(evidence_arrays(record)["changing_signs"]).T)

# %% [markdown]
# ## Exercises
#
# **1.** How many errors would AEC need among its first fifty, against uncertainty's printed count, for the smallest p-value of Fisher's test to be below .05? **2.** What is the smallest count of fifty whose Wilson interval lies above one half? **3.** At which share of errors would the printed .76 of AEC fall to one half?

# %% tags=["hide-cell"]
table4 = printed["table4"]
theirs = count_behind(100 * table4["uncertainty"][-1], 50, decimals=0)
beyond = [
    k for k in range(theirs, 51) if checks.least_p_value(k, theirs, 50) < 0.05
]
low, _ = wilson_interval(np.arange(51), np.full(51, 50))
shares = np.arange(0.01, 0.5, 0.01)
at_share = [checks.at_error_rate(table4["aec"][-1], s) for s in shares]
solved = {
    "errors that AEC would need": str(min(beyond)),
    "smallest count above one half": str(np.flatnonzero(low > 0.5)[0]),
    "share of errors": f"{shares[np.searchsorted(at_share, 0.5)]:.2f}",
}
record.show(pd.Series(solved, name="answer").to_frame(), printed=True)

# %%
record.save()
record
