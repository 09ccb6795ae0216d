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
# # Does it anonymise?
#
# Remove *Corvane*, and its product, from every page that Corvane wrote. Does the page still say who wrote it? The post counts the sensitive words that a method finds; a curious reader reads the words that are left. So here an attacker learns from redacted documents with known owners, and identifies the owners of others, redacted in the same way. The post has no such curve.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "polarizedtext/reidentification"
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
presidio_seeds = 0
shares = [2, 5]
folds = 3

# %%
from trustnlp.privacy.attacks.reidentification import ATTACKERS
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence
from trustnlp.studies.polarizedtext.baselines import NAMED
from trustnlp.studies.polarizedtext.data import corpora_for
from trustnlp.studies.polarizedtext.detection import record_measured
from trustnlp.studies.polarizedtext.reidentification import attack_methods

given = vars()  # the parameters above
SCORED = ["polarised", "skipgram", "supervised", "log_odds", "tf_idf", "random"]
CONTROLS = ["common_log_odds", "random_types"]
FIXED = ["search", "entities", "presidio"]
record = Record(
    "polarizedtext",
    "reidentification",
    profile=profile,
    seeds=seeds,
    repeats="float32",
)
record.uses("en_core_web_sm")
corpora = corpora_for(record, profile)

# %% [markdown]
# ## Attackers
#
# We try six families:
#
# - {term}`naive Bayes` on counts of words;
# - the cosine with each owner's words, weighted by how few owners use them;
# - a logistic regression on words;
# - a logistic regression on {term}`character n-grams <character n-gram>`, which show stems and style;
# - *presence*: naive Bayes on whether a word is there at all;
# - *absence*: knows that words were removed, so a word of the document that an owner's other documents lack speaks against that owner.
#
# Links and planted secrets are gone in every row. Chance is the share of the owner with most documents.

# %%
for corpus in corpora.values():
    methods = [*SCORED, *CONTROLS, *FIXED]
    record_measured(record, attack_methods(corpus, seeds, methods, shares, given))

# %%
record.table(
    "{corpus}.raw.{attacker}", attacker=ATTACKERS, rows="attacker", columns="corpus"
)
record.table(
    {"chance, policies": "policies.chance", "chance, procurement": "procurement.chance"}
)

# %% [markdown]
# Before any method removes words, the families differ a great deal. The next tables show the strongest.
#
# ## Accuracy against the share of words removed
#
# With a good anonymiser, the attacker's accuracy falls steeply towards chance after few removals.

# %% mystnb={"figure": {"name": "fig-polarizedtext-attack", "caption": "Share of held-out documents whose owner the strongest attacker identifies, over the share of words removed, by method (committed record; intervals over documents and seeds)."}}
chance = record.frame("{corpus}.chance").set_index("corpus")["mean"]
record.plot(
    "{corpus}.{method}.s{share:d}.strongest",
    method=SCORED,
    x="share",
    color="method",
    col="corpus",
    title="A count of words hides owners with fewer removals than word vectors do",
    xlabel="words removed (%)",
    ylabel="owners identified (%)",
    levels={f"chance, {corpus}": level for corpus, level in chance.items()},
    names=NAMED,
)

# %%
how = {"rows": "method", "columns": "corpus", "names": NAMED}
record.table("{corpus}.{method}.s5.strongest", method=[*SCORED, *CONTROLS], **how)

# %% [markdown]
# Search, entities and presidio have no threshold. The first table shows how many words each removes, the second the strongest attacker afterwards.

# %%
record.table("{corpus}.{method}.removed", method=FIXED, **how)
record.table("{corpus}.{method}.strongest", method=FIXED, **how)

# %% [markdown]
# Removing words at random changes nothing. Once a count has removed a twentieth of the words, the attacker is near chance; after vectors it is still well above chance in policies. Entities and presidio remove more than a twentieth, and stop the attacker less. Past a point, removing more words helps the attacker again, on both sets. Once lists per owner, by vectors or log-odds, have removed a fifth of the words of the procurement papers, the attacker identifies more owners than without redaction. TF-IDF's lists do not backfire so.

# %% [markdown]
# ## A signature of absence
#
# If each owner has its own list of removed words, the words that a document lacks betray its owner. So even random lists (`random types`), which remove nothing telling, should help the attacker who looks for absence. The table has these, lists per owner by log-odds, and one common list for all owners.

# %%
record.table(
    "{corpus}.{method}.s{share:d}.absence",
    method=("random_types", "log_odds", "common_log_odds", "random"),
    rows=("corpus", "method"),
    columns="share",
    names=NAMED | {share: f"{share} %" for share in (1, 2, 5, 10, 20)},
)

# %% [markdown]
# Random lists do help this attacker, and in policies another family even more. At the largest share, lists per owner by log-odds help, too, most on procurement papers; a common list does not.
#
# ## Exercises
#
# **1.** Which attacker is strongest on policies of which only the links are redacted? **2.** By how much does a common list change the accuracy after log-odds?

# %% tags=["hide-cell"]
numbers = evidence(record)
before = numbers.series("policies.raw.{attacker}", "mean")
common, own = (
    numbers[f"policies.{m}.s5.strongest"]["mean"]
    for m in ("common_log_odds", "log_odds")
)
record.show(
    {
        "1": max(ATTACKERS, key=before.get),
        "2": round(common - own, 3),
    }
)

# %%
record.save()
record
