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
# # A topic in sixteen noisy numbers
#
# A phone turns *Shares fall after bank's warning* into sixteen numbers, adds noise to each, and sends them. A service guesses the topic: business. How much noise does the topic
# survive, and does it help to train the model on noisy numbers? We make the texts ourselves, so we know the best possible answer before we ask.
#
# ## A world we made
#
# A text has twelve words and one of two topics. On average a third of the words point to a topic, and a fifth of these to the wrong one. The other words say nothing.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "dpnr_study/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
import math

import numpy as np
import pandas as pd
import torch
from matplotlib import pyplot as plt
from torch.nn.functional import cross_entropy
from trustnlp.plots import house_style, show
from trustnlp.plots.tidy import draw

BUSINESS = "shares bank profit market loan tax price budget".split()
SPORT = "goal match coach team league referee striker stadium".split()
OTHER = "the a new after week says fall big late five old more will over of in on at by for to and but it".split()
WORDS = np.array(BUSINESS + SPORT + OTHER)


def world(n, rng):
    topic = rng.integers(2, size=n)  # 0 is business, 1 is sport
    points = rng.random((n, 12)) < 1 / 3
    said = np.where(rng.random((n, 12)) < 0.8, topic[:, None], 1 - topic[:, None])
    words = np.where(points, 8 * said + rng.integers(8, size=(n, 12)), 16 + rng.integers(24, size=(n, 12)))
    return torch.from_numpy(words), torch.from_numpy(topic)


# %%
rng = np.random.default_rng(0)
(words, topic), (new_words, new_topic) = world(4000, rng), world(4000, rng)
pd.DataFrame({"topic": np.array(["business", "sport"])[topic[:5]], "text": [" ".join(w) for w in WORDS[words[:5]]]})

# %% [markdown]
# Who sees the words can only count: more words of sport, or more of business? With equal counts one has to toss a coin. No model can do better on new texts, except by luck.

# %%
lead = ((new_words >= 8) & (new_words < 16)).sum(1) - (new_words < 8).sum(1)
even = float((lead == 0).double().mean())
counting = float(((lead > 0) == (new_topic == 1))[lead != 0].double().sum() / len(lead)) + even / 2
print(f"{even:.0%} of the texts have equal counts; counting gets {counting:.0%} of the topics right")

# %% [markdown]
# ## The idea in bare lines
#
# **From words to numbers.** Each word has a vector of sixteen numbers, random at first. A text is the mean of its words' vectors. {term}`Min–max scaling <min–max scaling>` then moves
# its smallest number to 0 and its largest to 1, so that noise of one size suits every text.

# %%
draws = torch.Generator().manual_seed(0)
k = 16
table = torch.empty(len(WORDS), k).uniform_(-0.5, 0.5, generator=draws)


def scaled(words):
    x = table[words].mean(1)
    low, high = x.amin(1, keepdim=True), x.amax(1, keepdim=True)
    return (x - low) / (high - low)


scaled(words[:1])[0].numpy().round(2)

# %% [markdown]
# **Noise.** Each number gets its own draw from a Laplace distribution of scale $1/\epsilon$. A smaller $\epsilon$ is stronger noise.

# %% mystnb={"figure": {"caption": "The sixteen numbers of the first text: as they are, and as sent with noise.", "name": "fig-dpnr-study-lesson-noise"}}
with house_style():
    figure, axes = plt.subplots(1, 3, sharey=True)
figure.suptitle("At ε = 0.5 the noise dwarfs the text", fontweight="bold")
for axis, epsilon in zip(axes, (math.inf, 5.0, 0.5), strict=True):
    sent = scaled(words[:1])[0].numpy() + rng.laplace(scale=1 / epsilon, size=k)
    axis.bar(range(k), sent)
    axis.set_title("no noise" if epsilon == math.inf else f"ε = {epsilon:g}")
    axis.set_xlabel("coordinate")
show(figure, "Bars of a text's sixteen numbers: between 0 and 1 without noise, a little off at ε = 5, many times larger at ε = 0.5.")

# %% [markdown]
# **Guess and learn.** The service weighs the numbers, adds them up for each topic, and takes the larger sum. Vectors and weights learn together: batch by batch, each moves
# against its gradient of the cross entropy. Here is one pass over the texts, without noise.

# %%
weight = torch.empty(2, k).uniform_(-0.5, 0.5, generator=draws)
bias = torch.zeros(2)
learned = [each.requires_grad_() for each in (table, weight, bias)]
for rows in torch.randperm(len(words), generator=draws).split(64):
    loss = cross_entropy(scaled(words[rows]) @ weight.T + bias, topic[rows])
    for each, gradient in zip(learned, torch.autograd.grad(loss, learned), strict=True):
        each.data -= 2.0 * gradient


def right(noise=0.0):
    guess = ((scaled(new_words) + noise) @ weight.T + bias).argmax(1)
    return float((guess == new_topic).double().mean())


assert abs(right() - counting) < 0.02
print(f"right: {right():.0%} of the new texts; as many as counting gets")

