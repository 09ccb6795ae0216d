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
# # Explaining a decision
#
# Two gazetteers know a town called Petra, and one of them also knows a region around it. Are the three records one place? A partition says yes or no; it does not say how firmly. The paper
# calls the method self-explaining because its objective can be read, and shows that by hand on four mentions. In this notebook the objective answers for every scored pair of every cluster of a data set: what
# joins, what separates, what would be lost if the decision were reversed, and how much one score would have to change.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "xer/explanation"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
source = "planted"
n_clusters = 6

# %%
import logging

import numpy as np
import pandas as pd
from trustnlp.data.linkage.ecbplus import planted_chains
from trustnlp.data.linkage.stored_scores import read_stored_scores
from trustnlp.graphs import PairGraph, explain_cluster, explain_pair, partition_graph
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.xer.explanation import cluster_graph, explain_clusters, least_certain_cluster
from trustnlp.studies.xer.reproduction import compare_stored, draw_graph

counted = ("clusters", "largest", "decisions", "exact_share", "review")
repeats = dict.fromkeys(counted, "exact")
record = Record("xer", "explanation", profile=profile, seeds=seeds, repeats=repeats)
logging.getLogger("trustnlp").setLevel(logging.ERROR)

# %% [markdown]
# ## The data and its optimum
#
# We use the settlements benchmark: records of places from four sources, with stored scores (weight $2p - 1$). In the smoke profile, planted mentions take their place.

# %%
if source == "settlements":
    record.uses("fmwsp_settlements")
    compared = compare_stored(read_stored_scores("settlements"))
    found, gold = compared.found, compared.gold
else:
    chains = planted_chains(30, 3.0, np.random.default_rng(seeds[0]))
    graph = draw_graph(chains, seeds[0], spread=0.4).above(-0.3)
    found, gold = partition_graph(graph), pd.Series(chains)
sizes = found.labels.value_counts()
record.metric("clusters", len(sizes), unit="count")
record.metric("clusters.several", int((sizes > 1).sum()), unit="count")
record.metric("largest", int(sizes.max()), unit="count of records")
record.metric("proof.gap", max(0.0, found.check() - found.value))
record.table(
    {
        "clusters": "clusters",
        "of several records": "clusters.several",
        "records of the largest": "largest",
        "not proven": "proof.gap",
    }
)

# %% [markdown]
# Every optimum comes with its {term}`certificate`. The cell above has checked them all; what they leave open is in the record under `proof.gap`.
#
# Now we reverse the decision on every scored pair of every cluster of several records (of a few clusters in the smoke profile), and solve the program again.

# %%
table = explain_clusters(found, gold, at_most=n_clusters)
record.metric("decisions", len(table), unit="count")
record.metric("decisions.wrong", int(table["wrong"].sum()), unit="count")
exact = float(table["exact"].mean())
record.metric("exact_share", exact, unit="share of decisions")
record.table({"decisions": "decisions", "wrong": "decisions.wrong", "proven both ways": "exact_share"})

# %% [markdown]
# ## One cluster, drawn
#
# Of all clusters of at least four records we take the least certain one, the one with the smallest margin. It is shown with the records that have a score with it, numbered as in the
# benchmark. The second line of a label is the true entity.

# %%
members, nodes = least_certain_cluster(found, table, at_least=4)
around = found.graph.subgraph(nodes)
decisions = explain_cluster(found, members[0])
first = decisions.iloc[0]
pair = (first["left"], first["right"])
record.array(
    "cluster",
    {
        "ids": list(around.ids),
        "left": around.left,
        "right": around.right,
        "weights": around.weights.round(4),
        "codes": found.codes[nodes],
        "gold": gold.loc[list(around.ids)].tolist(),
        "pair": [int(end) for end in pair],
    },
)
columns = ["left", "right", "together", "weight", "margin"]
known = decisions[np.isfinite(decisions["margin"])]
record.array("decisions", known[columns].round(4).to_dict("list"))

# %%
drawn = evidence_arrays(record)
cluster, listed = drawn["cluster"], pd.DataFrame(drawn["decisions"])
ends = [np.array(cluster[key]) for key in ("left", "right", "weights")]
graph = PairGraph(tuple(cluster["ids"]), *ends)

# %% mystnb={"figure": {"caption": "A cluster of the settlements, drawn from its scores (committed record). Solid edges join, dashed ones separate; the second line of each label is the true entity; the marked pair is the decision that would cost least to reverse.", "name": "fig-xer-cluster"}}
record.show(*cluster_graph(graph, cluster["codes"], truth=cluster["gold"], highlight=tuple(cluster["pair"])))

# %% [markdown]
# ## Its decisions, least certain first
#
# The last column is the *margin* of a decision: how much less the best partition with that decision reversed would weigh. It is computed by solving again, not estimated. A margin of $0.1$ also says: if the weight of this
# one pair changed by more than $0.1$ in the right direction, the decision would turn, and no smaller change of the weight of any single scored pair would turn it. (Weights are $2p - 1$, so the probability changes
# by half of that. Where a decision would turn only beyond $\pm 1$, no score of this pair alone can turn it.)

# %%
record.show(listed.sort_values("margin", ignore_index=True).head(10))

# %%
told = explain_pair(found, *pair)
print(f"{told.left} and {told.right} together: {told.together}")
print(f"weight {told.weight:.3f}, turns at {told.flips_at:.3f}, loss {told.margin:.3f}")
print(f"otherwise: {told.otherwise}")
told.weights.round(3)

# %% [markdown]
# What was seen, in the committed record: two couples of records, each firmly joined, and between the couples two weak scores for joining and two weak scores against. Those for outweigh those against by very
# little. That little is the margin of four decisions at once: reverse any of them and the couples separate. (The gold standard says that they are one place.)
#
# The table above is of this run. It lists the scores that join and separate the two sides. Reading it from top to bottom is the paper's explanation by hand. The margin adds the comparison with every other
# partition, which no reading of single scores gives.
#
# ## Do small margins mark errors?
#
# An explanation is worth something if it tells you where to look. Of all the decisions computed above, do the wrong ones have the smaller margins? What to
# expect: if scores are honest, the wrong decisions crowd at the bottom.

# %%
wrong = table.loc[table["wrong"], "margin"]
right = table.loc[~table["wrong"], "margin"]
if len(wrong) and len(right):
    record.metric("margin.wrong", float(wrong.median()))
    record.metric("margin.right", float(right.median()))
    ranks = table["margin"].rank()
    n_wrong, n_right = len(wrong), len(right)
    below = ranks[~table["wrong"]].sum() - n_right * (n_right + 1) / 2
    auc = float(below / (n_wrong * n_right))
    record.metric("margin.auc", auc, unit="share of couples")

# %%
ordered = table.sort_values("margin")["wrong"].to_numpy()
tenth = max(1, len(ordered) // 10)
caught = float(ordered[:tenth].sum() / max(1, ordered.sum()))
record.metric("review.tenth", caught, unit="share of wrong decisions")
record.table(
    {
        "median margin, wrong": "margin.wrong",
        "median margin, right": "margin.right",
        "wrong below right": "margin.auc",
        "errors in the least certain tenth": "review.tenth",
    }
)

# %% [markdown]
# What was seen: wrong decisions have clearly smaller margins than right ones. Reviewing the least certain tenth of the decisions finds far more than a tenth of the errors (the last number is
# the share found). It does not find all of them: where a wrong decision has a large margin, the *scores* are wrong, and no reading of the objective can tell that.

# %%
record.save()
record
