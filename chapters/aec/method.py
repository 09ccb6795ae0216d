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
# # Where does the classifier err, and why?
#
# *Thanks for losing my bag again!* A sentiment classifier trusts the *thanks* and calls this complaint positive. A second classifier, the {term}`error classifier`, learns from labelled tweets where
# the first one errs. Does it find the errors among new tweets, and does it name their cause? We make the tweets and the errors ourselves, so we know both.
#
# ## A world we made
#
# A tweet is a set of words, drawn from twelve, some common, some rare. The sentiment classifier errs on two in ten of the tweets without *thanks*, and on five in ten of the tweets with it. It also
# says how sure it is, but it is as sure where it errs as where it is right.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "aec/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from trustnlp.plots import house_style, show
from trustnlp.plots.tidy import draw

WORDS = np.array("the flight crew bag gate late thanks seat app lost why free".split())
OFTEN = np.array([0.85, 0.7, 0.6, 0.5, 0.45, 0.4, 0.3, 0.3, 0.2, 0.2, 0.15, 0.1])
LATE, THANKS = 5, 6
rng = np.random.default_rng(2)


def world(n, added=0.3):
    has = rng.random((n, len(WORDS))) < OFTEN
    wrong = rng.random(n) < 0.2 + added * has[:, THANKS]
    return has, wrong, rng.uniform(0.5, 1.0, n)  # the last: how sure the classifier is


# %%
has, wrong, sure = world(800)
new_has, new_wrong, new_sure = world(800)
tweets = [" ".join(WORDS[row]) for row in has[:5]]
pd.DataFrame({"tweet": tweets, "the classifier errs": wrong[:5], "how sure it is": sure[:5].round(2)})

# %% [markdown]
# ## The idea in bare lines
#
# **Name the cause.** For each word, compare two error rates: of the tweets with it and of the tweets without it. Their difference, divided by its standard deviation under chance alone, is $z$.

# %%
with_word, without = has.sum(0), (~has).sum(0)
errs_with, errs_without = has[wrong].sum(0) / with_word, (~has)[wrong].sum(0) / without
rate = wrong.mean()
chance = np.sqrt(rate * (1 - rate) * (1 / with_word + 1 / without))
z = (errs_with - errs_without) / chance
found = pd.DataFrame({"errs with it": errs_with, "errs without it": errs_without, "z": z}, WORDS)
order = found.z.abs().sort_values(ascending=False).index
found.loc[order[:5]].round(2)

# %% mystnb={"figure": {"caption": "z of each word. By chance alone, $1$ word in $20$ lies beyond the dashed lines, at $\\pm 1.96$.", "name": "fig-aec-lesson-z"}}
assert tuple(order[:2]) == ("thanks", "the") and found.z["thanks"] > 6 and found.z["the"] < 3
with house_style():
    figure, axis = plt.subplots()
    axis.barh(WORDS[::-1], z[::-1])
    for line in (-1.96, 1.96):
        axis.axvline(line, color="black", linestyle="--", marker="")
    axis.set(xlabel="z", title="Errors go with “thanks”; by chance a little with “the”")
show(figure, f"Bars of z for twelve words. “Thanks” lies far beyond the dashed lines, at {z[THANKS]:.1f}; “the” comes next, at {z[0]:.1f}.")

# %% [markdown]
# **Find the errors.** Our error classifier gives each word a weight and adds up the weights of a tweet's words. The larger the sum, the more probable an error. The weights move against the
# gradient of the cross entropy, which is large where an error got a small probability, or a right answer a large one. (The paper takes a random forest: many trees of yes/no questions. We take
# weights, because one can read them.)

# %%
weights, start = np.zeros(len(WORDS)), 0.0
for _ in range(500):
    q = 1 / (1 + np.exp(-(has @ weights + start)))  # the probability of an error
    weights -= (q - wrong) @ has / len(has)
    start -= (q - wrong).mean()
pd.Series(weights, WORDS, name="weight").sort_values(ascending=False).head().round(2).to_frame()

# %% [markdown]
# **Rank and count.** The paper's method, Accountable Error Characterization (AEC), ranks new tweets by the probability of an error. {term}`Uncertainty sampling <uncertainty sampling>` ranks them by
# how unsure the sentiment classifier is. How many of the first $K$ does it get wrong?

