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
# # Do word vectors give the words away?
#
# A keyboard sends each word you type as a vector, and an attacker listens. The attacker has never seen your model, but trains word2vec ({term}`static embeddings <static embedding>`)
# on other text, and guesses for each vector the nearest word of this second model. The report (its section 1.2) finds that this recovers a third of the English words, more
# of the French ones, fewer when the two texts are merely alike, and hardly any when they differ.
#
# We repeat the attack ({term}`embedding inversion`), then vary it: how much does it owe to the text, and how much to a random number generator?

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "dpnr_study/leakage"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
corpora = []
dim = 25
epochs = 20
anchors = 30

# %%
import numpy as np
from trustnlp.data.texts.everyday_text import distinct_sentences, draw_share, read_columns
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledgers import printed_values
from trustnlp.studies.dpnr_study.leakage import WAYS, measure_leak
from trustnlp.studies.dpnr_study.standins import walked_columns

CASES = ["english", "french", "questions", "tweets"]
COUNTED = [f"{case}.{of}" for case in CASES for of in ("words", "shared", "chance")]
repeats = {"": "float32"} | dict.fromkeys(["texts", "printed", *COUNTED], "exact")
record = Record("dpnr_study", "leakage", profile=profile, seeds=seeds, repeats=repeats)
COLLECTIONS = ["anki_fra_eng", "quora_pairs", "tweets_emoji"]
nearest, parts = 5, 5
FOLLOWED = ["one_seed", "aligned", "unaided", "two_seeds"]

# %% [markdown]
# ## The texts
#
# The texts are phrase-book sentences in English and French (Tatoeba, as packed for Anki), pairs of questions from Quora, and tweets. As in the report's notebook, we lower the case,
# delete punctuation and split at blanks. Each distinct sentence counts once, and a tweet ends after ten words. The smoke {term}`profile` uses made-up
# languages: each word has its own few successors, and the "tweets" combine the words of the "questions" in other ways.

# %%
texts = {}
for name in COLLECTIONS:
    if name in corpora:
        texts |= read_columns(name)
        record.uses(name)
    else:
        texts |= walked_columns(name, np.random.default_rng(0))
sentences = {
    column: distinct_sentences(rows, longest=10 if column == "tweet" else None)
    for column, rows in texts.items()
}
for column, rows in sentences.items():
    record.metric(f"texts.{column}", len(texts[column]), unit="count of texts")
    record.metric(f"texts.{column}_distinct", len(rows), unit="count of sentences")
record.condition("question_pairs", len(texts["question1"]))
record.condition("tweets", "with emoji" if "tweets_emoji" in corpora else "made up")
record.table("texts.{column}_distinct", names={"column": "distinct sentences"})

# %% [markdown]
# ## The attack, and its variations
#
# Let $p_w$ be the vector of word $w$ in the private model and $a_v$ that of word $v$ in the attacker's. The word is recovered within $n$ if fewer than $n$ of the attacker's words
# lie closer to $p_w$ by {term}`cosine <cosine similarity>` than $a_w$ does:
#
# $$\#\{v : \cos(a_v, p_w) > \cos(a_w, p_w)\} < n .$$
#
# In words: the right word is among the $n$ best guesses. As in the report's code, a private word that the attacker's model lacks counts as not recovered.
#
# The report's library, the gensim of that time, drew the first vector of a word from a generator seeded with the word itself and a fixed {term}`seed`. So user and attacker
# start with the *same* vector for the same word. We vary this start: user and attacker share it but do not train; each draws random vectors; or both use today's gensim, where the
# start depends on a word's rank.
#
# Without a common start, the attack should recover nothing. The objective of word2vec depends on inner products alone, so any rotation of a space is as good as any other, and
# two models trained separately have unrelated coordinates. An attacker who knows this first rotates one space into the other ({term}`Procrustes alignment`). A few guessed
# words suffice for this. Without any, the attacker pairs the most frequent vectors with the most frequent words and improves the pairing step by step.

# %%
cases = {
    "english": ("english", 0.5, "english", 0.5),
    "french": ("french", 0.5, "french", 0.5),
    "questions": ("question1", 0.4, "question2", 0.7),
    "tweets": ("question1", 0.7, "tweet", 1.0),
}
brief = [way for way in WAYS if way != "other_method"]

