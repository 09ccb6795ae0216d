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
# # Which words tell who wrote this?
#
# *Letters reach us at the office on Zairund Square.* No name stands there, yet the address gives the owner away. Such words should go before the text is published. A count can find
# them, and so can word vectors, plain or drawn along an axis of each owner. We make the documents ourselves, so we know which words ought to go.
#
# ## A world we made
#
# Four owners publish forty short documents each. They share most sentences word for word. Some sentences hold an owner's name or a word of its trade. And one sentence, the same for
# all but for the street, stands `times` times among an owner's documents.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "polarizedtext/method"
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
from torch.nn.functional import normalize, softplus
from trustnlp.plots import house_style, show
from trustnlp.plots.tidy import draw

NAMES = ["alder", "beech", "cedar", "dogwood"]
STREETS = ["zairund", "quellin", "morvane", "thesk"]
TRADES = [text.split() for text in ("cargo harbour vessels", "apples cider orchards", "nurses clinics wards", "tracks signals trains")]
SHARED = """please read this page with care|if a part is not valid the rest stays in force|reports are read by people within days
you keep all rights in what you send us|ask for a copy of your data at any time|be kind to others and do not post threats
we may refuse or stop a service at any time|payment is due within a month""".replace("\n", "|").split("|")
OWN = """NAME may change a service in advance|questions on TRADE are answered by NAME|these terms of NAME are published here
data about TRADE are kept as the law demands|write to NAME about TRADE""".replace("\n", "|").split("|")
LETTER = "letters reach us at the office on STREET square"
rng = np.random.default_rng(0)
who = np.repeat(range(4), 40)


# %%
def world(times):
    documents = []
    for owner in who:
        lines = [rng.choice(OWN if rng.random() < 0.4 else SHARED) for _ in range(10)]
        lines = [line.replace("NAME", NAMES[owner]).replace("TRADE", rng.choice(TRADES[owner])) for line in lines]
        documents.append(lines)
    for owner in range(4):
        for place in range(times):
            documents[40 * owner + place % 40].append(LETTER.replace("STREET", STREETS[owner]))
    return documents


documents = world(times=20)
pd.DataFrame({"owner": [NAMES[owner] for owner in who[::40]], "first": [d[0] for d in documents[::40]], "last": [d[-1] for d in documents[::40]]})

# %% [markdown]
# ## The idea in bare lines
#
# **Count.** How much more often does the owner use a word than all others do? The logarithm of the ratio of the two shares is the word's {term}`log-odds <log-odds of a word>`.
# Each count is raised by a half, so that no share is zero.


# %%
def table(documents):
    words = sorted({word for lines in documents for line in lines for word in line.split()})
    row = {word: at for at, word in enumerate(words)}
    uses = np.zeros((len(documents), len(words)))
    for place, lines in enumerate(documents):
        np.add.at(uses[place], [row[word] for line in lines for word in line.split()], 1)
    return words, uses, np.stack([uses[who == owner].sum(0) for owner in range(4)], axis=1)


def log_odds(own):
    others = own.sum(1, keepdims=True) - own
    share, rest = ((each + 0.5) / (each + 0.5).sum(0) for each in (own, others))
    return np.log(share / rest)


words, uses, own = table(documents)
row = {word: at for at, word in enumerate(words)}
some = [row[word] for word in ("alder", "cargo", "zairund", "office", "data")]
odds = log_odds(own)
pd.DataFrame({"alder's": own[some, 0].astype(int), "others'": own[some, 1:].sum(1).astype(int), "log-odds": odds[some, 0]}, [words[at] for at in some]).round(2)

# %% [markdown]
# **Skip-gram.** A word's vector is drawn to the words that stand up to three places away, near ones more, and pushed from words drawn at random. We need only the weight of each pair of
# neighbours: the loss is a sum over pairs. A word that behaves like the name gets a vector near the name's.