# %%
K = [50, 100, 200, 400]
scores = {"AEC": new_has @ weights, "uncertainty": 1 - new_sure}
counts = pd.DataFrame({name: np.cumsum(new_wrong[np.argsort(-score)]) for name, score in scores.items()})
first = counts.iloc[[k - 1 for k in K]].set_axis(pd.Index(K, name="K"))
assert first.AEC[100] > 1.5 * first.uncertainty[100]
first.assign(chance=[round(k * new_wrong.mean()) for k in K])

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $e_i$, 1 where the classifier errs on text $i$ | `wrong` |
# | $x_i$, the features of text $i$ | a row of `has` |
# | $s_{\text{AEC}}(i) = q(x_i) \approx \Pr(e_i = 1 \mid x_i)$ | `q`; the sum of the weights gives the same order |
# | $s_{\text{uncertainty}}(i) = 1 - \max_c p_i(c)$ | `1 - new_sure`; $p_i(c)$ is the sentiment classifier's probability of class $c$ |
# | $P@K = \frac1K \sum_{i \in \text{top } K} e_i$ ({term}`precision at k`) | `first` in row $K$, divided by $K$ |
#
# The package computes the same for any table of features, and corrects the {term}`p-value` of each $z$ for the number of words tried.

# %%
from trustnlp.error_analysis.error_slices import find_slices
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import error_counts


def table(has):
    return FeatureTable(tuple(WORDS), has.astype(float), ("word",) * len(WORDS))


slices = find_slices(table(has), wrong)
assert np.allclose([each.z for each in slices.slices], [found.z[each.name] for each in slices.slices])
assert (error_counts(scores["uncertainty"], new_wrong, K, rng=rng) == first["uncertainty"]).all()
print([f"{each.rule}: {each.errors} errors in {each.support} tweets" for each in slices.causes])

# %% [markdown]
# ## Does it name what we planted?
#
# We change how many errors *thanks* adds, from none to $50$ percentage points. For each strength we draw twenty worlds and ask two rankings for their first word. One is $z$. The other is the paper's,
# the {term}`impurity importance` of a random forest. As in the paper, the forest sees a word's share of the tweet: 1 divided by the number of the tweet's words, not just 1, for a word that is
# there.

# %%
from sklearn.ensemble import RandomForestClassifier


def first_words(has, wrong):
    shares = has / np.maximum(has.sum(1, keepdims=True), 1)
    forest = RandomForestClassifier(20, random_state=0).fit(shares, wrong)
    return {"z": find_slices(table(has), wrong).slices[0].name, "impurity": WORDS[forest.feature_importances_.argmax()]}


strengths, worlds = [0.0, 0.05, 0.1, 0.2, 0.3, 0.5], 20
firsts = pd.DataFrame([{"added": 100 * a, **first_words(*world(800, a)[:2])} for a in strengths for _ in range(worlds)])
named = (firsts.set_index("added") == "thanks").groupby(level="added").sum()
assert named.z[10] >= 17 > 8 >= named.impurity[10] and named.impurity[30] >= 18
weak = firsts[firsts.added <= 10].impurity.value_counts()
weak.head(3).rename("first by impurity, of 60 worlds with a weak cause or none").to_frame()

# %% [markdown]
# Where the cause is weak, impurity mostly names a word that about half of the tweets have, although it means nothing.

# %% mystnb={"figure": {"caption": "Worlds, of twenty, in which each ranking puts the planted cause first.", "name": "fig-aec-lesson-named"}}
tall = named.rename_axis(columns="ranking").stack().rename("mean").reset_index()
show(
    *draw(
        tall.assign(low=np.nan, high=np.nan, paper=None),
        x="added",
        color="ranking",
        title="z names a cause that adds ten points, impurity needs thirty",
        xlabel="errors that “thanks” adds (percentage points)",
        ylabel="worlds of 20",
    )
)

# %% [markdown]
# ## Where it breaks
#
# Now the classifier errs on only one in ten of the tweets that say *thanks* alone, or *late* alone. It errs on half of the tweets that say both (*Thanks, late again*), and of those that say
# neither. Each of the two words is in half of the tweets. Can a sum of weights, or the corrected $z$, find a cause that takes two words?

# %%
def pair_world(n):
    often = OFTEN.copy()
    often[[LATE, THANKS]] = 0.5
    has = rng.random((n, len(WORDS))) < often
    return has, rng.random(n) < np.where(has[:, LATE] == has[:, THANKS], 0.5, 0.1)


def fit(has, wrong):
    weights, start = np.zeros(len(WORDS)), 0.0
    for _ in range(500):
        q = 1 / (1 + np.exp(-(has @ weights + start)))
        weights, start = weights - (q - wrong) @ has / len(has), start - (q - wrong).mean()
    return weights


(pair, pair_wrong), (new_pair, new_pair_wrong) = pair_world(2000), pair_world(2000)
by_sum = int(new_pair_wrong[np.argsort(-(new_pair @ fit(pair, pair_wrong)))][:400].sum())
by_chance = 400 * new_pair_wrong.mean()
print(f"first 400 of 2000 new tweets: {by_sum} errors; by chance {by_chance:.0f}")
one_word = find_slices(table(pair), pair_wrong)
strongest = one_word.slices[0]
print(f"largest z: “{strongest.name}”, {strongest.z:.1f}; corrected p = {strongest.adjusted:.2f}, so the package names {len(one_word.found)} words")

