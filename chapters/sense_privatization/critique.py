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
# # What the senses give away
#
# Before *bank* gets noise, the {term}`mechanism` with senses looks at the words around it. So the released word depends on more than *bank*. This notebook first checks the paper's printed
# numbers against each other, then asks what that look costs: for the guarantee, for an attacker, and for the text.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "sense_privatization/critique"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
spaces = ["planted"]
corpora = []
text = ""
replacements = 100
tries = 5
attacked = 60
attack_draws = 100
protected_words = 40
protection_draws = 100
calibration_words = 30
calibration_draws = 40
epsilons = [2.0, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0]

# %%
import numpy as np
from trustnlp.data.annotation.parts_of_speech import read_parts_of_speech
from trustnlp.plots.tidy import draw
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.studies.sense_privatization import data, deniability, models
from trustnlp.studies.sense_privatization.checks import broken_guarantee, checks_of
from trustnlp.studies.sense_privatization.critique.attackers import at_equal_success, attack, protection_curve, units_of
from trustnlp.studies.sense_privatization.critique.guarantee import HOW, record_moves, sampled_moves
from trustnlp.studies.sense_privatization.critique.substitutes import numbered_classes, rank_shares, share_of_class

# %%
record = Record(
    "sense_privatization",
    "critique",
    profile=profile,
    seeds=seeds,
    repeats={"": "float32", "printed": "float64", "counterexample": "float64"},
)
for name in data.sources_of(spaces, corpora, text):
    record.uses(name)

# %% [markdown]
# ## The printed numbers
#
# The averages of Table 2 are those of its columns, and at the looser setting senses are ahead on every task. The abstract's percentage is the difference of two accuracies divided by a third, the
# one without privatization: so much less of that accuracy is lost with senses. The checks ask whether such scores can be what the text calls them.

# %%
printed = printed_tables("sense_privatization", "wic", "table2")
for key, value, unit in checks_of(printed):
    record.metric(key, value, unit=unit if unit != "score" else None)
record.table("printed.{of}.{what}")

# %% [markdown]
# What was seen: in points the increase is smaller than its percentage, and within what chance allows for two independent accuracies on a set of this size. Of the gap to the
# original text, about half is closed. None of the three accuracies on WiC can be an average of three trials on the validation part; nor can all five of MRPC or of RTE.
#
# ## The guarantee
#
# Equation (1) bounds what one changed word changes: $e^{\epsilon d(w, w')}$. With senses, a changed word can change which sense is looked up for each of its neighbours, up to ten of
# them. Their vectors move too, and every move costs. By {term}`composition`
#
# $$\ln\frac{\mathbb{P}[M(t) = o]}{\mathbb{P}[M(t') = o]} \;\le\; \epsilon\,\Big(\lVert s_i - s'_i\rVert + \sum_{j \ne i} \lVert s_j - s'_j\rVert\Big),$$
#
# and noisy vectors reach this bound. What is released are the nearest words, which tell less. Do they keep to equation (1)? Here is an example in which all probabilities are known. Words lie on a line. *left* and *right* are next to
# each other, on either side of zero, and *bank* has a sense on either side. In *left bank* and *right bank* the first word chooses the sense. How much more likely is some released text
# under the one than under the other, in nats, and what does equation (1) allow?

# %%
broken = broken_guarantee(epsilon=1.0)
for what, value in broken._asdict().items():
    record.metric(f"counterexample.{what}", value, unit="nats")
margin = broken.promised - broken.reached
record.metric("counterexample.margin", margin, unit="nats")
record.table("counterexample.{what}")

# %% [markdown]
# So the mechanism does not keep the guarantee. How far do look-ups move in real texts? The ratio below is the bound for the noisy vectors divided by what equation (1) allows; for released
# words it is an upper bound. What to expect: most changes flip no sense at all; a few flip several.

# %%
vectors = {name: data.read_space(name, corpora=corpora) for name in spaces}
inventories = {
    name: data.senses_of(name, v) for name, v in vectors.items()
}
# Once: one of the arms needs the neighbours of every word.
mechanisms = {
    name: models.quickened(models.arms_of(v, inventories[name]))
    for name, v in vectors.items()
}
sentences = data.query_text(text)
long_enough = [s for s in sentences if len(s) >= 6]
moves = {
    (name, how): sampled_moves(
        long_enough,
        replacements,
        inventories[name],
        v,
        np.random.default_rng(7),
        how=how,
        tries=tries,
    )
    for name, v in vectors.items()
    for how in HOW
}

# %%
rows = {
    (name, how): record_moves(record, f"{name}.guarantee.{how}", found)
    for (name, how), found in moves.items()
}
for name in vectors:
    largest = max(rows[name, how]["largest ratio"] for how in HOW)
    record.metric(f"{name}.guarantee.largest_ratio", largest)
    record.metric(f"{name}.guarantee.margin", 1 - largest)
record.table(
    "{space}.guarantee.{how}.{what}",
    what=("flips", "above"),
    columns="what",
    names={"flips": "some sense flips", "above": "beyond the bound"},
)
record.table(
    "{space}.guarantee.{how}.{what}",
    what=("median_ratio", "largest_ratio"),
    columns="what",
)

