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
# # What the released files say
#
# `([{kbpentity:true}]+) /was/ /born/ /on/ ([{slotvalue:true}]+)` is a rule: a marked person, three words, a marked date, and the relation is *date of birth*. The paper's decoder writes such rules, token by token, and {term}`BLEU` says how near they come to the rules that people wrote. The authors released their rules, and lists of which rule matches which item of TACRED. The text of TACRED is licensed and is
# not here; the lists hold none of it. They are enough to ask three things. Do the printed counts hold? What does BLEU give to a rule that read no sentence? And do the printed numbers fit each other? [The front page](index) has the idea.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/mappings"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_items = 600
draws = 2
resamples = 200

# %%
import numpy as np
from trustnlp.data.relations.rule_mappings import PARTS, read_rule_mappings, read_rule_texts
from trustnlp.evaluation.reference_overlap import corpus_bleu, sentence_bleu
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.records.page_evidence import evidence
from trustnlp.studies.edin import baselines as lookups
from trustnlp.studies.edin import mappings as statistics
from trustnlp.studies.edin import tables
from trustnlp.studies.edin.checks import checks_of
from trustnlp.studies.edin.standins import made_up_mappings

# %%
exact = ("rules", "tokens", "example", "printed.table1", "printed.table3")
repeats = {"": "float64", **dict.fromkeys(exact, "exact")}
record = Record("edin", "mappings", profile=profile, seeds=seeds, repeats=repeats)
printed = printed_tables("edin", "table1", "table3", "rules", "tacred", "examples")
printed |= printed_tables("edin", "matched", "manual")
printed |= printed_tables("edin", "pytorch", "appendix", "released")
if profile == "paper":
    record.uses("edin_rules")
    rules = read_rule_texts()
    parts = {part: read_rule_mappings(part) for part in PARTS}
else:
    rules, parts = made_up_mappings(n_items, np.random.default_rng([seeds[0], 0]))

# %%
record.deviation(
    "All items with a rule are scored; the paper leaves out those for which its classifier predicts no relation, 16 of 750.",
    keys=["bleu.test", "curve"],
)
record.deviation(
    "Dev and test lists are taken to hold only rules that agree with the label, since the test part then has the printed recall.",
    keys=["matches.test.recall", "matches.dev.recall", "curve.p40_over_rules"],
)
record.deviation(
    "The numbers of TACRED's test and dev items with a relation are from memory; they fit its published share of 79.5 % without.",
    keys=["matches.test.recall", "matches.dev.recall", "curve.p40_over_rules", "printed.outside"],
)
record.deviation(
    "The precision of the rules on the dev part is not printed; it is put between that on the training and that on the test part.",
    keys=["curve.p40_over_rules"],
)
record.deviation(
    "The paper does not say whether rules that were left out are references: the intervals hold both readings, `kept` and `all`.",
    keys=["curve.p20", "curve.p40", "curve.p60", "curve.p80"],
)

# %% [markdown]
# ## Rules, and where they match
#
# The paper counts two kinds of rules: {term}`TokensRegex` looks at words in a row, {term}`Semgrex` at grammatical relations. It also counts the decoder's tokens. A lemma is the base form of a word. The last rows ask how many released rules are two examples that the paper prints, token by token.

# %%
files = (rules, parts, printed)
rngs = [np.random.default_rng([seeds[0], part]) for part in (1, 2, 3)]
how = {"resamples": resamples, "rng": rngs[1]}
for checks in (
    statistics.rule_checks(*files),
    statistics.part_checks(parts, printed, rng=rngs[0]),
    [statistics.suffice_check(parts, printed)],
    lookups.lookup_checks(*files, draws=draws, **how),
    lookups.curve_checks(*files, resamples=resamples, rng=rngs[2]),
    checks_of(printed),
):
    tables.record_checks(record, checks)

# %%
record.table({
    "TokensRegex rules": "rules.tokensregex.count",
    "Semgrex rules": "rules.semgrex.count",
    "Semgrex rules, each once": "rules.semgrex.distinct.count",
    "rules that match any item": "rules.firing.count",
    "rules that ask for a lemma": "rules.lemma.count",
    "of these, that match any item": "rules.lemma.firing.count",
    "tokens of the decoder": "tokens.vocabulary.count",
    "released rules that are the printed CEO rule": "example.ceo.rules.count",
    "released rules that are the decoded president rule": "example.president.rules.count",
})

