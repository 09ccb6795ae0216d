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
# # Reproduction: Tables 1 to 7
#
# The paper has two kinds of data. For three benchmark sets it takes pair scores from the code of an earlier method,
# F-MWSP, and clusters them. We have the same scores, so we can check every digit. For ECB+ it makes up scores around
# the truth and tests how fast and how well it can partition the graph. We have the corpus, but do not know which
# documents the paper used, so we look for graphs of the same size.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "xer/reproduction"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
timed_seeds = [0]
small_draws = 4
sets = []
nodes = [24, 30]
timed_nodes = 24
corpus = "planted"
time_limit = 5.0
stored_limit = 5.0

# %%
import numpy as np
import pandas as pd
from trustnlp.data.linkage.ecbplus import planted_chains, read_mentions, topic_window
from trustnlp.data.linkage.record_sets import read_records
from trustnlp.data.linkage.stored_scores import read_stored_scores
from trustnlp.evaluation.printed_numbers import pair_counts_behind
from trustnlp.graphs import partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.claims.ledgers import printed_values


def median_of(values):
    return float(values.median()), tuple(np.quantile(values, [0.025, 0.975]))


# %%
from trustnlp.studies.xer import reproduction
from trustnlp.studies.xer.checks import edge_count
from trustnlp.studies.xer.reproduction import METHODS, compare_stored

thresholds = [-0.7, -0.5, -0.3, -0.2]
clocks = ["cost", "seconds"]
clocks += [f"stored.{s}.seconds" for s in ("settlements", "csv_example", "patent")]
counts = ["table2", "table3", "size"]
repeats = {**dict.fromkeys(clocks, "timed"), **dict.fromkeys(counts, "exact")}
record = Record("xer", "reproduction", profile=profile, seeds=seeds, repeats=repeats)

# %% [markdown]
# ## Tables 2 and 3: the data
#
# The sources are public, so our counts should equal the paper's. We count records, pairs of records that are the same
# entity, and entities; then mentions and coreference chains of ECB+ in its validated sentences.

