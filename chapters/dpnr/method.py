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
# # Can noise hide the result and leave the topic?
#
# *My doctor says the test was positive.* A phone turns this sentence into a few dozen numbers, adds noise, and sends them. The server should find the topic, health. Nobody should find the
# result. We make the sentences and the word vectors ourselves, so we know what the numbers give away without noise: everything.
#
# ## A world we made
#
# A sentence that we draw has seven words: three of its topic, three that say nothing, and the result. (The one above has two of its topic.) Word vectors have 32 random numbers. Vectors of health
# words share a direction, so the topic is planted three times in each drawn sentence, the result once.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "dpnr/method"
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
from trustnlp.plots import house_style, show
from trustnlp.plots.tidy import draw

HEALTH = "doctor nurse test clinic ward pill".split()
MONEY = "bank loan rent tax salary bill".split()
OTHER = "my the says was a now please today that again".split()
WORDS = np.array([*HEALTH, *MONEY, *OTHER, "positive", "negative"])
rng = np.random.default_rng(0)
k = 32
table = rng.normal(size=(len(WORDS), k))
table[:6] += rng.normal(size=k)


def world(n):
    money, negative = rng.integers(2, size=(2, n))
    topical, other = rng.integers(6, size=(n, 3)), rng.integers(10, size=(n, 3))
    return np.column_stack([12 + other, 6 * money[:, None] + topical, 22 + negative]), money, negative


# %%
(words, money, negative), (new_words, new_money, new_negative) = world(4000), world(4000)
texts = [" ".join(row) for row in WORDS[words[:5]]]
pd.DataFrame({"sentence": texts, "topic": np.array(["health", "money"])[money[:5]]})

# %% [markdown]
# ## The idea in bare lines
#
# **Drop, encode, scale.** The phone may drop some words at random. Our {term}`encoder` takes the mean of the vectors of the words that are left. {term}`Min–max scaling <min–max scaling>` then moves the smallest number
# to 0 and the largest to 1.


# %%
def encoded(words, kept=None):
    kept = np.ones(words.shape) if kept is None else kept
    return np.einsum("nt,ntk->nk", kept, table[words]) / kept.sum(1, keepdims=True)


def scaled(x):
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    return (x - low) / (high - low)


said = np.array([[list(WORDS).index(word) for word in "my doctor says the test was positive".split()]])
kept = np.vstack([np.ones(7, dtype=bool), rng.random((3, 7)) >= 0.5])
clean = scaled(encoded(said))
numbers = scaled(encoded(said.repeat(4, 0), kept))
pd.DataFrame(numbers[:, :5], [" ".join(WORDS[said[0, row]]) for row in kept]).round(2)

# %% [markdown]
# **Add noise.** Three kinds of noise from a Laplace law compete; the larger its scale, the farther it lies from 0, on average. The paper's released code draws *one* number of scale $1/\epsilon$ and
# adds it to all $k = 32$. The paper's text describes a number for *each*. Now $\epsilon$ is a promise: whatever arrives is at most $e^\epsilon$ times as probable from one sentence as from another. To
# keep it for the whole vector, whatever the sentences, each number needs noise $k$ times as large.

# %% mystnb={"figure": {"caption": "The sentence's numbers in ascending order (line), and as they are sent with each kind of noise (dots) at ε = 1.", "name": "fig-dpnr-lesson-noise"}}
KINDS = ("one for all", "one each", "k times as large")


def noise(kind, epsilon, n):
    scale = k / epsilon if kind == "k times as large" else 1 / epsilon
    return rng.laplace(scale=scale, size=(n, 1 if kind == "one for all" else k))


order = np.argsort(clean[0])
with house_style():
    figure, axes = plt.subplots(1, 3, figsize=(7.2, 2.6))
    figure.suptitle("One number for all moves the curve, one each scrambles it", fontweight="bold")
    for axis, kind in zip(axes, KINDS, strict=True):
        axis.plot(clean[0, order], color="black", marker="")
        axis.plot((clean + noise(kind, 1.0, 1))[0, order], "o", markersize=3)
        axis.set_title(kind)
    axes[1].set_xlabel("coordinate, smallest first")
show(figure, "Three panels. With one number for all the dots repeat the line at another height; with one each they scatter around it; k times as large, the line looks flat beside them.")

# %% [markdown]
# **Read.** The server has labelled sentences with fresh noise of the same kind and strength. It weighs the numbers and adds them up; least squares sets the weights so that the sum is above zero for money
# and below for health. Somebody who wants the result does the same with other labels.


# %%
def right(sent, labels, new_sent, new_labels):
    ones = np.ones((len(sent), 1))
    weights = np.linalg.lstsq(np.hstack([sent, ones]), 2.0 * labels - 1, rcond=None)[0]
    return 100 * np.mean((new_sent @ weights[:-1] + weights[-1] > 0) == new_labels)


