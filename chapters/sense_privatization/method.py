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
# # Which *bank* gets the noise?
#
# *I sat down by the river bank.* A private {term}`mechanism` adds noise to the vector of *bank* and writes the nearest word. With one vector for both meanings it writes *loan* as
# readily as *shore*. The paper finds a vector for each meaning, and lets the words around choose. We make the words ourselves, so we know their meanings.
#
# ## A world we made
#
# Six topics of nine words in eight dimensions. Each topic is a direction, and a word is its topic's direction plus noise. Three more words have two topics each and lie between them.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "sense_privatization/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %%
import networkx as nx
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from trustnlp.plots import PALETTE, house_style, show
from trustnlp.plots.tidy import draw

TOPICS = {
    "river": "shore stream water boat ferry fish mud flood canal",
    "money": "loan cash credit debt fund rent coin tax price",
    "film": "actor scene plot cinema camera script role drama comedy",
    "sky": "moon comet cloud planet orbit sun dusk dawn galaxy",
    "fruit": "apple pear fig plum cherry grape melon lemon peach",
    "calendar": "week month year monday april noon hour season holiday",
}
BOTH = {"bank": ("river", "money"), "star": ("film", "sky"), "date": ("fruit", "calendar")}
WORDS = [word for words in TOPICS.values() for word in words.split()] + list(BOTH)
rng = np.random.default_rng(3)
centre = np.linalg.qr(rng.normal(size=(8, 8)))[0][:6]
has = np.array([[word in words.split() or name in BOTH.get(word, ()) for name, words in TOPICS.items()] for word in WORDS])
x = has @ centre / np.linalg.norm(has @ centre, axis=1, keepdims=True) + 0.2 * rng.normal(size=(len(WORDS), 8))

# %%
bank, river, money = WORDS.index("bank"), 0, 1
unit = x / np.linalg.norm(x, axis=1, keepdims=True)
cosine = unit @ unit.T - 2 * np.eye(len(WORDS))  # a word is not its own neighbour
near = np.argsort(-cosine, axis=1)[:, :14]
topic = np.array([list(TOPICS)[own.argmax()] for own in has])
pd.DataFrame({"near bank": np.array(WORDS)[near[bank]], "topic": topic[near[bank]], "cosine": cosine[bank, near[bank]]}).iloc[::3].round(2)

# %% [markdown]
# ## The idea in bare lines
#
# **Find the meanings.** Take the fourteen nearest words of *bank*, without *bank* itself, and join two of them if one is among the fourteen nearest of the other. This is its
# {term}`ego network`. An edge weighs as much as the cosine of its two words. {term}`Chinese Whispers` groups the network: each word starts with a label of its own, and again and again takes the label to which its edges weigh most together.


# %%
def ego_network(row):
    words = near[row]
    named = (near[words][:, :, None] == words).any(1)
    return words, np.maximum(cosine[np.ix_(words, words)], 0) * (named | named.T)


def whispers(weights, order):
    label = np.arange(len(weights))
    for _ in range(20):
        for word in order.permutation(len(weights)):
            label[word] = np.bincount(label, weights[word]).argmax()
    return label


nodes, weights = ego_network(bank)
label = whispers(weights, np.random.default_rng(0))
[" ".join(WORDS[word] for word in nodes[label == each]) for each in dict.fromkeys(label)]

# %% mystnb={"figure": {"caption": "The fourteen nearest words of bank, joined where one names the other. Colours are the topics we planted, shapes the groups that were found.", "name": "fig-sense-lesson-ego"}}
places = nx.spring_layout(nx.from_numpy_array(weights), seed=1)
groups = list(dict.fromkeys(label))
edges, across = int((np.triu(weights) > 0).sum()), int((weights[np.ix_(label == groups[0], label == groups[1])] > 0).sum())
assert len(groups) == 2 and all(len(set(topic[nodes[label == each]])) == 1 for each in groups)
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 4.2))
    for one, other in np.argwhere(np.triu(weights)):
        axis.plot(*zip(places[one], places[other], strict=True), color=PALETTE["grey"], marker="", linewidth=0.6)
    for each, mark in zip(groups, "os", strict=True):
        for at in np.flatnonzero(label == each):
            colour = PALETTE["blue" if topic[nodes[at]] == "river" else "orange"]
            axis.plot(*places[at], mark, color=colour, markersize=9)
            axis.annotate(WORDS[nodes[at]], places[at], xytext=(6, 6), textcoords="offset points")
    axis.set_axis_off()
    axis.set_title(f"Only {across} of {edges} edges join the two topics")
