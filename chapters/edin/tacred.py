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
# # On TACRED, for whoever has it
#
# TACRED is licensed (LDC2018T24), so no record of it is committed and its claims are *not measured*. Whoever has it sets `TRUSTNLP_TACRED` to the folder with `train.json`, `dev.json` and `test.json`, and runs this notebook under `paper`. The run on this page is on made-up sentences.

# %% tags=["remove-input"]
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = "https://github.com/OWNER/trustnlp"
REVISION = "main"
NOTEBOOK = "edin/tacred"
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
record = Record("edin", "tacred", profile=profile, seeds=seeds, repeats=repeats)

# %% [markdown]
# ## Data and rules
#
# The rules are the released ones. A rule fires only where the two entities have the types that its relation takes.

# %%
pairs = ["rule_only", "curve"]  # keys that rest on pairs without a relation
ruled = ruled_corpus(record, "tacred", given, pairs=pairs)

# %% [markdown]
# ## Table 1: rules, network, and its two halves
#
# *Rules only* trains on what the rules match, with the rules' labels. *With labels* trains on labelled examples, and the decoder on those that a rule explains. Precision, recall and F1 leave `no_relation` out. Beside each {term}`BLEU` is {term}`exact match` with a rule that matches, the share of rules that are true of the sentence ({term}`execution accuracy`), and the BLEU of a lookup: the most frequent training rule of the relation. What to expect, if the paper's findings carry over: the network finds more than its rules, and either half is better for the other's company.

# %%
tables.record_tables(record, ruled, percents, draws)
tables.record_sizes(record, ruled)
numbers = evidence(record)
record.show(shown(tables.table1(numbers), 1))

# %% [markdown]
# Not measured: TACRED is not here.
#
# ## Are the decoded rules good?
#
# BLEU asks how many runs of tokens a decoded rule shares with a rule that matches. The last column asks something else: put the tokens together, run the rule, and see whether it matches this sentence and gives the predicted relation. Beside the decoder are rules that nobody decoded, first where only rules taught it, then with labels. The last rows of each table are of the decoder without a classifier: it is scored on all items with a rule, and its rule has to give the true relation.

# %%
record.show(shown(tables.explanation_table(numbers, "rule_only"), 1))

# %%
record.show(shown(tables.explanation_table(numbers, "combined"), 1))

# %% [markdown]
# Not measured: TACRED is not here.
#
# All of this is on the items that the paper scores: a relation was predicted, and a rule matches that gives the right one. Most predictions are not among them. The next table is on all predicted relations.

# %%
record.show(shown(tables.all_predictions(numbers), 1))

# %% [markdown]
# Not measured: TACRED is not here.
#
# ## Table 3: with a part of the rules
#
# The rules that match most often in training are kept. Network and rules are both asked on the dev part; the paper compares the network there with the rules on the test part.

# %% mystnb={"figure": {"name": "fig-edin-curve-tacred", "caption": "F1 and recall of the network over the share of firing rules that it was trained on, dev part, with intervals over seeds. The line is the F1 of all rules, run on the same part."}}
shares = [20, 40, 60, 80, 100]
record.show(*tables.curve_figure(numbers, shares))

# %%
record.show(shown(tables.curve_table(numbers, shares), 1))

# %% [markdown]
# Not measured: TACRED is not here.

# %%
record.save()
record
