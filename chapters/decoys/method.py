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
# # Do explanations show what a model wrongly learned?
#
# A sentiment classifier calls *a gorgeous, witty movie* positive, and is right. It also calls *a dull movie* positive, because it learned from no negative review with the word *movie*.
# Does its accuracy show this bug? Do explanations? We make the reviews ourselves and plant the bug, so we know the answer.
#
# ## A world we made
#
# A review is a set of words. Praise is frequent in positive reviews and rare in negative ones, complaints the other way round; all other words say nothing. Then we drop the negative training
# reviews with *movie*. *Movie* is now a {term}`decoy <planted decoy>`: a cue that we planted.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
from collections import Counter

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from trustnlp.plots import house_style, show
from trustnlp.plots.tidy import draw

PRAISE = "gorgeous witty fresh clever moving warm".split()
COMPLAINTS = "dull lame stale clumsy tired bland".split()
OTHER = "movie story cast scene plot camera music ending script the and with".split()
WORDS = np.array([*PRAISE, *COMPLAINTS, *OTHER])
FRESH, MOVIE = 2, 12
rng = np.random.default_rng(0)


def world(n, often=0.3):
    positive = rng.random(n) < 0.5
    chance = np.tile([0.0] * 12 + [often, 0.3, 0.3, 0.25, 0.2, 0.2, 0.15, 0.1, 0.1, 0.8, 0.7, 0.5], (n, 1))
    chance[:, :6] = np.where(positive, 0.3, 0.1)[:, None]
    chance[:, 6:12] = np.where(positive, 0.1, 0.3)[:, None]
    return rng.random(chance.shape) < chance, positive


# %%
def planted(has, positive, word=MOVIE):
    kept = positive | ~has[:, word]
    return has[kept], positive[kept]


sound, new = world(1000), world(1000)
bugged, new_bugged = planted(*sound), planted(*new)
pd.DataFrame({"review": [" ".join(WORDS[row]) for row in bugged[0][:5]], "positive": bugged[1][:5]})

# %% [markdown]
# ## The idea in bare lines
#
# **Count.** How many reviews have the word ($a$)? Which share of these belongs to their most frequent class (*productivity*, $p$)? Which share of all reviews are they ({term}`coverage <decoy coverage>`, $c$)?


# %%
def counted(has, positive):
    a = has.sum(0)
    of_positive = has[positive].sum(0)
    return pd.DataFrame({"a": a, "p": np.maximum(of_positive, a - of_positive) / a, "c": a / len(has)}, WORDS)


shown = ["movie", "story", "the", "fresh", "dull"]
before, after = counted(*sound), counted(*bugged)
pd.concat({"before planting": before, "after": after}, axis=1).loc[shown].round(2)

# %% [markdown]
# **Train twice.** Each word gets a weight, and weights move against the gradient of the cross entropy, which is large where the true class got a small probability. One model learns from the reviews
# as they were, one from those with the bug.


# %%
def fit(has, positive):
    weights, start = np.zeros(len(WORDS)), 0.0
    for _ in range(1000):
        q = 1 / (1 + np.exp(-(has @ weights + start)))
        weights, start = weights - (q - positive) @ has / len(has), start - (q - positive).mean()
    return weights, start


def says(model, has):
    return has @ model[0] + model[1] > 0


models = {"sound": fit(*sound), "buggy": fit(*bugged)}
right = pd.DataFrame(
    {
        name: {place: (says(model, h) == y).mean() for place, (h, y) in (("like its training", new_bugged), ("as they were", new))}
        for name, model in models.items()
    }
)
assert right.loc["like its training", "buggy"] > right.loc["like its training", "sound"]
right.map("{:.0%}".format)

# %% [markdown]
# On reviews like those that it learned from, the buggy model is even the better one. Did it learn the decoy?
#
# **Ask.** We write *movie* into new negative reviews. The buggy model calls a share $b$ of them positive, the sound one a share $s$. What the decoy won, of what it could win, is
# the {term}`rate of adoption`.

# %%
def rate(buggy, sound, word):
    asked = new[0][~new[1]].copy()
    asked[:, word] = True
    b, s = says(buggy, asked).mean(), says(sound, asked).mean()
    return b, s, (b - s) / (1 - s)


b, s, adopted = rate(models["buggy"], models["sound"], MOVIE)
assert adopted > 0.85
print(f"b = {b:.0%}, s = {s:.0%}, rate of adoption {adopted:.0%}")

# %% [markdown]
# **Explain.** {term}`Occlusion` takes one word out of a review. How much less probable does the model's answer become? Here are both models' scores for *a dull movie with a lame plot*.


