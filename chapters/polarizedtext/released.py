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
# # The figure, by the code that was released
#
# The post's figure came from a public program that differs from Eq. 4: the axes of all labels that a word ever had act on it, and the dimension is the number of labels. By this released form we judge whether "the anonymizer based on PolarizedText outperforms those based on FastText". The field as printed is shown for comparison.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "polarizedtext/released"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
epochs = [6, 6]
resamples = 20

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext import released
from trustnlp.studies.polarizedtext.baselines import NAMED
from trustnlp.studies.polarizedtext.data import CORPORA, LAYERS, corpora_for
from trustnlp.studies.polarizedtext.detection import record_measured

given = vars()  # the parameters above
record = Record(
    "polarizedtext", "released", profile=profile, seeds=seeds, repeats="float32"
)
record.uses("en_core_web_sm")
corpora = corpora_for(record, profile)

# %% [markdown]
# ## Areas
#
# If the post's sentence holds, *released*, the released form with its fault, should have the largest area. *small* is skip-gram of the same dimension, so the two differ only in the field and in how the tables start. *gensim* is gensim's FastText at the settings of our skip-gram (fifty dimensions).
#
# For the intervals we redraw owners with all their documents: twenty-four in the policies, six in the procurement papers.

# %%
record.deviation(
    "Other documents and owners than the post's, and truth from lists, planted secrets and a classifier, not from hand labels.",
    keys=list(CORPORA),
)
for corpus in corpora.values():
    record_measured(record, released.measure_release(corpus, seeds, given))

# %%
record.table(
    "{corpus}.{layer}.{method}.auc",
    layer=LAYERS,
    rows=("corpus", "method"),
    columns="layer",
    names=NAMED,
)

# %% [markdown]
# ## Which is ahead
#
# Differences in area are paired by seed and owner; above zero, the first method is ahead. The first rows test the post's sentence. Then come the field as printed, and gensim's skip-gram against ours, which ought to be the same method.

# %%
record.table(
    "{corpus}.{layer}.{order}",
    order=[f"{a}_over_{b}" for a, b in released.ORDERS],
    rows=("corpus", "order"),
    columns="layer",
)

# %%
record.save()
record
