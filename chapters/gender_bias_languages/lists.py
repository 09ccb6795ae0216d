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
# # Table 1, the professions and the arithmetic
#
# A measurement is as good as its words. This notebook reads the paper's lists letter by letter, counts the words in our
# texts, and repeats the paper's sums. Nothing here is trained, and nothing depends on chance.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "gender_bias_languages/lists"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
languages = ["en", "es", "de"]
planted_tokens = 30_000
tokens = 20_000_000
wikipedia = ""

# %%
import numpy as np
from IPython.display import HTML
from trustnlp.data.languages.parallel_sentences import read_parallel
from trustnlp.data.words.gender_words import word_list
from trustnlp.data.words.released_word_lists import read_bolukbasi
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.gender_bias_languages import lists
from trustnlp.studies.gender_bias_languages.checks import ORIGINAL_PAIRS, profession_share, text_numbers
from trustnlp.studies.gender_bias_languages.data import NAMES, language_text
from trustnlp.studies.gender_bias_languages.reproduction.nine_languages import LARGE

record = Record("gender_bias_languages", "lists", profile=profile, repeats="exact")

# %% [markdown]
# ## The pairs as our copy has them
#
# Are seven pairs seven different pairs in each language? Our copy of the paper is extracted text. In Farsi and Urdu
# several letters look damaged: a final heh reads as meem, a yeh as another. We do not blame the authors for them.

# %%
HTML(lists.pairs_table("printed"))

# %% [markdown]
# Not everywhere. *Girl* repeats *daughter* in Arabic, French and Farsi. In Farsi *boy* also repeats *son*, so one pair
# counts twice. The Arabic *woman* is a plural with the article, but *man* is a bare singular. Four Wolof concepts are
# phrases.
#
# ## Two corrections
#
# *Repaired* undoes the damage and nothing else. The chapter uses this list. *Reconciled* keeps only pairs of single
# words that differ in gender alone. The [critique](critique) measures what that changes.

# %%
HTML(lists.pairs_table("reconciled"))

# %%
for language in ("ar", "fa", "ur", "wo", "de", "fr"):
    for note in word_list(language).notes:
        print(f"{word_list(language).name}: {note}")

# %% [markdown]
# ## The professions are not the authors' list
#
# The authors' forms of the professions in nine languages are not public. We wrote ours out from the paper's rules. Each
# entry has a source: `paper` for a form in the paper, `zhou2019` for a pair in a released list, and `own` for a form
# that no speaker has checked yet. Corrections are welcome.

# %%
HTML(lists.professions_table(["es", "fr", "de"]))

# %%
HTML(lists.professions_table(["ar", "ur"]))

# %%
HTML(lists.professions_table(["zh", "fa", "wo"], kinds=("neutral",)))

# %% [markdown]
# ## The paper against itself
#
# Do the paper's counts and sums agree with one another? Counts of rows should agree with the text. A smoke run takes
# the ten original pairs from the paper.

# %%
pairs = ORIGINAL_PAIRS
if profile == "paper":
    pairs = read_bolukbasi().pairs
    record.uses("bolukbasi_lists")
scientist = printed_tables("gender_bias_languages", "scientist")["scientist"]
record.metrics(text_numbers(pairs, scientist))

# %%
record.table(
    {
        "pairs of the original list": "bolukbasi.pairs",
        "of these left out": "bolukbasi.removed",
        "pairs added": "bolukbasi.added",
        "words twice, Arabic": "table1.ar.repeated_words",
        "pairs twice, Farsi": "table1.fa.repeated_pairs",
        "Arabic pairs of unequal words": "table1.ar.unequal_pairs",
        "German example, equal weights": "arithmetic.equal",
        "German example, weighted": "arithmetic.weighted",
        "languages without a download": "text.languages_without_download",
        "sections announced that are none": "text.missing_sections",
    }
)

# %% [markdown]
# The German example is right to the last digit that its rounded inputs allow. Nine languages have eight downloads, and
# English is the one without. *She* and *he* are two words in German, but *herself* and *himself* are one, and the paper
# speaks of both pairs together.
#
# ## Counts in texts
#
# How many of the listed pairs and professions occur often enough to use? A smoke run counts in made text, so its
# numbers say nothing about languages.

# %%
texts = {
    language: language_text(
        language,
        planted_tokens=None if profile == "paper" else planted_tokens,
        tokens=tokens,
        wikipedia=wikipedia or None,
        rng=np.random.default_rng(0),
    )
    for language in languages
}
for name in dict.fromkeys(n for text in texts.values() for n in text.datasets):
    record.uses(name)

# %%
for language, text in texts.items():
    share = profession_share(language, text.counts, text.words)
    record.metric(f"tokens.{language}", text.tokens, unit="count")
    record.metric(f"shares.{language}", share, unit="% of the words")
    record.metrics(lists.usable(text, min_count=5), prefix=f"usable.{language}", unit="count")
record.table("usable.{language}.{what}", language=tuple(NAMES), columns="what", names=NAMES)

# %%
record.table(
    "shares.{language}",
    language=tuple(NAMES),
    names={**NAMES, "language": "words that name a profession"},
)

# %% [markdown]
# Urdu and Wolof lack some
# pairs{holds}`lists.paper:usable.ur.pairs between 4.5 5.5`{holds}`lists.paper:usable.wo.pairs between 2.5 3.5` and
# about half of the professions. The paper prints smaller shares of profession words. Novels and newspapers may name
# professions more often than an encyclopedia does.

# %%
if "en" in texts:
    margin = 0.037 - record.measurements["shares.en"]["mean"]
    record.metric(
        "shares.en_below_printed_maximum", margin, unit="points"
    )
if "wo" in texts:
    record.condition("large_wo", texts["wo"].tokens >= LARGE)
papers = all(text.papers for text in texts.values())
record.condition("papers_dump", papers)
if not papers:
    record.deviation(
        "Novels, newspapers, sentences and Bibles in place of Wikipedia.",
        keys=["shares"],
    )
record.deviation(
    "Forms of the professions written by us; the authors' are not public.",
    keys=["shares"],
)

# %% [markdown]
# ## *Junge*, a boy or young
#
# In lower case, the paper says, German *junge* is also an adjective. In text that keeps its capitals, how many of its
# occurrences are in lower case?

# %%
cased = language_text(
    "de",
    planted_tokens=None if profile == "paper" else planted_tokens,
    lower=False,
    rng=np.random.default_rng(0),
).counts
majority = cased["junge"] / (cased["junge"] + cased["Junge"]) - 0.5
record.metric("counts.de.junge_adjective_majority", majority)
record.table({"junge in lower case, above one half": "counts.de.junge_adjective_majority"})

# %% [markdown]
# Most of them{holds}`lists.paper:counts.de.junge_adjective_majority above 0.2`: the table shows how far their share
# exceeds one half. A smoke run has made text in lower case.
#
# ## Is the written list the right one?
#
# The same news sentences exist in all nine languages. If an English sentence has a profession of the list, how often
# does its translation have one of our forms? A low share points to a missing or a wrong form. It is only a hint,
# because translators are free.

# %%
if profile == "paper":
    attested = lists.attested(read_parallel())
    record.uses("ntrex128")
    record.array("attested", attested)
    for language, found in attested.items():
        if sum(n for _, n in found.values()):
            hits, total = map(sum, zip(*found.values(), strict=True))
            key = f"attested.{language}"
            record.metric(key, hits / total, unit="share of sentences")

# %%
record.table(
    "attested.{language}",
    language=tuple(NAMES),
    names={**NAMES, "language": "translations with a form of ours"},
)

# %%
record.save()
record