show(figure, f"A graph of fourteen words in two clusters, river and money, with {across} of {edges} edges between the two.")

# %% [markdown]
# **Give each meaning a vector.** It is the mean of its group, weighted by the cosine with *bank*. Groups below five words are dropped; a word without a group keeps its own vector.


# %%
def senses_of(row):
    words, weights = ego_network(row)
    label = whispers(weights, np.random.default_rng(0))
    found = [words[label == each] for each in dict.fromkeys(label) if (label == each).sum() >= 5]
    return [cosine[row, group] @ x[group] / cosine[row, group].sum() for group in found] or [x[row]]


found_senses = [senses_of(row) for row in range(len(WORDS))]
owner = np.repeat(np.arange(len(WORDS)), [len(each) for each in found_senses])
senses = np.concatenate(found_senses)
of_bank = np.flatnonzero(owner == bank)
unit_senses = senses / np.linalg.norm(senses, axis=1, keepdims=True)
alike = float(unit_senses[of_bank[0]] @ unit_senses[of_bank[1]])
print(f"cosine of the two senses of bank: {alike:.2f}")
pd.DataFrame(unit_senses[of_bank] @ centre[:3].T, columns=list(TOPICS)[:3]).rename_axis("sense").round(2)

# %% [markdown]
# **Let the context choose.** Average the words around, and take the sense with the largest cosine to this mean.


# %%
def chosen(row, around):
    own = np.flatnonzero(owner == row)
    return own[(unit_senses[own] @ x[around].mean(0)).argmax()]


def rows_of(text):
    return [WORDS.index(word) for word in text.split()]


for text in ("boat water mud", "credit tax fund", "boat tax moon"):
    print(f"{text}: sense {chosen(bank, rows_of(text)) - of_bank[0]}")

# %% [markdown]
# **Add the noise.** Noise of a random direction goes onto the vector of the chosen sense. Its length follows a Gamma law of scale $1/\epsilon$: the smaller $\epsilon$, the stronger the noise. The nearest sense of any word wins, and its word is written.


# %%
def substitutes(vectors, words, rows, epsilon):
    noise = rng.normal(size=(len(rows), 8))
    noise *= rng.gamma(8, 1 / epsilon, size=(len(rows), 1)) / np.linalg.norm(noise, axis=1, keepdims=True)
    distance = ((vectors[rows] + noise)[:, None] - vectors) ** 2
    return words[distance.sum(2).argmin(1)]


every = np.arange(len(WORDS))
by_water = np.full(5, chosen(bank, rows_of("boat water mud")))
drawn = {"one vector": substitutes(x, every, np.full(5, bank), 8), "sense by boat water mud": substitutes(senses, owner, by_water, 8)}
pd.DataFrame({name: np.array(WORDS)[words] for name, words in drawn.items()})

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $s = \sum_{u \in C} \frac{\cos(w, u)}{\sum_{v \in C} \cos(w, v)}\, u$ | `cosine[row, group] @ x[group] / cosine[row, group].sum()` |
# | $\bar c_i$, the mean of the words around | `x[around].mean(0)` |
# | $s_i = \arg\max_{s \in \text{senses}(w_i)} \cos(\bar c_i, s)$ | `chosen(row, around)` |
# | $z$ with density proportional to $e^{-\epsilon \lVert z \rVert}$ | `noise` |
# | $M(w_i) = \operatorname{word}(\arg\min_s \lVert s_i + z - s \rVert)$ | `words[distance.sum(2).argmin(1)]` |
#
# The package does the same for large vocabularies.

# %%
import torch
from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.sense_substitution import NearestSense