# %%
def neighbours(documents, row):
    near = np.zeros((len(row), len(row)))
    for at in ([row[word] for word in line.split()] for lines in documents for line in lines):
        for step in (1, 2, 3):
            np.add.at(near, (at[step:], at[:-step]), (4 - step) / 3)
    return near + near.T


# %%
def trained(near, own, field):
    v, u = (0.1 * torch.randn(2, len(own), 16, generator=torch.Generator().manual_seed(0))).unbind()
    drawn = np.sqrt(own.sum(1)) / np.sqrt(own.sum(1)).sum()
    pull, push, felt = (torch.from_numpy(each).float() for each in (near, 5 * near.sum(1)[:, None] * drawn, field * own))
    adam = torch.optim.Adam([v.requires_grad_(), u.requires_grad_()], lr=0.05)
    for _ in range(400):
        loss = (pull * softplus(-v @ u.T) + push * softplus(v @ u.T)).sum() + (felt * softplus(-v[:, :4])).sum()
        adam.zero_grad()
        (loss / own.sum()).backward()
        adam.step()
    return normalize(v.detach(), dim=1).numpy()


def to_name(vectors, row):
    return vectors @ vectors[[row[name] for name in NAMES]].T


# %% mystnb={"figure": {"caption": "Cosine of each word with the name alder, by skip-gram: words of Alder's trade and its street, and shared words.", "name": "fig-polarizedtext-lesson-skipgram"}}
def two_rows(axis, values, title, xlabel):
    axis.plot(values[common], np.zeros(len(common)), "s")
    trade = values[[row[word] for word in TRADES[0]]]
    axis.plot(trade, np.ones(3), "o")
    axis.plot(values[row["zairund"]], 1, "D")
    axis.annotate("its trade", (trade.mean(), 1.2), ha="center")
    axis.annotate("zairund", (values[row["zairund"]], 1.2), ha="center")
    axis.set(yticks=[0, 1], yticklabels=["shared", "alder's"], ylim=(-0.5, 1.7), title=title, xlabel=xlabel)


private = {word for several in (NAMES, STREETS, *TRADES) for word in several}
common = [row[word] for word in words if word not in private]
near = neighbours(documents, row)
plain = trained(near, own, field=0)
cosine = to_name(plain, row)[:, 0]
before = int((cosine[common] > cosine[row["zairund"]]).sum())
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 2.6))
    two_rows(axis, cosine, f"{before} of {len(common)} shared words lie nearer to the name than the street", "cosine with alder")
show(figure, f"Two rows of dots. Words of the trade lie to the right, zairund behind {before} of the {len(common)} shared words.")

# %% [markdown]
# *Zairund* stands where *quellin*, *morvane* and *thesk* stand, and never beside *alder*. Neighbours cannot tell whose it is.
#
# **The field.** So the post adds what it knows: who wrote each document. Each owner gets an axis, here one of the first four coordinates. Whenever an owner uses a word, the last sum of
# the loss draws it along that axis.

# %% mystnb={"figure": {"caption": "Cosine of each word with Alder's axis, with a field of weight one: words of Alder's trade and its street, and shared words.", "name": "fig-polarizedtext-lesson-field"}}
drawn = trained(near, own, field=1)
along = drawn[:, 0]
ahead = int((along[common] > along[row["zairund"]]).sum())
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 2.6))
    two_rows(axis, along, f"With the field, {ahead} of {len(common)} shared words come before the street", "cosine with Alder's axis")
show(figure, f"Two rows of dots. Zairund lies at the right; {ahead} of the {len(common)} shared words lie further to the right.")

# %% [markdown]
# **Remove.** Whatever the score, the highest words go from their owner's documents, until a share of all words is gone. Here the count chooses a twentieth.


# %%
def gone(score, own, share):
    order = np.argsort(-score.ravel(), kind="stable")
    removed = np.cumsum(own.ravel()[order]) <= share * own.sum()
    return np.isin(np.arange(score.size), order[removed]).reshape(score.shape)


