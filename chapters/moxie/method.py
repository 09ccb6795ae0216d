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
# # One word, three influences
#
# *Unflinchingly bleak and desperate*: a classifier calls this review negative. Which word in the place of *bleak* would make it positive? A second model, the {term}`student <student model>`,
# answers from two vectors: one of the review with a gap, one of the word alone. Here we write the classifier ourselves, so we know what each word does before we ask.
#
# ## A world we made
#
# A review has two adjectives, each with a modifier. *Utterly* doubles its adjective, *not* turns it round, and *unflinchingly* leaves it alone. The classifier adds up what speaks for the film and what
# speaks against it: these two numbers are its vector $z$. It answers positive if the first is larger.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
import numpy as np
import pandas as pd
import torch
from matplotlib import pyplot as plt
from trustnlp.plots import PALETTE, house_style, show
from trustnlp.plots.tidy import draw

MODIFIERS = {"unflinchingly": 1.0, "utterly": 2.0, "not": -1.0}
ADJECTIVES = {"bleak": -1.3, "desperate": -0.9, "dull": -0.5, "slow": -0.2} | {
    "gentle": 0.4, "witty": 0.8, "tender": 1.1, "luminous": 1.7,
}  # fmt: skip
GAP = "[gap]"


def vector(review, turned=MODIFIERS["not"]):
    """z: what speaks for the film, and what against it. A gap counts as no adjective, or as no modifier."""
    first, bleak, _, second, desperate = review
    factors = [turned if each == "not" else MODIFIERS.get(each, 1.0) for each in (first, second)]
    parts = np.array(factors) * [ADJECTIVES.get(each, 0.0) for each in (bleak, desperate)]
    return np.array([parts.clip(0).sum(), (-parts).clip(0).sum()])


# %%
def drawn(n, rng):
    words = [rng.choice(list(part), n) for part in (MODIFIERS, ADJECTIVES, ["and"], MODIFIERS, ADJECTIVES)]
    return np.column_stack(words)


reviews, new = drawn(300, np.random.default_rng(0)), drawn(300, np.random.default_rng(1))
z = np.array([vector(review) for review in new])
answer = np.where(z[:, 0] > z[:, 1], "positive", "negative")
shown = {"review": [" ".join(each) for each in new], "for": z[:, 0], "against": z[:, 1], "answer": answer}
pd.DataFrame(shown).head().round(1)

# %% [markdown]
# ## The idea in bare lines
#
# **Influence.** Put a gap in the place of a word. The classifier's vector without the word is $z'$, and the word's influence is $z - z'$. It depends on the context: here is *bleak* after each
# modifier.

# %% mystnb={"figure": {"caption": "What bleak does to the classifier's score (for minus against) in three contexts.", "name": "fig-moxie-lesson-influence"}}
def with_gap(review, at):
    return [*review[:at], GAP, *review[at + 1 :]]


def influence(review, at, **world):
    return vector(review, **world) - vector(with_gap(review, at), **world)


def score(z):
    return z[..., 0] - z[..., 1]


of_bleak = {first: score(influence([first, "bleak", "and", "not", "dull"], 1)) for first in MODIFIERS}
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 2.4))
    bars = axis.barh([f"{each} bleak" for each in of_bleak], list(of_bleak.values()), color=PALETTE["blue"])
    axis.bar_label(bars, fmt="%+.1f", padding=4)
    axis.set(xlabel="influence on the score", xlim=(-3.4, 2.2), title="After not, bleak speaks for the film")
show(figure, "Three bars: " + ", ".join(f"{first} bleak {value:+.1f}" for first, value in of_bleak.items()) + ".")

# %% [markdown]
# **Two vectors.** The student sees the gap's neighbours (the context vector $c$: one place for each word before the gap, and one for each behind it) and the word alone (the vector $t$, one place for each word). From these
# it predicts the influence. The first student adds: so much from the context, so much from the word.

# %%
WORDS = [*MODIFIERS, *ADJECTIVES, "and"]
PLACES = [0, 1, 3, 4]


def one_hot(word):
    return np.array([word == each for each in WORDS], dtype=float)


def pairs(reviews, **world):
    rows = [(review, at) for review in reviews for at in PLACES]
    padded = [["", *review, ""] for review, _ in rows]
    c = np.array([np.r_[one_hot(p[at]), one_hot(p[at + 2])] for p, (_, at) in zip(padded, rows, strict=True)])
    t = np.array([one_hot(review[at]) for review, at in rows])
    return c, t, np.array([influence(list(review), at, **world) for review, at in rows])


def adding(c, t):
    return np.hstack([c, t])


# %% [markdown]
# **Learn.** The best weights are those with the smallest squared error on the pairs of our reviews. How much of the influences in new reviews does the student explain ($R^2$)?

# %%
def learn(features, reviews, **world):
    c, t, target = pairs(reviews, **world)
    weights = np.linalg.lstsq(features(c, t), target, rcond=1e-9)[0]
    return lambda c, t: features(c, t) @ weights


