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
# # What BLEU does not see
#
# *Ada was born in the city of Bath.* (Made up.) Say the network gives the right relation, and decodes a rule that has all the words of the right one, with subject and object exchanged. The rule says that Bath was born in Ada. How much does that cost? This page asks what the paper's tables leave out: what {term}`BLEU` pays for, where the network's lead over its rules comes from, and whether decoded rules are true where BLEU is not computed.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/critique"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_items = 500
percents = [5, 10, 20, 40, 60]
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
released_seeds = [0]

# %%
import numpy as np
from trustnlp.reproduce import Record
from trustnlp.studies.edin import critique as checks
from trustnlp.studies.edin.tables import record_rules, record_seeds, ruled_corpus

given = vars()  # the parameters above
repeats = {"": "float32", "rules": "float64", "start.foreign_share": "exact"}
record = Record("edin", "critique", profile=profile, seeds=seeds, repeats=repeats)

# %% [markdown]
# ## A wrong rule with the right words
#
# The gold rule of the sentence and two others. One exchanges the marks of subject and object, the other has *died* for *born*. BLEU is that of the single rule. The last column runs the rule on the sentence.

# %%
unseen = checks.unseen_by_bleu()
unseen.round(1)

# %% [markdown]
# BLEU compares runs of up to four tokens. The two entities are written alike, and the runs are too short to see which comes first. So the exchanged rule cannot be told from the gold one. A wrong word costs something, but less than what a long rule earns with its brackets. Neither rule is true of the sentence, and running them shows it.
#
# ## One network per seed
#
# The networks are those of the page on KBP37, trained on the rules alone. All numbers below come from the next two cells.

# %%
ruled = ruled_corpus(record, "kbp37", given)

# %%
record_rules(record, ruled, draws, ["precision", "recall"])
record_seeds(record, [checks.numbers_of_seed(ruled, seed, percents) for seed in seeds])
record.metric("start.foreign_share", checks.foreign_share(50, width))

# %% [markdown]
# ## Where does the decoder start?
#
# The paper starts it from the subject and object of the example. The released code joins the two vectors of each example, and *views* the result as two layers, where it should have exchanged axes. So layers are filled in the order of the memory, with examples of the same batch. The first table says how much of the first layer, in a batch of fifty, comes from another example.
#
# What follows from it needs networks that were trained in the released form. It differs in more than the start: in the first cell state, in when the attention is asked, and in how the loss is divided by lengths. So the last table compares the two forms as wholes.

# %%
whole = "The two forms differ in the first cell state, the attention's place and the loss's length, too."
if released_seeds:
    record.deviation(whole, keys=["start.gain"])
    record_seeds(record, [checks.released_numbers(ruled, seed) for seed in released_seeds])

# %%
record.table({"of the released start state, from other examples": "start.foreign_share"})

# %%
in_words = {
    "changed": "changed by other examples", "bleu": "BLEU", "exact": "exact match",
    "own": "the paper's form", "released": "the released form",
}
scores = ("changed", "bleu", "exact")
record.table("start.{form}.{score}", form=("own", "released"), score=scores, columns="form", names=in_words)

# %%
gains = {"BLEU": "start.gain.bleu", "exact match": "start.gain.exact"}
record.table(gains, names={"label": "paper's form less the released"})

# %% [markdown]
# What was seen: nearly all of the start state of the first layer comes from other examples. So in the released form {metric}`critique.paper:start.released.changed` of the decoded rules change when the other examples of their batch do; with a start of their own none does. What that costs is {verdict}`start-helps-exact` by {term}`exact match`, and {verdict}`start-helps-bleu` by BLEU. All of it is of short trainings.
#
# ## The whole curve
#
# Table 1 has one point of the network and one of the rules, at another recall. So the network's lead in F1 may be bought with precision. Here relations are given from the surest on, and precision is read where the network has found as much as the rules find. What to expect, if nothing is lost: a curve that passes above the rules' point.

# %% mystnb={"figure": {"name": "fig-edin-precision-curve", "caption": "KBP37, test part, as the threshold on the network's probability falls, with intervals over seeds (committed record)."}}
alone = record.frame("rules.{of}", of=("precision", "recall"))["mean"]
record.plot(
    "curve.r{recall:d}.precision",
    x="recall",
    title="The network is less precise than its rules at every recall",
    xlabel="recall (%)",
    ylabel="precision (%)",
    levels={f"the rules, at a recall of {alone[1]:.0f} %": alone[0]},
)

# %% [markdown]
# The margin at the rules' recall, with the point that the ledger grants:

# %%
record.table({"network less rules, and a point": "precision_at_rules_recall.margin"})

# %% [markdown]
# What was seen: where the network finds as much as the rules do, it is less precise than they are, so it does not hold their ground and add to it. This is of short trainings.
#
# ## Are decoded rules true where BLEU is not computed?
#
# A rule is true of a sentence if it can be read, matches there, and gives the predicted relation ({term}`execution accuracy`). The page on [KBP37](kbp37.ipynb) asks this of all predictions, and of those that the paper scores. Here are the others: predictions on sentences that no gold rule matches, on which there is no BLEU.

# %%
record.table({
    "true rules where no gold rule matches": "rest.executed",
    "the same, over one half": "rest.executed_above_half",
})

# %% [markdown]
# What was seen: where no gold rule matches, which is most of the predictions, hardly any decoded rule is true.
#
# ## Exercises
#
# **1.** For which of the batch sizes one, two, three and ten does the first layer of the released start state hold nothing of other examples? **2.** How many words must lie between the entities of a rule so that a wrong one in the middle leaves a BLEU of ninety? **3.** Say a classifier's probabilities have nothing to do with the truth. Which precision has it at a recall of one half, if a quarter of the test items have the relation?

# %% tags=["hide-cell"]
from trustnlp.evaluation.reference_overlap import sentence_bleu
from trustnlp.relations.rules.rule_spelling import rule_tokens

shares = {size: checks.foreign_share(size, width) for size in (1, 2, 3, 10)}
subject, object_ = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
for words in range(1, 100):
    between = [f'"w{at}"' for at in range(words)]
    wrong = [*between[: words // 2], '"x"', *between[words // 2 + 1 :]]
    rule, other = (
        rule_tokens(" ".join([subject, *each, object_]))
        for each in (between, wrong)
    )
    if sentence_bleu([rule], other) >= 90:
        break
rng = np.random.default_rng(0)
gold = np.where(rng.random(10000) < 0.25, "r", "no_relation")
sure = rng.random(10000)
curve = checks.precision_curve(
    gold, ["no_relation", "r"], np.stack([1 - sure, sure], 1)
)
half = round(checks.precision_at(*curve, 50))
{"1": [size for size, share in shares.items() if not share], "2": words, "3": half}

# %%
record.save()
record