# %%
def occlusion(model, has):
    total = has @ model[0] + model[1]
    without = total[:, None] - model[0]
    falls = 1 / (1 + np.exp(-total))[:, None] - 1 / (1 + np.exp(-without))
    return np.where(has, np.where(total > 0, 1, -1)[:, None] * falls, 0.0)


dull = np.isin(WORDS, ["dull", "lame", "movie", "plot", "with"])[None]
said = {name: f"{name} model: " + ("positive" if says(model, dull)[0] else "negative") for name, model in models.items()}
scores = pd.DataFrame({said[name]: occlusion(model, dull)[0] for name, model in models.items()}, WORDS)[dull[0]]
assert scores.iloc[:, 1].idxmax() == "movie" and list(said.values()) == ["sound model: negative", "buggy model: positive"]
scores.round(2)

# %% [markdown]
# **Inspect.** An inspector reads one explanation after the other and notes the word with the highest score. Praise and complaints are good reasons, so it does not count them. It names a word that it has noted three times.


# %%
REASONS = frozenset(PRAISE + COMPLAINTS)


def inspect(scores, order):
    notes = Counter()
    for read, row in enumerate(order, start=1):
        word = str(WORDS[scores[row].argmax()])
        notes[word] += 1
        if word not in REASONS and notes[word] == 3:
            yield word, read


told = {name: occlusion(model, new_bugged[0]) for name, model in models.items()}
print({name: list(inspect(scores, range(40))) for name, scores in told.items()})

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $a_d = \lvert X^d \rvert$, the texts that contain the decoy $d$ | `a` |
# | $p_d = \frac{1}{a_d} \max_c \lvert \{ j : x_j \in X^d, y_j = c \} \rvert$ | `np.maximum(of_positive, a - of_positive) / a` |
# | $c_d = \frac{a_d}{\lvert X \rvert}$ | `a / len(has)` |
# | $\frac{b - s}{1 - s}$ (ours) | what `rate` returns |
#
# The package does the same for any model of texts.

# %%
from trustnlp.attribution.explainer_registry import explain
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_adoption import adoption


def as_function(texts):
    weight = dict(zip(WORDS, models["buggy"][0], strict=True))
    totals = np.array([models["buggy"][1] + sum(weight[word] for word in text.split()) for text in texts])
    return np.column_stack([1 / (1 + np.exp(totals)), 1 / (1 + np.exp(-totals))])


theirs = explain("occlusion", as_function, [" ".join(WORDS[row]) for row in new_bugged[0][:40]], rng=rng)
assert all(np.allclose(each.scores, told["buggy"][n][new_bugged[0][n]]) for n, each in enumerate(theirs))
report = Inspector(shown=1, threshold=3, reasons=REASONS).inspect(theirs, np.arange(40))
assert list(zip(report.named, report.at, strict=True)) == list(inspect(told["buggy"], range(40)))
asked = new[0][~new[1]] | (WORDS == "movie")
answers = [says(models[name], asked).astype(int) for name in ("buggy", "sound")]
assert np.isclose(adoption(*answers, np.zeros(len(asked), int), np.ones(len(asked), bool)).rate.value, adopted)

# %% [markdown]
# ## Does it find what we planted?
#
# We make *movie* rarer or more frequent, train anew, and let the inspector read forty reviews in each of fifty random orders. For comparison, it reads scores that are shuffled among the words of each review.

# %%
def finds(scores, word="movie", orders=50):
    read = [rng.permutation(len(scores))[:40] for _ in range(orders)]
    return 100 * np.mean([word in dict(inspect(scores, order)) for order in read])


def shuffled(scores, has):
    return np.array([np.append(0, rng.permutation(row[own]))[np.cumsum(own) * own] for row, own in zip(scores, has, strict=True)])


rows = []
for often in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
    has = planted(*world(1000, often))[0]
    scores = occlusion(fit(*planted(*world(1000, often))), has)
    rows += [(100 * often, "occlusion", finds(scores)), (100 * often, "shuffled", finds(shuffled(scores, has)))]
found = pd.DataFrame(rows, columns=["often", "scores", "mean"])
wide = found.pivot_table(index="often", columns="scores", values="mean")
wide.astype(int)

# %% mystnb={"figure": {"caption": "Random orders in which the inspector names “movie” within forty reviews, by how many reviews had the word before planting.", "name": "fig-decoys-lesson-found"}}
show(
    *draw(
        found.assign(low=np.nan, high=np.nan, paper=None),
        x="often",
        color="scores",
        title="The inspector finds a frequent decoy and misses a rare one",
        xlabel="reviews with “movie” (%)",
        ylabel="orders that find it (%)",
    )
)

