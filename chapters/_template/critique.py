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
# # What passing over the question's words does
#
# The abstract's sentence survives only when *king* may not be the answer. That choice is not in the paper's formula. Here we ask
# what it does to the evidence, as {cite:t}`linzen2016issues` asked of analogy tests in general.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "_template/critique"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
n_pairs = 23

# %%
import numpy as np
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.analogies import GENDER_PAIRS, analogy, neighbours_answered, offset_length, pairs_answered
from trustnlp.reproduce import Record

repeats = {"gender": "exact", "gender.offset_length": "float64"}
record = Record("_template", "critique", profile=profile, repeats=repeats)
vectors = read_vectors("wefe_googlenews")
record.uses("wefe_googlenews")
record.deviation(
    "word2vec vectors trained on Google News take the place of the paper's recurrent network vectors."
)
pairs = [
    pair for pair in GENDER_PAIRS[:n_pairs] if all(word in vectors for word in pair)
]

# %% [markdown]
# ## Which word wins when none is passed over?
#
# With planted vectors, a short offset left the answer at the word of the question. How often does that happen with real pairs, and
# how long are their offsets?

# %%
strict = [
    analogy(vectors, "man", "woman", c, exclude_question=False)[0][0]
    for c, _ in pairs
]
itself = np.array(
    [int(answer == c) for answer, (c, _) in zip(strict, pairs, strict=True)]
)
record.metric(
    "gender.answer_is_question_word",
    itself,
    interval="bootstrap",
    unit="share of pairs",
)
record.metric(
    "gender.offset_length",
    offset_length(vectors, pairs),
    interval="bootstrap",
    unit="distance",
)

# %% [markdown]
# For most pairs the answer is the very word that was asked about. The real offsets are shorter than the words.
#
# ## What does the offset add?
#
# If the words of the question are passed over, a pair of near neighbours is answered right with no offset at all. The fair
# baseline is therefore the nearest neighbour of the word alone; the offset deserves credit for what it finds beyond that.

# %%
excluding, neighbour = (
    pairs_answered(vectors, pairs),
    neighbours_answered(vectors, pairs),
)
record.metric(
    "gender.answered_by_neighbour",
    neighbour,
    interval="bootstrap",
    unit="share of pairs",
)
record.metric(
    "gender.gain_over_neighbour",
    excluding - neighbour,
    interval="bootstrap",
    unit="difference of shares",
)
record.array(
    "gender.pairs",
    [
        [c, d, int(e), int(n)]
        for (c, d), e, n in zip(pairs, excluding, neighbour, strict=True)
    ],
)

# %% [markdown]
# The neighbour alone answers a part of the pairs, and the offset answers more. The relation is there; the plain
# score of an analogy test overstates it.
#
# ## Exercises
#
# **1.** Turn the question round: does *woman : man :: queen : ?* give *king*? Predict first whether the formula as printed will
# answer with *queen*.

# %% tags=["hide-cell"]
for exclude in (True, False):
    print(
        exclude,
        analogy(vectors, "woman", "man", "queen", exclude_question=exclude)[0][0],
    )

# %% [markdown]
# **2.** The offset was always *woman − man*. Does the share change when *she − he* takes its place?

# %% tags=["hide-cell"]
by_base = {
    base: int(pairs_answered(vectors, pairs, base=base).sum())
    for base in (("man", "woman"), ("he", "she"))
}
by_base

# %% [markdown]
# **3.** One pair's offset is noisy. Average the offsets of all other pairs and ask again. (Leave the pair that is asked about out of
# the mean, or you would be giving the answer away.)

# %% tags=["hide-cell"]
unit = {
    word: vectors[word] / np.linalg.norm(vectors[word])
    for pair in pairs
    for word in pair
}
offsets = np.array([unit[d] - unit[c] for c, d in pairs])
points = [
    unit[c] + np.delete(offsets, i, axis=0).mean(axis=0)
    for i, (c, _) in enumerate(pairs)
]
found = [
    vectors.nearest(y, 1, exclude=(c,))[0][0]
    for y, (c, _) in zip(points, pairs, strict=True)
]
sum(answer == d for answer, (_, d) in zip(found, pairs, strict=True)), len(pairs)

# %%
record.save()
record
