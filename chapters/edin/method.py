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
# # Where it is known which rule is right
#
# A network learns from rules, and writes the rule behind each answer. On real text nobody can say whether it wrote the *right* rule: several may match, and some of the rules that taught it are wrong. So here the sentences are made up ({term}`stand-in`). Each is made from a rule or from a phrase that no rule matches, and it is written down which. Then some of the rules are made wrong. Does the network find the relation, does the decoder write the rule, and what do wrong rules cost?

# %% tags=["remove-input"]
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = "https://github.com/OWNER/trustnlp"
REVISION = "main"
if "google.colab" in sys.modules:  # torch and numpy stay as Colab has them
    book = Path("trustnlp-book").resolve()
    os.environ["TRUSTNLP_ROOT"] = str(book)
    if not book.exists():
        subprocess.run(["git", "clone", "-q", REPOSITORY, book], check=True)
        subprocess.run(["git", "-C", book, "checkout", "-q", REVISION], check=True)
        wanted = f"{book}[embeddings,explain,text]"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", wanted], check=True
        )

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
n_items = 800
wrong_shares = [25]
vectors = []
width = 40
lstm_layers = 1
epochs = 14
learning_rate = 0.03
batch_size = 16
negatives = 2.0
labelled = 2000
device = "cpu"

# %%
import pandas as pd
from trustnlp.data.relation_examples import NO_RELATION
from trustnlp.data.relation_standins import planted_rule
from trustnlp.explain.rules.decoded_rules import matches
from trustnlp.explain.rules.rule_tokens import rule_tokens
from trustnlp.plots import show
from trustnlp.reproduce import Record
from trustnlp.reproduce.page_evidence import evidence
from trustnlp.studies.edin import known_truth

given = vars()  # the parameters above
record = Record("edin", "method", profile=profile, seeds=seeds, repeats="float32")
record.condition("corpus", "made-up")

# %% [markdown]
# ## A sentence and its rule
#
# The world has eight relations with three rules each, and pairs of entities without a relation. Relations come in pairs with the same types of entities, so the types tell nothing. Many sentences have a second clause, which states something about other entities. Here is a sentence that was made from a rule. Its subject and object are marked.

# %%
right = known_truth.world(n_items, seeds[0], given)
example = next(
    one
    for one, rules in zip(right.test.examples, right.test.references, strict=True)
    if rules
)
pattern = {rule.id: rule.pattern for rule in right.corpus.rules.usable}
rule = pattern[planted_rule(example)]
entities = [example.tokens[slice(*span)] for span in (example.subject, example.object)]
facts = [" ".join(example.tokens), *map(" ".join, entities), example.relation, rule]
names = ["sentence", "subject", "object", "relation", "rule"]
pd.Series(facts, names, name="").to_frame()

# %% [markdown]
# ## Run the rule
#
# A rule in {term}`TokensRegex` is a pattern over the words, with a place for the subject and one for the object. It explains a sentence if it matches with the two entities in their places. With subject and object exchanged it says something else, and must not match.

# %%
said = {
    "as marked": matches(rule, example),
    "subject and object exchanged": matches(rule, example.swapped()),
}
pd.Series(said, name="rule matches").to_frame()

# %% [markdown]
# As in the paper, rules are run without lemmas, so those that ask for a lemma never match, and nothing is learned from them. The decoder does not write a pattern at once. It writes {term}`tokens <token>` one by one; these are what it would have to write here.

# %%
" ".join(rule_tokens(rule))