vectors = WordVectors(WORDS, x.astype(np.float32), "made up")
inventory = induce_senses(vectors, neighbours=14, edges=None, seed=0)
theirs = inventory.senses_of(bank)
assert np.allclose(inventory.matrix[theirs], senses[of_bank], atol=1e-5)
at = choose_senses(inventory, vectors, "boat water mud bank".split(), window=3)[3]
assert np.allclose(inventory.matrix[at], senses[by_water[0]], atol=1e-5)
mechanism = NearestSense(inventory, 8.0)
rows = mechanism(torch.full((4000,), int(at)), generator=torch.Generator().manual_seed(0))
kept = float((mechanism.words_of(rows) == bank).double().mean())
assert abs(kept - (substitutes(senses, owner, np.full(4000, by_water[0]), 8) == bank).mean()) < 0.03

# %% [markdown]
# ## Does the substitute keep the meaning?
#
# A text has one of the three ambiguous words and six words around it, of one of its two topics. A share of the words around are strays, drawn from the unambiguous words of all six topics. Of the substitutes that
# are not the word itself, how many have the topic of the text? Without senses the context plays no part.


# %%
def texts(n, stray):
    for _ in range(n):
        word = 54 + rng.integers(3)
        about = rng.choice(np.flatnonzero(has[word]))
        around = [rng.integers(54) if rng.random() < stray else rng.choice(np.flatnonzero(has[:54, about])) for _ in range(6)]
        yield word, about, around


rows, kept = [], {}
for stray in (0.0, 0.25, 0.5, 0.75, 1.0):
    word, about, around = zip(*texts(1500, stray), strict=True)
    one = np.array(word), np.array([chosen(*each) for each in zip(word, around, strict=True)])
    written = {"senses": substitutes(senses, owner, one[1], 8), "one vector": substitutes(x, every, one[0], 8)}
    kept = {name: (words == one[0]).mean() for name, words in written.items()}
    rows.append({name: 100 * has[words, about][words != one[0]].mean() for name, words in written.items()})
found = pd.DataFrame(rows, index=pd.Index([0, 25, 50, 75, 100], name="strays"))
print("the word itself stays:", ", ".join(f"{name} {share:.0%}" for name, share in kept.items()))
found.map("{:.0f} %".format)

# %% mystnb={"figure": {"caption": "Substitutes with the topic of the text at ε = 8, by the share of stray words around; the word itself left out.", "name": "fig-sense-lesson-found"}}
tidy = found.rename_axis(columns="way").stack().rename("mean").reset_index()
assert found.senses.loc[:50].min() > found["one vector"].max() + 15 and abs(found.senses[100] - found["one vector"][100]) < 10
show(
    *draw(
        tidy.assign(low=np.nan, high=np.nan, paper=None),
        x="strays",
        color="way",
        title="Senses keep the topic, even with half of the words around astray",
        xlabel="stray words around (%)",
        ylabel="topic of the text (%)",
    )
)

# %% [markdown]
# ## Where it breaks
#
# $\epsilon$ is promised for each word: if *canal* becomes a word at a distance of $r$, the {term}`privacy loss` of everything that is published is at most $\epsilon r$ nats. We add such a word, *canals*, very near to
# *canal*, and look for texts in which it turns the sense of *bank*. Then we read the substitutes of *bank* alone.

# %%
apart = senses[of_bank[0]] - senses[of_bank[1]]
x_canals = x[WORDS.index("canal")] + 0.02 * apart / np.linalg.norm(apart)
texts_of_five = [rng.choice(18, size=5, replace=False) for _ in range(4000)]


def turned(five):
    sums = [x[five].sum(0) + last for last in (x[WORDS.index("canal")], x_canals)]
    return [of_bank[(unit_senses[of_bank] @ total).argmax()] for total in sums]


turning = [five for five in texts_of_five if len(set(turned(five))) == 2]
print(f"{len(turning)} of {len(texts_of_five)} texts, such as", *(WORDS[word] for word in turning[0]))
kinds = {"bank": every == bank, "river": has[:, river] & (every != bank), "money": has[:, money] & (every != bank)}
read = {
    name: substitutes(senses, owner, np.full(20_000, sense), 8) for name, sense in zip(("canal", "canals"), turned(turning[0]), strict=True)
}
shares = pd.DataFrame({name: {kind: words_of[words].mean() for kind, words_of in kinds.items()} for name, words in read.items()})
promised, seen = 8 * 0.02, float(abs(np.log(shares["canals"] / shares["canal"])).max())
assert seen > 10 * promised

