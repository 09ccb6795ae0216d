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
# # Are planted secrets found, and what does the field move?
#
# The [lesson](method) builds the method step by step. Here documents, owners and secrets are made up ({term}`stand-in`), so we know the truth: which method finds the secrets, and which way does the {term}`field <field of a label>` turn the words?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "polarizedtext/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
owners = 4
per_owner = 6
paragraphs = 10
dim = 20
epochs = 10
fields = [0, 0.3, 1, 3]
presidio_seeds = 0

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext import planted
from trustnlp.studies.polarizedtext.data import corpus_of
from trustnlp.studies.polarizedtext.detection import record_measured

given = vars()  # the parameters above
record = Record(
    "polarizedtext", "planted", profile=profile, seeds=seeds, repeats="float32"
)

# %% [markdown]
# ## A score for each word
#
# Made-up companies publish terms, guidelines and policies. They share most sentences; each has its own name, a product and a trade. A word's score is its cosine with the vector of the company's name. Names and products should score highest, common words lowest, and the field should widen the gap.

# %%
documents = planted.planted_documents(given, 0)
planted.scored_words(documents, given).round(2)

# %% [markdown]
# ## Is the planted truth found?
#
# Each seed plants secrets: a street, a building, a year and a misspelt name of each company. Some stand in sentences that are the same for all companies (`template`), the others between any two words (`free`). The area under the curve is the share of pairs in which a word that ought to go scores higher than one that ought to stay.

# %%
record_measured(record, planted.areas_by_seed(given))
record.table("planted.{layer}.{method}.auc", rows="method", columns="layer")

# %% [markdown]
# The field helps on every layer of these documents, in which only names, products and trades differ. A count does at least as well. [The reproduction](reproduction) asks whether real documents agree.
#
# ## The picture from physics
#
# Which vectors would Eq. 1 choose without its negative samples? The post reads what remains as the energy of small magnets, $E = -\sum v_w \cdot v_c$ (Eq. 2), and the field as one more term, $-\sum v_w \cdot \mu$ (Eq. 3). Two neighbours lower the energy if they are parallel; the field lowers it if a word lies along the axis of its label.
# The table shows the state of lowest energy for each weight of the field: binding and field per word, and how parallel two words are on average.

# %%
planted.energy_states(documents, fields).round(3)

# %% [markdown]
# Without a field all words collapse into one direction, because nothing in Eq. 2 keeps them apart. In skip-gram the negative samples, which Eq. 2 leaves out, prevent this. With a field the words of one label go to its axis, and the words that all labels share stay between the axes.

# %% [markdown]
# ## What the equations say, measured
#
# In a one-dimensional chain a spin has two neighbours. A word of the policies (in smoke, of made-up documents) has many more, since equal words are one spin. `chain_margin` is two and a half minus this number.
#
# With the term of Eq. 4, the words of one label alone should move further towards its axis than common words towards all axes. `alignment_gain` is the difference.

# %%
neighbours = planted.neighbours(corpus_of("policies", profile))
if profile == "paper":
    record.uses("platform_policies")
if presidio_seeds:
    record.uses("en_core_web_sm")
record.deviation(
    "Lowest energies are those of made-up documents; the chain is that of the policies.",
    keys=["physics"],
)
record.metric("physics.chain_margin", 2.5 - neighbours)
record.metrics(planted.alignments(given), interval="t")
record.table("physics.{what}")

# %% mystnb={"figure": {"name": "fig-polarizedtext-alignment", "caption": "Mean cosine with the axis of the label, over the weight of the field, on made-up documents (committed record)."}}
record.plot(
    "alignment.{kind}.f{field:g}",
    x="field",
    color="kind",
    title="Beyond a weak field, an owner's own words move on to its axis; common words hardly move",
    xlabel="weight of the field",
    ylabel="cosine with the axis",
    names={"exclusive": "words of one owner", "common": "words of nearly all"},
)

# %% [markdown]
# The distance between the two lines separates private words from common ones. As the post says, common words end between the axes, because several axes pull at them.

# %%
record.save()
record
