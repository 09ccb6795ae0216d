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
# A decoded rule may have the right words and still not match its sentence. But rules can be run. Here, beyond the paper, we take the networks of [KBP37](kbp37.ipynb), without new training. We decode only true rules, choose among several by running them, and add the decoder's new rules to the rule base.

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
# All numbers below come from this cell. Intervals of the rules alone are over resampled test items.

# %%
record_rules(record, ruled, draws, ["precision", "recall", "f1"])
how = {"beam_width": beam_width, "percents": percents}
record_seeds(record, [beyond.numbers_of_seed(ruled, seed, **how) for seed in seeds])

# %% [markdown]
# ## Only what is true
#
# How much does it cost to write only true rules? Candidates are the rules of the rule base that match the sentence and give the predicted relation. We write the one that the decoder finds likeliest. Without a candidate there is no explanation, and in the strict form no relation, either: *say nothing that you cannot explain*.
#
# {term}`BLEU` is a weak test here. Where the predicted relation is right, every candidate is a gold rule, so BLEU shows only what free decoding loses. A strict network can find no more than the rules, since it gives a relation only where a rule does. The first table has the items with a gold rule and a candidate.

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
    "F1, strict network less free network, plus one point": "constrained.f1_margin",
    "predicted relations with a true rule": "constrained.executed",
    "items scored by BLEU that have a true rule": "constrained.scored_share",
})

# %% [markdown]
# Chosen among the true ones, rules are nearly always gold rules{holds}`beyond.paper:constrained.exact clearly above 90`, and have a higher BLEU than free decoding; where the relation is right, both hold by construction. But only a part of the predictions has a true rule at all: {metric}`beyond.paper:constrained.executed`{holds}`beyond.paper:constrained.executed clearly below 35`. A network that keeps silent about the others has a lower F1 than the rules{holds}`beyond.paper:strict.f1 clearly below 10.5`.
#
# ## Choosing among several
#
# Is one of several decoded rules true? A beam search finds several, and running them is cheap. We take the likeliest that is true of the sentence, or else the greedy one (the best token at each step). These rules need not be in the rule base. The figure shows {term}`execution accuracy`: the share of predicted relations with a true rule.

# %% mystnb={"figure": {"name": "fig-edin-reranked", "caption": "Predicted relations of KBP37's test part whose rule is true of the sentence, with intervals over seeds (committed record). The first rule of a beam need not be the greedy one."}}
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
record.table({"true rules, beam less greedy": "reranked.executed_gain"})

# %% [markdown]
# Running the rules of a beam finds a true one for {metric}`beyond.paper:reranked.executed_gain` more of the predictions{holds}`beyond.paper:reranked.executed_gain clearly above 0`. It cannot lose, since the greedy rule stays where none is true. Most predictions still have no true rule{holds}`beyond.paper:beam.b8.executed clearly below 50`.
#
# ## New rules from the decoder
#
# Can the decoder teach the rules? Of the rules that it writes for the training sentences, we keep those that can be read and are new. They must be right for at least two of these sentences, and for a set share of all that they match. On the test part, we use them where the old rules are silent. Gains are over the rules alone.

# %%
gained, share = ("precision_gain", "recall_gain", "f1_gain"), {"share": "right in training (%)"}
record.table("mined.at{share:d}.{of}", of=gained, columns="of", names=share)

# %%
record.table("mined.at{share:d}.count", names=share)

# %% [markdown]
# Hardly any new rule passes, so the gains are next to nothing{holds}`beyond.paper:mined.at50.f1_gain between -0.1 0.1`. The decoder mostly writes rules that were there before.

# %%
record.save()
record
