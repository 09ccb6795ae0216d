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
# # Does the network write the right rule, where we know it?
#
# In real text we cannot say whether a decoded rule is the *right* one: several may match, and some of the rules that taught the network are wrong. So we make up sentences ({term}`stand-in`), some from a known rule and some that no rule matches. Then we make some rules wrong. Does the network find the relation? Does the decoder write the rule? How much do wrong rules cost? The [lesson](method) builds such a network step by step.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "edin/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_items = 800
wrong_shares = [25]
width = 48
dropout = 0.05
epochs = 10
learning_rate = 0.04
batch_size = 16
negatives = 2.0
device = "cpu"

# %%
import pandas as pd
from trustnlp.relations.relation_extractor import RelationExtractor
from trustnlp.reproduce import Record
from trustnlp.studies.edin import planted
from trustnlp.studies.edin.standins import planted_rule
from trustnlp.studies.edin.tables import record_seeds

given = vars()  # the parameters above
record = Record("edin", "planted", profile=profile, seeds=seeds, repeats="float32")
record.condition("corpus", "made-up")
record.uses("en_core_web_sm")

# %% [markdown]
# ## A sentence and its rule
#
# The world has eight relations with three rules each, and pairs of entities without a relation. Two relations at a time share their entity types, so types do not give the relation away. Many sentences have a second clause about other entities. Here is one sentence.

# %%
right = planted.world(n_items, seeds[0], given)
example = next(one for one, rules in zip(right.test.examples, right.test.references, strict=True) if rules)
pattern = {rule.id: rule.pattern for rule in right.corpus.rules.usable}
rule = pattern[planted_rule(example)]
entities = [
    example.tokens[slice(*span)] for span in (example.subject, example.object)
]
facts = [" ".join(example.tokens), *map(" ".join, entities), example.relation, rule]
names = ["sentence", "subject", "object", "relation", "rule"]
pd.Series(facts, names, name="").to_frame()

# %% [markdown]
# ## A sentence of your own
#
# We train on the sentences that the right rules match, and use other pairs of these sentences as `no_relation`. As in the paper, we run rules without lemmas (base forms of words), so rules that ask for a lemma never match, and teach nothing.
#
# Does it work on new sentences? A parser reads each one, the network names the relation, the decoder writes a rule, and we run the rule on the sentence. Put in your own sentence, and two names in it. To use an extractor that you saved, call `load_extractor`; this one knows only eight relations and a made-up world's words.

# %%
extractor = RelationExtractor(planted.trained(right, seeds[0]))
own = ["Ada Lind was hired by Acme Corp.", "Ada Lind works for Acme Corp."]
answers = [extractor.explain(one, "Ada Lind", "Acme Corp") for one in own]
pd.DataFrame(map(vars, answers), own).drop(columns="example").T

# %% [markdown]
# The last row answers what the paper leaves to its readers: does the rule match this sentence, with these two names in their places? If not, the relation may still be right, but the rule does not explain it.
#
# ## How good could it be?
#
# Rules cannot teach a phrase that no rule matches. Such a phrase may occur in a second clause, but there the paper counts its pair as having no relation. So we report on such sentences separately. On the others, right rules find everything, which is the ceiling of F1. The decoder has a ceiling of {term}`exact match`, on sentences whose rule occurs in training.
#
# ## The experiment
#
# With right rules, network and decoder should come near these ceilings. Each {term}`seed` draws sentences, wrong rules and trainings anew. A wrong rule names the other relation with the same types. Wrong rules do not change the truth: we score against the stated relation, and against the rule that made the sentence. *True of the sentence* is {term}`execution accuracy` over all predicted relations: the rule matches, and right rules would give that relation.
#
# Trainings in the paper's manner had not reached the ceiling, so we chose world and recipe again, on other seeds. Second clauses now have entities of the same types, so that training contains pairs without a relation. The paper lowers the learning rate and picks the epoch by the classifier's F1, but the classifier is done long before the decoder. So we keep the rate constant, and the last epoch. {term}`Word dropout` and a penalty on the pooled vector, both from the released code, slowed the decoder. We use neither.

# %%
record.deviation(
    f"The network is {width} wide with one LSTM layer and a dropout of {dropout}, and trained for {epochs} epochs in batches of {batch_size} at rate "
    f"{learning_rate} (the paper: 200, two, 0.5, 100, 50, 0.3), and its word vectors start at random."
)
record.deviation(
    "The learning rate is not annealed and the last epoch is kept; in the paper F1 on labels of the dev part decides on both."
)
record.deviation(
    "Recipe, second clauses and the sentences that are set aside were chosen on other seeds, after trainings in the paper's manner had not reached the ceiling."
)
record.deviation(
    "A first record, of 3,000 sentences and seeds 0 to 4, left whether the ceilings are reached undetermined; this one has more sentences and new seeds."
)
record.deviation(
    "The decoder's last layer reads its own state beside the attention's answer; from the answer alone, as printed, it did not learn."
)
record.deviation(
    f"A positive example brings at most {negatives:g} other pairs of its sentence, none of which a rule matches; the paper's data have 3.2."
)

# %%
rows = []
for seed in seeds:
    worlds = [planted.world(n_items, seed, given, wrong_rules=share / 100) for share in (0, wrong_shares[0])]
    rows.append(planted.truth_of_seed(*worlds, seed))
record_seeds(record, rows, "truth.")

# %%
in_words = {
    "right": "right rules", "wrong": "a share of wrong rules",
    "precision": "precision", "recall": "recall", "f1": "F1", "f1_ceiling": "ceiling of F1",
    "rules_f1": "F1 of the rules themselves", "exact": "exact match", "exact_ceiling": "ceiling of exact match",
    "executed": "true of the sentence", "unmatched_found": "found where no rule matches",
}
scores = tuple(in_words)[2:]
record.table("truth.{taught}.{score}", taught=("right", "wrong"), score=scores, columns="taught", names=in_words)

# %% [markdown]
# With right rules, the classifier finds what the rules find{holds}`planted.paper:truth.right.recall above 99`, and almost nothing else{holds}`planted.paper:truth.right.precision clearly above 99`. The decoder writes the rule that made the sentence{holds}`planted.paper:truth.right.exact clearly above 98`, and this rule is true of it{holds}`planted.paper:truth.right.executed clearly above 97`. In sentences that no rule matches, it finds few relations{holds}`planted.paper:truth.right.unmatched_found clearly below 15`: nothing taught it these.
#
# ## With wrong rules
#
# The classifier learns what it is told, so its F1 should fall with the share of wrong rules. The decoder is told only which rule matched, and a rule's tokens do not say which relation it names. So the wording should suffer less.

# %% mystnb={"figure": {"name": "fig-edin-known-truth", "caption": "Test scores of networks that learned from right rules, and from rules of which a share is wrong, with intervals over seeds (committed record)."}}
record.plot(
    "truth.{taught}.{score}",
    x="score",
    color="taught",
    taught=("right", "wrong"),
    score=("f1", "exact", "executed"),
    title="Wrong rules hurt relations and the truth of decoded rules far more than their wording",
    xlabel="",
    ylabel="test part (%)",
    names=in_words,
)

# %%
record.table({"F1": "truth.wrong.f1_loss", "exact match": "truth.wrong.exact_loss"}, names={"label": "cost of wrong rules"})

# %% [markdown]
# The classifier is as wrong as its rules. The decoder mostly goes on writing the rule that made the sentence, whatever relation this rule now names; we see no clear loss of exact match. So neither {term}`BLEU` nor exact match shows that a rule is wrong. To see it, run the rule and compare its relation with the truth.

# %%
record.save()
record
