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
# # Rules that are true by construction
#
# A decoded rule may have the right words and not match the sentence. But the rules can be run, so nothing need be left to hope. This page goes on from the networks of the page on KBP37, without training any of them anew: it decodes only what is true, chooses among several rules by running them, and gives the rules that the decoder made up back to the rule base.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/beyond"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_items = 500
percents = [50]
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
beam_width = 8

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.edin import beyond, tables
from trustnlp.studies.edin.tables import record_rules, record_seeds, ruled_corpus

given = vars()  # the parameters above
repeats = {"": "float32", "rules": "float64"}
record = Record("edin", "beyond", profile=profile, seeds=seeds, repeats=repeats)

# %%
ruled = ruled_corpus(record, "kbp37", given)

# %% [markdown]
# ## One network per seed
#
# All numbers below come from this cell: first those of the rules alone, with intervals over resampled test items, then those of the networks.

# %%
record_rules(record, ruled, draws, ["precision", "recall", "f1"])
how = {"beam_width": beam_width, "percents": percents}
record_seeds(record, [beyond.numbers_of_seed(ruled, seed, **how) for seed in seeds])

# %% [markdown]
# ## Only what is true
#
# For each sentence the candidates are the rules of the rule base that match it and give the predicted relation. The decoder gives each its exact probability, and the likeliest is written. Where there is no candidate, there is no explanation. In the strict form there is no relation then, either: *say nothing that you cannot explain*.
#
# What to expect: {term}`BLEU` is a weak test here. Where the predicted relation is right, every candidate is a gold rule, so the rows of BLEU ask what free decoding loses. And a strict network can give a relation only where a rule does, so it can find no more than the rules. The question is what that costs. In the first table all rows are on the items that have a gold rule and a candidate.

# %%
in_words = {
    "constrained": "the likeliest true rule", "free": "free decoding", "strict": "network, strict",
    "rules": "rules, run", "executed_scored": "true of the sentence", **tables.NAMES,
}
scores = ("bleu", "exact", "executed_scored")
record.table("{rule}.{score}", rule=("constrained", "free"), score=scores, columns="score", names=in_words)

# %%
scores = ("precision", "recall", "f1")
record.table("{rule}.{score}", rule=("strict", "rules"), score=scores, columns="score", names=in_words)

# %%
record.table({
    "F1 of the strict network less that of the free one, and a point": "constrained.f1_margin",
    "predicted relations with a true rule": "constrained.executed",
    "of the items that BLEU is taken on, with a true rule": "constrained.scored_share",
})

# %% [markdown]
# What was seen: rules that are chosen among the true ones are nearly always gold rules, and above free decoding in BLEU, both by construction where the relation is right. But only a part of the predictions has a true rule at all, and a network that keeps silent about the others loses more F1 than it had gained over the rules.
#
# ## Choosing among several
#
# A beam finds several rules, and running them is cheap. The likeliest that is true of the sentence is taken, and the greedy one if none is. Unlike the candidates above, these need not be in the rule base. The share of predicted relations with a true rule ({term}`execution accuracy`), over how many rules of the beam are tried:

# %% mystnb={"figure": {"name": "fig-edin-reranked", "caption": "Predicted relations whose rule is true of the sentence: KBP37, test part, with intervals over seeds (committed record). The first rule of a beam need not be the greedy one."}}
means = record.frame("{chosen}.executed", chosen=("greedy", "constrained")).set_index("chosen")["mean"]
record.plot(
    "beam.b{tried:d}.executed",
    x="tried",
    title="Running more rules of the beam finds a true one more often",
    xlabel="rules of the beam that are tried",
    ylabel="true rules (%)",
    levels={"greedy": means["greedy"], "the likeliest true rule of the base": means["constrained"]},
)

# %%
record.table({"true rules, of the beam less greedy": "reranked.executed_gain"})

# %% [markdown]
# What was seen: running the rules of a beam finds a true one for more predictions. That it cannot lose is by construction, since the greedy rule stays where none is true; how much it gains is not. Most predictions are still without.
#
# ## New rules from the decoder
#
# The decoder is not bound to the rule base. Of what it writes for the training sentences, the rules are kept that can be read, that nobody had before, and that are right for at least two of these sentences and for a set share of all that they match. They are asked where the old rules are silent, on the test part. Gains are over the rules alone.

# %%
gained, share = ("precision_gain", "recall_gain", "f1_gain"), {"share": "right in training (%)"}
record.table("mined.at{share:d}.{of}", of=gained, columns="of", names=share)

# %%
record.table("mined.at{share:d}.count", names=share)

# %% [markdown]
# What was seen: hardly any new rule passes, and none changes what is found. The decoder mostly writes rules that were there before.

# %%
record.save()
record
