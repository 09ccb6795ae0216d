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
# # The vector offset, where the truth is known
#
# Before any real vector is asked a question, the method is tried on vectors that we made: each pair of words differs by
# one and the same offset, and so the right answers are known. If it fails here, nothing it says about real words counts.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "_template/method"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
n_pairs = 30
dim = 100
rival = 0.6
noise = 0.3
lengths = [0.2, 0.6, 1.0]

# %%
import numpy as np
from trustnlp.embeddings.analogies import analogy, pairs_answered, planted_pairs, shares_by_method
from trustnlp.plots import show
from trustnlp.plots.analogies import share_by_length
from trustnlp.reproduce import Record

record = Record(
    "_template", "method", profile=profile, seeds=seeds, repeats="exact"
)

# %% [markdown]
# ## The idea
#
# If *queen* differs from *king* as *woman* differs from *man*, then the point
#
# $$y = x_b - x_a + x_c \qquad\text{with } a = \textit{man},\; b = \textit{woman},\; c = \textit{king}$$
#
# lies near *queen*. The paper (§4) takes vectors of unit length and answers with the word of the largest cosine to $y$:
#
# $$w^* = \arg\max_w \frac{x_w \cdot y}{\lVert x_w \rVert\,\lVert y \rVert}.$$
#
# The maximum runs over all words. Whether *man*, *woman* and *king* themselves may be the answer, the formula does not say; the
# function makes it a choice.
#
# ## One planted set
#
# The offset is as long as a word's own vector and there is no noise, so the answer to *he0 : she0 :: he1 : ?*
# must be *she1*, whether or not the words of the question are passed over. Each word also has a near relative, *kin1* for *he1*, as
# *kings* is one for *king*.

# %%
planted = {"n_pairs": n_pairs, "dim": dim, "rival": rival}
vectors, pairs = planted_pairs(
    **planted, length=1.0, noise=0.0, rng=np.random.default_rng(seeds[0])
)
analogy(vectors, "he0", "she0", "he1", k=3, exclude_question=False)

# %%
assert pairs_answered(
    vectors, pairs[1:], base=pairs[0], exclude_question=True
).all()
assert pairs_answered(
    vectors, pairs[1:], base=pairs[0], exclude_question=False
).all()

# %% [markdown]
# Both hold. The known truth is recovered.
#
# ## Short offsets and long ones
#
# Real words also have something of their own. So every planted word now gets a little noise, and the offset varies in length. What to
# expect: $y$ holds $x_c$, and with it all that *he1* has to itself. Where the offset is short against that, the formula as printed
# answers *he1*; pass over it, and the next best word is *she1*, which is then simply the nearest neighbour of *he1*. A third line
# therefore asks for that neighbour alone, with no offset at all.


# %%
def shares(length, seed):
    rng = np.random.default_rng(seed)
    vectors, pairs = planted_pairs(**planted, length=length, noise=noise, rng=rng)
    return shares_by_method(vectors, pairs[1:], base=pairs[0])


# (lengths, seeds, methods)
answered = np.array(
    [[shares(length, seed) for seed in seeds] for length in lengths]
)

# %% mystnb={"figure": {"caption": "Share of planted pairs answered against the length of the common offset (this build's smoke run). Where the offset is short, the formula as printed fails and the nearest neighbour alone would do; where it is long, the formula needs no help and the neighbour fails. Passing over the words of the question scores high in both cases and does not tell them apart.", "name": "fig-template-planted"}}
names = [
    "question words passed over",
    "formula as printed",
    "nearest neighbour, no offset",
]
show(
    *share_by_length(
        lengths,
        {
            name: list(answered[:, :, i].mean(axis=1))
            for i, name in enumerate(names)
        },
    )
)

# %% [markdown]
# With a long offset the relation does the work, and the formula as printed finds the answer. With a short one an
# answer that looks right needs no relation at all. A test of analogies has to say how long its offsets are, or what the neighbour
# alone would score; the critique does both.

# %%
for length, row in zip(lengths, answered, strict=True):
    record.metrics(
        dict(zip(["passed_over", "as_printed", "neighbour"], row.T, strict=True)),
        prefix=f"planted.length_{round(100 * length):03d}",
        interval="bootstrap",
        unit="share of pairs",
    )

# %%
record.save()
record
