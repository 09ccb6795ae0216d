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
# # Which way to hide a text keeps most of its use?
#
# **In short.** Where a name is the secret, one list of words, learned from texts whose secret is known and removed from *all* texts, keeps most. Of tweets that name an airline the reader keeps {metric}`hidden_texts.paper:kept.tweets.common | full` of {metric}`hidden_texts.paper:task.tweets.none | full` where an attacker, who gains {metric}`hidden_texts.paper:gain.tweets.none | full` from the tweets as they are, gains about $5$ points. Deleting words at random keeps {metric}`hidden_texts.paper:kept.tweets.deletion | full`, and no {term}`mechanism` with noise keeps more of them, as far as we can tell{holds}`hidden_texts.paper:over.tweets.words between -4 0`{holds}`hidden_texts.paper:over.tweets.senses between -5 0`{holds}`hidden_texts.paper:over.tweets.projected clearly below 0`{holds}`hidden_texts.paper:over.tweets.orthonormal clearly below 0`{holds}`hidden_texts.paper:over.tweets.dpnr clearly below 0`. A long list for each secret can be worse than none: in blogs, with half of the words gone, it makes a weak attacker a sure one.
#
# *flying with united tomorrow, best crew ever*: anybody who reads this may learn that the customer is content, and should not learn which airline it was. Four papers of this book hide a text, each in its own way, with its own task and attacker, and an ε of its own or none. Here all of them get the same task and attacker.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "across/hidden_texts"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
data = ["made"]
arms = ["deletion", "words", "senses", "polarised", "log_odds", "common", "dpnr", "dpnr_shared", "projected", "orthonormal"]
texts = 300
length = 12
families = ["words", "mean"]
draws = 400
pairs = 2
vocabulary = 100
precision = "float32"

# %%
import numpy as np
import pandas as pd
from tqdm.auto import tqdm
from trustnlp.plots.gain_charts import task_against_gain
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence
from trustnlp.studies.across.hidden_texts.arms import ARMS
from trustnlp.studies.across.hidden_texts.data import POOLS, made
from trustnlp.studies.across.hidden_texts.runs import GAIN, Hiding, summary

record = Record("across", "hidden_texts", profile=profile, seeds=seeds, repeats="float32")
if profile == "paper":
    for name in data:
        record.uses(POOLS[name][1])
    record.uses("glove_6b_50d")
    record.uses_encoder("all-MiniLM-L6-v2", condition=None)

# %%
NAMES = {
    "none": "as it is",
    "coin": "a coin: as it is, or nothing",
    "deletion": "random deletion",
    "words": "noisy words",
    "senses": "noisy senses",
    "polarised": "removal, polarised",
    "log_odds": "removal, count",
    "common": "removal, one list",
    "dpnr": "DPNR",
    "dpnr_shared": "DPNR, released code",
    "projected": "PrivEmb",
    "orthonormal": "orthonormal",
}

# %% [markdown]
# ## One task, one secret, one adversary
#
# **Tweets** to an airline: good or bad is the task, which of five airlines the secret. An airline's own handle is written as a word for it; other handles are masked. **Blog posts**: over 30 or under 20 is the task, the writer's gender the secret. Each seed draws a thousand texts, as many of every pair of task and secret, so that neither gives the other away; parts share no writer. Tweets and posts of private persons are read and counted here, and none is shown.
#
# Receiver and attacker have the same three tools: a regression on words, one on the mean of word vectors, one on a frozen {term}`encoder`, MiniLM; for vectors, a regression on the vector and one on its differences from its smallest coordinate. Both learn from *hidden* texts with known answers (half of them), choose among their tools on a fifth, and are scored on the rest. *Points above guessing* are the mean share of right answers over classes, less that of guessing: a constant text gives zero to both.
#
# Without protection the reader of tweets is {metric}`hidden_texts.paper:task.tweets.none | full` above guessing, and the attacker {metric}`hidden_texts.paper:gain.tweets.none | full`. In blogs it is {metric}`hidden_texts.paper:task.blogs.none | full` and {metric}`hidden_texts.paper:gain.blogs.none | full`.
#
# ## Ten ways to hide a text
#
# | | on | what happens | weak to strong |
# | --- | --- | --- | --- |
# | random deletion | words | each word goes with the same chance | chance of a word to go |
# | noisy words | words | {term}`metric privacy`: noise on the word's vector, then the nearest word; `trustnlp privatise` | ε per unit of distance between GloVe's vectors |
# | noisy senses | words | the same on the vector of its sense | the same unit, other vectors |
# | removal, polarised | words | words near the axis of the text's own secret go | share of words |
# | removal, count | words | {term}`log-odds of a word`, of the text's own secret; `trustnlp anonymise` | share of words |
# | removal, one list | words | the same count, but what tells *any* secret goes from all texts | share of words |
# | DPNR | vector | scaled to $[0, 1]$, Laplace noise on each coordinate | the paper's ε; corrected for the width it is $384$ times as large, and the same release |
# | DPNR, released code | vector | one Laplace number for all coordinates | the paper's ε |
# | PrivEmb | vector | projected, then noise | ε per unit of distance between unit vectors |
# | orthonormal | vector | orthonormal rows, then noise; `trustnlp release` | the same unit |
#
# No two of these ε mean the same, so nothing below is compared at equal ε.

