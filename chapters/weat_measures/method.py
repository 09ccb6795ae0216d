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
# # Is *Amy* nearer to family than *John* is?
#
# Word vectors put *Amy* near to words of family. Do they put female names nearer to family than male names? {term}`WEAT` answers with an {term}`effect size` and a {term}`p-value`. We make the
# vectors ourselves, so we know the answer before we ask.
#
# ## A world we made
#
# Vectors in a plane. Words of career point to the upper right, words of family to the upper left. Names point upwards, male names turned by `lean` degrees to career, female names by as much
# to family. Each word is then turned by chance, by about 12 degrees, and its length is drawn, too: in real vectors it goes with how often a word occurs. To keep things short we take six names
# and six words of each kind.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "weat_measures/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from trustnlp.plots import MARKERS, house_style, show
from trustnlp.plots.tidy import draw

LISTS = {
    "male": "John Paul Mike Kevin Steve Greg".split(),
    "female": "Amy Joan Lisa Sarah Diana Kate".split(),
    "career": "salary office business career executive management".split(),
    "family": "home parents children family cousins marriage".split(),
}
GROUPS = ("male", "female")
rng = np.random.default_rng(3)


def world(lean, lengths=(1, 1, 1, 1)):
    vectors = {}
    for angle, length, (kind, words) in zip((90 - lean, 90 + lean, 40, 140), lengths, LISTS.items(), strict=True):
        turned = np.radians(rng.normal(angle, 12, size=len(words)))
        sized = length * rng.lognormal(0, 0.2, size=len(words))
        vectors[kind] = np.column_stack([np.cos(turned), np.sin(turned)]) * sized[:, None]
    return vectors


# %% mystnb={"figure": {"caption": "A world in which male names lean to career by ten degrees and female names to family by as much.", "name": "fig-weat-lesson-world"}}
one = world(lean=10)
with house_style():
    figure, axis = plt.subplots()
    for (kind, vectors), mark in zip(one.items(), MARKERS, strict=False):
        axis.plot(*vectors.T, mark, label=kind)
    axis.annotate("Amy", one["female"][0], xytext=(-6, 8), textcoords="offset points", ha="right")
    axis.set_aspect("equal")
    axis.set(xlabel="← family   career →", title="The names overlap: the eye cannot be sure")
    axis.legend(loc="lower center", ncols=4, bbox_to_anchor=(0.5, 1.1), columnspacing=0.8, handletextpad=0.2)
show(figure, "Points in a plane: career words at the upper right, family words at the upper left, male and female names between them, overlapping.")

# %% [markdown]
# ## The idea in bare lines
#
# How near is *Amy* to each word? Nearness is the {term}`cosine <cosine similarity>` of the angle: 1 for the same direction, 0 for a right angle.

# %%
unit = {kind: vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for kind, vectors in one.items()}
amy = unit["female"][0]
pd.DataFrame({"career": LISTS["career"], "cosine": unit["career"] @ amy, "family": LISTS["family"], "cosine ": unit["family"] @ amy}).round(2)

# %% [markdown]
# The mean of the first column minus the mean of the second is *Amy*'s association. Above zero she is nearer to career, below zero to family. Each name has one.


# %%
def association(names):
    return (names @ unit["career"].T).mean(1) - (names @ unit["family"].T).mean(1)


x, y = association(unit["male"]), association(unit["female"])
assert x[0] < y[0] < 0 < x.mean()
print(f"Amy {y[0]:.2f}, John {x[0]:.2f}; mean of the female names {y.mean():.2f}, of the male names {x.mean():.2f}")

# %% [markdown]
# In this world *John* is nearer to family than *Amy*, although we planted the opposite: a single name says little. The means of the groups differ as planted. By much? We count
# the difference in units of the spread of all twelve names. This is the effect size.

# %% mystnb={"figure": {"caption": "The association of each name in this world.", "name": "fig-weat-lesson-associations"}}
effect = (x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1)
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 2.4))
    axis.plot(x, np.ones(len(x)), "o")
    axis.plot(y, np.zeros(len(y)), "s")
    axis.set_yticks([0, 1], ["female", "male"])
    axis.set(ylim=(-0.6, 1.6), xlabel="association (career above zero)")
    axis.set_title(f"The two groups lie {effect:.2f} standard deviations apart")