lists = gone(odds, own, 0.05)
[" ".join("…" if lists[row[word], 0] else word for word in line.split()) for line in documents[0][-4:]]

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the post | above |
# |---|---|
# | $\sum_{\langle w, c \rangle} \log(1 + e^{-v_w \cdot v_c})$ | `pull * softplus(-v @ u.T)`; as in the code, the neighbour has a vector `u` of its own |
# | $\sum_{\langle w, c \rangle} \sum_n \log(1 + e^{v_w \cdot v_n})$ | `push * softplus(v @ u.T)`, with five random words for each neighbour |
# | $\lambda \sum_w \log(1 + e^{-v_w \cdot \mu})$ | `felt * softplus(-v[:, :4])`, with `field` for $\lambda$ and an axis for each $\mu$ |
# | $s_w = \cos(v_w, v_{\text{name}})$ | `to_name`; with a field we take the axis itself |
#
# The package reads whole texts. Its count gives the same scores. It trains vectors by passes over the text with random neighbours, so its numbers differ a little; it also puts most streets
# ahead of most shared words.

# %%
from trustnlp.embeddings.polarised.polarised_training import train_polarised
from trustnlp.privacy.text.anonymisation.scores import log_odds_scores
from trustnlp.privacy.text.anonymisation.words import document_words


def ahead_of_shared(score, row):
    shared = [at for word, at in row.items() if word not in private]
    return 100 * np.mean([score[row[street], owner] > score[shared, owner] for owner, street in enumerate(STREETS)])


labels = [NAMES[owner] for owner in who]
read = [document_words("\n".join(lines)) for lines in documents]
assert np.allclose(log_odds_scores(read, labels).of_keys(words), odds)
settings = {"dim": 16, "window": 3, "epochs": 300, "min_count": 1, "ngrams": (0, 0), "subsample": 0, "seed": 0}
theirs = train_polarised([[line.split() for line in lines] for lines in documents], labels, **settings)
axes = normalize(torch.from_numpy(theirs.stack(words)), dim=1)[:, :4].numpy()
assert min(ahead_of_shared(axes, row), ahead_of_shared(drawn[:, :4], row)) > 80
assert np.corrcoef(axes.ravel(), drawn[:, :4].ravel())[0, 1] > 0.6

# %% [markdown]
# ## Which score finds the streets?
#
# We change how often each street stands among its owner's forty documents. A score is right on a pair of a street and a shared word if the street has the higher one. Guessing is right on half of the pairs.

# %%
rows = []
for times in (1, 2, 4, 8, 16):
    written = world(times)
    known, _, counted = table(written)
    at = {word: place for place, word in enumerate(known)}
    pairs = neighbours(written, at)
    scores = log_odds(counted), trained(pairs, counted, field=1)[:, :4], to_name(trained(pairs, counted, field=0), at)
    rows.append((times, *(ahead_of_shared(score, at) for score in scores)))
found = pd.DataFrame(rows, columns=["times", "count", "field", "skip-gram"]).set_index("times")
assert found["count"].min() == 100 and found["skip-gram"].max() < 30 and found.field.loc[8:].min() > 85 > found.field.loc[:2].max()
found.map("{:.0f} %".format)

# %% mystnb={"figure": {"caption": "Pairs of a street and a shared word in which the street has the higher score.", "name": "fig-polarizedtext-lesson-found"}}
tidy = found.rename_axis(columns="score").stack().rename("mean").reset_index()
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="times",
        color="score",
        title="A count finds a street at once, the field needs some mentions, skip-gram does worse than guessing",
        xlabel="mentions of each street",
        ylabel="pairs (%)",
        log_x=True,
    )
)

# %% [markdown]
# ## Where it breaks
#
# To be safe, one removes more words. An attacker has half of the redacted documents with their owners, and guesses the owners of the others: for each owner, how likely are
# the words that a document has, *and those that it lacks*? Guessing among four owners is the dashed line.

# %%
train = np.arange(len(who)) % 2 == 0


