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
# `([{kbpentity:true}]+) /was/ /born/ /on/ ([{slotvalue:true}]+)` is a rule: a marked person, three words and a marked date mean *date of birth*. The paper's decoder writes such rules token by token, and {term}`BLEU` measures their overlap with hand-written rules. The authors released their rules, and lists of which rule matches which item of TACRED. Without any of TACRED's licensed text, these answer three questions. Do the printed counts hold? Which BLEU does a lookup get that reads no sentence? Do the printed numbers fit each other? [The front page](index) explains the method.

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
from trustnlp.studies.edin import baselines, mappings, tables
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
# Do the {term}`released files` have the printed counts? The paper counts two kinds of rules: {term}`TokensRegex` looks at words in a row, {term}`Semgrex` at grammatical relations. It also counts the decoder's tokens. A lemma is the base form of a word. The last rows count the released rules that equal a printed example.

# %%
files = (rules, parts, printed)
rngs = [np.random.default_rng([seeds[0], part]) for part in (1, 2, 3)]
how = {"resamples": resamples, "rng": rngs[1]}
for checks in (
    mappings.rule_checks(*files),
    mappings.part_checks(parts, printed, rng=rngs[0]),
    [mappings.suffice_check(parts, printed)],
    baselines.lookup_checks(*files, draws=draws, **how),
    baselines.curve_checks(*files, resamples=resamples, rng=rngs[2]),
    checks_of(printed),
):
    tables.record_checks(record, checks)

# %%
record.table({
    "TokensRegex rules": "rules.tokensregex.count",
    "Semgrex rules": "rules.semgrex.count",
    "distinct Semgrex rules": "rules.semgrex.distinct.count",
    "rules that match any item": "rules.firing.count",
    "rules that ask for a lemma": "rules.lemma.count",
    "of these, rules that match any item": "rules.lemma.firing.count",
    "tokens of the decoder": "tokens.vocabulary.count",
    "released rules that are the printed CEO rule": "example.ceo.rules.count",
    "released rules that are the decoded president rule": "example.president.rules.count",
})

# %% [markdown]
# The files have as many TokensRegex rules and tokens as the paper prints, but more Semgrex rules. Most rules never match. No rule with a lemma does, as if the lists had been made without lemmas. The decoded rule that Table 2 shows as a mistake is itself a released rule.
#
# The next table has a row per part of TACRED. *Rules disagree* counts items whose rules all contradict the label. The rule-only set, on which the paper trains its first configuration, has them as positives.

# %%
names = {"train": "training", "rule_only": "rule-only set", "matched": "with a rule", "empty": "rules disagree", "unmatched": "without"}
shown, kinds = ("train", "rule_only", "dev", "test"), ("items", "matched", "empty", "unmatched")
record.table("matches.{part}.{items}.count", part=shown, items=kinds, columns="items", names=names)

# %%
record.table({
    "items with a relation that have a rule (test)": "matches.test.recall",
    "the same (dev)": "matches.dev.recall",
    "items with a rule whose rules disagree (training)": "matches.train.disagreeing",
    "items of the most frequent rule (training)": "matches.train.top_rule",
    "the same (test)": "matches.test.top_rule",
})

# %% [markdown]
# The rule-only set has the printed sizes. More test items have a rule than the paper says. Divided by TACRED's number of items with a relation, which the paper does not give, they yield the recall of Table 1 but for a few items. One rule, a title next to a person, matches a large share of the items{holds}`mappings.paper:matches.train.top_rule clearly between 35 50`.
#
# ## What BLEU gives to rules that read no sentence
#
# A decoder that reads the sentence should get a higher BLEU than a lookup that does not. BLEU counts the runs of one to four tokens that a decoded rule shares with the rules that match the item, its references. Brackets and marks, which every rule has, are tokens, too:

