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
# # Which side is *husband* on?
#
# A program reads novels and learns a vector for each word. Seven pairs of words, such as *queen* and *king*, should tell where female and male lie. Then each word has a side, *husband* too:
# perhaps a female one, since texts speak of *her husband*. Here we make the vectors ourselves, so we know each side before we ask.
#
# ## A world we made
#
# Vectors in a plane. Female lies to the right, male to the left; up and down is the topic. The two words of a pair share a topic and differ by twice `lean`, up to some noise. We shift
# the pair *wife*, *husband* so far to the right that *husband*, too, should lie on the female side, at `HUSBAND`.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "gender_bias_languages/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from trustnlp.plots import PALETTE, house_style, show
from trustnlp.plots.tidy import draw

FEMALE = "woman daughter mother girl madam queen wife".split()
MALE = "man son father boy sir king husband".split()
HUSBAND = 0.3


def world(lean, rng, d=2):
    """Rows of female and of male words; the first coordinate is the planted axis."""
    topics = rng.normal(size=(7, d)) / np.sqrt(d - 1)
    topics[:, 0] = rng.normal(scale=0.2, size=7)
    topics[-1, 0] = lean + HUSBAND
    female, male = (topics + rng.normal(scale=0.15, size=(7, d)) for _ in range(2))
    female[:, 0] += lean
    male[:, 0] -= lean
    return female, male


# %% mystnb={"figure": {"caption": "The pairs of this world, each an arrow from the male to the female word.", "name": "fig-languages-lesson-world"}}
def arrows(axis, female, male):
    for f, m, name in zip(female, male, MALE, strict=True):
        axis.annotate("", f, xytext=m, arrowprops={"arrowstyle": "->", "color": PALETTE["blue"], "linewidth": 1.5})
        axis.annotate(name, m, ha="right", va="center")
    axis.set(xlim=(-1.3, 1.5), ylim=(-1.8, max(1.7, male[:, 1].max() + 0.2)), xlabel="← male   female →")


female, male = world(lean=0.4, rng=np.random.default_rng(8))
with house_style():
    figure, axis = plt.subplots()
    arrows(axis, female, male)
    axis.axvline(0, color=PALETTE["grey"], linestyle="--", marker="")
    axis.set(ylabel="topic", title="Husband starts on the female side, and still points to wife")
show(figure, "Seven arrows lead to the right, from male words to female ones; only husband's begins right of zero.")

# %% [markdown]
# ## The idea in bare lines
#
# The program does not know the axis. It has only the pairs. From its pair's middle each word lies half the difference away:

# %%
half = (female - male) / 2
pd.DataFrame(half.round(2), [f"{f}, {m}" for f, m in zip(FEMALE, MALE, strict=True)], ["to the right", "up"])

# %% [markdown]
# Which direction do the seven half differences have in common? Try all. Project them onto a direction, square, and add up. The direction with the largest sum is the first
# {term}`principal component`.

# %% mystnb={"figure": {"caption": "Sum of the squared projections of the half differences, by direction.", "name": "fig-languages-lesson-angles"}}
angles = np.arange(-90, 90)
tried = np.column_stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))])
sums = ((half @ tried.T) ** 2).sum(0)
best = int(angles[sums.argmax()])
share = sums.max() / (half**2).sum()
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 3))
    axis.plot(angles, sums, marker="")
    axis.plot(best, sums.max(), "o")
    axis.set(xlabel="direction (degrees; 0 is the planted axis)", ylabel="sum of squares")
    axis.set_title(f"The best direction is {abs(best)} degrees off, and holds {share:.0%} of the variance")
show(figure, f"A curve over directions from −90 to 90 degrees, highest at {best}.")

# %% [markdown]
# A principal component has no sign, so we let it point to the female words. The score of a word is its {term}`cosine <cosine similarity>` with the direction: above zero is female.


# %%
def direction(female, male):
    g = np.linalg.svd(female - male)[2][0]  # the same as trying all directions
    return g if ((female - male) @ g).sum() > 0 else -g


