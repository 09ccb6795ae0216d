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
# # On TACRED, for readers who have it
#
# TACRED is licensed (LDC2018T24), so we commit no record of it, and its claims are *not measured*. If you have the corpus, set `TRUSTNLP_TACRED` to the folder with `train.json`, `dev.json` and `test.json`, and run this notebook under `paper`. The run on this page uses made-up sentences.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/tacred"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_items = 500
percents = [40]
draws = 200
vectors = []
width = 24
lstm_layers = 1
epochs = 10
learning_rate = 0.05
batch_size = 16
negatives = 2.0
labelled = 4000
device = "cpu"

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.edin import tables
from trustnlp.studies.edin.tables import ruled_corpus

given = vars()  # the parameters above
repeats = {"": "float32", "data": "exact", "rule_only.rules": "float64"}
record = Record("edin", "tacred", profile=profile, seeds=seeds, repeats=repeats)

# %% [markdown]
# ## Data and rules
#
# We run the released rules. A rule fires only where the two entities have the types that its relation takes.

# %%
pairs = ["rule_only", "curve"]  # keys that rest on pairs without a relation
ruled = ruled_corpus(record, "tacred", given, pairs=pairs)
tables.record_tables(record, ruled, percents, draws)
tables.record_sizes(record, ruled)

# %%
items = ("count", "with_rule.count")
record.table("data.{part}.{items}", part=("train", "dev", "test"), items=items, columns="items", names=tables.NAMES)

# %% [markdown]
# ## Table 1: rules, network, and its two halves
#
# If the paper's findings hold, the network beats its rules, and classifier and decoder help each other. *Rules only* trains on what the rules match. *With labels* trains on labelled examples, and the decoder on those that a rule explains. Precision, recall and F1 leave `no_relation` out; {term}`BLEU` and {term}`exact match` score decoded rules.

# %%
taught, scores = ("rule_only", "combined"), ("precision", "recall", "f1", "macro_f1", "bleu", "exact")
record.table("{taught}.{row}.{score}", taught=taught, row=tables.ROWS, score=scores, columns="score", names=tables.NAMES)

# %%
gains = ("ours_over_rules.f1", "ours_over_rules.macro_f1", "ours_over_types.f1", "joint_gain.f1", "joint_gain.bleu")
record.table("{taught}.{gain}", taught=taught, gain=gains, columns="taught", names=tables.NAMES)

# %% [markdown]
# Not measured: TACRED is not here.
#
# ## Are the decoded rules good?
#
# {term}`BLEU` counts the runs of tokens that a decoded rule shares with its sentence's gold rules, which match and give the right relation. {term}`Exact match` asks whether it is one of them. The second table asks whether the rule, run on the sentence, matches it and gives the predicted relation ({term}`execution accuracy`). For comparison, a lookup gives the most frequent training rule of that relation. The decoder trained alone is scored on all items with a rule, and must explain the true relation.

# %%
scores = ("bleu", "exact")
record.table("{taught}.{rule}.{score}", taught=taught, rule=tables.WRITTEN, score=scores, columns="score", names=tables.NAMES)

# %%
record.table("{taught}.{rule}", taught=taught, rule=tables.RUN, columns="taught", names=tables.NAMES)

# %% [markdown]
# Not measured: TACRED is not here.
#
# So far we scored the paper's items, which have a predicted relation and a gold rule. The next table covers all predicted relations.

# %%
asked = ("parses", "known", "executed", "executable", "scored_share")
record.table("{taught}.ours.{asked}", taught=taught, asked=asked, columns="taught", names=tables.NAMES)

# %% [markdown]
# Not measured: TACRED is not here.
#
# ## Table 3: with a part of the rules
#
# How much does the network lose with fewer rules? We keep those that match most often in training. The paper compares its network on the dev part with the rules on the test part; we score both on the dev part.

# %%
scores = ("precision", "recall", "f1", "bleu", "exact")
record.table("curve.{part}.{score}", score=scores, columns="score", names=tables.NAMES)

# %% [markdown]
# Not measured: TACRED is not here.

# %%
record.save()
record
