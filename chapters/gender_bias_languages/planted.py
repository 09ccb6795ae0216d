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
# # How much text does a gender direction need?
#
# We try the method on vectors and texts that we made, so that we know their gender. How many pairs of planted vectors
# does the {term}`gender direction` need? And how much text does the whole chain need, from words to word2vec to a
# score? The [lesson](method) builds the direction step by step.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "gender_bias_languages/planted"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
dim = 50
leans = [0.2, 0.5, 1.0]
n_pairs = [1, 3, 7]
sizes = [5_000, 20_000, 80_000]
language = "es"
epochs = 5

# %%
import numpy as np
import pandas as pd
from trustnlp.bias.gender_direction.pair_directions import direction_of_rows, gender_direction
from trustnlp.reproduce import Record
from trustnlp.studies.gender_bias_languages.models import Training
from trustnlp.studies.gender_bias_languages.planted import leaning_pairs, recovered_by_size

repeats = {"": "float64", "size": "float32"}
record = Record(
    "gender_bias_languages", "planted", profile=profile, seeds=seeds, repeats=repeats
)

# %% [markdown]
# ## The direction
#
# Each planted pair has its topic, a known axis along which its two words differ, and noise. The stronger the lean and
# the more pairs there are, the better the direction should fit the axis. The table shows the cosine of the two.


# %%
def fit(n, lean, seed):
    female, male, axis = leaning_pairs(
        n, lean=lean, dim=dim, rng=np.random.default_rng(seed)
    )
    return float(direction_of_rows(female, male).g @ axis)


for n in n_pairs:
    cosines = {f"lean_{round(100 * lean):03d}.cosine": [fit(n, lean, seed) for seed in seeds] for lean in leans}
    record.metrics(cosines, prefix=f"planted.pairs_{n}", interval="t", unit="cosine")
record.table(
    "planted.pairs_{pairs:d}.lean_{lean}.cosine",
    columns="lean",
    names={f"{lean:03d}": f"lean {lean / 100}" for lean in (10, 20, 30, 50, 100)},
)

# %% [markdown]
# With a strong lean one pair suffices{holds}`planted.paper:planted.pairs_1.lean_100.cosine above 0.95`. With the
# weakest, even twenty pairs give a direction that is partly
# noise{holds}`planted.paper:planted.pairs_20.lean_010.cosine between 0.5 0.95`.
#
# ## One pair, and no pair
#
# The paper's Figure 3 shows the share of the first component minus that of the second. For Wolof it shows the largest
# possible value: all of the variance. But the points of a single pair lie on a line, so the first component must hold
# everything, whatever the words are. Without any pair there is nothing to take components of, and our function refuses.

# %%
draw = np.random.default_rng(seeds[0])
gaps = [
    direction_of_rows(
        draw.standard_normal((1, dim)), draw.standard_normal((1, dim))
    ).gap
    for _ in range(100)
]
record.metric("one_pair.gap", float(np.mean(gaps)), unit="share of variance")
assert np.ptp(gaps) < 1e-12

# %%
try:
    gender_direction({}, [], fewest=1)
    components = 1
except ValueError as refusal:
    components = 0
    print(refusal)
record.metric("no_pair.components_missing", 1 - components, unit="count")

# %% [markdown]
# Random vectors give the paper's value for Wolof. It says how many pairs there were, and nothing about gender. The
# paper says as much: there were "not enough defining pairs to meaningfully perform dimension reduction". Where it also
# takes out *wife–husband* and keeps the value "because we didn't find any defining pairs", the number does not exist.
#
# ## From text to score
#
# Now we train word vectors on made text. Each sentence is about one word of the lists. Its context words are female,
# male, of the word's topic, or none of these. How often they are female is the planted lean.
#
# With much text, the scores of the professions should follow their leans; with little text they cannot. We also shuffle
# the same text. Then no word keeps its context, and what is left comes from how often words occur.

# %%
for size in sizes:
    runs = [recovered_by_size(language, size, seed, Training(dim=dim, epochs=epochs)) for seed in seeds]
    record.metrics(pd.DataFrame(runs).dropna(axis=1), prefix=f"size.tokens_{size}", interval="t")
record.table("size.tokens_{tokens:d}.held_out_right", names={"tokens": "pairs in order, by tokens"})

# %% mystnb={"figure": {"caption": "Correlation of scores with the planted leans, by the size of the text (committed record, where there is one).", "name": "fig-languages-size"}}
record.plot(
    "size.tokens_{tokens:d}.correlation",
    x="tokens",
    log_x=True,
    title="Scores follow the planted leans once there is enough text",
    xlabel="tokens of made text",
    ylabel="correlation with the leans",
)

# %% mystnb={"figure": {"caption": "Share of variance that the first component holds in made text and in the same text shuffled, by the size of the text (committed record, where there is one).", "name": "fig-languages-size-shares"}}
record.plot(
    "size.tokens_{tokens:d}.{share}",
    share=("first_share", "shuffled_share"),
    x="tokens",
    color="share",
    log_x=True,
    title="In little text the first component holds hardly more than in shuffled text",
    names={"first_share": "text", "shuffled_share": "shuffled", "tokens": "tokens of made text"},
)

# %% [markdown]
# The chain recovers planted gender once words occur often enough. Before that, it still prints numbers, but the scores
# have little to do with the leans. Compare a first share with that of shuffled text, and try a direction on pairs that
# it has not seen. The notebook on [nine languages](reproduction) prints both.

# %%
record.save()
record