# %% [markdown]
# How to read it: above one, the proof of equation (1) does not carry over to this text. What was seen, in the committed record: for a random new word this is so in a minority of places, for the worst of a few tries in most. The
# largest ratio comes from a new word that lies near the old one: then the distance that the bound promises is short, and a neighbour's sense flips all the same.
#
# ## An attack on a hidden word
#
# The attacker does not see the released *bank*, only the released neighbours, and has to decide between two words. Without senses the neighbours say nothing, so the share of right
# guesses is one half. With senses it is more wherever some sense flips.

# %%
right = {}
for name, v in vectors.items():
    arms = {arm: mechanisms[name][arm] for arm in ("word", "sense")}
    asked = models.draw_queries(
        sentences, v, calibration_words, np.random.default_rng(0)
    )
    rule = {"quantile": 0.9, "epsilons": epsilons, "draws": calibration_draws}
    epsilon = models.budgets(arms, asked, inventories[name], v, **rule)
    for how in ("random", "worst"):
        chosen = moves[name, how]
        for arm in ("word", "sense"):
            guesses = attack(
                chosen.queries[:attacked],
                chosen.others[:attacked],
                arms[arm].at(epsilon[arm], mixed_generator([seeds[0], 3])),
                attack_draws,
                inventories[name],
                v,
                arm=arm,
            )
            right[name, how, arm] = guesses

# %%
for (name, how, arm), guesses in right.items():
    key, shares = f"{name}.neighbours.{how}.{arm}", 100 * guesses.right
    deniability.bootstrapped(record, key, shares, "%")
    record.metric(f"{key}_largest", shares.max(), unit="%")
    where = shares[guesses.flips > 0]
    if len(where) >= 5:
        deniability.bootstrapped(record, f"{key}_flipping", where, "%")
for name in vectors:
    sense = right[name, "random", "sense"].right
    margin = right[name, "random", "word"].right - sense
    deniability.bootstrapped(record, f"{name}.neighbours.margin", margin)
record.table(
    "{space}.neighbours.{how}.{guesses}",
    guesses=("word", "sense", "sense_flipping", "sense_largest"),
    columns="guesses",
    names={
        "word": "right without senses",
        "sense": "with senses",
        "sense_flipping": "where a sense flips",
        "sense_largest": "in the worst text",
    },
)

# %% [markdown]
# What was seen, in the committed record: averaged over random words the leak is small, because senses seldom flip. Where one does, the neighbours are right clearly more often than a coin, and for single texts most of the time. A
# guarantee is about those texts. (That the share without senses is one half is so by construction: it checks the code.)
#
# ## Better at equal protection?
#
# Curves at equal $\epsilon$, or at equal $N_w$, do not compare protection. An attacker does: he knows the mechanism and how frequent words are, sees one substitute, and names the likeliest
# word. At equal success of this attacker, which mechanism keeps more of the meaning? Meaning is measured in vectors that neither mechanism uses.

# %%
curves = {}
for name, v in vectors.items():
    base = name.removesuffix(data.UNIT)
    judge = {"trained": "glove", "glove": "trained"}.get(base, name)
    independent = data.read_space(judge, corpora=corpora)
    units = units_of(v.words, independent)
    drawn = models.draw_queries(
        sentences, v, 2 * protected_words, np.random.default_rng(3)
    )
    asked = [q for q in drawn if q.token in independent][:protected_words]
    owners = inventories[name].rows_of(q.token for q in asked)
    # Words are in the order of their frequency, which falls about as their rank grows.
    prior = 1 / (1.0 + owners)
    arms = mechanisms[name]
    for arm in ("word", "sense", "average"):
        curves[name, arm] = protection_curve(
            arms[arm],
            models.rows_for(arm, asked, inventories[name], v).numpy(),
            owners,
            prior / prior.sum(),
            epsilons,
            protection_draws,
            units=units,
            generator=mixed_generator([seeds[0], 5]),
        )

# %%
for (name, arm), found in curves.items():
    for place, e in enumerate(epsilons):
        record.metric(
            f"{name}.protection.{arm}.success.eps{e:g}", found.success[place]
        )
        record.metric(
            f"{name}.protection.{arm}.cosine.eps{e:g}", found.cosine[place]
        )
levels = (0.25, 0.5, 0.75)
for name in vectors:
    for arm in ("sense", "average"):
        of_arm, of_word = at_equal_success(
            curves[name, arm], curves[name, "word"], levels
        )
        for level, value in zip(levels, of_arm - of_word, strict=True):
            if np.isfinite(value):
                record.metric(
                    f"{name}.protection.{arm}.gain.at{100 * level:.0f}", value
                )
record.table(
    "{space}.protection.{arm}.gain.at{level:d}",
    columns="arm",
    names={"level": "attacker's success, %"},
)

