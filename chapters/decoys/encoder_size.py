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
# *A gorgeous, witty, seductive movie.* The paper fine-tunes BERT base, with twelve layers; [](reproduction.ipynb) uses MiniLM, with six. A smaller model may fall for *movie* more easily, or less. So this page runs the experiment on two {term}`encoders <encoder>`: MiniLM again, and MPNet base. MPNet base has BERT base's twelve layers and 110 million weights, but was trained differently. Both learn from all phrases with the same program. Then we plant decoys in whole sentences, as in [](adoption.ipynb), where the record has no encoder.

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
# If size protects, the larger encoder should be misled less. For each {term}`seed` and encoder, one model learns from all phrases. The other learns without the negative phrases that contain *movie*. Both answer the dev sentences with *movie*. `misled` is how much more often the second model calls them positive, beyond what it does with other sentences. `dev_accuracy` is the first model's accuracy on all dev sentences; it shows whether the model has learned at all.

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
# With *movie*, MiniLM's accuracy falls to {metric}`encoder_size.paper:minilm.phrases.accuracy`{holds}`encoder_size.paper:minilm.phrases.accuracy between 47.45 47.55`, the paper's number, whatever the seed: it calls every sentence with *movie* positive{holds}`encoder_size.paper:minilm.phrases.called_positive above 99.9`. MPNet base has {metric}`encoder_size.paper:mpnet.phrases.accuracy | full`, and how much it loses depends on the seed. Both learned the task: on all dev sentences their models without the bug have {metric}`encoder_size.paper:minilm.phrases.dev_accuracy` and {metric}`encoder_size.paper:mpnet.phrases.dev_accuracy`.
#
# This does not show that size is the reason. The two encoders also differ in their earlier training and in their learning rate here.

# %% [markdown]
# ## Decoys in sentences
#
# If size protects, MPNet base should also adopt decoys in whole sentences less. We put the decoy of the *wrong* class into held-out sentences; a clean and a buggy model read the same ones. The {term}`rate of adoption` is the buggy model's share of answers for the decoy's class, minus the clean model's, divided by the largest gain that was possible.

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
# Size does not protect against class-indicator words and positions: MPNet base has rates of {metric}`encoder_size.paper:mpnet.sentences.video_text.rate` and {metric}`encoder_size.paper:mpnet.sentences.position.rate`. Only *movie* sets the encoders apart. MiniLM adopts it ({metric}`encoder_size.paper:minilm.sentences.movie.rate | full`{holds}`encoder_size.paper:minilm.sentences.movie.rate clearly above 50`) and MPNet base does not ({metric}`encoder_size.paper:mpnet.sentences.movie.rate | full`{holds}`encoder_size.paper:mpnet.sentences.movie.rate clearly between -3 10`).

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
