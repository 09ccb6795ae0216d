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
# # A network that learned from six rules
#
# *Ada Lind, CEO of Nordvik, retired.* A hand-written rule finds who works for whom: a person, a comma, *CEO of*, a firm. A network learns from such rules, finds more than they do, and
# writes a rule for each answer. Here we make the sentences, so we know which answers are right and which written rules are true of their sentences.
#
# ## A world we made
#
# S is a person and O a firm. Six wordings state a relation, and each is a rule. Four other wordings state none. Half of the sentences have one more word, in the place of the
# underscore. A *harmless* word changes nothing. An *undoing* word takes the relation away: *S never works for O*.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/method"
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
from torch.nn.functional import cross_entropy
from trustnlp.plots import PALETTE, house_style, show
from trustnlp.plots.tidy import draw

WORKS = ["S , _ CEO of O", "S _ works for O", "S was _ hired by O"]
FOUNDED = ["S _ founded O", "O was _ started by S", "S , _ founder of O"]
NEITHER = ["S _ praised O", "S _ moved near O", "O was _ sold to S", "S , _ fan of O"]
WORDINGS = WORKS + FOUNDED + NEITHER
HARMLESS = "now still gladly again officially proudly".split()
UNDOING = "never not almost hardly nearly allegedly".split()
RELATIONS = ["none", "works for", "founded"]
RULES = {wording.replace("_ ", ""): number for number, part in ((1, WORKS), (2, FOUNDED)) for wording in part}



# %%
def sentence(undoing, rng):
    wording = str(rng.choice(WORDINGS, p=[1 / 12] * 6 + [1 / 8] * 4))
    relation = RULES.get(wording.replace("_ ", ""), 0)
    if rng.random() < 0.5:
        return wording.replace("_ ", ""), relation, "no extra word"
    if rng.random() < undoing:
        return wording.replace("_", str(rng.choice(UNDOING))), 0, "undoing word"
    return wording.replace("_", str(rng.choice(HARMLESS))), relation, "harmless word"


def world(n, undoing, rng):
    return pd.DataFrame([sentence(undoing, rng) for _ in range(n)], columns=["sentence", "relation", "extra"])


texts, new = world(3000, 0.3, np.random.default_rng(0)), world(3000, 0.3, np.random.default_rng(1))
new.head(6).assign(relation=[RELATIONS[each] for each in new.relation[:6]])

# %% [markdown]
# ## The idea in bare lines
#
# **Run the rules.** A rule matches a sentence if their words are the same. So an extra word stops it. How many of the stated relations do the rules find (recall), and how
# much of what they find is right (precision)?

# %%
def scores(said, true):
    found = (said > 0).sum()
    right = ((said == true) & (said > 0)).sum()
    precision, recall = right / found, right / (true > 0).sum()
    return {"precision": precision, "recall": recall, "F1": 2 * precision * recall / (precision + recall)}


def by_rules(sentences):
    return sentences.map(RULES).fillna(0).astype(int)


of_rules = scores(by_rules(new.sentence), new.relation)
pd.Series(of_rules).map("{:.0%}".format).to_frame("rules")

# %% [markdown]
# **From rules to examples.** Nobody labels a sentence. Each match is an example of its relation, and its rule is the explanation to learn. Wordings of neither relation are examples
# of *none*. (The paper takes other pairs of entities in the same sentence.) A rule's wording with an extra word teaches nothing, as no rule matches it.
#
# **Read.** A sentence is the mean of its words' vectors, sixteen numbers each. (The paper's network has an LSTM and a graph convolution here.)

# %%
neither = texts.sentence.str.contains("praised|moved|sold|fan")
taught = texts[by_rules(texts.sentence).gt(0) | neither].reset_index(drop=True)
WORDS = sorted({word for each in [*texts.sentence, *new.sentence] for word in each.split()})
TOKENS = ["<padding>", "<start>", "<end>", *sorted({word for rule in RULES for word in rule.split()})]
draws = torch.Generator().manual_seed(0)
E, W, P, Q = (0.5 * torch.randn(size, 16, generator=draws) for size in (len(WORDS), 3, len(TOKENS), len(TOKENS)))


