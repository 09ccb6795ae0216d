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
# # Is the noise what each variant says, and does training with it help?
#
# We measure DPNR's three kinds of noise on one sentence. Then we turn to the server's side, {term}`robust training`, on made-up vectors whose best accuracy is known. The [lesson](method)
# builds the steps in bare lines.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "dpnr/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
epsilon = 1.0
rate = 0.3
epsilons = [0.05, 0.5, 1.0, 5.0, 20.0]
train_texts = 1000
test_texts = 2000
dim = 64
epochs = 4
device = "cpu"

# %%
from itertools import product

import numpy as np
import pandas as pd
import torch
from sklearn.linear_model import LogisticRegression
from trustnlp.encoders.pretrained import MINILM, load_encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.privacy.mechanisms.representation import drop_words, noise_layer, normalise
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence
from trustnlp.studies.dpnr.standins import accuracy_without_robustness, best_accuracy, planted_representations

# %%
record = Record("dpnr", "planted", profile=profile, seeds=seeds, repeats="float32")
encoder = load_encoder(MINILM, device)
record.uses("minilm")
body = SplitBert(encoder.model, encoder.model.config.num_hidden_layers).eval()
k, variants = body.width, ("released", "as_written", "calibrated")


def generator(seed):
    return torch.Generator(encoder.device).manual_seed(seed)


# %% [markdown]
# ## The noise
#
# `SplitBert` returns the sentence's pooled vector: a linear map and a hyperbolic tangent on top of the {term}`encoder`. `normalise` scales it: its smallest coordinate should be zero, its largest one. Before, `drop_words`
# hides word pieces from the encoder, all but the first: a share of $1 - \mu$ should remain.

# %%
sentence = "My doctor says the test was positive."
tokens = encoder.tokenizer(sentence, return_tensors="pt").to(encoder.device)
ids, mask = tokens["input_ids"], tokens["attention_mask"]
with torch.no_grad():
    pooled = body(ids, mask)
clean = normalise(pooled)
many = drop_words(mask.expand(20000, -1), rate, generator=generator(0))[:, 1:]
assert abs(float(many.float().mean()) - (1 - rate)) < 0.01
assert float(clean.min()) == 0 and float(clean.max()) == 1

# %% [markdown]
# The Laplace {term}`mechanism` adds noise of scale $b = \Delta f/\epsilon$, where $\Delta f$ is the {term}`sensitivity`. `noise_layer` makes it in three variants, which this
# chapter compares throughout:
#
# - `released`: *one* draw of $\mathrm{Lap}(1/\epsilon)$ per text, added to all coordinates. The authors' released code does this (xlhex/dpnlp, `model.py`, commit 70f9abd).
# - `as_written`: an *independent* draw of $\mathrm{Lap}(1/\epsilon)$ for every coordinate. Algorithm 2 says this.
# - `calibrated`: independent draws of $\mathrm{Lap}(k/\epsilon)$. Only this makes the whole vector $\epsilon$-private, because $k$
#   coordinates can change by one each.
#
# The mean absolute value of Laplace noise is its scale. In units of $1/\epsilon$ the table should show one, one and $k$. The spread between the coordinates of one text must be zero
# for `released`.

# %%
many = clean.double().expand(2000, -1)
noise = {v: noise_layer(v, epsilon, k)(many, generator=generator(0)) - many for v in variants}
scales = {v: epsilon * float(n.abs().mean()) for v, n in noise.items()}
within = {v: epsilon * float(n.std(dim=1).mean()) for v, n in noise.items()}
both = {"scale": scales, "within_text": within}
record.metrics({f"{v}.{what}": by[v] for v in variants for what, by in both.items()}, prefix="noise", unit="1/ε")
assert within["released"] < 1e-9
assert abs(scales["as_written"] - 1) < 0.02 and abs(scales["calibrated"] / k - 1) < 0.02
record.table(
    "noise.{variant}.{what}",
    columns="what",
    names={"scale": "mean absolute value", "within_text": "spread within a text"},
)