X, Z = scaled(encoded(words)), scaled(encoded(new_words))
topic, result = right(X, money, Z, new_money), right(X, negative, Z, new_negative)
assert min(topic, result) > 99
print(f"without noise: topic {topic:.0f} %, result {result:.0f} % of the new sentences")

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $s \odot I$, the words of $s$ that the mask $I$ keeps | `kept` |
# | $x = f(s \odot I)$ | `encoded(words, kept)` |
# | $\bar x = \frac{x - \min x}{\max x - \min x}$ | `scaled(x)` |
# | $\hat x = \bar x + r$ with $r_i \sim \mathrm{Lap}(1/\epsilon)$ | `clean + noise("one each", epsilon, 1)` |
#
# The package has the same steps. It calls the three kinds of noise `released`, `as_written` and `calibrated`.

# %%
from trustnlp.privacy.mechanisms.representation import drop_words, noise_layer, normalise

assert np.allclose(normalise(torch.from_numpy(encoded(words))), X)
assert abs(float(drop_words(torch.ones(2000, 8), 0.3)[:, 1:].mean()) - 0.7) < 0.03  # the first position stays
many = torch.from_numpy(clean).expand(20_000, -1)
for kind, variant in zip(KINDS, ("released", "as_written", "calibrated"), strict=True):
    theirs = (noise_layer(variant, 2.0, k)(many) - many).numpy()
    ours = noise(kind, 2.0, 20_000)
    assert np.isclose(np.abs(theirs).mean(), np.abs(ours).mean(), rtol=0.05)
    assert (np.ptp(theirs, axis=1).max() < 1e-9) == (ours.shape[1] == 1)

# %% [markdown]
# ## Does it hide the result and leave the topic?
#
# Guessing finds half of the topics, and half of the results.

# %%
rows = []
for epsilon in (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0):
    for kind in KINDS:
        sent, new_sent = X + noise(kind, epsilon, 4000), Z + noise(kind, epsilon, 4000)
        rows.append((epsilon, kind, "topic", right(sent, money, new_sent, new_money)))
        rows.append((epsilon, kind, "result", right(sent, negative, new_sent, new_negative)))
found = pd.DataFrame(rows, columns=["ε", "noise", "reader", "mean"])
wide = found.pivot_table(index="ε", columns=["noise", "reader"], values="mean")[list(KINDS[::-1])]
assert wide["one for all"].min().min() > 99 and wide.loc[2, ("one each", "topic")] > wide.loc[2, ("one each", "result")] + 15
wide.round(0).astype(int)

# %% mystnb={"figure": {"caption": "Topics and results found among new sentences, with one random number for all coordinates and with one for each.", "name": "fig-dpnr-lesson-found"}}
show(
    *draw(
        found[found.noise != KINDS[2]].assign(low=np.nan, high=np.nan, paper=None),
        x="ε",
        color="reader",
        col="noise",
        title="One number for all hides nothing, one each hides both in part",
        xlabel="ε (strong noise on the left)",
        ylabel="found (%)",
        log_x=True,
    )
)

# %% [markdown]
# One number for all never hides anything: least squares finds weights that sum to zero, and the number drops out. With one each, no $\epsilon$ hides the result and leaves the whole topic. The topic fades later
# because three words say it.
#
# ## Does it keep its promise?
#
# At $\epsilon = 1$ the promise allows a factor of $e^\epsilon = 2.7$. We change *positive* to *negative*, send the sentence many times, and compute the log of the factor each time
# ({term}`privacy loss`).

# %% mystnb={"figure": {"caption": "Privacy loss of each send at ε = 1: log of the probability under the true sentence, divided by that under the sentence with the other result. The promise: it stays between the lines.", "name": "fig-dpnr-lesson-promise"}}
other = scaled(encoded(np.where(said == 22, 23, said)))
apart = np.abs(clean - other).sum()
losses = {}
for kind, scale in (("one each", 1.0), ("k times as large", k)):
    sent = clean + noise(kind, 1.0, 20_000)
    losses[kind] = (np.abs(sent - other) - np.abs(sent - clean)).sum(1) / scale
broken = {kind: np.mean(np.abs(loss) > 1) for kind, loss in losses.items()}
assert round(apart, 1) == 3.2 and broken["one each"] > 0.05 and broken["k times as large"] == 0
print(f"sum of the distances of the two sentences' numbers: {apart:.1f}")
with house_style():
    figure, axes = plt.subplots(2, sharex=True)
    figure.suptitle(f"One each breaks the promise in {broken['one each']:.0%} of the sends", fontweight="bold")
    for axis, (kind, loss) in zip(axes, losses.items(), strict=True):
        axis.hist(loss, bins=np.arange(-3.3, 3.3, 0.05))
        for line in (-1, 1):
            axis.axvline(line, color="black", linestyle="--", marker="")
        axis.set(title=kind, ylabel="sends")
    axes[1].set_xlabel("privacy loss")
show(figure, f"Two histograms, one below the other. Noise k times as large stays within ±0.1, one each spreads and leaves the lines at ±1 in {broken['one each']:.0%} of the sends.")