# %%
leaks, smaller = {}, []
for seed in seeds:
    rng = np.random.default_rng(seed)
    setting = {"seed": seed, "dim": dim, "epochs": epochs, "anchors": anchors}
    for case, (user, first, other, second) in cases.items():
        drawn = [
            draw_share(sentences[user], first, rng),
            draw_share(sentences[other], second, rng),
        ]
        ways = list(WAYS) if case in ("english", "french") else brief
        leaks[case, seed] = measure_leak(*drawn, **setting, ways=ways)
    pool = draw_share(sentences["english"], 0.5, rng)
    drawn = [draw_share(pool, 0.5, rng) for _ in range(2)]
    smaller.append(measure_leak(*drawn, **setting, ways=["one_seed"]))
SHARE = "share of words"

# %%
for case in cases:
    runs = [leaks[case, seed] for seed in seeds]
    report = np.array([run.recovery("one_seed", nearest, all_words=True) for run in runs])
    values = {f"report.top{n}": report[:, n - 1] for n in range(1, nearest + 1)}
    values |= {"shared": [run.shared() for run in runs], "chance": [run.chance(nearest) for run in runs]}
    for way in runs[0].ranks:
        values[f"{way}.top{nearest}"] = [run.recovery(way, nearest)[-1] for run in runs]
    for way in FOLLOWED:
        values[f"{way}.written"] = [run.written(way, 1) for run in runs]
    if case == "english":
        for way in FOLLOWED:
            fifths = np.array([run.by_frequency(way, nearest, parts) for run in runs])
            values |= {f"{way}.part{n}": shares for n, shares in enumerate(fifths.T, start=1)}
    record.metrics(values, prefix=case, interval="t", unit=SHARE)
    words = [len(run.words) for run in runs]
    record.metric(f"{case}.words", words, interval="t", unit="count of words")
half = [run.recovery("one_seed", nearest, all_words=True)[-1] for run in smaller]
record.metric("english.half_corpus.top5", half, interval="t", unit=SHARE)


# %% [markdown]
# ## As in the report
#
# Do we find the report's order, French before English before questions before tweets? User and attacker share the start, there is no alignment, and all private words count. The levels
# may differ: our phrase book is an earlier package with fewer sentences, our questions are a small part of the report's, and our tweets are others.


# %%
titles = {
    "english": "English phrases",
    "french": "French phrases",
    "questions": "questions, questions",
    "tweets": "questions, tweets",
}
by_case = {"columns": "case", "names": {**titles, **WAYS}}
record.table("{case}.report.top{within:d}", case=CASES, rows="within", **by_case)
record.table(
    {
        "French over English": "french.report_over_english",
        "questions over tweets": "tweets.report_behind_questions",
        "English, half of the text": "english.half_corpus.top5",
        "English, all over half": "english.growth_by_half",
    },
    names={"label": "within five"},
)

# %% [markdown]
# The order holds. For French the share is near the report's; for English it is lower. The second table shows one reason: with half of the sentences, the English share is
# much smaller, and the report's package has more text than ours. Our samples of questions are too small to compare their numbers with the report's.
#
# The first table has a row for each $n$ up to five. The report's saved outputs stop at four for the last two cases. So its printed eighteen per cent and its seven per mille are values
# within *four* nearest words, although the text says five.

# %% [markdown]
# ## The sentences of the report
#
# The report shows single sentences. Which share of their words does the nearest neighbour recover?

# %%
examples = {
    "doctor": ("english", "my doctor said that i only have a few days left to live"),
    "ill": ("english", "my son was ill yesterday"),
    "lonely": ("french", "il se sent seul"),
    "weight": ("questions", "how can you lose weight quickly"),
    "president": ("tweets", "i really like trump"),
}
for key, (case, text) in examples.items():
    for way in ("one_seed", "two_seeds", "unaided"):
        shares = [leaks[case, s].sentence(way, text.split()) for s in seeds]
        if None not in shares:
            record.metric(f"sentence.{key}.{way}", shares, interval="t", unit=SHARE)

# %%
record.table(
    "sentence.{sentence}.{way}",
    rows="sentence",
    columns="way",
    names={**WAYS, **{key: text for key, (_, text) in examples.items()}},
)

# %% [markdown]
# With a shared start, the attack recovers most words of the phrase-book sentences, though not every word in every draw. Without a shared start it recovers no word until the
# attacker aligns the spaces; then about as many as with a shared start. From samples as small as ours, it recovers no sentence of the questions or tweets.