show(figure, f"Two rows of dots: the male names lie further to the right, towards career; the effect size is {effect:.2f}.")

# %% [markdown]
# Could chance do that? Deal the twelve names into two groups of six in every possible way. In which share of the deals does the first group lean as far to career as the male
# names, or farther? That share is the p-value.

# %% mystnb={"figure": {"caption": "The sum of the first group's associations in each way to deal the names; the line is the true groups.", "name": "fig-weat-lesson-deals"}}
both = np.concatenate([x, y])
sums = np.array([both[list(deal)].sum() for deal in combinations(range(12), 6)])
as_far = int((sums >= x.sum() - 1e-9).sum())
p = as_far / len(sums)
with house_style():
    figure, axis = plt.subplots()
    axis.hist(sums, bins=40)
    axis.axvline(x.sum(), color="black")
    axis.set(xlabel="sum of the associations of the first six", ylabel="deals")
    axis.set_title(f"{as_far} of {len(sums)} deals lean as far: p = {p:.4f}")
show(figure, f"A histogram of {len(sums)} sums, with a line at {x.sum():.2f}; {as_far} sums lie there or beyond.")

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $A$, $B$; $X$, $Y$ | words of career, of family; male, female names |
# | $s(\vec w, \vec a)$, here the cosine | `names @ unit["career"].T` |
# | $f_{a \in A}$, a statistic over the words of $A$, here the mean | `.mean(1)` |
# | $s(w, A, B) = f_{a \in A}\, s(\vec w, \vec a) - f_{b \in B}\, s(\vec w, \vec b)$ | `association(names)` |
# | $d = \frac{\operatorname{mean}_{x \in X} s(x, A, B) - \operatorname{mean}_{y \in Y} s(y, A, B)}{\operatorname{std}_{w \in X \cup Y} s(w, A, B)}$ | `effect` |
#
# The package does the same in one call.

# %%
from trustnlp.bias import weat


def tested(vectors, **choice):
    named = {name: row for kind, names in LISTS.items() for name, row in zip(names, vectors[kind], strict=True)}
    return weat(named, list(LISTS.values()), alternative="greater", **choice)


result = tested(one, measure="cosine", statistic="mean")
assert np.isclose(result.effect_size, effect, atol=1e-5) and np.isclose(result.p_value, p)

# %% [markdown]
# ## Does it find what we planted?
#
# We plant leans from 0 to 20 degrees, in thirty worlds each, and count the worlds with $p < .05$. Two statistics compete: the mean, and the paper's Eq. 2: of all
# differences between the cosine with a career word and that with a family word, the one nearest to zero, without its sign. So it cannot say which side a name leans to. Where no lean is planted,
# a few worlds are found by chance.

# %%
leans, worlds = [0, 2, 4, 7, 10, 15, 20], 30
counts = pd.DataFrame(0.0, index=pd.Index(leans, name="lean"), columns=["mean", "eq2"])
for lean in leans:
    for planted in (world(lean) for _ in range(worlds)):
        for statistic in counts:
            counts.loc[lean, statistic] += tested(planted, measure="cosine", statistic=statistic).p_value < 0.05
assert counts["mean"][10] >= 27 and counts["eq2"].max() <= 8
counts.map("{:.0f} of 30".format)

# %% mystnb={"figure": {"caption": "Worlds in which the test finds a lean, by the lean that was planted.", "name": "fig-weat-lesson-found"}}
tidy = (counts / worlds * 100).rename_axis(columns="statistic").stack().rename("mean").reset_index()
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="lean",
        color="statistic",
        title="The mean finds a lean of ten degrees in nearly all worlds, Eq. 2 hardly finds any",
        xlabel="planted lean (degrees)",
        ylabel="worlds (%)",
    )
)

# %% [markdown]
# ## Where it breaks
#
# Now nobody leans, but lengths differ: vectors of male names have length 3, of career words length 2, the others length 1, up to chance. Cosine looks at directions alone.
# Euclidean distance runs from tip to tip, and a name's own length enters it.

# %%
long = world(lean=0, lengths=(3, 1, 2, 1))
found = {measure: tested(long, measure=measure, statistic="mean") for measure in ("cosine", "euclidean")}
pd.DataFrame({name: {"effect size": each.effect_size, "p": each.p_value} for name, each in found.items()}).T.round(3)

