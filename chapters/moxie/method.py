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
# # A teacher that is known exactly
#
# *The film is not very good*: take away *not*, and the review turns. Take away *very*, and it stays what it is, only weaker. To see whether a {term}`student model` finds such things, we first give it a
# teacher whose every answer is known: a score that adds up planted weights of words, turned by negations and multiplied by intensifiers. The true influence of each word, in each context, can then be
# looked up and compared with what the student says.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/method"
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
sizes = [50, 200]
epochs = 3
learning_rate = 0.0003
batch_size = 32
test_texts = 60
device = "cpu"

# %%
import numpy as np
import pandas as pd
from trustnlp.attribution.students.importance_scores import influence_scores
from trustnlp.attribution.students.text_teacher import Recipe
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import method, standins
from trustnlp.studies.moxie.method import PlantedTeacher

record = Record("moxie", "method", profile=profile, seeds=seeds, repeats="float32")
record.uses_encoder(encoder)

# %% [markdown]
# ## What is known
#
# The {term}`stand-in` texts come from a small grammar. Of each word we know its weight, so the teacher's vector $z$ of a text can be written down: how much speaks for and against, in words that are
# plain, intensified, negated, or both. Its layer $C$ adds up. With a word masked the vector is $z'$, and $z - z'$ is the influence that the student is to learn.

# %%
teacher = PlantedTeacher(
    standins.WEIGHTS,
    standins.NEGATIONS,
    standins.INTENSIFIERS,
    reach=standins.REACH,
)
sentence = "the film is not very good"
words = sentence.split()
masked = [
    " ".join([*words[:i], teacher.mask, *words[i + 1 :]]) for i in range(len(words))
]
whole = teacher.representations([sentence])
exact = influence_scores(teacher, whole - teacher.representations(masked))
pd.Series(exact.round(2), words, name="exact score").to_frame()

# %% [markdown]
# What was seen: *not* and *good* have the same sign, since both are needed for the review to be negative. Without *very* it would be negative as well, so its score has that sign too. All other words have
# none. A score answers "what if this word were masked", nothing else.
#
# ## A student learns it
#
# The student sees pairs of a phrase and one of its parts, and of the teacher only $z$ and $z'$. Three things are compared on whole sentences that it has not seen: the context alone ($C z'$), a
# regression on fixed features (ridge), and the student. All are judged by {term}`all-correct accuracy`; the student also by how much of the true influence it explains ($R^2$).

# %%
recipe = Recipe(epochs, "best", learning_rate=learning_rate, batch_size=batch_size)
start = load_encoder(encoder, device)
found = {}
for seed in seeds:
    reviews = standins.planted_reviews(n_texts, np.random.default_rng(seed))
    for size in sizes:
        student = method.train(teacher, start, reviews, size, recipe, seed)
        found[seed, size] = method.check(
            teacher, student, reviews, test_texts
        )
table = pd.DataFrame(found).T.rename_axis(["seed", "pairs"])
for (key, size), values in method.by_size(table):
    record.metric(f"{key}.pairs{size}", values, interval="t")

# %%
margin = [
    found[s, sizes[-1]]["r2"] - found[s, sizes[0]]["r2"] for s in seeds
]
record.metric("planted.more_is_truer", margin, interval="t")
last = student.span_influences(method.each(sentence), None)
said = influence_scores(teacher, last)
pd.DataFrame({"exact": exact, "student": said}, words).round(2)

# %% mystnb={"figure": {"name": "fig-moxie-planted", "caption": "All-correct accuracy on planted sentences by the number of pairs learned from (committed record). The context alone knows a part, because words of one sentence share a mood."}}
record.plot(
    "planted.{kind}.pairs{pairs:d}",
    kind=("context", "ridge", "student"),
    x="pairs",
    color="kind",
    log_x=True,
    title="The student learns what the masked word adds, and so does a regression",
    names={"context": "context alone", "pairs": "pairs learned from"},
    ylabel="all-correct accuracy (share)",
)

# %%
record.table("planted.r2.pairs{pairs:d}", names={"pairs": "R² of the student, by pairs"})

# %% [markdown]
# What was seen: the student is well ahead of the context alone, and not of the regression. More pairs bring it nearer to the truth, but with the most of them it still explains less than half of the influences' variance: labels are easier to get right than
# influences. So the method finds a part of what is there, and how much has to be measured. Whether it does for a trained teacher is the question of [the next notebook](reproduction.ipynb), where no truth is known but the teacher's own answers.

# %%
record.save()
record