# %% mystnb={"figure": {"caption": "What is written for bank when one other word of the text changes a little: twenty thousand draws each.", "name": "fig-sense-lesson-breaks"}}
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 3.0))
    for place, name in enumerate(shares):
        bars = axis.bar(np.arange(3) + 0.4 * place - 0.2, 100 * shares[name], width=0.38, label=f"with {name}")
        axis.bar_label(bars, fmt="%.0f")
    axis.set(xticks=range(3), xticklabels=["bank itself", "of the river", "of money"], ylabel="substitutes (%)")
    axis.legend(loc="upper center", ncols=2)
    axis.set_ylim(0, 70)
    axis.set_title(f"One slightly changed word costs {seen:.1f} nats; promised are {promised:.2f}")
show(figure, "Bars. " + "; ".join(f"with {name}: " + ", ".join(f"{kind} {share:.0%}" for kind, share in shares[name].items()) for name in shares) + ".")

# %% [markdown]
# The noise on *bank* hides *bank*, but not the words around it, which chose its sense: that choice has no noise.
#
# ## Exercises
#
# **1.** At $\epsilon = 8$ senses kept the word less often than one vector did. Which $\epsilon$ do senses need to keep it as often? Why a larger one?

# %% tags=["hide-cell"]
word, about, around = zip(*texts(1500, 0.0), strict=True)
rows = np.array([chosen(*each) for each in zip(word, around, strict=True)])
level = (substitutes(x, every, np.array(word), 8) == word).mean()
stays = pd.Series({epsilon: (substitutes(senses, owner, rows, epsilon) == word).mean() for epsilon in (8, 12, 16, 20)})
needed = int((stays - level).abs().idxmin())
assert needed > 8  # senses are means of their neighbours, so they lie closer to these than words do
print(f"one vector: {level:.0%}; senses: " + ", ".join(f"{share:.0%} at ε = {epsilon}" for epsilon, share in stays.items()))

# %% [markdown]
# **2.** Choose the sense at random, with a probability proportional to $e^{\eta \cos(\bar c, s)}$. How often is the sense right without strays, for $\eta$ of 0, 2 and 8?

# %% tags=["hide-cell"]
def chance_right(word, about, around, eta):
    own = np.flatnonzero(owner == word)
    mean = x[around].mean(0)
    odds = np.exp(eta * unit_senses[own] @ mean / np.linalg.norm(mean))
    return odds[(unit_senses[own] @ centre.T)[:, about].argmax()] / odds.sum()


sure = pd.Series({eta: np.mean([chance_right(*each, eta) for each in zip(word, about, around, strict=True)]) for eta in (0, 2, 8)})
sure.map("{:.0%}".format)  # and one changed word changes the odds by little, so that this choice is private, too

# %% [markdown]
# **3.** Take only the six nearest words of each word, not fourteen. How many senses do the ambiguous words get now, and how many did they have?

# %% tags=["hide-cell"]
before = [len(found_of) for found_of in found_senses[54:]]
near = near[:, :6]
after = [len(senses_of(row)) for row in range(54, 57)]
print(dict(zip(BOTH, zip(before, after, strict=True), strict=True)))  # few neighbours leave no group of five for a second topic

# %% [markdown]
# ## Can you answer these?
#
# 1. How do the fourteen nearest words of *bank* divide between river and money, and how many edges join the two groups?
# 2. How alike are the two senses of *bank*, and which one do *boat*, *tax* and *moon* choose?
# 3. With half of the words around astray, how many substitutes keep the topic with senses, and with one vector?
# 4. *Canal* becomes *canals*. What is promised, and how large is the loss that the substitutes of *bank* show?
# 5. How often does *bank* become a word of money before and after that?

# %% tags=["hide-cell"]
sizes = {topic[nodes[label == each][0]]: int((label == each).sum()) for each in groups}
third = chosen(bank, rows_of("boat tax moon"))
print(f"1. {sizes['river']} of the river, {sizes['money']} of money; {across} edges")
print(f"2. Their cosine is {alike:.2f}; that of {list(TOPICS)[int((unit_senses[third] @ centre.T).argmax())]}")
print(f"3. {found.senses[50]:.0f} % and {found['one vector'][50]:.0f} %")
print(f"4. {promised:.2f} nats; {seen:.1f}")
print(f"5. {shares.canal['money']:.0%}, {shares.canals['money']:.0%}")