def scores(words, g):
    return words @ g / np.linalg.norm(words, axis=1)


g = direction(female, male)
assert scores(male, g)[-1] > 0 > scores(male, g)[:-1].max()
assert abs(np.degrees(np.arctan2(g[1], g[0])) - best) < 1
pd.DataFrame([scores(female, g), scores(male, g)], ["female word", "male word"], MALE).round(2)

# %% [markdown]
# *Husband* is female, as planted. Now three professions, one planted on each side and one in the middle. {term}`DirectBias` is the mean of their scores without the signs.

# %%
professions = pd.DataFrame({"right": [0.4, 0.0, -0.4], "up": [0.7, -0.8, 0.6]}, ["nurse", "baker", "guard"])
of_professions = scores(professions.to_numpy(), g)
direct_bias = np.abs(of_professions).mean()
print(dict(zip(professions.index, of_professions.round(2).tolist(), strict=True)), f"DirectBias {direct_bias:.2f}")

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $f$, $m$, the vectors of a pair | a row of `female`, of `male` |
# | $g = \arg\max_{\lVert u \rVert = 1} \sum_{\text{pairs}} (u \cdot (f - m))^2$ | `g`; `tried` has the $u$, and `sums` the sums of their squares (of half differences: a quarter) |
# | $\cos(w, g)$, the score of a word $w$ | `scores(words, g)` |
# | $\text{DirectBias} = \frac{1}{\lvert N \rvert} \sum_{w \in N} \lvert\cos(w, g)\rvert$ for the professions $N$ | `direct_bias` |
#
# The package does the same.

# %%
from trustnlp.bias.gender_direction.direct_bias import mean_direct_bias
from trustnlp.bias.gender_direction.pair_directions import direction_of_rows

found = direction_of_rows(female, male)
assert np.allclose(found.g, g) and np.isclose(found.shares[0], share, atol=1e-3)
assert np.isclose(mean_direct_bias(of_professions), direct_bias)

# %% [markdown]
# ## Does it find *husband*'s side?
#
# Real vectors have more dimensions. We make 200 worlds of fifty dimensions for each lean. *Husband* is planted on the female side in all of them, at `HUSBAND`. How often is its score female?
# We ask twice: with all seven pairs, and without *husband*'s own.

# %%
leans = [0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8]
right = pd.DataFrame(0.0, index=pd.Index(leans, name="lean"), columns=["all seven", "without its own"])
rng = np.random.default_rng(0)
for lean in leans:
    for f, m in (world(lean, rng, d=50) for _ in range(200)):
        right.loc[lean, "all seven"] += (m[-1] @ direction(f, m) > 0) / 2
        right.loc[lean, "without its own"] += (m[-1] @ direction(f[:-1], m[:-1]) > 0) / 2
assert right["all seven"][0.1] < 42 < 80 < right["all seven"][0.8] and (right.diff(axis=1).iloc[:, 1] > 0).all()
right.map("{:.0f} %".format)

# %% mystnb={"figure": {"caption": "Worlds of fifty dimensions in which husband lies on its planted side, by the lean of the pairs.", "name": "fig-languages-lesson-found"}}
tidy = right.rename_axis(columns="pairs").stack().rename("mean").reset_index()
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="lean",
        color="pairs",
        title="With its own pair in the direction, husband is pushed to the male side",
        xlabel="lean of the pairs",
        ylabel="husband is female (% of worlds)",
        levels={"a coin": 50},
    )
)

# %% [markdown]
# A direction fits the words that it is made from: it turns so that *husband* lies on the side of the male words, noise and all. Where the pairs hardly lean, this is all that it finds, and
# *husband* is wrong more often than a coin. So try a direction on words that it has not seen.
#
# ## Where it breaks
#
# *King* is a piece in chess, too. We move it up by 3, and leave all other words where they are.