# %%
example = rule_tokens(printed["examples"]["ceo"])
saying = [token for token in example if baselines.saying(token)]
print(" ".join(example))
record.show(f"{len(saying)} of {len(example)} tokens say something: {', '.join(saying)}", printed=True)

# %% [markdown]
# We score rules that no network wrote against the same references. Two are baselines, one is for another relation, and three are gold rules with a planted fault. {term}`Exact match` asks whether the rule is one of the references. All references match the item and give its relation. So for the baselines, exact match is also how often the rule is true of its sentence ({term}`execution accuracy`). Intervals are {term}`bootstraps <bootstrap>` over items.

# %%
names = {"": "BLEU", ".exact": "exact match", **mappings.CANDIDATES}
rules_shown = tuple(mappings.CANDIDATES)
record.table("bleu.test.{rule}{score}", rule=rules_shown, score=("", ".exact"), columns="score", names=names)

# %%
record.table({
    "printed decoder less the most frequent rule": "bleu.test.one_rule.printed_lead",
    "printed decoder less the relation's most frequent rule": "bleu.test.relation_rule.printed_lead",
    "printed decoder without classifier, less the same": "bleu.test.relation_rule.printed_lead_alone",
    "printed decoder with training data, less the same": "bleu.test.relation_rule_combined.printed_lead",
    "word rules with a BLEU of 99 or more when exchanged": "bleu.rules.swap_unseen",
})

# %% [markdown]
# A lookup that is told the true relation scores what Table 1 prints for the decoder that reads the sentence{holds}`mappings.paper:bleu.test.relation_rule.printed_lead clearly between -2 2`, and more than the decoder without a classifier{holds}`mappings.paper:bleu.test.relation_rule.printed_lead_alone clearly below 0`. With training data the printed decoder has no clear lead, either, once the lookup counts rules in the same data.
#
# BLEU also pays for wrong rules:
#
# - A gold rule without any of its words still gets a BLEU of {metric}`mappings.paper:bleu.test.word_free`, and a random rule of another relation one of {metric}`mappings.paper:bleu.test.unrelated`.
# - One wrong word leaves a BLEU of {metric}`mappings.paper:bleu.test.one_word`, still above the 90 that the paper calls high.
# - Exchanging subject and object in every rule leaves a BLEU of {metric}`mappings.paper:bleu.test.swapped`, since in most word rules that fire both marks have the same neighbours. For most relations, but not for *spouse*, the exchanged rule is false.
#
# So BLEU does not distinguish a decoder from a lookup.
#
# ## Table 3, with a lookup beside it
#
# Does the printed decoder beat the lookup with fewer rules? The paper keeps the rules that match most often in training, and scores on the dev part. The smallest share of all rules would already hold every rule that fires, so we take shares of those that fire.

# %%
names = {"percent": "rules (%)", "": "either", "_kept": "references: the kept rules", "_all": "all rules"}
record.table("curve.p{percent:d}.printed_lead{of}", of=("_kept", "_all", ""), columns="of", names=names)

# %%
record.table({
    "items that 20 % of the firing rules match": "curve.p20.covered",
    "rules that fire, less 20 % of all": "curve.firing_beyond_20_percent",
    "F1, 40 % of the rules less all, both on dev": "curve.p40_over_rules",
})

# %% mystnb={"figure": {"name": "fig-edin-lookup", "caption": "A lookup that reads no sentence scores about what Table 1 prints for the decoder. Hollow marks are the printed BLEU of the decoder. Other marks are the BLEU of the lookup, which gives the most frequent rule of the item's true relation, with intervals over items (committed record). The upper rows show Table 1 on the test part, the lower ones Table 3 on the dev part, where the references are the kept rules or all."}}
record.show(*mappings.lookup_figure(evidence(record), printed))

