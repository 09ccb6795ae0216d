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
# # Appendix A: small vectors from the start
#
# If you have the corpus, you need not project: you can train vectors with few dimensions. The paper calls this A1 and finds it better than projecting (M2), at the price of
# access to the corpus. It uses GloVe at fifty, one hundred and two hundred dimensions. We train our own word2vec, also a {term}`static embedding`.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "privemb/training"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
corpora = []
dims = [30, 45]
betas = [0.93, 0.66]
full_dim = 60
frequent_words = 20000
epsilons = [20.0, 100.0]
device = "cpu"

# %%
from functools import partial

import numpy as np
import torch
from trustnlp.data.texts.english_text import read_english
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.embeddings.train import train_each
from trustnlp.encoders.devices import find_device
from trustnlp.privacy.mechanisms.projection import PlainRelease, ProjectedRelease
from trustnlp.reproduce import Record
from trustnlp.studies.privemb.reproduction import balanced_lexicon, compare_linear
from trustnlp.studies.privemb.standins import planted_sentences

# %%
place = find_device(device)
repeats = {"": "float32", "corpus": "exact"}
record = Record("privemb", "training", profile=profile, seeds=seeds, repeats=repeats)
delta = 1e-6
lexicon = read_opinion_lexicon()
record.uses("hu_liu_lexicon")

# %% [markdown]
# ## Text to train on
#
# The text is film reviews, which are full of praise and blame, together with a balanced corpus and read-aloud sentences. The smoke {term}`profile` uses made-up sentences
# instead. In them words of one polarity occur together, so there is something to learn.

# %%
if corpora:
    sentences = read_english(corpora)
    for name in corpora:
        record.uses(name)
else:
    vectors = read_vectors("wefe_googlenews")
    record.uses("wefe_googlenews")
    standins = [
        planted_sentences("mr", vectors, lexicon, np.random.default_rng(s))
        for s in range(10)
    ]
    sentences = [text.split() for s in standins for text in s.train.texts]
tokens = sum(map(len, sentences))
record.metric("corpus.tokens", tokens, unit="count of words")
record.condition("trained_on", ", ".join(corpora) or "made-up sentences")

# %%
of_dim = train_each(sentences, [*dims, full_dim], seed=0, epochs=1 if corpora else 3)
trained = {k: WordVectors(v.words[:frequent_words], v.matrix[:frequent_words], v.name) for k, v in of_dim.items()}
rows, polarity = balanced_lexicon(lexicon, trained[full_dim], rng=np.random.default_rng(0))
record.metric("corpus.lexicon_words", len(rows) // 2, unit="count of words per class")
lengths = {f"dim{k}": np.median(np.linalg.norm(v.matrix, axis=1)) for k, v in trained.items()}
record.metrics(lengths, prefix="length")
record.table("corpus.{what}")
record.table("length.dim{k:d}", names={"k": "median length of vectors, dimensions"})

# %% [markdown]
# So little text places rare words badly, so we keep only the most frequent words. The vectors are also much shorter than published GloVe vectors. The noise for a given
# $\epsilon$ does not shrink with them, so the task at a given $\epsilon$ is harder here than in the paper.

# %% [markdown]
# ## Train small, or project?
#
# A1 adds noise to the small vectors as they are; its constant is one. M2 projects the large vectors to the same dimension ({term}`random projection`) and scales its noise by
# $1+\beta$. A1 should be ahead, for two reasons: training chooses its dimensions, and A1 needs less noise.

# %%
def compared(contender, dim):
    features = torch.tensor(trained[dim].matrix[rows], device=place)
    scores = compare_linear({"noisy": contender}, features, polarity, epsilons=epsilons, seeds=seeds)
    return scores.set_index(["epsilon", "seed"]).accuracy.sort_index()


# %%
share, apart = "share of words", "difference of shares"
for k, beta in zip(dims, betas, strict=True):
    project = partial(ProjectedRelease.draw, full_dim, delta=delta, beta=beta, m=k)
    a1 = compared(lambda e, source: PlainRelease(e), k)
    m2 = compared(lambda e, source, project=project: project(epsilon=e, generator=source), full_dim)
    for e in epsilons:
        record.metrics({"a1": a1[e], "m2": m2[e]}, prefix=f"dim{k}.eps{e:g}", interval="t", unit=share)
        record.metric(f"dim{k}.eps{e:g}.a1_better", a1[e] - m2[e], interval="t", unit=apart)
    noiseless = {"a1.no_noise": a1[np.inf], "m2.no_noise": m2[np.inf]}
    record.metrics(noiseless, prefix=f"dim{k}", interval="t", unit=share)

# %% mystnb={"figure": {"caption": "Accuracy of the linear model by ε, for each number of dimensions (committed record). The lead of A1 is clearest with few dimensions.", "name": "fig-privemb-training"}}
record.plot(
    "dim{k:d}.eps{e:g}.{method}",
    method=("a1", "m2"),
    x="e",
    color="method",
    col="k",
    title="At equal dimension, vectors trained small (A1) are more accurate on average",
    xlabel="ε per unit of distance",
    ylabel="accuracy (%)",
    log_x=True,
    levels={"a coin": 50},
    names={"a1": "A1", "m2": "M2"},
)

# %%
record.table(
    "dim{k:d}.eps{e:g}.a1_better",
    rows="e",
    columns="k",
    names={"e": "A1 minus M2, by ε"},
)
record.table(
    "dim{k:d}.{method}.no_noise", columns="method", names={"k": "dimensions"}
)

# %% [markdown]
# Under noise A1 is ahead on average, and clearly so with the fewest dimensions. With the most dimensions the lead is clear only at the largest $\epsilon$. Part of the lead is
# the factor of $1+\beta$ that A1 does not pay, because its vectors were never projected.

# %%
record.deviation(
    "word2vec (skip-gram) trained on film reviews, the Brown corpus and read-aloud sentences in the place of published GloVe vectors.",
    keys=[f"dim{k}" for k in dims],
)
record.save()
record