# %% [markdown]
# ## Where the leak comes from
#
# Does the attack read the text, or the shared random numbers? All rows have the same words, without the most frequent ones, which the aligned attack
# knows beforehand.

# %%
record.table("{case}.{way}.top5", case=CASES, way=tuple(WAYS), rows="way", **by_case)

# %% [markdown]
# For the phrase books:
#
# - **No training:** a common start gives nearly every shared word away. This control has nothing to do with text.
# - **Separate starts:** the report's attack does no better than blind guessing. It succeeds only because the two models share their random numbers.
# - **Today's gensim** starts by rank. Words of equal rank are seldom the same word, so with this library the attack recovers little.
# - **Alignment:** the report's conclusion holds all the same. An attacker with other random numbers, who aligns the spaces without knowing a single word, recovers on average more than
#   the report's attack does. This takes no seed, only the order of frequency. (In English some draws end in a worse alignment; a few known words prevent that.)
# - **Another training method** does not protect: vectors trained by skip-gram align with vectors trained by {term}`CBOW`.
#
# From questions and tweets, in samples as small as ours, every attack on trained models recovers few of the distinct words.

# %% mystnb={"figure": {"caption": "Private words recovered within five nearest words, by what user and attacker share (committed record). The report's attack works because both sides start from the same vectors.", "name": "fig-dpnr-study-leakage"}}
SHARED = {
    "one_seed": "one start\n(report)",
    "rank_seeded": "by rank\n(gensim 4)",
    "two_seeds": "own\nstart",
    "aligned": "aligned,\nsome words\nknown",
    "unaided": "aligned,\nno word\nknown",
    "other_method": "aligned to\nskip-gram",
}
record.plot(
    "{case}.{way}.top5",
    case=("english", "french"),
    way=tuple(SHARED),
    x="way",
    color="case",
    title="Without a common start, the attack recovers hardly any word until the spaces are aligned",
    names={**titles, **SHARED},
    xlabel="what user and attacker share",
    ylabel="words recovered (%)",
)

# %% [markdown]
# ## Whose words
#
# Which words leak? Frequent words are well trained, so the aligned attack should find them best.

# %% mystnb={"figure": {"caption": "English words recovered within five nearest words, by their frequency (committed record). The models have hardly trained rare words.", "name": "fig-dpnr-study-frequency"}}
record.plot(
    "english.{way}.part{i:d}",
    way=FOLLOWED,
    x="i",
    color="way",
    title="Alignment gives away most of the frequent words and few of the rare ones",
    names={way: text.replace("\n", " ") for way, text in SHARED.items()},
    xlabel="fifths of the vocabulary, the most frequent first",
    ylabel="words recovered (%)",
)

# %% [markdown]
# The share of the whole vocabulary hides this: the attack recovers most words of the frequent fifth, and hardly any of the rarest. What does this mean for a text? The next table
# counts a word as often as it is written, and accepts only the nearest word.

# %%
record.table("{case}.{way}.written", case=CASES, way=FOLLOWED, rows="way", **by_case)

# %% [markdown]
# With a shared start or after alignment, the first guess recovers most words of the phrases as they are written. By this measure the leak is much larger than the report says. Rare words are safer than
# it says, but more training text may make them less so.

# %%
cells = printed_values("dpnr_study", "leakage", tables=True)
largest = {case: max(cells.series(case + ".report.top{n:d}", "value")) for case in ("questions", "tweets")}
missing = {f"{case}.missing_n": nearest - most for case, most in largest.items()}
record.metrics(missing, prefix="printed", unit="count of ranks")

# %%
if corpora:
    record.deviation(
        "An earlier package of the phrase book (142,787 pairs instead of 179,903).",
        keys=["english", "french", "sentence"],
    )
    record.deviation(
        "11,367 pairs of questions instead of 404,290, most of them duplicates.",
        keys=["questions", "tweets"],
    )
    record.deviation(
        "50,000 tweets with emoji instead of a sample of a corpus of conversations on Twitter.",
        keys=["tweets"],
    )
    record.deviation(
        "gensim 4 with gensim 3's first vectors, hashed by CRC-32 instead of Python's hash; one training thread instead of three."
    )
record.save()
record
