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
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = "https://github.com/OWNER/trustnlp"
REVISION = "main"
NOTEBOOK = "_template/reproduction"
if "google.colab" in sys.modules:  # torch, numpy and protobuf stay as Colab has them
    book, part = Path("trustnlp-book").resolve(), Path("trustnlp-book.part").resolve()
    os.environ["TRUSTNLP_ROOT"] = str(book)
    if not book.exists():
        shutil.rmtree(part, ignore_errors=True)
        if subprocess.run(["git", "clone", "-q", REPOSITORY, part]).returncode:
            sys.exit(f"trustnlp: {REPOSITORY} cannot be cloned, see above; run this cell again")
        subprocess.run(["git", "-C", part, "checkout", "-q", REVISION], check=True)
        part.rename(book)
    script = book / "src/trustnlp/reproduce/colab.py"
    if subprocess.run([sys.executable, "-P", script, NOTEBOOK]).returncode:
        sys.exit("trustnlp: the installation failed, see above; run this cell again")

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
# What to expect: if the abstract's sentence holds, *queen* heads the list below, or comes after no words but those of the
# question.

# %%
ranked = analogy(vectors, *question, k=6, exclude_question=False)
record.array("king.nearest", ranked)

# %% mystnb={"figure": {"caption": "The words nearest to king − man + woman, none passed over (committed record, where there is one). Hatched: a word of the question.", "name": "fig-template-king"}}
record.show(*answers(evidence_arrays(record)["king.nearest"], question))

# %% [markdown]
# What was seen: the nearest word is *king* itself; *queen* follows. The claim is judged by a margin, the cosine of *queen* minus
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
# What was seen: passing over the words of the question raises the share. By how much of that the relation can claim credit is
# asked in the critique.

# %%
record.save()
record