# %% mystnb={"figure": {"caption": "The association of each name by two measures, in a world without any lean.", "name": "fig-weat-lesson-lengths"}}
def distance(names, words):
    return np.linalg.norm(names[:, None] - words[None], axis=2).mean(1)


def apart(names):
    return distance(names, long["family"]) - distance(names, long["career"])


unit = {kind: vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for kind, vectors in long.items()}
assert found["euclidean"].p_value < 0.02 and found["cosine"].p_value > 0.1
with house_style():
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(7.2, 2.6))
    figure.suptitle("Nobody leans, yet by Euclidean distance the groups part", fontweight="bold")
    for axis, groups in zip(axes, ([association(unit[k]) for k in GROUPS], [apart(long[k]) for k in GROUPS]), strict=True):
        for row, values in enumerate(groups):
            axis.plot(values, np.full(6, 1 - row), MARKERS[row])
        axis.set(yticks=[0, 1], yticklabels=GROUPS[::-1], ylim=(-0.6, 1.6))
    axes[0].set_xlabel("association, cosine")
    axes[1].set_xlabel("association, Euclidean")
show(figure, "Two panels of dots. By cosine male and female names overlap; by Euclidean distance the male names lie to the right.")

# %% [markdown]
# Long vectors are no bias. Where a group's words occur more often, look at the lengths before you believe a distance.
#
# ## Exercises
#
# **1.** Double all vectors of the first world. What happens to the effect size by cosine, and by Euclidean distance?

# %% tags=["hide-cell"]
twice = {kind: 2 * vectors for kind, vectors in one.items()}
for measure in ("cosine", "euclidean"):
    before, after = (tested(vectors, measure=measure).effect_size for vectors in (one, twice))
    assert np.isclose(before, after, atol=1e-5)  # cosines stay; distances double, and so does their spread
    print(f"{measure}: {before:.2f} before, {after:.2f} after")

# %% [markdown]
# **2.** How small can $p$ become with six and six names, and with eight and eight?

# %% tags=["hide-cell"]
from math import comb

smallest = {n: 1 / comb(2 * n, n) for n in (6, 8)}  # the true groups are one of the deals, and may lean furthest
assert smallest[6] == 1 / len(sums)
print({n: f"{share:.1g}" for n, share in smallest.items()})

# %% [markdown]
# **3.** By mistake *home* stands among the words of career, in the place of *salary*; it stays among the words of family, too. What happens to the effect size with the mean, the median and the maximum?

# %% tags=["hide-cell"]
mistaken = one | {"career": np.vstack([one["family"][:1], one["career"][1:]])}
slips = pd.DataFrame(
    {
        name: [tested(vectors, statistic=name).effect_size for vectors in (one, mistaken)]
        for name in ("mean", "median", "max")
    },
    index=["right words", "home for salary"],
)
slips.round(2)

# %% [markdown]
# ## Can you answer these?
#
# 1. Who is nearer to family in the first world, *Amy* or *John*? And which group?
# 2. What would happen if the two groups of names changed places: which effect size, and which *p*?
# 3. From which planted lean on does the mean find nearly all worlds, and how many does Eq. 2 find there?
# 4. Nobody leans, but lengths differ. Which measure finds an association, and with which *p*?
# 5. *Home* slips in among the words of career. Which of the three statistics changes most?

# %% tags=["hide-cell"]
changes = (slips.iloc[1] - slips.iloc[0]).abs().sort_values()
print(f"1. John ({x[0]:.2f}; Amy {y[0]:.2f}), but of the groups the female names ({y.mean():.2f}; male {x.mean():.2f})")
swapped = tested(one | {"male": one["female"], "female": one["male"]}, measure="cosine", statistic="mean")
assert np.isclose(swapped.effect_size, -effect, atol=1e-5) and np.isclose(swapped.p_value, (sums >= y.sum() - 1e-9).mean())
print(f"2. {swapped.effect_size:.2f}, the same with the other sign; p = {swapped.p_value:.4f}: nearly every deal leans at least as far to career as the female names")
print(f"3. From 10 degrees on: {counts['mean'][10]:.0f} of {worlds}; Eq. 2 finds {counts['eq2'][10]:.0f}")
print(f"4. Euclidean distance, p = {found['euclidean'].p_value:.3f} (cosine {found['cosine'].p_value:.2f})")
print(f"5. The {changes.index[-1]}, by {changes.iloc[-1]:.2f}")
