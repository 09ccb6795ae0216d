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
# # Which words to mask where the teacher errs
#
# The teacher calls a good review bad. Which word misled it? If a score of words is any good, masking the word with the highest score should turn the wrong answer round, or the first two, or three. The
# paper's Figure 2 counts how often it does within a budget, with scores of {term}`LIME`, of MOXIE and at random. LIME asks the teacher about a thousand copies of the sentence; MOXIE's influence about none, its {term}`unlike ratios <unlike ratio>` about one a word. We repeat that, and add two orders that frame it: plain {term}`occlusion`, and the fewest words that any order could do with.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/importance"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
encoder = "all-MiniLM-L6-v2"
n_texts = 300
teacher_epochs = 2
teacher_rate = 0.0003
pairs = 200
student_epochs = 2
student_rate = 0.0003
selection = 10
batch_size = 32
max_length = 64
precision = "float32"
device = "cpu"
part = "test"
errors = 6
lime_samples = 300
random_orders = 5
budget = 5

# %%
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import importance
from trustnlp.studies.moxie.models import explained, reviews_for

record = Record(
    "moxie", "importance", profile=profile, seeds=seeds, repeats="float32"
)
record.uses_encoder(encoder)
reviews = reviews_for(record, n_texts)

# %% [markdown]
# ## Scores of words
#
# Of each sentence on which a teacher errs, every word gets a score that says how much it supports the wrong answer. *Influence* is equation (4), turned so that it supports the prediction. The
# {term}`unlike ratio` is the share of words of the same part of speech that would turn the answer, equation (5); we add the influence to the vector of the masked text, as in equation (2), and beside it
# to that of the whole text, as printed. *Hybrid* takes the influence where no ratio is above another.

# %%
record.deviation(
    "The unlike ratio adds the influence to z', as equation (2) does; as printed, equation (5) adds it to z (`unlike_printed`).",
    keys=["coverage", "length"],
)
record.deviation(
    f"LIME has {lime_samples} samples of a sentence; its package's default is 5,000 and the paper names no number. It leaves words out, as its package does, though they are masked afterwards (`lime_masked`: both mask).",
    keys=["coverage", "length"],
)
curves, rows, examples = {}, {}, {}
for seed in seeds:
    found = explained(reviews, vars(), seed)
    wrong = importance.errors_of(found, reviews, part, errors)
    scores = importance.scores_of(
        found, reviews, wrong, lime_samples, random_orders, seed
    )
    counts = importance.masked(found, wrong, scores, budget)
    curves[seed] = {name: c.coverage_curve() for name, c in counts.items()}
    rows[seed] = importance.compared(counts) | {"errors": len(wrong)}
    examples[seed] = importance.table3(found, reviews)
table = pd.DataFrame(rows).T.rename_axis("seed")

# %%
for key, values in table.items():
    if values.notna().all():
        record.metric(key, values, interval="t")
for key, values in pd.DataFrame(examples).T.items():
    record.metric(key, values, interval="t", unit="score")
for name in curves[seeds[0]]:
    for at in range(budget):
        values = [curves[s][name][at] for s in seeds]
        record.metric(f"curve.{name}.up{at + 1}", values, interval="t", unit="%")

# %% [markdown]
# ## Figure 2
#
# {term}`Coverage <attribution>` is the share of sentences whose answer turned within the budget. The claims compare the areas under these curves. What to expect: all kinds of scores above the random order, and none above occlusion for one word, since
# occlusion asks which word's mask lowers the answer most.

# %% mystnb={"figure": {"name": "fig-moxie-coverage", "caption": "Figure 2: share of the teacher's errors that are turned by masking words in the order of their scores (committed record). The line of the fewest words is a search, and over short sentences only: on them no order can do better."}}
SCORES = {
    "lime": "LIME",
    "influence": "influence",
    "unlike": "unlike ratio",
    "hybrid": "hybrid",
    "occlusion_masked": "occlusion",
    "random": "random",
    "fewest": "fewest (short texts)",
}
record.plot(
    "curve.{score}.up{words:d}",
    score=tuple(SCORES),
    x="words",
    color="score",
    title="Every kind of score turns far more errors than a random order",
    names={**SCORES, "words": "words masked"},
    ylabel="coverage (%)",
)

# %% [markdown]
# What was seen: every kind of score turns far more of the errors than random order does, except one: with the unlike ratio as equation (5) is printed, coverage cannot be told from random order's. With the influence added to the vector of the *masked* text, as in equation (2), the ratio comes near LIME; LIME is ahead of it; whether by less than our limit for "competitive" these sentences cannot tell. The influence alone is further behind and varies from one student to the next. {term}`Occlusion <occlusion>`, which the paper does not show, is close to LIME, at one pass a word. Both turn a little more of the errors with every teacher if they mask words when they ask, as words are masked afterwards (table below).
#
# Unlike ratios cost the teacher one pass for each word of this sentence, as occlusion does, and influence none; LIME's cost a thousand here. How the words that were masked are counted matters too: the mean number of words is taken over
# the sentences that turned, and these are other sentences for each kind of score. The claims on it compare each score with random order on sentences that both turn. By that count, too, the ratio as printed cannot be told from random order.

# %%
SCORES |= {
    "unlike_printed": "unlike ratio, as printed",
    "lime_masked": "LIME, words masked",
    "occlusion": "occlusion, words left out",
}
record.table(
    "coverage.{score}", score=tuple(SCORES), names={**SCORES, "score": "area under coverage"}
)

# %%
record.table(
    "length.{score}_above_random",
    score=tuple(SCORES),
    names={**SCORES, "score": "words spared, against random order"},
)

# %% [markdown]
# ## Table 3: three sentences
#
# The paper shows the two words with the largest influence in the first three development sentences. Below is by how much the words that the paper names are where it has them, in the mean over our students: influences are the student's account of its teacher. Another teacher may well
# rest on other words, so the claims on single words are capped. What was seen: *charming* comes first with every student, and *desperate* is negative with all but one; the order of the other words is not settled.

# %%
record.table("table3.{word}", names={"word": "margin of"})

# %%
record.save()
record