# %%
named = {"settlements": "settlements", "patent": "patents"}
named["csv_example"] = "early_childhood_sites"
datasets = {"settlements": "settlements_records", "patent": "patent_inventors"}
datasets["csv_example"] = "early_childhood_sites"
for name in sets:
    record.uses(datasets[name])
    sizes = read_records(named[name]).gold.value_counts()
    facts = {"entities": sizes.sum(), "matches": (sizes * (sizes - 1) // 2).sum(), "clusters": len(sizes)}
    record.metrics(facts, prefix=f"table2.{name}", unit="count")
mentions = None
if corpus == "ecbplus":
    record.uses("ecbplus")
    mentions = read_mentions()
    for kind, group in mentions.groupby("kind"):
        facts = {"mentions": len(group), "chains": group["chain"].nunique()}
        record.metrics(facts, prefix=f"table3.{kind}", unit="count")
record.table("table2.{set}.{counted}", columns="counted")
record.table("table3.{kind}.{counted}", columns="counted")

# %% [markdown]
# ## Tables 4 and 5: three ways to cluster the same scores
#
# xER seeks the optimum of its objective, and so do we. If the paper used these scores, we should get its F1 to the last
# digit.
#
# The stored score of a pair is dedupe's probability $p$ that two records are one entity. Its weight is $2p - 1$, which
# is above zero if the records look alike. We solve component by component. For settlements and csv_example each optimum
# has a proof. For the patents this run stopped before its proof was done; [the critique](critique) has it. The clusters
# of F-MWSP and of hierarchical clustering are those stored with the scores. We count agreement with the gold standard
# over pairs of records.

# %%
compared = {}
for name in sets:
    record.uses(f"fmwsp_{name}")
    compared[name] = compare_stored(read_stored_scores(name), time_limit=stored_limit, workers=2)

# %%
for name, result in compared.items():
    for method in METHODS:
        record.metrics(result.metrics.loc[method].to_dict(), prefix=f"stored.{name}.{method}")
    f1 = result.metrics["f1"]
    lead = f1["optimum"] - f1[["fmwsp", "hierarchical"]]
    leads = {
        "lead_over_fmwsp": lead["fmwsp"],
        "lead_over_hierarchical": lead["hierarchical"],
        "smaller_lead": lead.min(),
        "smaller_shortfall": (-lead).min(),
    }
    record.metrics(leads, prefix=f"stored.{name}", unit="points")
    record.metrics({"value": result.found.value, "gap": result.found.gap}, prefix=f"stored.{name}")
    record.metric(f"stored.{name}.seconds", result.found.seconds, unit="seconds")

# %%
if {"settlements", "csv_example"} <= set(compared):
    proofs = [compared[name].found for name in ("settlements", "csv_example")]
    left = max((found.check() - found.value) / found.value for found in proofs)
    record.metric("stored.proof_margin", 1e-6 - max(0.0, left))
record.table(
    "stored.settlements.{method}.{measure}",
    method=METHODS,
    measure=("precision", "recall", "f1", "homogeneity", "completeness", "v_measure"),
    columns="method",
    names=METHODS,
)

# %% mystnb={"figure": {"caption": "Table 4 of the paper (hollow) and the same from the stored scores (committed record). On settlements the paper's F1 for F-MWSP is lower than that of its stored clusters.", "name": "fig-xer-table4"}}
record.plot(
    "stored.{set}.{method}.f1",
    set=("settlements", "csv_example", "patent"),
    method=METHODS,
    x="set",
    color="method",
    title="The optimum of the stored scores has the paper's F1 for xER on all three sets",
    names={**METHODS, "set": "data set"},
    ylabel="pairwise F1 (%)",
)

# %% [markdown]
# On each of the three sets, the optimum of the stored scores has the paper's F1 for xER. That includes the patents,
# where it is *below* the other two methods, but there it holds only if records without a score may never share a
# cluster. F-MWSP's stored clusters have its published F1 on patents and csv_example, and a higher one on settlements
# than Table 4 prints. So the optimum's lead on settlements shrinks to a small part of the paper's.
#
# ## Graphs of ECB+ that are like the paper's
#
# Each graph has as many mentions as the paper says, from consecutive documents of one topic, all events or all
# entities. Of all such windows we take the one whose expected number of edges is nearest to the paper's.
#
# The graph of Table 6 is an exception. Its F1, together with the four false edges of section 6.2, gives its number of
# true pairs ([critique](critique)), so we take the window of 49 mentions with that many. The paper does not name the
# thresholds of Table 1; we take the three of Table 6 other than the tightest. We draw scores as the paper does: around
# $+0.5$ within a chain and $-0.5$ across, with a spread of $0.3$. Edges below the threshold $T$ are dropped.
#
# The edges at $T = -0.3$ are therefore no test, except for 49 mentions. In all other numbers, other documents may
# differ. So a number of the paper is not testable here if it lies outside the range of our draws; if it lies inside, it
# is possible, and no more.

# %%
f1_of_49 = printed_values("xer", "reproduction")["table6.T-0.3.f1"]["value"]
true_pairs, _ = pair_counts_behind(f1_of_49, 2, most_pairs=100)[0]
printed_edges = printed_tables("xer", "nodes")["nodes"]
printed_edges[49] = round(edge_count(true_pairs, 49, -0.3, spread=0.3)[0])
mean_sizes = {135: 4.0, 226: 8.7, 262: 12.0}
chains = {}
for n in sorted({38, 46, 49, timed_nodes, *nodes}):
    if mentions is None:
        planted = np.random.default_rng(n)
        chains[n] = planted_chains(n, mean_sizes.get(n, 2.0), planted)
    else:
        window = topic_window(mentions, n, printed_edges[n])
        chains[n] = window.chains
        record.array(f"window.n{n}", [window.topic, window.kind, window.documents])

# %%
documents = "planted" if mentions is None else "windows chosen by size"
record.condition("documents", documents)
if mentions is not None:
    record.deviation(
        "the paper does not name the documents of its graphs; ours are windows of"
        " ECB+ with as many mentions and the nearest expected number of edges"
        " (49 mentions: as many true pairs as the printed F1 says)",
        ["table1", "table6", "table7", "seconds", "size"],
    )
pairs_in = {n: pd.Series(c).value_counts() for n, c in chains.items()}
pd.DataFrame(
    {
        "chains of several": {n: int((s > 1).sum()) for n, s in pairs_in.items()},
        "largest": {n: int(s.max()) for n, s in pairs_in.items()},
        "gold pairs": {n: int((s * (s - 1) // 2).sum()) for n, s in pairs_in.items()},
    }
)


# %% [markdown]
# ## Tables 1 and 6: cliques, edges, F1
#
# We draw the scores of each small graph a hundred times. The paper has one draw of each, so we compare its number with
# the range that holds ninety-five of a hundred draws.

# %%
draws = {
    n: reproduction.measure_draws(chains[n], range(small_draws), thresholds, most_cliques=2_000_000) for n in (38, 46, 49)
}
rows = {38: {-0.2: "38_147", -0.3: "38_203", -0.5: "38_379"}, 46: {-0.2: "46_223", -0.3: "46_317", -0.5: "46_556"}}
for n, names in rows.items():
    for threshold, name in names.items():
        drawn = draws[n][draws[n]["threshold"] == threshold]
        medians = {key: median_of(drawn[key]) for key in ("edges", "maximal", "all")}
        record.metrics(medians, prefix=f"table1.{name}")

# %%
for threshold in thresholds:
    drawn = draws[49][draws[49]["threshold"] == threshold]
    # Counting stopped in some draws.
    counted = drawn[["edges", "clustering", "maximal", "all", "f1"]].dropna(axis=1)
    record.metrics({key: median_of(counted[key]) for key in counted}, prefix=f"table6.T{threshold}")
record.table(
    "table1.{graph}.{counted}", counted=("edges", "maximal", "all"), columns="counted", names={"graph": "nodes_edges"}
)
record.table(
    "table6.T{threshold:g}.{counted}", threshold=thresholds, counted=("edges", "maximal", "all"), columns="counted"
)
record.table("table6.T{threshold:g}.{measure}", threshold=thresholds, measure=("f1", "clustering"))

# %%
by_draw = {
    key: draws[49].pivot(index="threshold", columns="seed", values=key) for key in ("clustering", "maximal", "recall")
}
# From the tightest threshold to the loosest
falls = {key: reproduction.smallest_growth(by_draw[key].loc[thresholds]) for key in ("clustering", "maximal")}
record.metrics(falls, prefix="table6.smallest_fall", interval="t")
recalls = (by_draw["recall"].loc[-0.7] - by_draw["recall"].loc[-0.2]).to_numpy()
record.metric("table6.recall_lost", recalls, interval="t", unit="points")
found = partition_graph(reproduction.truth_as_weights(chains[49]))
of_truth = 100 * partition_metrics(chains[49], found.codes).f1
record.metric("table6.truth", of_truth, unit="%")
record.table("table6.{of}", of=("recall_lost", "truth"))

# %% [markdown]
# Maximal {term}`cliques <clique>` are fewer than cliques everywhere. Our ratio of the two is below the paper's, most of
# all in sparse graphs: the paper's graphs of 38 and 46 mentions may hold a larger chain than ours with as many edges.
# The graph of 49 mentions, chosen by its true pairs, has more edges than the paper's at every threshold; the
# [critique](critique) measures the mismatch.
#
# ## Table 7: four sizes
#
# With the ground truth as weights, $+1$ and $-1$, the optimum is the truth by construction, if nothing bounds the
# number of clusters. How much do noisy scores cost? We make twenty draws of each size at $T = -0.3$ and prove every
# optimum.

# %%
for n in nodes:
    drawn = reproduction.measure_draws(chains[n], seeds, [-0.3])
    f1 = {"f1": median_of(drawn["f1"]), "mean_f1": (drawn["f1"], "t")}
    record.metrics(f1, prefix=f"table7.n{n}", unit="%")
    assert drawn["optimal"].all()
    found = partition_graph(reproduction.truth_as_weights(chains[n]))
    truth = partition_metrics(chains[n], found.codes)
    record.metric(f"table7.n{n}.truth", 100 * truth.f1, unit="%")
record.table("table7.n{nodes:d}.{of}", of=("f1", "mean_f1", "truth"), columns="of", names={"truth": "truth as weights"})

# %% [markdown]
# ## What each formulation costs
#
# According to the paper, set packing takes much longer than its quadratic program. We solve the same graphs of 49
# mentions to a gap of zero in four ways:
#
# - the direct program with inequalities added when broken (triangles and stars, HiGHS);
# - the direct program with all its triangles at once (CP-SAT, as a control);
# - the paper's quadratic program over maximal cliques, linearised, $M = 3$ (HiGHS);
# - set packing over all cliques (HiGHS).
#
# A run that is not done after the limit, or whose program is too large to build, counts as stopped. The paper ran
# Gurobi on another machine and other graphs: compare the shapes, not the levels.

# %%
clock = {}
record.condition("solver", "HiGHS")
wanted = ["direct", "at_once", "quadratic", "packing"]
for seed in timed_seeds:
    whole = reproduction.draw_graph(chains[timed_nodes], seed)
    for threshold in thresholds:
        clock[threshold, seed] = reproduction.time_formulations(
            whole.above(threshold), wanted, partitions=3, time_limit=time_limit
        )
timed = pd.concat(clock, names=["threshold", "seed", "program"])
timed[["seconds", "columns"]] = timed[["seconds", "columns"]].astype(float)
for (threshold, name), group in timed.groupby(level=["threshold", "program"]):
    record.metric(f"cost.T{threshold}.{name}.seconds", group["seconds"].to_numpy(), interval="t", unit="seconds")
    record.metric(
        f"size.columns.T{threshold}.{name}", group["columns"].to_numpy(), interval="t", unit="count of variables"
    )
    stopped = int((~group["optimal"].astype(bool)).sum())
    record.metric(f"cost.T{threshold}.{name}.stopped", stopped, unit="count of runs")

# %%
took = timed["seconds"].unstack("seed")
size = timed["columns"].unstack("seed")
done = timed["optimal"].astype(bool).unstack("seed")
listing = reproduction.phase_one_by_draw(chains[timed_nodes], seeds, thresholds)
record.metric("seconds.cliques_growth", reproduction.smallest_growth(listing), interval="t")
proven = took.where(done).xs("quadratic", level="program").loc[thresholds]
record.metric("seconds.quadratic_growth", reproduction.smallest_growth(proven), interval="t")
slower = [took.loc[t, "packing"] / took.loc[t, "quadratic"] for t in thresholds if t != -0.7]
record.metric("seconds.packing_slower", np.min(slower, axis=0) - 1, interval="t")
saved = size.loc[-0.5, "packing"] - size.loc[-0.5, "quadratic"]
record.metric("size.columns_saved", saved, interval="t")
record.table(
    "size.columns.T{threshold:g}.{program}", threshold=thresholds, columns="threshold", names=reproduction.FORMULATIONS
)

# %% mystnb={"figure": {"caption": "Seconds to proven optimality by threshold, 49 mentions (committed record: means over the draws; a stopped run counts with the limit). With all constraints at once, the direct program takes longer with each tighter threshold, but less than the quadratic one. With constraints added when broken, which is our way and not the paper's, it takes a small part of a second everywhere.", "name": "fig-xer-seconds"}}
record.plot(
    "cost.T{threshold:g}.{program}.seconds",
    threshold=thresholds,
    program=reproduction.FORMULATIONS,
    x="threshold",
    color="program",
    log_y=True,
    title="The quadratic program takes longer with each tighter threshold, as far as it finishes",
    names={**reproduction.FORMULATIONS, "threshold": "threshold T (tight at the left)"},
    levels={"limit": 30.0},
)

# %%
record.table(
    "cost.T{threshold:g}.{program}.stopped",
    threshold=thresholds,
    program=reproduction.FORMULATIONS,
    rows="program",
    columns="threshold",
    names={**reproduction.FORMULATIONS, "program": "runs stopped"},
)

# %% [markdown]
# - The paper's quadratic program is fast at $T = -0.2$, near the limit or beyond it at $-0.5$, and has no proof at
#   $-0.7$. A stopped run says nothing about growth, so we judge that claim on the steps whose two ends finished.
# - Listing the maximal cliques takes longer with each tighter threshold. We take the least of several runs by the clock
#   of the process, since at loose thresholds the listing takes less time than starting a process.
# - With its constraints added when broken, which is our way to solve it, the direct program takes milliseconds at every
#   threshold. With all constraints at once, as the paper means it, it takes a few seconds at the tightest;
#   [beyond](beyond) has larger graphs.
# - Set packing over *all* cliques, the paper's slow alternative, is the faster of the two here, except at the tightest
#   threshold, where neither finishes. Counted in cliques, the quadratic program has the smaller input, as the paper
#   says. But each maximal clique brings a variable for each mention in each of its $M$ parts and, once linearised, also
#   one for each pair of mentions.
#
# Our programs ran in open solvers and the paper's in Gurobi, so we judge a claim that rests on one solver's seconds by
# its direction at best.

# %%
record.save()
record
