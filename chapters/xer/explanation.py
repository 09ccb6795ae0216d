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
# Two gazetteers know a town called Petra, and one of them also knows a region around it. Are the three records one
# place? A partition says yes or no, but not how firmly. The paper calls the method self-explaining because its
# objective can be read, and shows that by hand on four mentions. Here the objective answers for every scored pair of
# every cluster of a data set. What joins, and what separates? What would be lost if the decision were reversed? How
# much would one score have to change?

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
from trustnlp.plots.cluster_graphs import cluster_graph
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence_arrays
from trustnlp.studies.xer.explanation import explain_clusters, least_certain_cluster
from trustnlp.studies.xer.reproduction import compare_stored, draw_graph

counted = ("clusters", "largest", "decisions", "exact_share", "review")
repeats = dict.fromkeys(counted, "exact")
record = Record("xer", "explanation", profile=profile, seeds=seeds, repeats=repeats)
logging.getLogger("trustnlp").setLevel(logging.ERROR)

# %% [markdown]
# ## The data and its optimum
#
# We use the settlements benchmark: records of places from four sources, with stored scores (weight $2p - 1$). In the
# smoke profile, planted mentions take their place.

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
# Every optimum comes with its {term}`certificate`. The cell above has checked them all; the record keeps what they
# leave unproven as `proof.gap`.
#
# Now we reverse the decision on every scored pair of every cluster of several records (of a few clusters in the smoke
# profile), and solve the program again.

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
# Which cluster is the least certain? Of all clusters of at least four records we take the one with the smallest margin.
# The figure also shows the records that have a score with it. They are numbered as in the benchmark; the second line of
# a label is the true entity.

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

# %% mystnb={"figure": {"caption": "A cluster of the settlements, drawn from its scores (committed record). Solid edges join, dashed ones separate; the second line of each label is the true entity; the marked pair is the cheapest decision to reverse.", "name": "fig-xer-cluster"}}
record.show(*cluster_graph(graph, cluster["codes"], truth=cluster["gold"], highlight=tuple(cluster["pair"])))

# %% [markdown]
# ## Its decisions, least certain first
#
# The last column is the *margin* of a decision: how much less the best partition with that decision reversed would
# weigh. We compute it by solving again, not by an estimate. With a margin of $0.1$, the decision turns if the weight of
# this one pair changes by more than $0.1$ in the right direction. No smaller change of the weight of any single scored
# pair turns it. (Weights are $2p - 1$, so the probability changes by half of that. If a decision would turn only beyond
# $\pm 1$, no score of this pair alone can turn it.)

# %%
record.show(listed.sort_values("margin", ignore_index=True).head(10))

# %%
told = explain_pair(found, *pair)
print(f"{told.left} and {told.right} together: {told.together}")
print(f"weight {told.weight:.3f}, turns at {told.flips_at:.3f}, loss {told.margin:.3f}")
print(f"otherwise: {told.otherwise}")
told.weights.round(3)

# %% [markdown]
# In the committed record, the cluster is two couples of records, each firmly joined. Between the couples two weak
# scores speak for joining and two against. Those for outweigh those against by very little. That little is the margin
# of four decisions at once: reverse any of them and the couples separate. (The gold standard says that they are one
# place.)
#
# The table above is of this run. It lists the scores that join and separate the two sides, and reading it from top to
# bottom is the paper's explanation by hand. The margin also compares with every other partition, which no reading of
# single scores does.
#
# ## Do small margins mark errors?
#
# An explanation should tell you where to look. Do the wrong decisions have smaller margins than the right ones? If
# scores are honest, they crowd at the bottom of the list.

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
# Yes: wrong decisions have clearly smaller margins{holds}`explanation.paper:margin.auc above 70`. Review the least
# certain tenth of the decisions, and you find about half of the
# errors{holds}`explanation.paper:review.tenth between 45 60`. You do not find them all: if a wrong decision has a large
# margin, the *scores* are wrong, and no reading of the objective can show that.

# %%
record.save()
record
