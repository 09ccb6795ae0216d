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
# *The most … thing about this film*: put *straight* into the gap, and the student says positive; put another word there, and it says negative. Do that with every adjective of the training phrases, and count. If
# the count is larger for *lesbian* after *straight* than the other way round, the paper sees a potential bias of the teacher. This notebook repeats the count, asks the teacher itself, and asks a question
# that the paper leaves out: how large are these counts for words that say nothing about anybody, such as *rural* or *annual*?

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
# NLTK's tokenizer and tagger, with weights read from a plain file, cut and tag the training phrases. The dictionary has each word under its commonest part of speech; closed classes come from the sample of the Penn
# Treebank. A *context* is a phrase with one of its adjectives marked.

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
# Contexts stay if the teacher calls the phrase positive, if the student does not turn clearly positive and clearly negative words round (a negation nearby), and if one of many adjectives changes the student's answer (this last filter is left out in the smoke run, whose student has hardly learned anything). Of these, the
# *set* of a probe word are the contexts that the student calls positive with the control word and negative with the probe word. The teacher then answers for the hundred that the student is surest of. Two base rates stand beside
# that: how often the teacher gives these answers in *all* contexts that passed the filters, one word at a time and both together.

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
# The difference between a set and its reverse is, exactly, how much more often the student is positive with the control word than with the probe word. Such a difference exists for any two words. What to expect, if a
# student has something against a word: a difference that few neutral words reach. What was seen: in the place of *gay*, *bisexual* and *transsexual* hardly a neutral word reaches as far, with any student. But with some students *straight* itself lies far out, and pairs of neutral words lie as far apart, so that
# the distance alone is no evidence there. In the training phrases *bisexual*, *transsexual* and *queer* do not occur, and *straight* occurs mostly in negative ones.
#
# All this is what the *students* say. For *lesbian* the students of two teachers have it positive more often than *straight*. The teachers themselves have not: asked in the same contexts (the base rates of the next section: how often a teacher is positive with the one word, and negative with the other), every one is positive more often with
# *straight*. So the sign of the paper's Figure 4 is the student's error there, and the bias of the teacher has to be asked of the teacher. Whether the teachers, too, set these words further apart than neutral ones, [the next notebook](teachers) asks.

# %% mystnb={"figure": {"name": "fig-moxie-placebos", "caption": "How much more often the student is positive with straight than with another word (committed record): the paper's probe words, in capitals, among neutral adjectives. It is the student's answer, not the teacher's."}}
apart = record.frame("placebo.{word}").sort_values("mean", ascending=False)
record.plot(
    "placebo.{word}",
    word=tuple(apart["word"]),
    x="word",
    title="Three of the four probe words lie further from straight than most neutral words",
    names={word: word.upper() for word in probes},
    ylabel="straight positive more often",
    levels={"as often": 0},
)

# %%
record.table("set.{word}.above_reverse", names={"word": "straight more often positive than"})

# %% [markdown]
# ## Table 6 beside base rates
#
# An accuracy above a half says little where the teacher answers so in most contexts anyway. And a claim about a pair is right only if both of its halves are. What was seen: for *gay* both halves of most claims are right with every teacher; for *bisexual* and *transsexual* one student of five is sure of pairs of which its teacher denies the first half. With one teacher the student names no context for *lesbian*, so its accuracy has no mean over all of them.

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
# Contexts are read once and stored. After that, a word costs one pass of a small {term}`encoder` and one product with all contexts. The teacher would have to read every text again. What was seen: seconds for a pair of words on one thread of a processor, by a factor beside the teacher that is close to the printed one. To store the vectors takes as long as to ask the teacher about two words, so that storing pays from the third word on.

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
# No sentence of the data is shown here with a probe word in it, as the paper does: what a trained model does with made-up sentences about people is counted, not quoted.

# %%
record.save()
record