def counted(sentences):
    counts = [[each.split().count(word) for word in WORDS] for each in sentences]
    return torch.tensor(counts).float() / torch.tensor(counts).sum(1, keepdim=True)


counted(new.sentence[:1]) @ E


# %% [markdown]
# **Answer, and write.** The classifier scores the relations. The decoder writes a rule token by token: from the sentence and the last token it scores the next one. The two losses are
# added; a rule's loss is divided by its length, so that a long rule counts no more than a short one.

# %%
opened = [f"<start> {rule} <end>".split() for rule in RULES]
SPELLED = torch.tensor([[TOKENS.index(t) for t in each] + [0] * (8 - len(each)) for each in opened])


def rule_losses(x, rules):
    last, following = rules[:, :-1], rules[:, 1:]
    scored = torch.tanh(x[:, None] + P[last]) @ Q.T
    return cross_entropy(scored.transpose(1, 2), following, ignore_index=0, reduction="none"), following


def loss(x, relation, rule):
    classified = cross_entropy(x @ W.T, relation)
    losses, following = rule_losses(x[rule >= 0], SPELLED[rule[rule >= 0]])
    lengths = (following > 0).sum(1)
    return classified + (losses.sum(1) / lengths).sum() / len(x)


# %%
optimiser = torch.optim.Adam([each.requires_grad_() for each in (E, W, P, Q)], lr=0.02)


def asked(texts):
    rule = [list(RULES).index(each) if each in RULES else -1 for each in texts.sentence]
    return counted(texts.sentence), torch.tensor(list(texts.relation)), torch.tensor(rule)


def train(texts):
    counts, relation, rule = asked(texts)
    for rows in [rows for _ in range(8) for rows in torch.randperm(len(rule), generator=draws).split(32)]:
        optimiser.zero_grad()
        loss(counts[rows] @ E, relation[rows], rule[rows]).backward()
        optimiser.step()


@torch.no_grad()
def answers(sentences):
    return pd.Series((counted(sentences) @ E @ W.T).argmax(1).numpy(), sentences.index)


train(taught)
of_network = scores(answers(new.sentence), new.relation)
assert of_network["recall"] > 0.97 > 0.9 > of_network["precision"] and of_rules["precision"] == 1
pd.DataFrame({"rules": of_rules, "network": of_network}).map("{:.0%}".format)

# %% [markdown]
# The network finds almost all relations, also those that no rule matches. But it is less precise. Nothing taught it that *never* undoes a relation: it saw extra words only in
# wordings of neither relation. How much does each of them speak for a relation?

# %% mystnb={"figure": {"caption": "What a word adds to the network's score of its relation, minus the score of none.", "name": "fig-edin-lesson-words"}}
speaks = pd.Series((E @ (W[1:].mean(0) - W[0])).detach(), WORDS)[HARMLESS + UNDOING].sort_values()
kinds = ["undoing" if word in UNDOING else "harmless" for word in speaks.index]
with house_style():
    figure, axis = plt.subplots(figsize=(7.2, 4.4))
    colours = [PALETTE["vermilion" if kind == "undoing" else "blue"] for kind in kinds]
    bars = axis.barh(speaks.index, speaks, color=colours)
    axis.bar_label(bars, kinds, padding=4)
    axis.set(xlabel="score of a relation minus score of none")
    axis.set_title("The network cannot tell undoing from harmless words")
    axis.set_xlim(speaks.min() * 1.3, 0)
assert speaks.index[0] in HARMLESS and (speaks < 0).all() and speaks[UNDOING].max() > speaks[HARMLESS].min()
ends = f"{speaks.index[0]} most, {speaks.index[-1]} least"
show(figure, f"Bars of twelve words. All speak against a relation, {ends}; harmless and undoing words are mixed.")

# %% [markdown]
# **Read the rules.** For each answer the decoder writes a rule. We run it: is it true of its sentence?