# %%
settings = {
    "arms": arms, "texts": texts, "length": length, "families": families, "draws": draws, "pairs": pairs,
    "vocabulary": vocabulary, "precision": precision,
}
hiding = Hiding.of(profile, settings)
pools = {name: POOLS[name][0]() if name in POOLS else made(np.random.default_rng(0)) for name in data}
progress = tqdm([(seed, name) for seed in seeds for name in data], disable=None)
done = {(name, seed): hiding.run_once(name, pools[name], seed) for seed, name in progress}
runs = {name: [done[name, seed] for seed in seeds] for name in data}
for key, values in summary(runs).items():
    record.metric(key, values, interval="t")

# %%
record.show(pd.DataFrame({NAMES[arm]: [" · ".join(f"{value:g}" for value in ARMS[arm])] for arm in ARMS}, index=["strengths, weak to strong"]).T)

# %% [markdown]
# ## At an attacker who gains no more than $5$ points
#
# Lines go from the unprotected text to a constant one. Between two strengths a coin decides, text by text; this is drawn, not run: reader and attacker are taken to know how it fell, and to have learned as much of either side. For each seed the *other* seeds choose the best strength at which the attacker gains at most $5$ points on average; the seed itself then gives both numbers. So what the attacker reaches is near $5$ points, not below them.

# %% mystnb={"figure": {"name": "fig-across-hidden-texts", "caption": "Points of the task that the reader keeps, against points that the attacker gains, at each strength (committed record). Up and to the left is better. The vertical line is where ways are compared. In blogs, removal of what tells the own secret leads the attacker to certainty."}}
found = evidence(record)
def means(what, name, arm):
    steps = [f"{what}.{name}.none", *(f"{what}.{name}.{arm}.s{place}" for place in range(len(ARMS[arm])))]
    return [*(found[key]["mean"] for key in steps), 0.0]
panels = {
    title: {NAMES[arm]: (means("gain", name, arm), means("task", name, arm)) for arm in ARMS}
    for name, title in (("tweets", "tweets: which airline"), ("blogs", "blogs: which gender"), ("made", "made-up texts"))
    if f"lead.{name}" in found
}
record.show(*task_against_gain(panels, GAIN, "One list removed from all texts keeps most of the task; a long list for each secret gives the secret away", alike=NAMES["coin"]))