# %% [markdown]
# With one number each the loss can reach $\epsilon$ times the sum, over the coordinates, of the two sentences' distances: here $3.2$. With noise $k$ times as large, it is $k$ times smaller. Only this noise
# keeps the promise for sure, and at these $\epsilon$ it leaves hardly any topic either.
#
# ## Where it breaks
#
# One number for all breaks without any learning. Scaling has made the smallest number 0. So the smallest number that arrives is the noise: subtract it.

# %% mystnb={"figure": {"caption": "The sentence's numbers as sent with one random number for all at $\\epsilon = 0.05$, and after the subtraction.", "name": "fig-dpnr-lesson-breaks"}}
shared = noise("one for all", 0.05, 1)
sent = clean + shared
undone = sent - sent.min(1, keepdims=True)
left = np.abs(undone - clean).max()
assert left < 1e-12 and abs(shared[0, 0]) > 3
with house_style():
    figure, axis = plt.subplots()
    axis.plot(sent[0], "s", markersize=4, label="sent")
    axis.plot(undone[0], "o", markersize=8, markerfacecolor="white", label="after the subtraction")
    axis.plot(clean[0], color="black", linewidth=1, marker="", label="without noise")
    axis.set(xlabel="coordinate", ylabel="number", title=f"One subtraction undoes the {shared[0, 0]:+.1f}, and all is there")
    axis.legend()
show(figure, f"Numbers of one sentence as sent, {abs(shared[0, 0]):.1f} away from the true ones, and after the subtraction, where they lie on the true ones.")

# %% [markdown]
# An attacker that fails does not prove that noise hides something: another may know to subtract.
#
# ## Exercises
#
# **1.** Add no noise but drop each word with probability $\mu = 0.5$, all but the first. How often is the result found? How often could it be at best?

# %% tags=["hide-cell"]
masks = rng.random((2, 4000, 7)) >= 0.5
masks[:, :, 0] = True
halved = scaled(encoded(words, masks[0])), scaled(encoded(new_words, masks[1]))
dropped = {name: right(halved[0], a, halved[1], b) for name, a, b in (("topic", money, new_money), ("result", negative, new_negative))}
print({name: f"{share:.0f} %" for name, share in dropped.items()}, "results at best about 75 %: half are seen, half of the others guessed")
assert dropped["result"] < 77 < 85 < dropped["topic"]

# %% [markdown]
# **2.** A user sends the same sentence a hundred times, each time with new noise, one number each, at $\epsilon = 0.5$. The attacker takes the mean, and learns from means of a hundred, too. How
# often is the result found?

# %% tags=["hide-cell"]
mean_noise, new_mean_noise = (np.mean([noise("one each", 0.5, 4000) for _ in range(100)], axis=0) for _ in range(2))
averaged = right(X + mean_noise, negative, Z + new_mean_noise, new_negative)
once = wide.loc[0.5, ("one each", "result")]
assert averaged > once + 15
print(f"{averaged:.0f} %, instead of {once:.0f} %: every send costs another ε")

# %% [markdown]
# **3.** How large must $\epsilon$ be before noise $k$ times as large leaves nine of ten topics?

# %% tags=["hide-cell"]
honest = {}
for epsilon in (25, 50, 75, 100, 125, 150):
    sent, new_sent = (x + noise("k times as large", epsilon, 4000) for x in (X, Z))
    honest[epsilon] = right(sent, money, new_sent, new_money)
enough = min(epsilon for epsilon, share in honest.items() if share >= 90)
print({epsilon: f"{share:.1f} %" for epsilon, share in honest.items()}, f"At ε = {enough} the promise says nothing any more")

# %% [markdown]
# ## Can you answer these?
#
# 1. With one number each at $\epsilon = 2$, how many topics are found, and how many results? Why more topics?
# 2. *Positive* becomes *negative*. In which share of the sends does one number each break the promise of $\epsilon = 1$, and how large can the loss be?
# 3. Which number did the phone add in the last figure, and how does the attacker learn it?
# 4. Each word but the first is dropped with probability $0.5$. How many results are found, and how many topics?
# 5. What would happen if the phone did not scale before it adds one number for all, at $\epsilon = 0.05$? Would the subtraction still give the numbers back, and would least squares still find the result?

# %% tags=["hide-cell"]
print("1. " + ", ".join(f"{name} {wide.loc[2, ('one each', name)]:.0f} %" for name in ("topic", "result")) + ": three words say the topic, one the result")
print(f"2. In {broken['one each']:.0%}; up to {apart:.1f}, the sum of the distances")
print(f"3. {shared[0, 0]:.1f}: it arrives in the place of the smallest number, which scaling had made 0")
print(f"4. {dropped['result']:.0f} % of the results, {dropped['topic']:.0f} % of the topics")
raw, new_raw = (encoded(each) + noise("one for all", 0.05, 4000) for each in (words, new_words))
unscaled = right(raw, negative, new_raw, new_negative)
assert unscaled > 99 and (encoded(new_words).min(1) < -0.1).all()
print(f"5. Not quite: the smallest number is no longer 0, so all come back shifted by it. Least squares finds {unscaled:.0f} % of the results: its weights still sum to zero")
