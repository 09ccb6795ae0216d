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
# # King, man, woman
#
# Where does *king − man + woman* land among real vectors? We ask the Google News word2vec vectors, for the paper's own example
# and for a list of pairs that name one role for a man and for a woman.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "_template/reproduction"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
n_pairs = 23

# %%
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.analogies import GENDER_PAIRS, analogy, margin, pairs_answered
from trustnlp.plots.analogies import answers
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays

record = Record(
    "_template", "reproduction", profile=profile, repeats={"gender": "exact"}
)
vectors = read_vectors("wefe_googlenews")
record.uses("wefe_googlenews")
question = ("man", "woman", "king")
vectors

# %% [markdown]
# Two departures from the paper are written into the record, so that they stand beside each verdict that rests on it.

# %%
record.deviation(
    "word2vec vectors trained on Google News take the place of the paper's recurrent network vectors."
)
record.deviation(
    "The nearest word is sought among the words of the wefe wheel only, not among all words of the text."
)

# %% [markdown]
# ## The paper's example
#
# If the abstract's sentence holds, *queen* heads the list below, or comes after no words but those of the
# question.

# %%
ranked = analogy(vectors, *question, k=6, exclude_question=False)
record.array("king.nearest", ranked)

# %% mystnb={"figure": {"caption": "The words nearest to king − man + woman, none passed over (committed record, where there is one). Hatched: a word of the question.", "name": "fig-template-king"}}
record.show(*answers(evidence_arrays(record)["king.nearest"], question))

# %% [markdown]
# The nearest word is *king* itself; *queen* follows. The claim is judged by a margin, the cosine of *queen* minus
# that of its best rival: above zero *queen* is the answer.

# %%
record.metric(
    "king.queen_margin",
    margin(vectors, *question, "queen", exclude_question=False),
    unit="cosine",
)
record.metric(
    "king.queen_margin_excluding",
    margin(vectors, *question, "queen"),
    unit="cosine",
)
record.metric("king.queen_cosine", dict(ranked)["queen"], unit="cosine")

# %% [markdown]
# ## One offset for many pairs
#
# The same question for a list of pairs, *man* and *woman* giving the offset each time. The interval is a {term}`bootstrap` over the pairs:
# it says how far the share could move with another list of the same kind.

# %%
pairs = [
    pair for pair in GENDER_PAIRS[:n_pairs] if all(word in vectors for word in pair)
]
missing = n_pairs - len(pairs)
excluding = pairs_answered(vectors, pairs)
as_printed = pairs_answered(vectors, pairs, exclude_question=False)

# %%
record.metric(
    "gender.answered_excluding",
    excluding,
    interval="bootstrap",
    unit="share of pairs",
)
record.metric(
    "gender.answered", as_printed, interval="bootstrap", unit="share of pairs"
)
record.metric("gender.pairs_missing", missing, unit="count of pairs")
assert (
    excluding.sum() >= as_printed.sum()
)  # passing over three wrong words cannot lose a right answer
{"pairs": len(pairs), "missing": missing}

# %% [markdown]
# Passing over the words of the question raises the share. The critique asks how much of the share is the relation's.

# %%
record.save()
record
