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
# # A direction, where the truth is known
#
# *Nurse* is said to lean female. Before any language is asked, the method is tried on vectors and texts that we made, and whose gender we
# therefore know. First come planted vectors: what does the {term}`gender direction` recover, and from how many pairs? Then come planted
# texts: how much text does the whole chain need, from words to word2vec to a score?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "gender_bias_languages/method"
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
from IPython.display import HTML
from trustnlp.bias.gender_direction.direct_bias import isotropic_floor, mean_direct_bias
from trustnlp.bias.gender_direction.pair_directions import direction_of_rows, gender_direction
from trustnlp.reproduce import Record
from trustnlp.studies.gender_bias_languages.lists import pairs_table
from trustnlp.studies.gender_bias_languages.method import planted_pairs, recovered_by_size
from trustnlp.studies.gender_bias_languages.models import Training

repeats = {"": "float64", "size": "float32"}
record = Record(
    "gender_bias_languages", "method", profile=profile, seeds=seeds, repeats=repeats
)

# %% [markdown]
# ## The words
#
# Seven concepts have a female and a male word each. This is the paper's Table 1 with what text extraction damaged put right.

# %%
HTML(pairs_table("repaired"))

# %% [markdown]
# ## The direction
#
# Take a pair, say *queen* and *king*, with vectors $f$ and $m$. Their centre is $(f + m)/2$, and the two words lie at $\pm(f - m)/2$ from it. The
# paper takes these points of all pairs together and calls their first {term}`principal component` the gender direction $g$. A word's score is
# $\cos(w, g)$.
#
# A principal component has no sign. We turn $g$ so that the female words lie on the positive side on average.
#
# What to expect: each planted pair has a topic of its own, a known axis along which its two words differ, and noise. The stronger the lean
# and the more pairs there are, the better $g$ fits the axis.


# %%
def fit(n, lean, seed):
    female, male, axis = planted_pairs(
        n, lean=lean, dim=dim, rng=np.random.default_rng(seed)
    )
    return float(direction_of_rows(female, male).g @ axis)


for n in n_pairs:
    for lean in leans:
        key = f"planted.pairs_{n}.lean_{round(100 * lean):03d}.cosine"
        record.metric(key, [fit(n, lean, seed) for seed in seeds], interval="t", unit="cosine")
record.table(
    "planted.pairs_{pairs:d}.lean_{lean}.cosine",
    columns="lean",
    names={f"{lean:03d}": f"lean {lean / 100}" for lean in (10, 20, 30, 50, 100)},
)

# %% [markdown]
# What was seen: with a strong lean one pair suffices. With a weak one, even many pairs give a direction that is partly noise.
#
# ## One pair, and no pair
#
# The paper's Figure 3 shows the share of the first component minus that of the second. For Wolof it shows the largest possible value, all of the variance. What to expect: the points of
# a single pair lie on a line, so that the first component holds everything, whatever the words are. Without any pair there is nothing to
# take components of, and the function refuses.

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
# What was seen: random vectors give the same value. The printed number says how many pairs there were, and nothing about gender. The paper says as
# much: there were "not enough defining pairs to meaningfully perform dimension reduction". Where it also takes out *wife–husband* and keeps
# the value "because we didn't find any defining pairs", the number stands for one that does not exist.
#
# ## A score without bias is not zero
#
# Eq. 1, called {term}`DirectBias`, averages $|\cos(w, g)|$. What to expect: words in random directions give about $0.8/\sqrt d$, not zero.

# %%
random_words = draw.standard_normal((20_000, dim))
axis = np.eye(dim)[0]
cosines = random_words @ axis / np.linalg.norm(random_words, axis=1)
sampled, exact = mean_direct_bias(cosines), isotropic_floor(dim)
assert abs(sampled - exact) < 0.01
sampled, exact

# %% [markdown]
# ## From text to score
#
# Now word vectors are trained on made text. A sentence is about one word of the lists. Its context words are female, male, of the word's
# own topic, or none of these, and how often they are female is the planted lean. What to expect: with much text, the scores of the
# professions follow their leans. With little text they cannot. We also shuffle the same text: then no word has a context of its own, and
# what is left comes from how often words occur.

# %%
for size in sizes:
    runs = [recovered_by_size(language, size, seed, Training(dim=dim, epochs=epochs)) for seed in seeds]
    for name in runs[0]:
        if all(name in run for run in runs):
            unit = "share of variance" if name.endswith("share") else None
            values = [run[name] for run in runs]
            record.metric(f"size.tokens_{size}.{name}", values, interval="t", unit=unit)
record.table("size.tokens_{tokens:d}.held_out_right", names={"tokens": "pairs in order, by tokens"})

# %% mystnb={"figure": {"caption": "Correlation of scores with the leans that were planted, by the size of the text (committed record, where there is one).", "name": "fig-languages-size"}}
record.plot(
    "size.tokens_{tokens:d}.correlation",
    x="tokens",
    log_x=True,
    title="Scores follow the planted leans once there is enough text",
    xlabel="tokens of made text",
    ylabel="correlation with the leans",
)

# %% mystnb={"figure": {"caption": "Share of the first component in made text and in the same text shuffled, by its size (committed record, where there is one).", "name": "fig-languages-size-shares"}}
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
# What to read from it: the chain recovers planted gender once words occur often enough. Where they do not, the numbers still look like numbers, though
# the first component holds hardly more than in shuffled text and the scores have little to do with the leans. So a first share
# needs to be read beside its null, and a direction beside the pairs that it has not seen. The notebook on [nine languages](reproduction)
# prints both.

# %%
record.save()
record