# %% [markdown]
# ## Algorithm 1: train with the noise
#
# A classifier that never saw noise may rely on coordinates that noise destroys. Algorithm 1 therefore adds noise of the same kind to the training vectors, drawn anew in every
# epoch. The paper trains encoder and classifier together. To see what the noise alone does, we train only a linear classifier (logistic regression), on fixed vectors.
#
# We make the vectors ourselves, so the best possible accuracy is known. Two *fine* coordinates differ between the classes by a tiny amount and vary even less: without noise they
# nearly suffice, with noise they are worthless. Each of the others, the *broad* ones, differs a little and varies a lot.
#
# Under independent noise plain training should rely on the fine coordinates and fail, and robust training should come close to the best accuracy possible. One number added to
# all coordinates should cost robust training nothing, because the classes differ in *differences* of coordinates. Noise that really keeps $\epsilon$ should leave nothing at
# these values of $\epsilon$.

# %%
def accuracy(train, labels, test, truth):
    classifier = LogisticRegression(C=1e6, solver="newton-cholesky")
    classifier.fit(train.double().cpu().numpy(), labels.numpy())
    right = classifier.score(test.double().cpu().numpy(), truth.numpy())
    return 100 * float(right)


def noisy_epochs(layer, vectors, source):
    return torch.cat([layer(vectors, generator=source) for _ in range(epochs)])


# %%
planted = {}
for seed in seeds:
    rng, source = np.random.default_rng(seed), generator(seed)
    train, labels = planted_representations(train_texts, dim, rng=rng)
    test, truth = planted_representations(test_texts, dim, rng=rng)
    train, test = train.to(encoder.device), test.to(encoder.device)
    assert torch.equal(normalise(test), test)  # scaling changes nothing here
    planted.setdefault("without_noise", []).append(accuracy(train, labels, test, truth))
    for v, e in product(variants, epsilons):
        layer = noise_layer(v, e, dim)
        arrived = layer(test, generator=source)
        rows = noisy_epochs(layer, train, source), labels.repeat(epochs)
        planted.setdefault(f"{v}.robust.eps{e:g}", []).append(accuracy(*rows, arrived, truth))
        planted.setdefault(f"{v}.plain.eps{e:g}", []).append(accuracy(train, labels, arrived, truth))
record.metrics(planted, prefix="planted", interval="t", unit="%")

# %% mystnb={"figure": {"caption": "Accuracy on planted representations by ε (committed record). Under independent noise robust training keeps more accuracy than plain training, except where both guess. With robust training, one number added to all coordinates costs nothing at any ε. Noise of the scale that keeps ε leaves only guessing.", "name": "fig-dpnr-planted"}}
record.plot(
    "planted.{variant}.{training}.eps{e:g}",
    training=("robust", "plain"),
    x="e",
    color="variant",
    col="training",
    log_x=True,
    title="Training with the noise helps wherever independent noise leaves something to learn",
    names={"e": "ε as claimed"},
    ylabel="test accuracy (%)",
    levels={"without noise": evidence(record)["planted.without_noise"]["mean"], "chance": 50.0},
)

# %% [markdown]
# The table compares the known accuracies with the measured ones, for independent noise of scale $1/\epsilon$, whose variance is $2/\epsilon^2$.

# %%
rows = {}
for e in epsilons:
    rows[e] = {
        "best": 100 * best_accuracy(dim, 2 / e**2),
        "robust": np.mean(planted[f"as_written.robust.eps{e:g}"]),
        "plain, known": 100 * accuracy_without_robustness(dim, 2 / e**2),
        "plain": np.mean(planted[f"as_written.plain.eps{e:g}"]),
    }
table = pd.DataFrame(rows).T.rename_axis("ε")
assert (table.best - table.robust).abs().max() < 5 and table.robust.iloc[-1] > table.plain.iloc[-1]
table.round(1)

# %% [markdown]
# The measured columns follow the known ones, so robust training does what the paper says. The flat line in the figure is a warning: where accuracy does not depend on $\epsilon$,
# suspect that the noise hides nothing. [The reproduction](reproduction) asks which of these curves the paper's Table 2 resembles.

# %%
record.save()
record
