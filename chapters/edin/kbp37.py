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
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = "https://github.com/OWNER/trustnlp"
REVISION = "main"
NOTEBOOK = "edin/kbp37"
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
from trustnlp.reproduce.pages.page_evidence import evidence
from trustnlp.studies.edin.mappings.mapping_tables import shown
from trustnlp.studies.edin.table1 import recorded_tables as tables
from trustnlp.studies.edin.table1.recorded_networks import ruled_corpus

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

# %% [markdown]
# ## Table 1: rules, network, and its two halves
#
# *Rules only* trains on what the rules match, with the rules' labels. *With labels* trains on labelled examples, and the decoder on those that a rule explains. Precision, recall and F1 leave `no_relation` out. Beside each {term}`BLEU` is {term}`exact match` with a rule that matches, the share of rules that are true of the sentence ({term}`execution accuracy`), and the BLEU of a lookup: the most frequent training rule of the relation. The second row has no network: it says what the rules say, and where none matches the label that rules gave most often to a pair of these entity types. What to expect, if the paper's findings carry over: the network finds more than its rules, and than this control, and either half is better for the other's company.

# %%
tables.record_tables(record, ruled, percents, draws)
numbers = evidence(record)
record.show(shown(tables.table1(numbers), 1))

# %% [markdown]
# What was seen: trained on nothing but what the rules match, the network finds more than they do, is less precise, and has the higher F1. That is easy here, since few pairs have no relation and a guess is often right: the control without a network is far ahead of both. The network's gain lies in the frequent relations; {term}`macro-F1` falls. For the classifier no gain from the decoder's company could be told. The decoder writes better rules with the classifier than without; but alone it is trained on the examples with a rule only, a fraction of the steps, and with labels it has not learned to write any gold rule. So this says nothing of joint training.
#
# Intervals are over trainings, with the test items fixed.
#
# ## Are the decoded rules good?
#
# BLEU asks how many runs of tokens a decoded rule shares with a rule that matches. The last column asks something else: put the tokens together, run the rule, and see whether it matches this sentence and gives the predicted relation. Beside the decoder are rules that nobody decoded, first where only rules taught it, then with labels. The last rows of each table are of the decoder without a classifier: it is scored on all items with a rule, and its rule has to give the true relation.

# %%
record.show(shown(tables.explanation_table(numbers, "rule_only"), 1))

# %%
record.show(shown(tables.explanation_table(numbers, "combined"), 1))

# %% [markdown]
# What was seen: on rules only the decoder is not told from the most frequent rule of the predicted relation in BLEU, and is behind it in how often the rule is true of the sentence. Both are below the paper's level, in trainings that are short beside the paper's. With labels the decoder is behind every lookup that reads the relation or the sentence, in all three columns. So is the decoder without a classifier, in both tables.
#
# All of this is on the items that the paper scores: a relation was predicted, and a rule matches that gives the right one. Most predictions are not among them. The next table is on all predicted relations.

# %%
record.show(shown(tables.all_predictions(numbers), 1))

# %% [markdown]
# What was seen: most predictions get a rule that does not match their sentence. No decoder that writes known rules could do much better: for most predictions no rule of the corpus is true. BLEU sees few of them, for it needs a gold rule.
#
# ## Table 3: with a part of the rules
#
# The rules that match most often in training are kept. Network and rules are both asked on the dev part; the paper compares the network there with the rules on the test part.

# %% mystnb={"figure": {"name": "fig-edin-curve-kbp37", "caption": "F1 and recall of the network over the share of firing rules that it was trained on, dev part, with intervals over seeds (committed record). The line is the F1 of all rules, run on the same part."}}
shares = [20, 40, 60, 80, 100]
record.show(*tables.curve_figure(numbers, shares))

# %%
record.show(shown(tables.curve_table(numbers, shares), 1))

# %% [markdown]
# What was seen: the record has the network on all rules here; parts of them are measured on [SemEval](semeval.ipynb).

# %%
record.save()
record