def explained(student, reviews, **world):
    c, t, target = pairs(reviews, **world)
    return 1 - ((target - student(c, t)) ** 2).sum() / ((target - target.mean(0)) ** 2).sum()


adder = learn(adding, reviews)
r2 = {"adds": explained(adder, new)}

# %% [markdown]
# *Not* turns a word, so the word's share and the context's cannot simply be added. The second student also multiplies each number of $c$ by each of $t$.

# %%
def multiplying(c, t):
    products = (c[:, :, None] * t[:, None, :]).reshape(len(c), -1)
    return np.hstack([c, t, products])


multiplier = learn(multiplying, reviews)
r2["multiplies"] = explained(multiplier, new)
assert r2["multiplies"] > 0.99 > 0.5 > r2["adds"]
c, t, true = pairs([["not", "bleak", "and", "utterly", "witty"]])
said = {"true": score(true), "adds": score(adder(c, t)), "multiplies": score(multiplier(c, t))}
print({name: f"{value:.0%} explained" for name, value in r2.items()})
pd.DataFrame(said, ["not", "bleak", "utterly", "witty"]).round(1)

# %% [markdown]
# **Ask for words.** Which adjective in the gap of *not [gap] and utterly slow* makes the review positive? Add each word's predicted influence to $z'$. The context is read once, for all eight.

# %% mystnb={"figure": {"caption": "Score of the review with each adjective in the gap, by the classifier and as two students predict it.", "name": "fig-moxie-lesson-words"}}
gapped = ["not", GAP, "and", "utterly", "slow"]
tried = [[*gapped[:1], word, *gapped[2:]] for word in ADJECTIVES]
c, t = (each[1::4] for each in pairs(tried)[:2])
readers = {"classifier": score(np.array([vector(each) for each in tried]))}
for name, student in (("adds", adder), ("multiplies", multiplier)):
    readers[name] = score(vector(gapped) + student(c, t))
answers = pd.DataFrame(readers, ADJECTIVES)
turning = list(answers.index[answers.multiplies > 0])
assert turning == list(answers.index[answers.classifier > 0]) != list(answers.index[answers.adds > 0])
tidy = answers.rename_axis(index="word", columns="reader").stack().rename("mean").reset_index()
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="word",
        color="reader",
        title=f"Not {', not '.join(turning)}: {len(turning)} of {len(tried)} words make it positive",
        xlabel="word in the gap",
        ylabel="score",
        levels={"": 0},
    )
)

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $z$, and $z'_i$ with word $i$ masked | `vector(review)`, `vector(with_gap(review, i))` |
# | $C$, the classifier's last layer | `score` |
# | $z_{c,i}$, the context; $z_{t,i}$, the word | a row of `c`, of `t` |
# | $r_i = A_M(z_{c,i}, z_{t,i}) \approx z - z'_i$ | `student(c, t)` |
# | $\hat y_i = C(z'_i + r_i)$ | `score(vector(gapped) + student(c, t))` |
# | $s_i$, the influence score, from −1 to 1 | `np.tanh(score(r) / 2)` |
#
# In the paper two networks read context and word, and $A_M$ is a small network of their sum, their difference and their product. In the package, any classifier with a $z$ can be asked:

# %%
from trustnlp.attribution.students.importance_scores import influence_scores
from trustnlp.attribution.students.masked_spans import every_word, masked_pairs
from trustnlp.attribution.students.text_teacher import Teacher


class Ours(Teacher):
    mask, fingerprint = GAP, "ours"
    weight, bias = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.zeros(2)  # against, for

    def representations(self, texts):
        return torch.tensor(np.array([vector(text.split()) for text in texts]), dtype=torch.float32)


asked = masked_pairs(Ours(), every_word([tuple(map(str, review)) for review in new]))
bare = np.array([influence(list(review), at) for review in new for at in range(5)])
assert np.allclose(asked.influence, bare, atol=1e-5)
assert np.allclose(influence_scores(Ours(), asked.influence), np.tanh(score(bare) / 2), atol=1e-5)

# %% [markdown]
# ## Does the student find what *not* does?
#
# We let *not* multiply its adjective with other numbers: 1 leaves the adjective alone, 0 silences it, and −1 turns it round, as above. Each time both students learn anew.

# %% mystnb={"figure": {"caption": "Share of the true influences in new reviews that two students explain, by what not multiplies with.", "name": "fig-moxie-lesson-found"}}
factors = [1.0, 0.5, 0.0, -0.5, -1.0, -2.0]
found = pd.DataFrame(index=pd.Index(factors, name="not"), columns=["adds", "multiplies"], dtype=float)
for turned in factors:
    for name, features in (("adds", adding), ("multiplies", multiplying)):
        found.loc[turned, name] = explained(learn(features, reviews[:100], turned=turned), new[:100], turned=turned)