# %% [markdown]
# What was seen: the count of TokensRegex rules and that of the decoder's tokens are the printed ones, the count of Semgrex rules is not. Most rules never match, and no rule with a lemma does, as if the lists had been made without lemmas. And the decoded rule that Table 2 shows as a mistake is itself a released rule.
#
# One line per part of TACRED. An empty list belongs to an item on which a rule fired and disagreed with the label. The rule-only set, on which the paper trains its first configuration, has all of them as positives.

# %%
names = {"train": "training", "rule_only": "rule-only set", "matched": "with a rule", "empty": "rules disagree", "unmatched": "without"}
shown, kinds = ("train", "rule_only", "dev", "test"), ("items", "matched", "empty", "unmatched")
record.table("matches.{part}.{items}.count", part=shown, items=kinds, columns="items", names=names)

# %%
record.table({
    "items with a rule, of those with a relation (test)": "matches.test.recall",
    "the same (dev)": "matches.dev.recall",
    "items whose rules disagree, of those with a rule (training)": "matches.train.disagreeing",
    "items of the most frequent rule (training)": "matches.train.top_rule",
    "the same (test)": "matches.test.top_rule",
})

# %% [markdown]
# What was seen: the sizes of the rule-only set are the printed ones. The test part has more items with a rule than the paper says. Divided by the items with a relation, which is a number of TACRED and not of the paper, they give the recall that Table 1 prints, but for a few items. One rule, a title beside a person, matches a large share of all.
#
# ## What BLEU gives to rules that read no sentence
#
# BLEU counts the runs of one to four tokens that a decoded rule shares with the rules that match the item, its references. Brackets and marks are tokens, too, and every rule has them:

# %%
example = rule_tokens(printed["examples"]["ceo"])
saying = [token for token in example if lookups.saying(token)]
print(" ".join(example))
record.show(f"{len(saying)} of {len(example)} tokens say something: {', '.join(saying)}", printed=True)

# %% [markdown]
# So here the same references meet rules that no network wrote. The first two are baselines; the third is a rule for something else; the last three are gold rules with a planted fault. Beside BLEU is {term}`exact match`: the rule is one of the references. These are all rules that match the item and give its relation. So for the two baselines, which are rules of the system, exact match also says how often they are true of the sentence ({term}`execution accuracy`), without its text. Intervals are {term}`bootstraps <bootstrap>` over items.

# %%
names = {"": "BLEU", ".exact": "exact match", **statistics.CANDIDATES}
rules_shown = tuple(statistics.CANDIDATES)
record.table("bleu.test.{rule}{score}", rule=rules_shown, score=("", ".exact"), columns="score", names=names)

# %%
record.table({
    "decoder over the most frequent rule": "bleu.test.one_rule.printed_lead",
    "decoder over the relation's rule": "bleu.test.relation_rule.printed_lead",
    "decoder without classifier over it": "bleu.test.relation_rule.printed_lead_alone",
    "decoder with training data over it": "bleu.test.relation_rule_combined.printed_lead",
    "word rules that BLEU takes for their exchange": "bleu.rules.swap_unseen",
})

# %% [markdown]
# What was seen: a lookup, told the item's true relation, gets what Table 1 prints for the decoder that reads the sentence, and more than it prints for the decoder without a classifier. With training data the printed decoder cannot be told from it either, once the lookup counts its frequencies where that row is trained. A gold rule without any of its words still gets most of the points, a random rule of another relation gets less than half, and one wrong word takes a rule below no line that the paper draws. Exchanging subject and object in every rule costs next to nothing, less than one wrong word: in most word rules that fire the two marks have the same neighbours. For most relations the exchanged rule says something false; for those that hold both ways, such as *spouse*, it does not.
#
# This does not say that the decoder is a lookup. It says that BLEU cannot tell the two apart.
#
# ## Table 3, with a lookup beside it
#
# The paper keeps the top share of its rules, by how often they match in training, and scores on the dev part. If this is a share of all rules, the smallest already holds every rule that fires. So here it is a share of those that fire.

# %%
names = {"percent": "rules (%)", "": "either", "_kept": "references: the kept rules", "_all": "all rules"}
record.table("curve.p{percent:d}.printed_lead{of}", of=("_kept", "_all", ""), columns="of", names=names)

