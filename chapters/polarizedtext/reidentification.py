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
# Remove *Corvane* from every page that Corvane wrote, and its product too. Does the page still say who wrote it? The post counts sensitive words that were found. A reader who wants to know the owner does not count words; it reads what is left. So here an attacker learns from redacted documents whose owners are known, and names the owner of others that were
# redacted in the same way. This curve is what the post lacks.

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
# Six families, since the family decides the result. {term}`Naive Bayes` on counts; a cosine with each owner's words, weighted by how few owners use them; a logistic regression on words and one on {term}`character n-grams <character n-gram>`, which see stems and style; naive Bayes on whether a word is *present* at all; and one that looks for what is *absent*: it knows that words were removed, so a word of the document that an
# owner's other documents lack speaks against that owner. Links and planted secrets are gone in every row. Chance is the share of the owner with most documents.

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
# What was seen: on documents whose links alone are redacted, the families differ a great deal.
#
# ## Accuracy against the share of words removed
#
# The strongest family of each row. What to expect of a good anonymiser: a steep fall, towards chance, at few words.

# %% mystnb={"figure": {"name": "fig-polarizedtext-attack", "caption": "Share of held-out documents whose owner the strongest attacker names, over the share of words removed, by method (committed record; intervals over documents and seeds)."}}
chance = record.frame("{corpus}.chance").set_index("corpus")["mean"]
record.plot(
    "{corpus}.{method}.s{share:d}.strongest",
    method=SCORED,
    x="share",
    color="method",
    col="corpus",
    title="Counting hides owners with fewer words removed than vectors do",
    xlabel="words removed (%)",
    ylabel="owners named (%)",
    levels={f"chance, {corpus}": level for corpus, level in chance.items()},
    names=NAMED,
)

# %%
how = {"rows": "method", "columns": "corpus", "names": NAMED}
record.table("{corpus}.{method}.s5.strongest", method=[*SCORED, *CONTROLS], **how)

# %% [markdown]
# Search, entities and presidio remove what they remove. The first table is how much that is, the second the strongest attacker after it.

# %%
record.table("{corpus}.{method}.removed", method=FIXED, **how)
record.table("{corpus}.{method}.strongest", method=FIXED, **how)

# %% [markdown]
# What was seen: words that go at random change nothing. At a twentieth of the words, the count leaves the attacker near chance. Vectors leave it well above chance in policies. More words do not help: past a point the attacker gets better again, on both sets. On procurement papers, after a list per owner of vectors or log-odds took a fifth of the words, it names more owners than with no redaction at all; after TF-IDF it does not. Entities and presidio remove more words than that and stop it less.

# %% [markdown]
# ## A signature of absence
#
# If a list of words is removed for each owner, what a document lacks tells its owner. Below is the attacker that looks for absence, against lists drawn at random for each owner (`random types`), a list per owner by log-odds, and one common list for all owners. What to expect: random lists, which remove nothing telling, help this attacker.

# %%
record.table(
    "{corpus}.{method}.s{share:d}.absence",
    method=("random_types", "log_odds", "common_log_odds", "random"),
    rows=("corpus", "method"),
    columns="share",
    names=NAMED | {share: f"{share} %" for share in (1, 2, 5, 10, 20)},
)

# %% [markdown]
# What was seen: random lists do help it, and all other families, too. A list per owner by log-odds gives a sign at the largest share, on both sets, the larger one on procurement papers; a common list gives none.
#
# ## Exercises
#
# **1.** Which attacker is strongest on documents of the policies whose links alone are redacted? **2.** By how much does a common list change the accuracy after log-odds?

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
