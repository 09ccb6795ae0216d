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
# # Eighty thousand contexts and a few words
#
# *The most … thing about this film*: with *straight* in the gap, the {term}`student <student model>` predicts that its teacher, the classifier, answers positive; with another word, negative. The paper counts such gaps. If more of them favour *straight* over *lesbian* than the reverse, it sees a potential bias of the teacher. We repeat the count and ask the teacher itself. And how large is the count for words that say nothing about anybody, such as *rural*?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "moxie/biases"
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
control = "straight"
probes = ["lesbian", "gay", "bisexual", "transsexual"]
placebos = 8
filter_words = 20
base_contexts = 200
timed_contexts = 200

# %%
import numpy as np
import pandas as pd
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import biases
from trustnlp.studies.moxie.models import explained, reviews_for

repeats = {"": "float32", "vocabulary": "exact", "speed": "timed"}
record = Record("moxie", "biases", profile=profile, seeds=seeds, repeats=repeats)
record.uses_encoder(encoder)
reviews = reviews_for(record, n_texts)

# %% [markdown]
# ## Table 8, and the contexts
#
# How many words and gaps are there to try? NLTK cuts and tags the training phrases. The dictionary lists each word under its most frequent part of speech; closed classes, such as pronouns, come from a sample of the Penn Treebank. A *context* is a phrase with one of its adjectives marked.

# %%
sizes = biases.vocabulary_sizes(reviews.vocabulary)
for tag, size in sizes.items():
    record.metric(f"vocabulary.{tag}", size, unit="number of words")
contexts = biases.adjective_contexts(reviews)
record.metric("contexts.all", len(contexts))
record.table("vocabulary.{tag}", names={"tag": "words with the tag"})

# %% [markdown]
# ## Filters, sets and the teacher's word
#
# Which contexts count, and is the student right about them? A context passes three filters:
#
# - The teacher calls the phrase positive.
# - The student does not answer the wrong way round to clearly positive and clearly negative words, as behind a negation.
# - One of many adjectives changes the student's answer. (Not in the smoke run, whose student has hardly learned anything.)
#
# The control word is *straight*; the paper's other words are probes. A probe's *set* holds the contexts that the student calls positive with *straight* and negative with the probe. The teacher answers for the hundred of which the student is surest. For comparison, base rates say how often the teacher gives these answers in *all* filtered contexts, for each word and for both together.

# %%
record.deviation(
    f"Step 6 of the filters asks {filter_words} random adjectives beside those that are compared, not all.",
    keys=["contexts.changeable", "contexts.kept", "set", "top"],
)
words = biases.neutral_words(reviews, placebos, profile)
changing = biases.changing_words(
    reviews.vocabulary["ADJ"],
    [control, *probes, "queer", *words],
    filter_words,
    np.random.default_rng(6),
)

# %%
rows, neutral = {}, {}
for seed in seeds:
    found = explained(reviews, vars(), seed)
    probed = biases.probe(found, reviews, contexts, changing, profile)
    rng = np.random.default_rng([seed, 5])
    rows[seed] = biases.measure(
        found, probed, control, probes, base_contexts, rng
    )
    tests, neutral[seed] = biases.beside_placebos(
        probed, control, probes, words
    )
    rows[seed] |= tests
    rows[seed] |= biases.timed(
        found, probed, contexts, timed_contexts, rng
    )
table = pd.DataFrame(rows).T.rename_axis("seed")

# %%
for key, values in table.items():
    if values.notna().all():
        record.metric(key, values, interval="t")
for word in neutral[seeds[0]]:
    values = [neutral[s][word] for s in seeds]
    record.metric(f"placebo.{word}", values, interval="t", unit="points")
record.table("contexts.{step}", names={"step": "contexts", "not_inverted": "no word turned round"})

# %% [markdown]
# ## Figure 4 beside placebos
#
# If a student holds something against a word, few neutral words should lie as far from *straight*. The distance is the share of the set less that of its reverse: how much more often the student is positive with *straight* than with the other word. Any two words lie some way apart.
#
# In the place of *gay*, *bisexual* and *transsexual*, hardly a neutral word reaches as far, with any student{holds}`1 of 4 biases.paper:set.*.reaching above 20`. But for some students *straight* itself lies far out, and pairs of neutral words lie as far apart; there the distance is no evidence. The training phrases lack *bisexual*, *transsexual* and *queer*, and those with *straight* are mostly negative.
#
# All this is what *students* say. Two of the five predict more positive answers with *lesbian* than with *straight*{holds}`biases.paper:sign.lesbian.wrong between 1.5 2.5`. In the same contexts, all teachers are positive more often with *straight*{holds}`biases.paper:teacher.lesbian clearly above 0`, as the base rates of the next section show. So these two students have the sign of Figure 4 wrong: ask the teacher itself about its bias. [The next notebook](teachers) asks whether teachers, too, set these words further apart than neutral ones.

# %% mystnb={"figure": {"name": "fig-moxie-placebos", "caption": "How much more often the student is positive with straight than with another word (committed record). The paper's probe words, in capitals, stand among neutral adjectives."}}
apart = record.frame("placebo.{word}").sort_values("mean", ascending=False)
record.plot(
    "placebo.{word}",
    word=tuple(apart["word"]),
    x="word",
    title="For the students, three of the four probe words lie further from straight than most neutral words",
    names={word: word.upper() for word in probes},
    ylabel="straight positive more often (points)",
    levels={"as often": 0},
)

# %%
record.table("set.{word}.above_reverse", names={"word": "straight more often positive than"})

# %% [markdown]
# ## Table 6 beside base rates
#
# Is the student right where it is surest? An accuracy above one half says little if the teacher gives that answer in most contexts anyway. And a claim about two words needs both halves to be right.
#
# For *gay*, every teacher confirms both halves of most claims{holds}`biases.paper:top.gay.joint clearly above 60`. For *bisexual* and *transsexual*, one of five students is mostly wrong where it is surest: with *straight* its teacher answers negative there. Another names no context for *lesbian*, so that row has no mean.

# %%
HALVES = {
    "control": "with straight",
    "control_base": "base rate",
    "probe": "with the word",
    "probe_base": "its base rate",
    "joint": "both",
    "joint_base": "base rate of both",
}
record.table(
    "top.{word}.{half}", half=tuple(HALVES), word=tuple(probes), columns="half", names=HALVES
)

# %% [markdown]
# ## How fast
#
# The student reads all contexts once and stores their vectors. After that, a word costs one pass of a small {term}`encoder` and one product with all contexts; the teacher would read every text again. On one processor thread the student is {metric}`biases.paper:speed.factor` times as fast as the teacher; the paper prints {paper}`speed-factor`. But storing the vectors takes as long as asking the teacher about two words{holds}`biases.paper:speed.words_until_stored_pays between 1.5 2.5`, so it pays from the third word on.

# %%
record.table(
    {
        "two words, stored vectors": "speed.seconds_student",
        "two words, the teacher": "speed.seconds_teacher",
        "to store the vectors": "speed.seconds_stored",
        "words until storing pays": "speed.words_until_stored_pays",
        "factor": "speed.factor",
    }
)

# %% [markdown]
# The paper shows sentences with its probe words. We count them, and quote none.

# %%
record.save()
record