# %% [markdown]
# What has it learned? We sort forty new texts by topic and look at their numbers.

# %% mystnb={"figure": {"caption": "Scaled numbers of twenty texts on business (above the line) and twenty on sport, none with equal counts.", "name": "fig-dpnr-study-lesson-code"}}
clear = torch.cat([torch.nonzero((new_topic == each) & (lead != 0))[:20, 0] for each in (0, 1)])
numbers = scaled(new_words[clear]).detach()
best = int((numbers[:20].mean(0) - numbers[20:].mean(0)).abs().argmax())
with house_style():
    figure, axis = plt.subplots()
    image = axis.imshow(numbers, aspect="auto", vmin=0, vmax=1)
    figure.colorbar(image, label="number before noise")
    axis.axhline(19.5, color="white", linewidth=3)
    axis.grid(visible=False)
    axis.set(xlabel="coordinate", ylabel="text", title=f"Several coordinates tell the topics apart, number {best} best")
show(figure, f"A heat map of forty texts by sixteen coordinates. In some columns the texts on business and on sport differ, most in column {best}.")

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the report | above |
# |---|---|
# | $x = \frac1m \sum_i e_{w_i}$, the mean of the vectors of $m$ words | `x = table[words].mean(1)` |
# | $z = \frac{x - \min x}{\max x - \min x}$ | what `scaled` returns |
# | $\hat z = z + r$ with $r_j \sim \mathrm{Lap}(1/\epsilon)$, a draw for each coordinate $j$ | `sent = … + rng.laplace(scale=1 / epsilon, size=k)` |
# | $\hat y = \arg\max (W \hat z + b)$ | `guess`, with `weight` for $W$ and `bias` for $b$ |
#
# The package trains the same model in one call, and several at once. An infinite $\epsilon$ is no noise; the list has one entry a pass.

# %%
from trustnlp.training.embedding_bag import train
from trustnlp.training.ngrams import Bags


def bags(words):
    return Bags(words.flatten(), torch.arange(0, words.numel() + 1, words.shape[1]))


sizes = {"vocabulary_size": len(WORDS), "classes": 2}
same = train(bags(words), topic, {"one pass": [math.inf]}, dim=k, **sizes, generator=torch.Generator().manual_seed(0))
assert torch.allclose(same.table, table, atol=1e-4)
assert torch.allclose(same.representations(bags(new_words))["one pass"], scaled(new_words), atol=1e-4)

# %% [markdown]
# ## Does training with noise find the topic?
#
# We train for twenty passes: once without noise (*classic*), and once for each $\epsilon$ with the noise of that $\epsilon$ ({term}`robust training`). All are tested with noise.
# Two limits hold for every model. Nobody beats counting. And nobody beats the noise: scaled numbers lie between 0 and 1, so two texts differ at most by 1 in each of the $k$
# coordinates. If they differ by $1$ everywhere, nobody is right more often than a reader who takes the text with the likelier noise. That is the second limit.


# %%
def noise_limit(k, epsilon, n=20_000):
    noise = rng.laplace(scale=1 / epsilon, size=(n, k))
    gain = (abs(noise + 1) - abs(noise)).sum(1).round(6)  # above 0: the true text is the likelier one
    return (gain > 0).mean() + (gain == 0).mean() / 2


epsilons = [0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 20.0]
plans = {"classic": [math.inf] * 20} | {f"{epsilon:g}": [epsilon] * 20 for epsilon in epsilons}
models = train(bags(words), topic, plans, dim=k, **sizes, generator=torch.Generator().manual_seed(0))
clean = models.representations(bags(new_words))
rows = []
for epsilon in epsilons:
    tested = {name: clean[name] for name in ("classic", f"{epsilon:g}")}
    score = models.accuracy(tested, new_topic, epsilon, generator=torch.Generator().manual_seed(1))
    limit = min(noise_limit(k, epsilon), counting)
    rows.append((epsilon, score["classic"], score[f"{epsilon:g}"], noise_limit(k, epsilon), limit))
found = pd.DataFrame(rows, columns=["ε", "classic", "robust", "noise limit", "limit"]).set_index("ε")
found.drop(columns="limit").map("{:.0%}".format)

# %% mystnb={"figure": {"caption": "Share of new texts whose topic is guessed right from sixteen noisy numbers. The limit is the lower of the two.", "name": "fig-dpnr-study-lesson-found"}}
def tall(frame, name):
    tidy = frame.rename_axis(columns=name).stack().rename("mean").reset_index()
    return tidy.assign(mean=100 * tidy["mean"], low=math.nan, high=math.nan, paper=None)


assert found.robust[2] > found.limit[2] - 0.03 > found.classic[2] + 0.1
show(
    *draw(
        tall(found[["limit", "robust", "classic"]], "reader"),
        x="ε",
        color="reader",
        title="At ε = 2 training with noise all but reaches the limit, training without stays far below",
        xlabel="ε (strong noise on the left)",
        ylabel="right (%)",
        log_x=True,
    )
)