# %%
@torch.no_grad()
def write(x):
    tokens = [TOKENS.index("<start>")]
    while TOKENS[tokens[-1]] != "<end>" and len(tokens) < 9:
        tokens.append(int((torch.tanh(x + P[tokens[-1]]) @ Q.T).argmax()))
    return " ".join(TOKENS[token] for token in tokens[1:] if TOKENS[token] != "<end>")


found = new[answers(new.sentence) > 0]
found = found.assign(rule=[write(x) for x in counted(found.sentence) @ E])
found["true of it"] = found.rule == found.sentence
found.head(6)

# %% [markdown]
# ## The equation, symbol by symbol
#
# | in the paper | above |
# |---|---|
# | $\ell_c = -\log \Pr(r \mid w)$, for the relation $r$ of the sentence $w$ | `classified` |
# | $\ell_d = -\sum_t \log \Pr(p_t \mid p_1, \dots, p_{t-1}, w)$, for the tokens $p_t$ of the rule; our decoder sees only the last one before $p_t$ | `losses.sum(1)` |
# | $n$, how many tokens the rule has | `lengths` |
# | $\ell = \ell_c + \ell_d / n$ | what `loss` returns, as a mean over sentences |
#
# The package computes the rules' part of the loss in one call, and runs each rule as the paper does, as a {term}`TokensRegex` pattern.

# %%
from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.relations.decoded_rules import matches
from trustnlp.relations.rule_decoder import rule_loss

counts, relation, rule = asked(taught)
losses, following = rule_losses(counts[rule >= 0] @ E, SPELLED[rule[rule >= 0]])
whole = cross_entropy(counts @ E @ W.T, relation) + rule_loss(losses, following, "paper", examples=len(counts))
assert torch.isclose(whole, loss(counts @ E, relation, rule))

PLACES = {"S": "([{kbpentity:true}]+)", "O": "([{slotvalue:true}]+)"}


def matched(rule, sentence):
    pattern = " ".join(PLACES.get(token, f'"{token}"') for token in rule.split())
    subject, other = (Span(at, at + 1) for at in map(sentence.split().index, "SO"))
    return matches(pattern, RelationExample("", tuple(sentence.split()), subject, other, ""))


assert all(matched(row.rule, row.sentence) == row["true of it"] for _, row in found.iterrows())

# %% [markdown]
# ## Does it find more than its rules?
#
# We let more and more of the extra words undo the relation, and ask the same network about new sentences.

# %% mystnb={"figure": {"caption": "F1 on new sentences, by the share of extra words that undo the relation. The network is the same throughout.", "name": "fig-edin-lesson-found"}}
shares = [0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9]
rows = []
for share in shares:
    drawn = world(3000, share, np.random.default_rng(2))
    for name, reader in (("network", answers), ("rules", by_rules)):
        rows.append((100 * share, name, 100 * scores(reader(drawn.sentence), drawn.relation)["F1"]))
curves = pd.DataFrame(rows, columns=["undoing", "reader", "mean"])
f1 = curves.pivot(index="undoing", columns="reader", values="mean")
crossing = np.interp(0, f1.rules - f1.network, f1.index)
show(
    *draw(
        curves.assign(low=np.nan, high=np.nan, paper=None),
        x="undoing",
        color="reader",
        title=f"The network beats its rules until {crossing:.0f} % of the extra words undo relations",
        xlabel="undoing words among the extra words (%)",
        ylabel="F1 (%)",
    )
)

# %% [markdown]
# ## Where it breaks
#
# The network is worth its training where no rule matches. There, is the rule that it writes a reason for its answer? The paper compares it with the hand-written rule by {term}`BLEU`. Our
# hand-written rule is the sentence without its extra word. And we run each written rule ({term}`execution accuracy`).

# %% mystnb={"figure": {"caption": "BLEU of the written rules against the wording's rule, and how many are true of their sentence, by what the sentence has.", "name": "fig-edin-lesson-breaks"}}
from trustnlp.evaluation.reference_overlap import corpus_bleu