# %%
record.table({
    "items that 20 % of the firing rules match": "curve.p20.covered",
    "firing rules, over 20 % of all": "curve.firing_beyond_20_percent",
    "F1 with 40 % of the rules over all, both on dev": "curve.p40_over_rules",
})

# %% mystnb={"figure": {"name": "fig-edin-lookup", "caption": "Printed BLEU of the decoder (hollow) and BLEU of the most frequent rule of the item's true relation, a lookup that is told the relation and reads no sentence, with intervals over items (committed record). The upper rows are Table 1 on the test part, the lower ones Table 3 on the dev part, where the references are the kept rules or all."}}
record.show(*statistics.lookup_figure(evidence(record), printed))

# %% [markdown]
# The paper does not say what the references are: the rules that were kept, or all. The released `train.py` reads the whole list of the dev part, whatever was kept. So each lookup is there twice, and an interval without an ending holds both readings.
#
# What was seen: with the smallest share of rules the printed decoder is above the lookup. With the others it is below the lookup if only the kept rules are references, and not below if all are. The items of the smallest share are no small sample: they are most of all items with a rule.
#
# The last row asks about one part. The paper sets its F1 with two fifths of the rules, on the dev part, beside the F1 of all rules, on the test part. On the dev part all rules have a higher recall than on the test part. Their precision there is not printed, so theirs is an estimate. Below zero: by this estimate all rules are ahead of the network that learned from two fifths of them. They are not ahead of the one that learned from four fifths. Exercise 3 asks how precise they would have to be.
#
# ## Do the printed numbers fit?
#
# Margins above zero mean that a sentence holds. The paper counts 26 of 750 items with a rule as wrong, 16 of them without a decoded rule. To which row of Table 1 they belong it does not say: the interval of the explanations with a BLEU holds both readings. The shares of decoded rules that annotators accepted have intervals by Wilson's formula.

# %%
record.table({
    "Table 1, F1 from precision and recall": "printed.table1.f1_margin",
    "Table 3, the same": "printed.table3.f1_margin",
    "least joint gain": "printed.table1.least_joint_gain",
    "F1 with 40 % of the rules over all": "printed.table3.p40_over_rules",
    "explanations with a BLEU, over one half": "printed.outside.scored_above_half",
})

# %%
record.table({
    "rules that explain exactly, over one half": "printed.manual.exact_above_half",
    "exactly or approximately, over one half": "printed.manual.approximate_above_half",
    "rules that were skipped": "printed.manual.undecoded",
    "settings that the released code shares": "printed.released.agreeing.count",
    "its relations": "printed.released.relations.count",
    "layers of LSTM that it lacks": "printed.released.missing_lstm_layers",
    "epochs before it may anneal, beyond the printed": "printed.released.annealing_delay",
})

# %% [markdown]
# What was seen: every F1 follows from its precision and recall. All four joint gains are positive in print, and small. BLEU looks at a minority of the explanations that are given, on either reading. Of the rules that annotators looked at, most explain the prediction exactly or approximately, which is what the paper says; exactly alone, less than half do. Of the settings in Appendix A and Table 4 that the released code has too, thirteen agree and four do not; it has forty-one relations, as printed.
#
# ## Exercises
#
# **1.** Which BLEU does the most frequent rule of each relation get if its frequency is taken from the test part itself? **2.** By how many tokens does the printed `CEO` rule differ from the decoded `president` rule, and what is its BLEU? **3.** How precise would the rules have to be on the dev part for two fifths of them to suffice?

# %% tags=["hide-cell"]
items = statistics.matched_items(parts["test"])
written = {name: rule_tokens(text) for name, text in rules.items()}
right = lookups.references(items, written)
_, best = statistics.most_frequent(parts["test"])
said = [written[best[item[0].relation]] for item in items]
ceo, president = (rule_tokens(printed["examples"][name]) for name in ("ceo", "president"))
recall = record.metrics["matches.dev.recall"]["mean"]
f1 = printed["table3"][40]["f1"]
{
    "1": round(corpus_bleu(right, said), 1),
    "2": (sum(a != b for a, b in zip(ceo, president, strict=True)), round(sentence_bleu([ceo], president), 1)),
    "3": round(f1 * recall / (2 * recall - f1), 1),
}

# %%
record.save()
record