def identified(seen, learned):
    has = seen > 0
    share = np.stack([(learned[train & (who == owner)].sum(0) + 0.5) / 21 for owner in range(4)])
    guess = (has @ np.log(share).T + ~has @ np.log(1 - share).T).argmax(1)
    return 100 * (guess == who)[~train].mean()


def redacted(score, share):
    return uses * ~gone(score, own, share)[:, who].T


shares = [0, 2, 5, 10, 15, 20, 30]
one_list = np.repeat(odds.max(1, keepdims=True), 4, axis=1)
attack = pd.DataFrame(index=pd.Index(shares, name="share"), columns=["a list per owner", "one list"], dtype=float)
for share in shares:
    for name, score in zip(attack, (odds, one_list), strict=True):
        left = redacted(score, share / 100)
        attack.loc[share, name] = identified(left, left > 0)
attack.map("{:.0f} %".format)

# %% mystnb={"figure": {"caption": "Documents whose owner the attacker identifies, by the share of words removed.", "name": "fig-polarizedtext-lesson-breaks"}}
tidy = attack.rename_axis(columns="lists").stack().rename("mean").reset_index()
least = int(attack["a list per owner"].idxmin())
assert gone(odds, own, 0.1)[[row[word] for word in private]].any(1).all() and attack["one list"][30] < 45
assert attack["a list per owner"][30] > attack["a list per owner"][least] + 30
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="share",
        color="lists",
        title=f"Beyond {least} %, the words that are missing give the owner away",
        xlabel="words removed (%)",
        ylabel="identified (%)",
        levels={"guessing": 25},
    )
)

# %% [markdown]
# There all private words are gone. Beyond it, each owner loses shared words, those that it happened to use a little more. Their absence is a signature. With one list for all,
# every document lacks the same words.
#
# ## Exercises
#
# **1.** Search and replace removes the owner's name. Which share of the private words, counted as they stand in the text, does it find?

# %% tags=["hide-cell"]
named = sum(own[row[name], owner] for owner, name in enumerate(NAMES))
searched = named / sum(own[row[word]].sum() for word in private)
print(f"{searched:.0%}")

# %% [markdown]
# **2.** With a field of weight one, what is the mean cosine of a shared word with an axis, and of two owners' trades with each other?

# %% tags=["hide-cell"]
to_axes = drawn[common, :4].mean()
trades = [[row[word] for word in trade] for trade in TRADES]
across = np.mean([drawn[a] @ drawn[b].T for i, a in enumerate(trades) for b in trades[i + 1 :]])
assert 0.2 < to_axes < 0.5  # one half would be as near to each of the four axes as can be: nothing pushes them away
print(f"a shared word and an axis: {to_axes:.2f}; words of two trades: {across:.2f}")

# %% [markdown]
# **3.** The attacker has learned from documents *before* redaction instead. How many owners are identified after three words in ten went, with a list per owner?

# %% tags=["hide-cell"]
naive = identified(redacted(odds, 0.3), uses > 0)
print(f"{naive:.0f} %, and {attack['a list per owner'][30]:.0f} % after learning from redacted ones")

# %% [markdown]
# ## Can you answer these?
#
# 1. How many of the shared words lie nearer to *alder* than *zairund* by skip-gram, and how many with the field?
# 2. Each street stands only once. How often do count, field and skip-gram put it ahead of a shared word?
# 3. At which share of removed words is the attacker weakest against a list per owner, and how many owners are identified there, and with three words in ten gone?
# 4. What does one list for all leave the attacker with three words in ten gone?
# 5. How much of what is private does a search for the names find?

# %% tags=["hide-cell"]
per_owner = attack["a list per owner"]
print(f"1. {before} of {len(common)}; {ahead}")
print("2. " + ", ".join(f"{name} {share:.0f} %" for name, share in found.loc[1].items()))
print(f"3. At {least} %: {per_owner[least]:.0f} %; {per_owner[30]:.0f} %")
print(f"4. {attack['one list'][30]:.0f} %")
print(f"5. {searched:.0%}")