# %% [markdown]
# *At an attacker who gains at most $5$ points, it keeps more of the task than random deletion*, in points more:
#
# | | tweets | blogs |
# | --- | --- | --- |
# | noisy words | {verdict}`hide-tweets-words` {ours}`hide-tweets-words` | {verdict}`hide-blogs-words` {ours}`hide-blogs-words` |
# | noisy senses | {verdict}`hide-tweets-senses` {ours}`hide-tweets-senses` | {verdict}`hide-blogs-senses` {ours}`hide-blogs-senses` |
# | removal, polarised | {verdict}`hide-tweets-polarised` {ours}`hide-tweets-polarised` | {verdict}`hide-blogs-polarised` {ours}`hide-blogs-polarised` |
# | removal, count | {verdict}`hide-tweets-log-odds` {ours}`hide-tweets-log-odds` | {verdict}`hide-blogs-log-odds` {ours}`hide-blogs-log-odds` |
# | removal, one list | {verdict}`hide-tweets-common` {ours}`hide-tweets-common` | {verdict}`hide-blogs-common` {ours}`hide-blogs-common` |
# | DPNR | {verdict}`hide-tweets-dpnr` {ours}`hide-tweets-dpnr` | {verdict}`hide-blogs-dpnr` {ours}`hide-blogs-dpnr` |
# | DPNR, released code | {verdict}`hide-tweets-dpnr-shared` {ours}`hide-tweets-dpnr-shared` | {verdict}`hide-blogs-dpnr-shared` {ours}`hide-blogs-dpnr-shared` |
# | PrivEmb | {verdict}`hide-tweets-projected` {ours}`hide-tweets-projected` | {verdict}`hide-blogs-projected` {ours}`hide-blogs-projected` |
# | orthonormal | {verdict}`hide-tweets-orthonormal` {ours}`hide-tweets-orthonormal` | {verdict}`hide-blogs-orthonormal` {ours}`hide-blogs-orthonormal` |
#
# The line at $5$ points decides about *removal, count*. In tweets, with a fifth of the words gone, the attacker gains {metric}`hidden_texts.paper:gain.tweets.log_odds.s1 | full`, on the wrong side of it{holds}`hidden_texts.paper:gain.tweets.log_odds.s1 between 5 10`, while the reader keeps {metric}`hidden_texts.paper:task.tweets.log_odds.s1 | full`; one list of that length keeps {metric}`hidden_texts.paper:task.tweets.common.s1 | full`. At a line of $10$ points both would keep about the same. At this line, too, a coin that sends a text of that strength or nothing would keep more than random deletion{holds}`hidden_texts.paper:task.tweets.log_odds.s1 between 34 40`{holds}`hidden_texts.paper:kept.tweets.deletion between 4 15`. The plan compares along the strengths alone, so its verdict speaks of them, not of the count at its best. What tells the two lists apart is the rest of the curve: a longer list for each secret gives away more, a longer one for all gives away less. In blogs its weakest strength stands on the line, and the other seeds' mean falls on either side: hence that wide interval.
#
# **Tweets.** *One list for all keeps more than every other way* {verdict}`hide-tweets-best`, by {ours}`hide-tweets-best | full` over the best of them, which is random deletion. *Random deletion keeps more than a coin that sends a text as it is or not at all* {verdict}`hide-tweets-coin`, by {ours}`hide-tweets-coin | full`. Noise on a vector keeps no more than that coin does{holds}`hidden_texts.paper:coin.tweets.dpnr between -2.5 0`{holds}`hidden_texts.paper:coin.tweets.projected between -4 0`{holds}`hidden_texts.paper:coin.tweets.orthonormal between -2.5 0`: the name of the airline is the last thing to go.
#
# **Blogs.** Here the attacker gains only {metric}`hidden_texts.paper:gain.blogs.none | full` from the posts as they are, hardly more than the $5$ points that were granted before the run. So the coin alone keeps {metric}`hidden_texts.paper:kept.blogs.coin | full` of {metric}`hidden_texts.paper:task.blogs.none | full`, and whether *random deletion keeps more* is open {verdict}`hide-blogs-coin`. What beats random deletion here beats the coin by about $3$ points or less{holds}`hidden_texts.paper:coin.blogs.common between 0 4`{holds}`hidden_texts.paper:coin.blogs.senses between 0 4`{holds}`hidden_texts.paper:coin.blogs.orthonormal between -1 3`. Whether one list *keeps more than every other way* is open {verdict}`hide-blogs-best`.

# %%
record.table("kept.{data}.{arm}", rows="arm", columns="data", names=NAMES)

# %%
record.table("coin.{data}.{arm}", rows="arm", columns="data", names=NAMES)

# %%
record.table("reached.{data}.{arm}", rows="arm", columns="data", names=NAMES)

