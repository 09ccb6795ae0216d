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
# # Table 1 again
#
# This notebook classifies five sets of sentences from private word vectors by SentEval's protocol, at the paper's $\epsilon$ and $\beta$.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "privemb/sentences"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
families = ["word2vec"]
epsilon = 10.0
beta = 0.9
folds = 4
device = "cpu"

# %%
import math
from functools import cache

import numpy as np
import pandas as pd
import torch
from trustnlp.data.texts.sentence_sets import read_sentences
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.encoders.bag_of_words import sentence_vectors
from trustnlp.encoders.devices import find_device
from trustnlp.evaluation.sentence_classification import majority
from trustnlp.privacy.mechanisms.lipschitz import smallest_dimension
from trustnlp.privacy.mechanisms.projection import (
    ExactRelease,
    PlainRelease,
    PrincipalRelease,
    ProjectedRelease,
    gaussian_projection,
    principal_rows,
    target_dimension,
)

# %%
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.records.page_evidence import evidence
from trustnlp.studies.privemb.reproduction import stream
from trustnlp.studies.privemb.sentences import compare_sentences
from trustnlp.studies.privemb.standins import planted_sentences

place = find_device(device)
repeats = {
    "": "float32",
    "majority": "exact",
    "paper": "exact",
    "glove.coverage": "exact",
    "word2vec.coverage": "exact",
}
record = Record(
    "privemb", "sentences", profile=profile, seeds=seeds, repeats=repeats
)
d, delta = 300, 1e-6
m = math.ceil(target_dimension(d, beta, delta))
m_pair = smallest_dimension(1, beta, delta)
names = {"MR": "mr", "CR": "cr", "MPQA": "mpqa", "SST-5": "sst5", "TREC-6": "trec6"}

# %% [markdown]
# ## Sentences and vectors
#
# The sets are MR (film reviews), CR (product reviews), MPQA (short opinion phrases), SST-5 (film reviews in five grades) and TREC-6 (questions, by what they ask for). The smoke
# {term}`profile` uses made-up sentences of real words instead. A sentence's vector is the mean of the vectors of its known words ({term}`pooling`). The table shows what share of
# the words is known.

# %%
sources = {
    "glove": ["glove_840b_9910"],
    "word2vec": ["wefe_googlenews", "googlenews_8000"]
    if profile == "paper"
    else ["wefe_googlenews"],
}
vectors = {family: read_vectors(*sources[family]) for family in families}
for source in [source for family in families for source in sources[family]]:
    record.uses(source)
if profile == "paper":
    sets = {label: read_sentences(name) for label, name in names.items()}
    for name in names.values():
        record.uses(name)
else:
    lexicon = read_opinion_lexicon()
    record.uses("hu_liu_lexicon")
    sets = {
        label: planted_sentences(
            name, vectors[families[0]], lexicon, np.random.default_rng(0)
        )
        for label, name in names.items()
    }

# %%
coverage = {
    (family, label): sentence_vectors(
        [text for split in s.splits.values() for text in split.texts], v
    )[1]
    for family, v in vectors.items()
    for label, s in sets.items()
}
record.condition("glove_words", len(vectors.get("glove", ())))
for (family, label), known in coverage.items():
    record.metric(f"{family}.coverage.{label}", 100 * known.share_known, unit="%")
record.table("{vectors}.coverage.{set}", columns="vectors")

# %% [markdown]
# ## What is released once, and what is released each time?
#
# "Replacing the default embeddings with the private embeddings", the paper says: the table of vectors is made private once, and every occurrence of a word looks up the same
# private vector. A person's phone would draw fresh noise for every word that it sends. The two differ. Noise that is drawn once identifies the word as surely as its own vector
# does, and a classifier can learn to recognise it. We run both; the {term}`claims <claim>` are judged by the first.
#
# We also run three {term}`mechanisms <mechanism>` that are not in the paper's table: M2 with the few dimensions that [Definition 1 alone](critique.ipynb#one-pair-or-all-pairs-at-once) asks
# for, and, for the [last notebook](tradeoff), two projections of a *public* vocabulary, which need no $\delta$ and less noise.
#
# Penalty and folds follow SentEval: ten folds where a set comes without a split, the given split elsewhere; the penalty is chosen without the test part. SentEval prints two
# accuracies, one on validation and one on test data. What the paper's column *train* holds is not said. We record both candidates, the accuracy on validation and on training data.


