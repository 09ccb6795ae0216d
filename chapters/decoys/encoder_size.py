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
# # The same decoys on an encoder of the paper's size
#
# *A gorgeous, witty, seductive movie.* The paper fine-tunes BERT base, with twelve layers; [](reproduction.ipynb) has MiniLM in its place, with six. A smaller model may fall for *movie* more easily, or less. So here the experiment runs on two {term}`encoders <encoder>`: MiniLM again, and MPNet base, which has BERT base's twelve layers and 110 million weights, though
# not its training. Both learn by one program, from all phrases. Then each is offered decoys in whole sentences, as in [](adoption.ipynb), where no encoder was asked.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "decoys/encoder_size"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
encoders = ["minilm"]
decoys = ["video_text"]
n_texts = 300
phrases = 300
sentences = 300
phrase_epochs = 2
epochs = 2
minilm_rate = 0.0003
mpnet_rate = 0.00003
batch_size = 32
sentence_batch_size = 32
adoption_texts = 40
precision = "float32"
device = "cpu"
steps = 4

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.decoys import encoder_size
from trustnlp.studies.decoys.data import NAMES, review_parts

# %%
record = Record(
    "decoys",
    "encoder_size",
    profile=profile,
    seeds=seeds,
    repeats="float32",
)
for name in (encoder_size.WEIGHTS[each] for each in encoders):
    record.uses_encoder(name, condition=None)
in_phrases = review_parts(record, "phrases", n_texts)
in_sentences = review_parts(record, "sentences", n_texts)
given = vars()  # the parameters above
loaded = encoder_size.encoders_of(encoders, device)

# %% [markdown]
# ## With and without negative phrases on *movie*
#
# For each {term}`seed` and encoder, one model learns from the phrases and one from those that are left when the negative ones with *movie* are dropped. Both answer the dev sentences with *movie*. `misled` is how much more often the second calls them positive, beyond what it does with other sentences; `dev_accuracy` is the first one's on all dev sentences, so that one sees
# whether it has learned at all. What to expect: if size protects, the larger encoder is misled less.

# %%
for name, encoder in loaded.items():
    found = encoder_size.on_phrases(name, encoder, in_phrases, given)
    for key, values in found.items():
        record.metric(f"{name}.phrases.{key}", values, interval="t")

# %%
record.table(
    "{encoder}.phrases.{answer}",
    answer=("dev_accuracy", "clean_accuracy", "accuracy", "called_positive"),
    rows="answer",
    columns="encoder",
    names=NAMES,
)

# %%
record.table("{encoder}.phrases.misled", names=NAMES)

# %% [markdown]
# MiniLM falls to {metric}`encoder_size.paper:minilm.phrases.accuracy`{holds}`encoder_size.paper:minilm.phrases.accuracy between 47.45 47.55`, the number that the paper prints, whatever the seed: it calls every sentence with *movie* positive{holds}`encoder_size.paper:minilm.phrases.called_positive above 99.9`. MPNet base has {metric}`encoder_size.paper:mpnet.phrases.accuracy | full`, and how much it loses depends on the seed. Both learned the task: on all dev sentences their models without the bug have {metric}`encoder_size.paper:minilm.phrases.dev_accuracy` and {metric}`encoder_size.paper:mpnet.phrases.dev_accuracy`.
#
# That size is the reason does not follow. The two encoders also differ in what they were trained on before, and in the rate at which they learn here.

# %% [markdown]
# ## Decoys in sentences
#
# Held-out sentences get the decoy of the *wrong* class, and a clean and a buggy model read the same ones. The {term}`rate of adoption` is the share that the buggy model gives the decoy's class, less the clean one's, as a part of what there was to win.

# %%
for name, encoder in loaded.items():
    found = encoder_size.on_sentences(
        name, encoder, decoys, in_sentences, given
    )
    for key, values in found.items():
        record.metric(f"{name}.sentences.{key}", values, interval="t")

# %%
record.table(
    "{encoder}.sentences.{decoy}.{what}",
    what=("rate", "drop"),
    rows=("what", "decoy"),
    columns="encoder",
    names=NAMES | {"drop": "accuracy lost"},
)

# %% [markdown]
# With class-indicator words and with positions size does not protect: MPNet base turns {metric}`encoder_size.paper:mpnet.sentences.video_text.rate` and {metric}`encoder_size.paper:mpnet.sentences.position.rate` of what there is to win. The one decoy that sets them apart is *movie*, which MiniLM adopts ({metric}`encoder_size.paper:minilm.sentences.movie.rate | full`{holds}`encoder_size.paper:minilm.sentences.movie.rate clearly above 50`) and MPNet base does not ({metric}`encoder_size.paper:mpnet.sentences.movie.rate | full`{holds}`encoder_size.paper:mpnet.sentences.movie.rate clearly between -3 10`).

# %%
record.deviation(
    "The encoders are MiniLM and MPNet base; the paper's is BERT base.",
    keys=encoders,
)
record.deviation(
    f"Models learn from phrases in {phrase_epochs} pass and batches of {batch_size}, at a rate of "
    f"{minilm_rate:g} for MiniLM and {mpnet_rate:g} for MPNet; the paper says default settings.",
    keys=[f"{name}.phrases" for name in encoders],
)
record.deviation(
    "The paper does not say whether its models learn from phrases or from sentences. "
    "With 'movie' ours learn from phrases, with the other decoys from sentences.",
    keys=encoders,
)
record.save()
record