# %% [markdown]
# ## What our own commands do worst
#
# - **`trustnlp anonymise`**, which removes for each owner what tells that owner. *With half of the words gone, the attacker gains less than without any protection*: in tweets {verdict}`hide-tweets-own-words`; in blogs {verdict}`hide-blogs-own-words`, where he gains {ours}`hide-blogs-own-words | abs | full` more{holds}`hide-blogs-own-words clearly below 0`, since what is missing is a signature. Polarised vectors do so with a fifth of the words: in tweets {verdict}`hide-tweets-own-polarised`; in blogs {verdict}`hide-blogs-own-polarised`, by {ours}`hide-blogs-own-polarised | abs | full`{holds}`hide-blogs-own-polarised clearly below 0`. One list for all is what the command does for documents without an owner: in Python, `fit_anonymiser` learns with owners, and `redact(text, None)` asks for none.
# - **`trustnlp privatise`** at ε = 10 leaves {metric}`hidden_texts.paper:stays.tweets.words.s0 | full` of the tweets' words as they are, and the attacker still gains {metric}`hidden_texts.paper:gain.tweets.words.s0 | full`. At ε = 4, where he gains {metric}`hidden_texts.paper:gain.tweets.words.s2 | full`, the reader is {metric}`hidden_texts.paper:task.tweets.words.s2 | full` above guessing.
# - **`trustnlp release`** of a text's vector loses the task before the name: at ε = 100 the attacker gains {metric}`hidden_texts.paper:gain.tweets.orthonormal.s1 | full`, and the reader is {metric}`hidden_texts.paper:task.tweets.orthonormal.s1 | full` above guessing.

# %%
record.table("fall.{data}.{arm}.s{step:d}", rows=["data", "arm"], columns="step", names=NAMES)

# %% [markdown]
# ## At equal distinguishability
#
# A bound speaks of two texts, so we take two: a test text, and the same text with its most telling word replaced by the most telling word of another secret. An {term}`audit` releases each a thousand times and proves a lower bound of the {term}`privacy loss`, in nats. Where it proves at most one, on average over two such pairs, how much of the task is kept? Random deletion promises nothing: where the word stays, it is seen. Noise that all coordinates share never comes down that far; nor do, in every seed, noisy words in blogs and DPNR in tweets at the strengths tried.

# %%
record.table("at_loss.{data}.{arm}", rows="arm", columns="data", names=NAMES)

# %% [markdown]
# *Some mechanism with noise keeps half of the task there*: in tweets {verdict}`hide-tweets-half`, the best is {ours}`hide-tweets-half | abs | full` short of it{holds}`hide-tweets-half clearly below 0`; in blogs {verdict}`hide-blogs-half`, {ours}`hide-blogs-half | abs | full` short{holds}`hide-blogs-half clearly below 0`. A low bound is no proof of privacy: more releases could prove more, and for words only the changed place was looked at. How little it may see: of random deletion at its strongest, whose loss has no bound, it proves {metric}`hidden_texts.paper:loss.tweets.deletion.s3 | full`.
#
# ## Limits
#
# - Removal knows the secret that must be hidden, and learned from texts whose secret is known. Random deletion and noise know nothing, and hide other secrets too. That is what a list cannot do. To compare them by one secret favours the list.
# - The attacker knows the secret of as few texts as the list was learned from, and of the same ones. Outside the record we gave a regression on words many more, other texts: it then gained against lists of a fifth of the words, and in blogs saw the signature that such a list for each secret leaves. So how long a list must be depends on the attacker.
# - Task and secret are independent by the draw. Where the secret's words also tell the task, a list costs more of it. Draws overlap: each takes nearly half of the praise of one airline. Intervals speak of other draws from these texts, not of other texts.
# - Two secrets: a name, and a manner of writing from which little can be read in 32 words. The $5$ points were fixed before; for blogs that is nearly no protection, and a larger sample would be needed for a smaller number. Of eighteen comparisons one may be chance.
# - Seven draws of each kind of texts took $28$ minutes on one busy core; each is kept, so the record's own time is that of reading them.
# - A first look at one draw (not recorded) chose strengths. It also took tweets in place of the news of DPNR's chapter, whose two topics we could tell apart by $14$ points only, which leaves nothing to keep. After the run we changed how losses are interpolated: at first a coin between the strongest mechanism and a constant text counted, whose loss is larger than ours said. The verdicts are the same either way.
# - Vectors come from a frozen MiniLM, computed in bfloat16. DPNR trains its encoder with the noise; its {term}`word dropout` is not run. Noise on words has a vocabulary of the $20{,}000$ most frequent words of GloVe, in 50 dimensions, and masks all others.
# - *An attacker who fine-tunes the encoder gains more* {verdict}`hide-tuned` He is part of the notebook, and takes hours. So no number here is the most that an attacker can gain.
# - Not run: pypantera, which installs its modules under the name `src` and so needs its own environment (`pip install pypantera==1.0.2`); from its code its CMP draws by the law of our noisy words. TEM and Mahalanobis noise, which both packages have.

# %%
record.save()
record