# %% mystnb={"figure": {"caption": "Meaning kept against the success of an attacker who names the likeliest word, a point for each ε (committed record): mean cosine of substitute and original in other word vectors.", "name": "fig-senses-protection"}}
curve = "{space}.protection.{arm}.cosine.eps{e:g}"
kept = record.frame(curve, arm=("word", "sense", "average"))
success = record.frame(curve.replace("cosine", "success"), arm=("word", "sense", "average"))
record.show(
    *draw(
        kept.assign(success=success["mean"]),
        x="success",
        color="arm",
        col="space",
        title="At equal success of the attacker averages keep less meaning",
        xlabel="words the attacker names (%)",
        ylabel="mean cosine",
    )
)

# %% [markdown]
# What was seen, in the committed record: at small $\epsilon$ the attacker does no better than by naming the commonest of the words asked, which sets the left end of the curves. At the one level that all three reach well inside, senses
# and words keep nearly the same meaning, averages less. By this attacker senses gain nothing here. It is a
# difference between curves over few words, without an interval.
#
# ## Near synonyms?
#
# Asghar et al. (2024) point out that in many dimensions the substitute is nearly always the word itself or one far away. Here: the rank of the substitute among the word's nearest
# neighbours.

# %%
for name, v in vectors.items():
    asked = models.draw_queries(
        sentences, v, protected_words, np.random.default_rng(4)
    )
    owners = inventories[name].rows_of(q.token for q in asked)
    arms = mechanisms[name]
    for arm in ("word", "sense"):
        shares = rank_shares(
            lambda e, arm=arm, arms=arms: arms[arm].at(e, mixed_generator([seeds[0], 6])),
            models.rows_for(arm, asked, inventories[name], v).numpy(), owners, v, epsilons, protection_draws,
        ).mean(axis=1)  # fmt: skip
        near = shares[:, 1:3].sum(axis=1)
        record.metric(
            f"{name}.ranks.{arm}.nearest_ten", 100 * near.max(), unit="%"
        )
        record.array(
            f"{name}.ranks.{arm}",
            {f"{e:g}": row for e, row in zip(epsilons, shares, strict=True)},
        )
record.table("{space}.ranks.{arm}.nearest_ten", columns="arm")

# %% [markdown]
# What was seen: at no $\epsilon$ is a near neighbour the likely outcome, with senses or without.
#
# ## Grammar?
#
# Mattern et al. (2022) object that what comes out of such mechanisms is not grammatical. Is the substitute at least of the part of speech of the word that it replaces? By the tags of the Brown
# corpus, each word counts as what it most often is there; words that the corpus lacks are left out. What to expect: vectors of nouns lie near vectors of nouns, so more than a word drawn at
# random has. (In the smoke run the last letter of a made-up word stands for its part of speech.)

# %%
grammar = {}
for name, v in vectors.items():
    tags = read_parts_of_speech() if text else {word: word[-1] for word in v.words}
    classes = numbered_classes(v.words, tags)
    asked = models.draw_queries(
        sentences, v, protected_words, np.random.default_rng(4)
    )
    owners = inventories[name].rows_of(q.token for q in asked)
    arms = mechanisms[name]
    for arm in ("word", "sense"):
        shares, chance = share_of_class(
            lambda e, arm=arm, arms=arms: arms[arm].at(e, mixed_generator([seeds[0], 8])),
            models.rows_for(arm, asked, inventories[name], v).numpy(), owners, classes, epsilons, protection_draws,
        )  # fmt: skip
        grammar[name, arm] = dict(zip(epsilons, shares, strict=True))
        for e, share in grammar[name, arm].items():
            if np.isfinite(share):
                key = f"{name}.grammar.{arm}.eps{e:g}"
                record.metric(key, 100 * share, unit="%")
    record.metric(f"{name}.grammar.chance", 100 * chance, unit="%")
record.table(
    "{space}.grammar.{arm}.eps{e:g}", columns="arm", names={"e": "ε"}
)
record.table("{space}.grammar.chance")

# %% [markdown]
# What was seen: substitutes share the part of speech somewhat more often than a word drawn at random would, but most are of another one, with senses or without.
#
# ## Exercises
#
# **1.** Suppose senses were chosen at random, by their prior and not by the neighbours. What would be left of the attack on a hidden word, and what would be lost? Check the first by
# looking at which arguments `attack` compares.

# %% tags=["hide-cell"]
name = spaces[0]
chosen = moves[name, "worst"]
{
    "share of texts where a neighbour flips": float((chosen.flips > 0).mean()),
    "without a look at the neighbours": 0.0,
}

# %% [markdown]
# **2.** The bound counts every neighbour that flips. How much of the largest ratio is due to the word itself?

# %% tags=["hide-cell"]
worst = int(chosen.ratio.argmax())
{
    "word itself": float(chosen.own[worst] / chosen.apart[worst]),
    "neighbours": float(chosen.neighbours[worst] / chosen.apart[worst]),
}

# %% [markdown]
# **3.** The abstract's figure is a relative one. Which of Table 2's averages would be the largest "increase" if all were divided by the score without privatization?

# %% tags=["hide-cell"]
means = printed["table2"]["average"]
record.show(
    {
        p: round(100 * (means[f"sense_{p}"] - means[f"word_{p}"]) / means["none"], 2)
        for p in (90, 50)
    },
    printed=True,
)

# %%
record.save()
record