assert (found.multiplies > 0.99).all() and found.adds.is_monotonic_decreasing
tidy = (100 * found).rename_axis(columns="student").stack().rename("mean").reset_index()
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="not",
        color="student",
        title="The more not turns a word, the less an adding student can explain",
        xlabel="what not multiplies with (−1 turns round)",
        ylabel="influences explained (%)",
    )
)

# %% [markdown]
# ## Where it breaks
#
# Now another classifier: it answers negative as soon as a review has *any* gloomy word. We ask it about *unflinchingly bleak and unflinchingly desperate*, one gap at a time.

# %% mystnb={"figure": {"caption": "True influence of each word on two classifiers, and of both adjectives together.", "name": "fig-moxie-lesson-either"}}
def either(review):
    gloomy = any(each in ("bleak", "desperate", "dull", "slow") for each in review)
    return np.array([1.0 - gloomy, float(gloomy)])


gloom = ["unflinchingly", "bleak", "and", "unflinchingly", "desperate"]
gaps = {"bleak": with_gap(gloom, 1), "desperate": with_gap(gloom, 4), "both": with_gap(with_gap(gloom, 1), 4)}
one_of = {name: score(either(gloom) - either(gapped)) for name, gapped in gaps.items()}
adds_up = {name: score(vector(gloom) - vector(gapped)) for name, gapped in gaps.items()}
assert one_of == {"bleak": 0, "desperate": 0, "both": -2}
with house_style():
    figure, axes = plt.subplots(1, 2, sharey=True, figsize=(7.2, 2.8))
    figure.suptitle("Each gloomy word is enough, so neither seems to matter", fontweight="bold")
    for axis, values, title in zip(axes, (adds_up, one_of), ("adds up", "any gloomy word"), strict=True):
        bars = axis.barh(list(values)[::-1], list(values.values())[::-1], color=PALETTE["blue"])
        axis.bar_label(bars, fmt="%.1f", padding=4)
        axis.set(title=title, xlim=(-3, 0.5), xlabel="influence on the score")
show(figure, "The adding classifier has bars for bleak, desperate and both; the other a bar for both alone.")

# %% [markdown]
# A student that learns this perfectly says zero twice, and a reader concludes that neither word matters. One gap asks what a word adds to *all the others*. The paper also masks whole spans.
#
# ## Exercises
#
# **1.** How many reviews does the multiplying student need? Try 5, 10, 20 and 40, and ask how much it explains of the new ones.

# %% tags=["hide-cell"]
needed = {n: explained(learn(multiplying, reviews[:n]), new) for n in (5, 10, 20, 40)}
print({n: f"{value:.0%}" for n, value in needed.items()})

# %% [markdown]
# **2.** Take every review with *not luminous* out of the training reviews. What does the multiplying student say of *luminous* after *not*, and what is true?

# %% tags=["hide-cell"]
c, t, true = (each[1:2] for each in pairs([["not", "luminous", "and", "utterly", "slow"]]))
few = [review for review in reviews if "not luminous" not in " ".join(review)]
never = float(score(learn(multiplying, few)(c, t))[0])  # a product that it never saw has no weight
truth = float(score(true)[0])
assert never > 0 > truth
print(f"{len(reviews) - len(few)} reviews fewer; said {never:+.1f}, true {truth:+.1f}")

# %% [markdown]
# **3.** The share of words that would turn the answer is the {term}`unlike ratio`. The paper's Eq. 5 adds the influence to $z$ in the place of $z'$. Compute it both ways for *luminous* in
# *not luminous and utterly slow*, with the multiplying student.

# %% tags=["hide-cell"]
c, t = (each[1::4] for each in pairs(tried)[:2])
said, whole = multiplier(c, t), ["not", "luminous", "and", "utterly", "slow"]
ratio = {name: float((score(z + said) > 0).mean()) for name, z in (("z", vector(whole)), ("z'", vector(gapped)))}
print({name: f"{value:.0%}" for name, value in ratio.items()})  # with z, luminous itself stays in the sum

# %% [markdown]
# ## Can you answer these?
#
# 1. What does *bleak* do to the score after *unflinchingly*, after *utterly* and after *not*?
# 2. How much of the influences in new reviews does the adding student explain, and how much if *not* changes nothing?
# 3. Which adjectives make *not [gap] and utterly slow* positive?
# 4. What does the student that never saw *not luminous* say of it, and what is true?
# 5. How much does the multiplying student explain after five reviews, and after twenty?

# %% tags=["hide-cell"]
print("1. " + ", ".join(f"{first}: {value:+.1f}" for first, value in of_bleak.items()))
print(f"2. {r2['adds']:.0%}; {found.adds[1.0]:.0%}")
print(f"3. {', '.join(turning)}")
print(f"4. {never:+.1f}; {truth:+.1f}")
print(f"5. {needed[5]:.0%} and {needed[20]:.0%}")