# %% [markdown]
# ## Where it breaks
#
# At $\epsilon = 0.05$ both trainings do about as well as a coin. Is the model to blame? The limit says no: sixteen numbers cannot carry the topic through this noise. More numbers carry more, but slowly.

# %%
widths = [4, 16, 64, 256]
at = pd.DataFrame({"limit": [noise_limit(width, 0.05, 5000) for width in widths]}, index=pd.Index(widths, name="k"))
for width in widths:
    model = train(bags(words), topic, {"m": [0.05] * 5}, dim=width, **sizes, generator=torch.Generator().manual_seed(0))
    score = model.accuracy(
        model.representations(bags(new_words)), new_topic, 0.05, generator=torch.Generator().manual_seed(1)
    )
    at.loc[width, "model"] = score["m"]
assert at.limit[16] < 0.6 and 0.3 < 1 - at.limit[256] < 0.37 and at.model.max() < 0.55
at.map("{:.0%}".format)

# %% mystnb={"figure": {"caption": "Share of topics guessed right under the strongest noise, by how many numbers are sent: the limit, and the model after five passes with that noise.", "name": "fig-dpnr-study-lesson-breaks"}}
show(
    *draw(
        tall(at, "reader"),
        x="k",
        color="reader",
        title="At ε = 0.05 even the best reader of 256 numbers errs on one text in three",
        xlabel="numbers sent for a text",
        ylabel="right (%)",
        log_x=True,
    )
)

# %% [markdown]
# With sixteen numbers, a model's failure says nothing about its vectors. With $256$, the limit leaves room that our model does not use. And code that still reads the topic at $\epsilon = 0.05$ from so few numbers does not add this noise: see the first exercise.
#
# ## Exercises
#
# **1.** DPNR's released code adds *one* random number to all coordinates of a text. Subtract each vector's smallest number from all of its numbers. What is left of the noise?

# %% tags=["hide-cell"]
shared = scaled(new_words) + torch.from_numpy(rng.laplace(scale=1 / 0.05, size=(len(new_words), 1))).float()
undone = shared - shared.amin(1, keepdim=True)  # min–max scaling had put the smallest number at 0
print(f"largest difference from the numbers without noise: {float((undone - scaled(new_words)).detach().abs().max()):.0e}")
as_sent, subtracted = right(shared - scaled(new_words)), right(undone - scaled(new_words))
print(f"right: {as_sent:.0%} as sent, {subtracted:.0%} after the subtraction")

# %% [markdown]
# **2.** Train for five passes instead of twenty, and test at $\epsilon = 1$. Does training with noise still win? Then let the noise grow from pass to pass, with $\epsilon_n = 10/n$
# (the report's *adaptive* training).

# %% tags=["hide-cell"]
from trustnlp.training.embedding_bag import adaptive

short = {"classic": [math.inf] * 5, "robust": [1.0] * 5, "adaptive": adaptive(10, 5)}
brief = train(bags(words), topic, short, dim=k, **sizes, generator=torch.Generator().manual_seed(0))
five = brief.accuracy(
    brief.representations(bags(new_words)), new_topic, 1.0, generator=torch.Generator().manual_seed(1)
)
assert five["robust"] < five["classic"] < five["adaptive"]  # strong noise from the start hides what there is to learn
print({name: f"{share:.0%}" for name, share in five.items()})

# %% [markdown]
# **3.** Send two numbers per text. How many different vectors can the phone send before noise?

# %% tags=["hide-cell"]
two = train(bags(words), topic, {"m": [math.inf] * 5}, dim=2, **sizes, generator=torch.Generator().manual_seed(0))
sent = two.representations(bags(new_words))["m"].unique(dim=0)
assert len(sent) == 2  # scaling makes one number 0 and the other 1: one bit is left
sent.numpy()

# %% [markdown]
# ## Can you answer these?
#
# 1. How many of the twelve words point to a topic, and how many of those to the wrong one, on average?
# 2. How often is the best reader of the clean texts right, and what stops it?
# 3. At $\epsilon = 1$, how often are classic and robust training right after twenty passes, and what would the noise alone allow?
# 4. At $\epsilon = 0.05$, how often is the best reader of sixteen numbers right, and of 256?
# 5. At $\epsilon = 0.05$ one random number goes onto all coordinates. How often is the model right after the subtraction, and why?

# %% tags=["hide-cell"]
points = float((new_words < 16).double().sum(1).mean())
print(f"1. {points:.1f} of twelve; {points / 5:.1f} of them to the wrong one")
print(f"2. {counting:.0%}: wrong words can outnumber right ones, and {even:.0%} of the texts have equal counts")
print("3. " + ", ".join(f"{name} {share:.0%}" for name, share in found.loc[1.0].drop("limit").items()))
print(f"4. {at.limit[16]:.0%} and {at.limit[256]:.0%}")
print(f"5. {subtracted:.0%}, as without noise: the smallest number was 0, so what arrives in its place is the noise")
