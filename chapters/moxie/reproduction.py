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
# # Teachers and their students on film reviews
#
# *Unflinchingly bleak and desperate* has four words. A student that knows its teacher says "negative" whichever of the four is masked, provided it is told the masked word. One wrong answer, and the
# sentence counts as wrong: that is {term}`all-correct accuracy`, the measure of the paper's Table 2. Here we train teachers and {term}`students <student model>` on SST-2 and repeat Tables 2 and 7.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/reproduction"
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
few_pairs = 60
test_texts = 60

# %%
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import reproduction
from trustnlp.studies.moxie.models import explained, other_student, reviews_for

repeats = {"": "float32", "data": "exact", "seconds": "timed"}
record = Record(
    "moxie", "reproduction", profile=profile, seeds=seeds, repeats=repeats
)

# %% [markdown]
# ## Film reviews
#
# The training texts are phrases cut out of reviews, the others whole sentences. In the {term}`profile` `smoke` they are made up. The labels of the test part are the gold ones. The trees, whose nodes are the
# spans that are masked, are the treebank's own.

# %%
reviews = reviews_for(record, n_texts)
for part, texts in reviews.sst2.splits.items():
    record.metric(f"data.{part}", len(texts))
labels = reviews.sst2.train.labels
record.metric("data.positive", 100 * labels.mean(), unit="%")
without = [t for t in reviews.sst2.train.texts if t not in reviews.trees]
record.metric("data.no_node", 100 * len(without) / len(labels), unit="%")

# %% [markdown]
# ## Training
#
# A teacher is fine-tuned on all phrases. Its student learns from pairs of a phrase and one of its spans, from the teacher's vectors with and without the span. Two more students, of fewer pairs, learn from spans and from single
# words. Each seed has a teacher of its own. Trainings are kept, so a run that is stopped goes on where it was.

# %%
record.uses_encoder(encoder)
record.deviation(
    f"Teachers and students are {encoder}; the paper has four larger encoders as teachers and RoBERTa base under its students."
)
record.deviation(
    f"Teachers see the phrases {teacher_epochs} times (the paper: 3), students {pairs} pairs {student_epochs} times (the paper: "
    "10 epochs, of how many pairs it does not say). The rates stay constant."
)
rows, spans = {}, {}
for seed in seeds:
    found = explained(reviews, vars(), seed)
    rows[seed] = reproduction.measure(found, reviews, test_texts)
    spans[seed] = {
        units: reproduction.on_dev(
            found,
            other_student(found, reviews, seed, units=units, pairs=few_pairs),
            reviews,
            test_texts,
        )
        for units in ("spans", "words")
    }
table = pd.DataFrame(rows).T.rename_axis("seed")

# %%
for key, values in table.items():
    record.metric(key, values, interval="t")
units = pd.DataFrame(spans).T
apart = units["words"] - units["spans"]
for name, values in units.items():
    record.metric(f"spans.{name}", values, interval="t", unit="%")
record.metric("spans.apart", apart, interval="t", unit="points")
alike, interval = reproduction.within(apart, 2.0)
record.metric("spans.alike", alike, interval=interval, unit="points")

# %% [markdown]
# ## Table 2: who knows the teacher?
#
# Three predictions for each masked word of each test sentence, held against what the teacher says of the whole sentence. *Context alone* is the teacher itself, with the word masked. *Ridge* is a regression
# from the teacher's own vectors of context and word, in closed form: what can be had without training an {term}`encoder`. What to expect: the student ahead of both.

# %%
KINDS = {"context": "context alone", "ridge": "ridge", "student": "student"}
record.table(
    "{part}.{kind}",
    part=("test", "dev"),
    kind=tuple(KINDS),
    columns="part",
    names={**KINDS, "kind": "who predicts"},
)

# %% mystnb={"figure": {"name": "fig-moxie-accuracy", "caption": "All-correct accuracy on test sentences by their length, against the teacher's own predictions (committed record)."}}
record.plot(
    "length.{kind}.up{length:d}",
    kind=(*KINDS, "power"),
    x="length",
    color="kind",
    title="Long sentences fail more often than short ones, and less often than independent words would",
    names={**KINDS, "power": "if words\nfailed alone", "length": "words of a sentence, up to"},
    ylabel="all-correct accuracy (%)",
)

# %% [markdown]
# What was seen: the student knows its teacher clearly better than the context alone does, as in the paper. It is level with the regression, so that training encoders for contexts and words is not shown to add anything to the teacher's own vectors. The paper has no such baseline; its students have a larger encoder and more passes, and ours might gain from both.
#
# Long sentences fail more often than short ones, and far less often than independent words would make them.
#
# ## Table 7: against gold labels
#
# A student repeats its teacher, errors included. So its accuracy against gold labels is bounded by the teacher's; the paper gives it for completeness, and so do we.

# %%
record.table(
    {"teacher": "dev.teacher", "student, every word masked in turn": "dev.student_gold"},
    names={"label": "accuracy on dev"},
)

# %%
record.save()
record