def plain(sentence):
    return " ".join(word for word in sentence.split() if word not in HARMLESS + UNDOING)


rows = []
for extra, part in found.groupby("extra", sort=False):
    gold, written = ([each.split() for each in column] for column in (part.sentence.map(plain), part.rule))
    bleu = corpus_bleu([[each] for each in gold], written, longest=3)
    rows += [(extra, "BLEU", bleu), (extra, "true of the sentence", 100 * part["true of it"].mean())]
said = pd.DataFrame(rows, columns=["extra", "score", "mean"])
assert said[said.score == "BLEU"]["mean"].min() > 95 and not found[found.extra != "no extra word"]["true of it"].any()
show(
    *draw(
        said.assign(low=np.nan, high=np.nan, paper=None),
        x="extra",
        color="score",
        title="With an extra word no written rule is true, and BLEU does not show it",
        xlabel="the sentence has",
        ylabel="written rules (%)",
    )
)

# %% [markdown]
# It must be so: the decoder learned from rules alone, and no rule matches a sentence with an extra word. BLEU compares two rules, and asks neither about the sentence.
#
# ## Exercises
#
# **1.** Put a lookup in the decoder's place: it always writes *S works for O* for *works for* and *S founded O* for *founded*. What does it score?

# %% tags=["hide-cell"]
looked_up = found.assign(rule=np.array(["", "S works for O", "S founded O"])[answers(found.sentence)])
gold, written = ([each.split() for each in column] for column in (found.sentence.map(plain), looked_up.rule))
lookup = corpus_bleu([[each] for each in gold], written, longest=3)
lookup_true = (looked_up.rule == found.sentence).mean()
print(f"BLEU {lookup:.0f}; true of {lookup_true:.0%} of the sentences (the decoder: {found['true of it'].mean():.0%})")

# %% [markdown]
# **2.** Exchange S and O in the new sentences of the six wordings, so that the firm works for the person. How many rules still match, and how often does the network keep its answer?

# %% tags=["hide-cell"]
exchanged = found.sentence.str.translate(str.maketrans("SO", "OS")).str.replace("CES", "CEO")
kept = (answers(exchanged) == answers(found.sentence)).mean()
matching = int(by_rules(exchanged).gt(0).sum())  # a mean forgets the order of words, a rule does not
print(f"{matching} rules match; the network keeps {kept:.0%} of its answers")

# %% [markdown]
# **3.** Teach *never*: add the sentences with *never* as examples of *none* and train on. How often does the network still see a relation in new sentences with *never*, and with *not*?

# %% tags=["hide-cell"]
def fooled():
    return {word: (answers(new.sentence[undone & new.sentence.str.contains(word)]) > 0).mean() for word in UNDOING}


undone = new.extra.eq("undoing word") & ~new.sentence.str.contains("praised|moved|sold|fan")
before = fooled()
train(pd.concat([taught, texts[texts.sentence.str.contains("never")]], ignore_index=True))
after = fooled()
pd.DataFrame({"before": before, "after": after}).map("{:.0%}".format).T

# %% [markdown]
# It learned about one word, and nothing about its kind.
#
# ## Can you answer these?
#
# 1. Which share of the relations do the six rules find, and which the network? With which precision?
# 2. From which share of undoing words on are the rules ahead?
# 3. Which extra word speaks most against a relation, and is it an undoing one?
# 4. A lookup writes one rule for each relation. What is its BLEU, and of how many sentences is its rule true?
# 5. How often does the network still see a relation beside *never* and beside *not*, once *never* was taught?

# %% tags=["hide-cell"]
for each in ("recall", "precision"):
    print(f"1. {each}: rules {of_rules[each]:.0%}, network {of_network[each]:.0%}")
print(f"2. From {crossing:.0f} % on")
print(f"3. {speaks.index[0].capitalize()}, a harmless one")
print(f"4. {lookup:.0f}; of {lookup_true:.0%}")
print(f"5. {after['never']:.0%} and {after['not']:.0%}")