# %%
late, thanks = pair[:, LATE], pair[:, THANKS]
kinds = {"late": late, "no late": ~late, "thanks": thanks, "no thanks": ~thanks}
kinds |= {"both": late & thanks, "neither": ~late & ~thanks, "late alone": late & ~thanks, "thanks alone": thanks & ~late}
errs = pd.Series({name: pair_wrong[rows].mean() for name, rows in kinds.items()})
assert not one_word.found and np.ptp(errs[:4]) < 0.08 and errs["both"] > 3 * errs["late alone"] and abs(by_sum - by_chance) < 20
errs.map("{:.0%}".format).to_frame("errors").T

# %% mystnb={"figure": {"caption": "Error rates of the tweets that have one of the words or not, and of the four kinds of tweets.", "name": "fig-aec-lesson-pair"}}
with house_style():
    figure, axis = plt.subplots()
    axis.barh(errs.index[::-1], 100 * errs[::-1])
    axis.axhline(3.5, color="black", linewidth=1, marker="")
    axis.set(xlabel="errors (%)", title="One word says little about the errors, two say much")
show(figure, "Bars of error rates. With or without one word they are all about 30 %; with both or neither about 50 %, with one alone about 10 %.")

# %% [markdown]
# A score that looks at one word at a time, as $z$ does, cannot find a cause that takes two. If the error classifier finds nothing, the errors may still have a cause.
#
# ## Exercises
#
# **1.** A forest can split on *late* after *thanks*. Let this one see which words a tweet has, not their shares. How many errors are among its first 400 in the world of pairs?

# %% tags=["hide-cell"]
forest = RandomForestClassifier(300, min_samples_leaf=10, random_state=0).fit(pair, pair_wrong)
by_forest = int(new_pair_wrong[np.argsort(-forest.predict_proba(new_pair)[:, 1])][:400].sum())
top_two = WORDS[np.argsort(-forest.feature_importances_)[:2]]
assert set(top_two) == {"late", "thanks"} and by_forest > by_sum + 40
print(f"{by_forest} (the sum of weights: {by_sum}); first by impurity: {', '.join(top_two)}")

# %% [markdown]
# **2.** Plant no cause. In how many of 100 worlds does some word lie beyond the dashed lines? And after the package's correction for twelve tries?

# %% tags=["hide-cell"]
idle = [find_slices(table(h), w) for h, w, _ in (world(800, 0.0) for _ in range(100))]
beyond = sum(abs(each.slices[0].z) > 1.96 for each in idle)
corrected = sum(bool(each.found) for each in idle)
assert beyond > 30 > 12 > corrected
print(f"{beyond} worlds; after the correction {corrected}")

# %% [markdown]
# **3.** Let the classifier be less sure where it errs: between $0.5$ and $0.65$ instead of $0.5$ and $1$. Which ranking now finds more errors among the first 100?

# %% tags=["hide-cell"]
humble = np.where(new_wrong, 0.5 + 0.3 * (new_sure - 0.5), new_sure)
by_doubt = int(new_wrong[np.argsort(humble)][:100].sum())
assert by_doubt > first.AEC[100]
print(f"uncertainty {by_doubt}, AEC {first.AEC[100]}")

# %% [markdown]
# ## Can you answer these?
#
# 1. How many errors are among the first 100 new tweets by AEC, by uncertainty, and by chance?
# 2. Which word comes second by the size of $z$, with which $z$? Why is it no second cause?
# 3. How many points must *thanks* add before $z$ names it in nearly all worlds, and before impurity does?
# 4. What would happen if the data held each of the 800 tweets four times? By which factor would $z$ of *thanks* change, and which words would the package name?
# 5. In the world of pairs, how often does the classifier err with *late*, and how often without? How many errors does the sum of weights find among its first 400?

# %% tags=["hide-cell"]
chance_100 = round(100 * new_wrong.mean())
print(f"1. AEC {first.AEC[100]}, uncertainty {first.uncertainty[100]}, chance {chance_100}")
print(f"2. “{order[1]}”, {found.z[order[1]]:.1f}: of twelve words one often lies beyond the lines by chance")
print("3. Ten, and thirty")
again = find_slices(table(np.tile(has, (4, 1))), np.tile(wrong, 4))
assert np.isclose(again.slices[0].z, 2 * found.z["thanks"])
print("4. Each z doubles, as chance halves, though nothing new is known. Named: " + ", ".join(f"{each.name} ({each.z:.1f})" for each in again.found))
print(f"5. {errs['late']:.0%} with, {errs['no late']:.0%} without; {by_sum}, chance {by_chance:.0f}")