# %% mystnb={"figure": {"caption": "The first world, and the same with king moved up; the thick line is the direction found.", "name": "fig-languages-lesson-king"}}
moved = male.copy()
moved[MALE.index("king"), 1] += 3
turned = direction(female, moved)
off = float(np.degrees(np.arctan2(turned[1], turned[0])))
with house_style():
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 4.4), sharey=True)
    figure.suptitle(f"One long pair of seven: {abs(off):.0f} degrees off the planted axis", fontweight="bold")
    for axis, rows, u, title in zip(axes, (male, moved), (g, turned), ("as before", "king moved"), strict=True):
        arrows(axis, female, rows)
        axis.axline((0, 0), u, color=PALETTE["vermilion"], linewidth=4, alpha=0.6)
        axis.set_title(title)
show(figure, f"The direction lies flat in the first panel; in the second it is {abs(off):.0f} degrees off.")

# %%
now = pd.DataFrame({"before": scores(male, g), "king moved": scores(moved, turned)}, MALE)
sides = [name for name in MALE if now["before"][name] * now["king moved"][name] < 0]
assert sides == ["man", "son", "husband"] and now["king moved"]["husband"] < 0
now.round(2).T

# %% [markdown]
# *Husband* turns male, *man* and *son* turn female, and nothing but *king* has moved. The sum counts squares, so one long difference outvotes six short ones.
#
# ## Exercises
#
# **1.** Divide each vector by its length before you look for the direction. How far off is it now, with *king* moved? And the mean of the differences $f - m$ as a direction?

# %% tags=["hide-cell"]
short = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (female, moved)]
tries = {"as they are": turned, "unit length": direction(*short), "mean difference": (female - moved).mean(0)}
degrees = {name: float(np.degrees(np.arctan2(u[1], u[0]))) for name, u in tries.items()}
print({name: f"{each:.0f} degrees" for name, each in degrees.items()})

# %% [markdown]
# **2.** Make a world without gender (`lean=0`, fifty dimensions). Which share of the variance does the first component hold with seven pairs, with three and with one?

# %% tags=["hide-cell"]
f, m = world(0.0, np.random.default_rng(1), d=50)
held = {n: float(direction_of_rows(f[:n], m[:n]).shares[0]) for n in (7, 3, 1)}
assert held[1] > 1 - 1e-9  # a single pair lies on a line
print({n: f"{value:.0%}" for n, value in held.items()})

# %% [markdown]
# **3.** Draw two thousand professions without any side, in two dimensions and in fifty. Is their DirectBias zero?

# %% tags=["hide-cell"]
nobody = {d: np.abs(scores(rng.normal(size=(2000, d)), np.eye(d)[0])).mean() for d in (2, 50)}
print({d: f"{value:.2f}" for d, value in nobody.items()})  # a mean of numbers without their signs is never zero

# %% [markdown]
# ## Can you answer these?
#
# 1. By how many degrees does the first direction miss the planted axis, and which score does *husband* get?
# 2. At a lean of a fifth, in which share of the worlds does *husband* lie on its side, with and without its own pair?
# 3. *King* moves up. How far off is the direction, and which words change sides?
# 4. Vectors of unit length, or the mean difference: which repairs the direction better, and how many degrees off does each leave it?
# 5. What would happen if *queen* moved up by 3, too? How far off would the direction be, and which score would *husband* get?

# %% tags=["hide-cell"]
print(f"1. {abs(best)}; {scores(male, g)[-1]:.2f}")
print("2. " + ", ".join(f"{name}: {value:.0f} %" for name, value in right.loc[0.2].items()))
print(f"3. {abs(off):.0f} degrees; {', '.join(sides)}")
print("4. " + ", ".join(f"{name}: {abs(degrees[name]):.0f} degrees" for name in ("unit length", "mean difference")))
both = female.copy()
both[FEMALE.index("queen"), 1] += 3
level = direction(both, moved)
assert np.allclose(level, g)
print(f"5. As in the first world, {abs(best)} degrees and {scores(male, level)[-1]:.2f}: only differences count, and that of queen and king is as before")