# %% [markdown]
# The paper does not say what the references are: the rules that were kept, or all. The released `train.py` reads the whole list in either case. So we score each lookup both ways; the interval of *either* covers both.
#
# With the smallest share of rules, the printed decoder scores higher than the lookup{holds}`mappings.paper:curve.p20.printed_lead clearly above 0`. With larger shares it scores lower if only the kept rules are references{holds}`3 of 4 mappings.paper:curve.p*.printed_lead_kept clearly below 0`, and does not if all are. The smallest share is no small sample: it matches most of the items with a rule{holds}`mappings.paper:curve.p20.covered clearly between 70 90`.
#
# Does a network that learned from two fifths of the rules beat all of them? The paper compares its F1 on the dev part with the rules' F1 on the test part. On the dev part, the rules have a higher recall; the paper does not print their precision there, so we estimate it. By this estimate, the network has a lower F1{holds}`mappings.paper:curve.p40_over_rules clearly below 0`, as the last row above the figure shows; with four fifths it has a higher one. Exercise 3 asks at which precision this would change.
#
# ## Do the printed numbers fit?
#
# And do they fit the released code? A margin above zero means that a sentence of the paper holds. The paper counts 26 of 750 items with a rule as wrong, 16 of them without a decoded rule. It does not say for which row of Table 1, so the interval of the explanations with a BLEU covers both readings. The shares of decoded rules that annotators accepted have Wilson intervals.

# %%
record.table({
    "margin of F1 from precision and recall, Table 1": "printed.table1.f1_margin",
    "the same, Table 3": "printed.table3.f1_margin",
    "least joint gain": "printed.table1.least_joint_gain",
    "F1, 40 % of the rules less all": "printed.table3.p40_over_rules",
    "explanations with a BLEU, less one half": "printed.outside.scored_above_half",
})

# %%
record.table({
    "rules that explain exactly, less one half": "printed.manual.exact_above_half",
    "exactly or approximately, less one half": "printed.manual.approximate_above_half",
    "skipped rules": "printed.manual.undecoded",
    "settings that the released code has as printed": "printed.released.agreeing.count",
    "relations of the released code": "printed.released.relations.count",
    "printed LSTM layers that it lacks": "printed.released.missing_lstm_layers",
    "epochs by which it anneals later than printed": "printed.released.annealing_delay",
})

# %% [markdown]
# Every F1 follows from its precision and recall, and all four printed joint gains are positive. Only a minority of the explanations has a BLEU, on either reading{holds}`mappings.paper:printed.outside.scored_above_half clearly below 0`. According to the annotators, most rules explain the prediction exactly or approximately{holds}`mappings.paper:printed.manual.approximate_above_half clearly above 0`, as the paper says; fewer than half explain it exactly{holds}`mappings.paper:printed.manual.exact_above_half clearly below 0`.
#
# Of the settings in Appendix A and Table 4, {metric}`mappings.paper:printed.released.agreeing.count` agree with the released code, and so does the number of relations. The layers of the LSTM, the optimiser and the first epoch of annealing do not.
#
# ## Exercises
#
# **1.** Which BLEU does the most frequent rule of each relation get if its frequency is counted in the test part itself? **2.** By how many tokens does the printed `CEO` rule differ from the decoded `president` rule, and what is its BLEU? **3.** Two fifths of the rules suffice if all rules are not too precise on the dev part. How precise may they be?

# %% tags=["hide-cell"]
items = mappings.matched_items(parts["test"])
written = {name: rule_tokens(text) for name, text in rules.items()}
right = baselines.references(items, written)
_, best = mappings.most_frequent(parts["test"])
said = [written[best[item[0].relation]] for item in items]
ceo, president = (rule_tokens(printed["examples"][name]) for name in ("ceo", "president"))
recall = record.measurements["matches.dev.recall"]["mean"]
f1 = printed["table3"][40]["f1"]
{
    "1": round(corpus_bleu(right, said), 1),
    "2": (sum(a != b for a, b in zip(ceo, president, strict=True)), round(sentence_bleu([ceo], president), 1)),
    "3": round(f1 * recall / (2 * recall - f1), 1),
}

# %%
record.save()
record