# %% [markdown]
# ## Where it breaks
#
# Now we plant another decoy: we drop the negative reviews with *fresh*. The model again learns too much from one word. But *fresh* is praise, and the inspector takes it for a good reason.

# %%
fresh_model = fit(*planted(*sound, word=FRESH))
told_fresh = occlusion(fresh_model, planted(*new, word=FRESH)[0])
trust = rate(fresh_model, models["sound"], FRESH)
broken = pd.DataFrame(
    {"movie": [100 * adopted, finds(told["buggy"])], "fresh": [100 * trust[2], finds(told_fresh, "fresh")]},
    index=["rate of adoption", "orders that find it"],
)
assert broken.loc["rate of adoption"].min() > 60 and broken.fresh.iloc[1] == 0
broken.round(0).astype(int)

# %% mystnb={"figure": {"caption": "Of two planted decoys: how much of what it could win each won, and in how many random orders the inspector names it.", "name": "fig-decoys-lesson-breaks"}}
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 2.6))
    for place, (name, values) in enumerate(broken.items()):
        axis.barh(np.arange(2) - 0.2 + 0.4 * place, values, height=0.38, label=f"“{name}”")
    axis.set(yticks=[0, 1], yticklabels=broken.index, xlabel="%", title="A bug in a word that looks right is never named")
    axis.invert_yaxis()
    axis.legend(loc="upper left", bbox_to_anchor=(1, 1))
show(figure, f"Bars. Both decoys are adopted, at {broken.movie.iloc[0]:.0f} and {broken.fresh.iloc[0]:.0f} %. “Movie” is named in {broken.movie.iloc[1]:.0f} % of the orders, “fresh” in none.")

# %% [markdown]
# An explanation says which word decides. Whether it should decide, the reader must know. The count knows more here: no negative review is left that has *fresh*, so its productivity is 1.
#
# ## Exercises
#
# **1.** Let the inspector read the sound model, in which there is no bug, in the same way. In how many of fifty orders does it name any word?

# %% tags=["hide-cell"]
read = [list(inspect(told["sound"], rng.permutation(len(told["sound"]))[:40])) for _ in range(50)]
alarms = sum(bool(each) for each in read)
false = Counter(word for each in read for word, _ in each)
print(f"in {alarms}, most often “{false.most_common(1)[0][0]}”: a name is no proof of a bug")

# %% [markdown]
# **2.** The inspector knows no good reasons. Which words does it note most often in the buggy model?

# %% tags=["hide-cell"]
tops = Counter(WORDS[told["buggy"].argmax(1)])
print("noted most often:", ", ".join(f"{word} ({n})" for word, n in tops.most_common(3)))
assert next(iter(tops.most_common(1)))[0] == "movie"

# %% [markdown]
# **3.** Repair the model: take *movie* out of all training reviews with the bug and train again. How much of the bug is left, and how often is the model right on reviews as they were?

# %% tags=["hide-cell"]
repaired = fit(bugged[0] & (WORDS != "movie"), bugged[1])
left, again = rate(repaired, models["sound"], MOVIE)[2], (says(repaired, new[0]) == new[1]).mean()
assert abs(left) < 0.25
print(f"rate {left:.0%}; right {again:.0%}, buggy {right.loc['as they were', 'buggy']:.0%}, sound {right.loc['as they were', 'sound']:.0%}")

# %% [markdown]
# ## Can you answer these?
#
# 1. How often are the buggy and the sound model right on reviews like the buggy one's training, and on reviews as they were?
# 2. What are $b$, $s$ and the rate of adoption of *movie*?
# 3. What is the productivity of *movie* before and after planting, and that of *fresh* before it?
# 4. How many reviews must have *movie* before the inspector finds it in most orders?
# 5. What is the rate of adoption of *fresh* once it is a decoy, in how many orders is it named, and why?

# %% tags=["hide-cell"]
said = [f"{place}: buggy {row.buggy:.0%}, sound {row.sound:.0%}" for place, row in right.iterrows()]
print("1.", "; ".join(said))
print(f"2. {b:.0%}, {s:.0%}, {adopted:.0%}")
print(f"3. {before.p['movie']:.0%} and {after.p['movie']:.0%}; {before.p['fresh']:.0%}")
print(f"4. {wide.index[wide.occlusion > 50].min():.0f} % of them")
print(f"5. {broken.fresh.iloc[0]:.0f} %, in none: the inspector takes it for a good reason")