# %%
def public_methods(v):
    """The exact constant of a projection, found once for a seed, and principal directions."""
    rows = principal_rows(table := torch.tensor(v.matrix, device=place), m)
    exact = cache(lambda e, s: ExactRelease(e, table, gaussian_projection(d, m, generator=stream(s, 1, device=place))))  # fmt: skip
    return {"exact": lambda e, g: exact(e, g.initial_seed()), "principal": lambda e, g: PrincipalRelease(e, rows)}  # fmt: skip


# %%
contenders = {
    "m1": lambda e, source: PlainRelease(e),
    "m2": lambda e, source: ProjectedRelease.draw(
        d, epsilon=e, delta=delta, beta=beta, generator=source
    ),
}
one_pair = {
    "m2_pair": lambda e, source: ProjectedRelease.draw(
        d, epsilon=e, delta=delta, beta=beta, generator=source, m=m_pair
    )
}
others = {family: public_methods(v) | one_pair for family, v in vectors.items()}

# %%
runs = {
    (family, kind, label): compare_sentences(
        contenders | others[family],
        s,
        v,
        epsilons=[epsilon],
        seeds=seeds,
        folds=folds,
        fresh_noise=kind == "token",
        device=device,
    )
    for family, v in vectors.items()
    for kind in ("type", "token")
    for label, s in sets.items()
}

# %%
scores = pd.concat(runs, names=["vectors", "noise", "set"]).reset_index(
    ["vectors", "noise", "set"]
)
columns = ["train", "validation", "test"]
scores[columns] *= 100

# %%
base = {label: 100 * majority(s.labels) for label, s in sets.items()}
for label, share in base.items():
    record.metric(f"majority.{label}", share, unit="%")
for (family, kind, label), group in scores.groupby(["vectors", "noise", "set"]):
    by_run = group.pivot(index="seed", columns="mechanism", values=columns)
    for column, mechanism in by_run:
        key = f"{family}.{kind}.{label}.{mechanism.replace(' ', '_')}.{column}"
        record.metric(key, by_run[column, mechanism], interval="t", unit="%")
    gain = by_run["test", "m2"] - by_run["test", "m1"]
    record.metric(
        f"{family}.{kind}.{label}.gain", gain, interval="t", unit="points"
    )
    gain = by_run["test", "m2_pair"] - by_run["test", "m1"]
    record.metric(
        f"{family}.{kind}.{label}.gain_pair", gain, interval="t", unit="points"
    )

# %%
test = scores.pivot_table(
    index=["vectors", "noise", "seed"], columns=["mechanism", "set"], values="test"
)
gains = test["m2"] - test["m1"]
drops = pd.concat([test["no noise"] - test[m] for m in ("m1", "m2")], axis=1)
for (family, kind), group in gains.groupby(["vectors", "noise"]):
    key = f"{family}.{kind}"
    record.metric(
        f"{key}.largest_gain_over_ten",
        group.max(axis=1) - 10,
        interval="t",
        unit="points",
    )
    record.metric(
        f"{key}.smallest_drop",
        drops.loc[(family, kind)].min(axis=1),
        interval="t",
        unit="points",
    )

# %%
ways = {"type": "one vector a word", "token": "fresh noise"}
record.table(
    "{vectors}.{noise}.{set}.gain",
    set=list(names),
    noise=list(ways),
    columns="noise",
    names=ways,
)
record.table(
    "{vectors}.{noise}.{what}",
    what=("largest_gain_over_ten", "smallest_drop"),
    noise=list(ways),
    columns="what",
    names=ways,
)

# %% [markdown]
# ## Beside the paper's table
#
# What to expect if the paper's sentence is read literally: M2 to
# the right of M1 on every set, and both near the printed values.

# %%
printed = printed_tables("privemb", "table1", "table1_train")
on_test, on_train = printed["table1"], printed["table1_train"]
methods = {"m1": "M1", "m2": "M2", "no_noise": "no noise"}

