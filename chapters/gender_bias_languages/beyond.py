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
# # Repairs
#
# The critique found directions that rest on one pair and scores that change with the seed. We try three cheap repairs.
# Choose the estimate of the direction by pairs that it has not seen. In languages with {term}`grammatical gender`, take
# the grammar out first. Print a score only if its sign survives another seed and another sample of the documents.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "gender_bias_languages/beyond"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
languages = ["es", "en"]
planted_tokens = 25_000
tokens = 6_000_000
sample = 500_000
longest = 10_000
dim = 50
epochs = 5
resamples = 2

# %%
import numpy as np
import pandas as pd
from tqdm.auto import tqdm
from trustnlp.data.words.released_word_lists import read_zhou
from trustnlp.reproduce import Record
from trustnlp.studies.gender_bias_languages import beyond
from trustnlp.studies.gender_bias_languages.beyond import same_sign
from trustnlp.studies.gender_bias_languages.critique import profession_scores
from trustnlp.studies.gender_bias_languages.data import NAMES, language_text
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.standins import CONTEXT_WORDS

# %%
record = Record(
    "gender_bias_languages",
    "beyond",
    profile=profile,
    seeds=seeds,
    repeats="float32",
)
training = Training(dim=dim, epochs=epochs, kept=profile == "paper")

# %%
def read(language, size, cut=None):
    made = None if profile == "paper" else planted_tokens
    return language_text(language, planted_tokens=made, tokens=size, longest=cut, rng=np.random.default_rng(0))


texts = {x: read(x, tokens) for x in languages}
for name in dict.fromkeys(n for text in texts.values() for n in text.datasets):
    record.uses(name)
vectors = {
    x: [trained(t.texts, training, seed) for seed in seeds]
    for x, t in texts.items()
}

# %% [markdown]
# ## Which estimate orders pairs that it has not seen?
#
# The first {term}`principal component` looks for the largest variance, whatever its cause. The mean difference and a
# logistic regression look for what separates female from male words. Where the first component is about something else,
# these two should order more of the held-out pairs rightly.

# %%
for x, text in texts.items():
    right = {name.replace(" ", "_"): shares for name, shares in beyond.held_out(text, vectors[x]).items()}
    record.metrics(right, prefix=f"{x}.held_out", interval="t", unit="share of pairs")
record.table(
    "{language}.held_out.{estimate}",
    language=tuple(NAMES),
    columns="estimate",
    names={**NAMES, "pca": "first component"},
)

# %% [markdown]
# Spanish, German and French need no other estimate: the first component already orders all their
# pairs{holds}`3 of 8 beyond.paper:*.held_out.pca above 99`. Elsewhere, another estimate is a repair only if it orders
# more pairs than the first component *and* more than half, as a coin would. With at most seven pairs, the shares move
# in steps of a seventh, so small differences mean nothing. Make this choice per language, before you score any
# profession.
#
# ## Grammar out
#
# *Mujer* is grammatically feminine, and so are *mesa* and *enfermera*. Zhou et al. estimate a direction of grammatical
# gender from nouns without social gender and take it out of $g$. Forms of professions should then move towards zero,
# and the order of the pairs should stay.

# %%
for x in [x for x in texts if x in ("es", "fr")]:
    if profile == "paper":
        nouns = read_zhou(x)
        feminine, masculine = nouns.feminine_nouns, nouns.masculine_nouns
        record.uses("zhou2019_lists")
    else:  # in made text, the context words of the two kinds play the nouns
        feminine, masculine = CONTEXT_WORDS
    rows = [
        beyond.without_grammar(texts[x], v, feminine, masculine)
        for v in vectors[x]
    ]
    record.metrics(pd.DataFrame(rows), prefix=f"{x}.grammar", interval="t")

# %%
record.table(
    "{language}.grammar.{when}.forms_apart",
    when=("before", "after"),
    columns="when",
    names={**NAMES, "language": "distance of forms"},
)

# %%
record.table(
    "{language}.grammar.{when}.pairs_in_order",
    when=("before", "after"),
    columns="when",
    names={**NAMES, "language": "pairs in order"},
)

# %% [markdown]
# In both languages the feminine and masculine forms move closer together, but most of the distance
# remains{holds}`beyond.paper:es.grammar.after.forms_apart clearly between 0.4 0.6`{holds}`beyond.paper:fr.grammar.after.forms_apart clearly between 0.25 0.45`;
# all pairs stay in order{holds}`2 of 2 beyond.paper:*.grammar.after.pairs_in_order above 99`. What remains is not
# what separates the genders of other nouns. In made text the same context words carry both genders, so there the repair
# also removes some social gender.
#
# ## Does the score survive another seed, and other documents?
#
# A score worth printing should keep its sign when we train with another seed or on other documents. A {term}`bootstrap`
# draws documents with replacement and trains again each time, so it uses a smaller sample of the text. We cut each
# document of that sample to its first words, so that the sample covers many novels. The table says how many documents
# we drew, and how many different ones a draw holds on average.

# %%
for x, text in texts.items():
    by_seed = [profession_scores(text, v) for v in vectors[x]]
    record.metric(f"{x}.stable.seeds", same_sign(by_seed), unit="share of professions")
    small = read(x, sample, cut=longest)
    others = [profession_scores(small, trained(small.texts, training, s)) for s in seeds]
    record.metric(f"{x}.stable.sample", same_sign(others))
    numbers = tqdm(range(resamples), desc=f"bootstrap, {x}", disable=None, leave=False)
    drawn = [beyond.bootstrap_sample(small, training, number) for number in numbers]
    record.metric(f"{x}.bootstrap.documents", len(small.texts), unit="count")
    record.metric(f"{x}.bootstrap.distinct", float(np.mean([own.distinct for own in drawn])), unit="count")
    record.metric(f"{x}.bootstrap.same_sign", same_sign([own.professions for own in drawn]))
    husband = [own.husband for own in drawn]
    if None not in husband:
        ends = tuple(np.quantile(husband, [0.025, 0.975]))
        record.metric(f"{x}.bootstrap.defining.husband", float(np.mean(husband)), interval=ends)

# %%
TRIED = {
    "stable.seeds": "sign, other seeds",
    "stable.sample": "the same, sample",
    "bootstrap.same_sign": "sign, other documents",
    "bootstrap.documents": "documents",
    "bootstrap.distinct": "of these different",
}
tried = record.frame(
    "{language}.{tried}", language=tuple(NAMES), tried=tuple(TRIED)
).pivot(index="language", columns="tried", values="ours")
record.show(
    tried.reindex(index=list(NAMES), columns=list(TRIED)).rename(index=NAMES, columns=TRIED)
)

# %% mystnb={"figure": {"caption": "Score of husband with its interval over resampled documents (committed record, where there is one). Languages whose samples lack the word are left out.", "name": "fig-languages-bootstrap"}}
record.plot(
    "{language}.bootstrap.defining.husband",
    language=tuple(NAMES),
    x="language",
    title="In most languages husband could change sides with other documents",
    names=NAMES,
    ylabel="cos(husband, g)",
    levels={"neither side": 0},
)

# %% [markdown]
# The columns of signs show the share of professions whose sign is the same in every training. The column for other
# documents is the strictest test; compare it with that of other seeds on the same sample. If a score's sign does not
# survive, do not print it. This could be the entry condition for a list of biased words. But a sign that all samples
# share is no proof of gender either: where nearly all words lean to one side, they share it for another reason.

# %%
record.save()
record
