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
# # On KBP37, with the released rules
#
# TACRED is licensed. KBP37 is the public corpus nearest to it: sentences with two entities and the same family of relations. It is not TACRED. Few of its pairs have no relation, its labels say which entity is the subject, and no sentence has a comma, which most of the rules ask for. So levels do not carry over. The paper's findings are about the method, and can be asked here.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/kbp37"
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
record = Record("edin", "kbp37", profile=profile, seeds=seeds, repeats=repeats)

# %% [markdown]
# ## Data and rules
#
# The rules are the released ones, run both ways round, since a label says which entity is the subject. A rule's comma may be absent. A rule fires only where the two entities have the types that its relation takes. Tags, entity types and parses are a parser's. KBP37's text is not shown in this book.

# %%
pairs = ["rule_only", "curve"]  # keys that rest on pairs without a relation
ruled = ruled_corpus(record, "kbp37", given, pairs=pairs)
tables.record_tables(record, ruled, percents, draws)

# %%
items = ("count", "with_rule.count")
record.table("data.{part}.{items}", part=("train", "dev", "test"), items=items, columns="items", names=tables.NAMES)

# %% [markdown]
# ## Table 1: rules, network, and its two halves
#
# *Rules only* trains on what the rules match, with the rules' labels. *With labels* trains on labelled examples, and the decoder on those that a rule explains. Precision, recall and F1 leave `no_relation` out. {term}`BLEU` and {term}`exact match` are those of decoded rules. *Rules, else types* has no network: it says what the rules say, and where none matches the label that rules gave most often to a pair of these entity types. What to expect, if the paper's findings carry over: the network finds more than its rules, and than this control, and either half is better for the other's company.

# %%
taught, scores = ("rule_only", "combined"), ("precision", "recall", "f1", "macro_f1", "bleu", "exact")
record.table("{taught}.{row}.{score}", taught=taught, row=tables.ROWS, score=scores, columns="score", names=tables.NAMES)

# %%
gains = ("ours_over_rules.f1", "ours_over_rules.macro_f1", "ours_over_types.f1", "joint_gain.f1", "joint_gain.bleu")
record.table("{taught}.{gain}", taught=taught, gain=gains, columns="taught", names=tables.NAMES)

# %% [markdown]
# What was seen: trained on nothing but what the rules match, the network finds more than they do, is less precise, and has the higher F1. That is easy here, since few pairs have no relation and a guess is often right: the control without a network is far ahead of both. The network's gain lies in the frequent relations; {term}`macro-F1` falls. For the classifier no gain from the decoder's company could be told. The decoder writes better rules with the classifier than without; but alone it is trained on the examples with a rule only, a fraction of the steps, and with labels it has not learned to write any gold rule. So this says nothing of joint training.
#
# Intervals are over trainings, with the test items fixed.
#
# ## Are the decoded rules good?
#
# {term}`BLEU` asks how many runs of tokens a decoded rule shares with a rule that matches, {term}`exact match` whether it is one of these. The second table asks something else: put the tokens together, run the rule, and see whether it matches this sentence and gives the predicted relation ({term}`execution accuracy`). The lookup decodes nothing: it gives the most frequent training rule of the predicted relation. The last rows are of the decoder without a classifier: it is scored on all items with a rule, and its rule has to give the true relation.

# %%
scores = ("bleu", "exact")
record.table("{taught}.{rule}.{score}", taught=taught, rule=tables.WRITTEN, score=scores, columns="score", names=tables.NAMES)

# %%
record.table("{taught}.{rule}", taught=taught, rule=tables.RUN, columns="taught", names=tables.NAMES)

# %% [markdown]
# What was seen: on rules only the decoder is not told from the most frequent rule of the predicted relation in BLEU, and is behind it in how often the rule is true of the sentence. Both are below the paper's level, in trainings that are short beside the paper's. With labels the decoder is behind the lookup in both tables.
#
# All of this is on the items that the paper scores: a relation was predicted, and a rule matches that gives the right one. Most predictions are not among them. The next table is on all predicted relations.

# %%
asked = ("parses", "known", "executed", "executable", "scored_share")
record.table("{taught}.ours.{asked}", taught=taught, asked=asked, columns="taught", names=tables.NAMES)

# %% [markdown]
# What was seen: most predictions get a rule that does not match their sentence. No decoder that writes known rules could do much better: for most predictions no rule of the corpus is true. BLEU sees few of them, for it needs a gold rule.
#
# ## Table 3: with a part of the rules
#
# The rules that match most often in training are kept. Network and rules are both asked on the dev part; the paper compares the network there with the rules on the test part.

# %%
scores = ("precision", "recall", "f1", "bleu", "exact")
record.table("curve.{part}.{score}", score=scores, columns="score", names=tables.NAMES)

# %% [markdown]
# What was seen: the record has the network on all rules here; parts of them are measured on [SemEval](semeval.ipynb).

# %%
record.save()
record