# %% mystnb={"figure": {"caption": "Test accuracies with one private vector per word (GloVe, committed record). Hollow: Table 1.", "name": "fig-privemb-table1"}}
record.plot(
    "glove.type.{set}.{mechanism}.test",
    set=list(names),
    mechanism=list(methods),
    x="set",
    color="mechanism",
    title="One private vector a word: M1 is ahead, where the paper has M2",
    ylabel="test accuracy (%)",
    names=methods,
)

# %% mystnb={"figure": {"caption": "The same with fresh noise for every occurrence of a word (committed record). M2 is ahead by less than the largest lead of Table 1.", "name": "fig-privemb-table1-fresh"}}
record.plot(
    "glove.token.{set}.{mechanism}.test",
    set=list(names),
    mechanism=list(methods),
    x="set",
    color="mechanism",
    title="Fresh noise for every occurrence: M2 is ahead",
    ylabel="test accuracy (%)",
    names=methods,
)

# %%
record.table("majority.{set}")

# %% [markdown]
# What was seen: the reading decides the order. With one private vector per word M1 is ahead on every set, with both families of vectors. With fresh noise M2 is ahead on every set with
# GloVe. With word2vec M2's mean is ahead on every set too, but the interval of its lead excludes zero on MPQA and TREC-6 only. The second reading was added after a first look at the
# first, whose order is the opposite of the table's.
#
# A private vector that is drawn once is a name for its word. A classifier that sees the name often enough learns what it means, and M1's three hundred noisy coordinates make
# better names than the fewer ones that projection leaves. With fresh noise there are no names. Only what remains of the meaning counts, and M2 keeps a little more of it. Neither
# reading gives gains as large as the largest printed one.
#
# ## What does the column *train* hold?
#
# The paper does not say. SentEval prints an accuracy on validation data; a training accuracy would be that on the data the classifier was fitted to. The table shows how far *train* lies
# above *test*, in the paper and in both readings of the committed record.

# %%
shown = evidence(record)
family = next(iter(shown.series("{family}.coverage.MR")))
train = {
    (label, m): on_train[m][label] - on_test[m][label]
    for label in names
    for m in on_test
}
readings = {"fitted": "train", "validation": "validation"}
above = {"paper": train} | {
    f"ours, {name} data": {
        (label, m): shown[f"{family}.type.{label}.{m}.{column}"]["mean"]
        - shown[f"{family}.type.{label}.{m}.test"]["mean"]
        for label, m in train
    }
    for name, column in readings.items()
}
record.show(pd.DataFrame(above).unstack().round(2))

# %% [markdown]
# What was seen (GloVe): on questions (TREC-6) the table has M1's *train* above its *test* and M2's below. So do our accuracies on the fitted data; our validation accuracies lie below the test
# accuracy for both mechanisms. On MR, CR and MPQA validation and test accuracies come from the same folds and nearly agree, which the table's for M1 do not. In some cells the table has
# *train* below *test* where our accuracies on the fitted data lie above it. Neither reading fits all cells, so these columns are not judged.
#
# A remark on the same columns: M1 is ahead of M2 there on MR and MPQA. The paper's sentence that M2's utility is better need not speak of them, so two cells of a column whose meaning is
# open do not contradict it.

# %%
behind = [on_train["m1"][label] - on_train["m2"][label] for label in sets]
record.metric("paper.train_m1_over_m2", max(behind), unit="points")
trec = scores[(scores.set == "TREC-6") & (scores.mechanism == "no noise")]
record.metric(
    "trec_test_over_validation", (trec.test - trec.validation).mean(), unit="points"
)
record.deviation(
    "GloVe: a public copy of 9,910 frequent lower-case words in eight bits a number; the paper names no vectors for Table 1.",
    keys=["glove"],
)
record.deviation(
    "The paper does not say whether its training accuracy is that of the fitted or of validation data; both are recorded.",
    keys=[f"{family}.{kind}" for family in families for kind in ("type", "token")],
)
record.deviation(
    "The penalty is chosen by nine inner folds that the outer folds share, where SentEval nests ten; tokens are those of the public copies of the sets.",
    keys=families,
)
# %%
record.save()
record
