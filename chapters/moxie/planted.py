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
# # Does a student find influences that are known?
#
# *The film is not very good*: without *not*, the review turns. Without *very*, it only becomes weaker. Does a {term}`student model` find such things? We give it a teacher that adds up planted weights of words; negations turn them and intensifiers multiply them. So the true influence of each word is known in each context. The [lesson](method) builds such a student step by step.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/planted"
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
from trustnlp.data.texts import review_standins
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import planted
from trustnlp.studies.moxie.planted import PlantedTeacher

record = Record("moxie", "planted", profile=profile, seeds=seeds, repeats="float32")
record.uses_encoder(encoder)

# %% [markdown]
# ## What is known
#
# A small grammar writes the {term}`stand-in` texts. Each word has a known weight, so we can write down the teacher's vector $z$ of a text: how much speaks for and against, in words that are plain, intensified, negated, or both. Its layer $C$ adds these up. With a word masked the vector is $z'$. The student has to learn $z - z'$, the influence.

# %%
teacher = PlantedTeacher(
    review_standins.WEIGHTS,
    review_standins.NEGATIONS,
    review_standins.INTENSIFIERS,
    reach=review_standins.REACH,
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
# *Not* and *good* have the same sign, since the review is negative only with both. Without *very* it would still be negative, but less so, and its score has that sign too. All other words have none. A score answers "what if this word were masked", nothing else.
#
# ## A student learns it
#
# The student sees pairs of a phrase and one of its parts, and of the teacher only $z$ and $z'$. Does it predict the teacher better than simpler means do? On unseen sentences we compare the context alone ($C z'$), a regression on fixed features (ridge), and the student. The measure is {term}`all-correct accuracy`, and for the student also the share of the true influence that it explains ($R^2$).

# %%
recipe = Recipe(epochs, "best", learning_rate=learning_rate, batch_size=batch_size)
start = load_encoder(encoder, device)
found = {}
for seed in seeds:
    reviews = review_standins.planted_reviews(n_texts, np.random.default_rng(seed))
    for size in sizes:
        student = planted.train(teacher, start, reviews, size, recipe, seed)
        found[seed, size] = planted.check(
            teacher, student, reviews, test_texts
        )
table = pd.DataFrame(found).T.rename_axis(["seed", "pairs"])
for (key, size), values in planted.by_size(table):
    record.metric(f"{key}.pairs{size}", values, interval="t")
margin = [
    found[s, sizes[-1]]["r2"] - found[s, sizes[0]]["r2"] for s in seeds
]
record.metric("planted.more_is_truer", margin, interval="t")
last = student.span_influences(planted.each(sentence), None)
said = influence_scores(teacher, last)
pd.DataFrame({"exact": exact, "student": said}, words).round(2)

# %% mystnb={"figure": {"name": "fig-moxie-planted", "caption": "All-correct accuracy on planted sentences, by the number of pairs that the student learned from (committed record). The context alone is often right, because words of one sentence share a mood."}}
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
# The student is well ahead of the context alone, and level with the regression. More pairs bring it nearer to the truth{holds}`planted.paper:planted.more_is_truer clearly above 0`. But even with the most pairs it explains less than half of the variance{holds}`planted.paper:planted.r2.pairs4800 between 0.25 0.5`: labels are easier to get right than influences. So the method finds a part of what is there. [The next notebook](reproduction.ipynb) asks the same of a trained teacher, of which only the answers are known.

# %%
record.save()
record
