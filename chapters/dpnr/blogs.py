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
# # Blogs: hiding gender and age
#
# In the news the attacker looks for a name. In blogs the attacker looks for the writer's traits: woman or man, under twenty or over thirty. The ten topics of the paper's BLOG
# come from latent Dirichlet allocation (LDA): a post with one dominating topic has it as its label. We rebuild the data by the published recipe, from a sample of the corpus, and
# repeat Tables 2, 3, 4 and 6 and Figures 3 and 4 on the result. Texts of private persons never appear on a page.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "dpnr/blogs"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0]
encoder = "all-MiniLM-L6-v2"
tuned_layers = 1
learning_rate = 0.002
epochs = 4
batch_size = 64
max_length = 64
keep = "best"
variants = ["released", "as_written"]
epsilons = [0.05]
rates = []
dropped_with = []
threshold = 0.6
n_topics = 4
passes = 5
n_posts = 500
device = "cpu"
precision = "float32"

# %%
import numpy as np
from sklearn.metrics import adjusted_rand_score
from trustnlp.data.texts.attribute_standins import planted_posts
from trustnlp.data.texts.blog_topics import find_topics, label_posts, read_blog_posts
from trustnlp.privacy.attacks.attribute_inference import KNOWING, PAPER, TUNED
from trustnlp.privacy.attacks.attribute_metrics import majority_baseline
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.page_evidence import evidence
from trustnlp.studies.dpnr import reproduction
from trustnlp.studies.dpnr.blogs import neighbour_agreement, tsne_map
from trustnlp.studies.dpnr.models import fine_tuning
from trustnlp.studies.dpnr.reproduction import Setting, measure
from trustnlp.training.private_classifier import Defence

repeats = {"": "float32", "data": "exact", "majority": "exact", "seconds": "timed"}
record = Record("dpnr", "blogs", profile=profile, seeds=seeds, repeats=repeats)

# %% [markdown]
# ## Topics
#
# The recipe keeps posts whose likeliest topic has a probability above four fifths. In our sample that leaves too few posts to train on, so we use a lower threshold and show both
# in the table. We then take equally many posts from each of the four groups of gender and age, and split them by post, so the same writer can occur in training and test.

# %%
if profile == "paper":
    posts = read_blog_posts()
    record.uses("blog_posts")
    record.condition("blog", "a sample of the corpus")
else:
    record.condition("blog", "made-up posts")
    posts = planted_posts(n_posts, np.random.default_rng(0))
texts = [post.text for post in posts]
topics = find_topics(texts, seed=0, n_topics=n_topics, passes=passes)
other = find_topics(texts, seed=1, n_topics=n_topics, passes=passes)
agreement = adjusted_rand_score(topics.shares.argmax(1), other.shares.argmax(1))
record.metric("topics.agreement", agreement)
likeliest = topics.shares.max(axis=1)
record.metrics({f"{bar:g}": 100 * (likeliest > bar).mean() for bar in sorted({threshold, 0.8})}, prefix="topics.kept")

# %%
blogs = label_posts(posts, topics, np.random.default_rng(0), threshold=threshold)
data = blogs.data
record.metric("data.known_writers", 100 * blogs.known_writers, unit="%")
record.metrics({split: len(part) for split, part in data.splits.items()}, prefix="data")
record.table(
    {
        "posts with a topic above .6": "topics.kept.0.6",
        "posts with a topic above .8": "topics.kept.0.8",
        "agreement of two runs of LDA": "topics.agreement",
        "test posts by writers of training posts": "data.known_writers",
    }
)

# %% [markdown]
# Two runs of LDA from different {term}`seeds <seed>` find topics that agree only in part, so the *main task* itself is partly an accident of the seed. In our rebuild the largest
# topic has nearly two posts of three, in the paper's data about one of three, so a lead over MAJORITY is smaller here.

# %%
majority = majority_baseline(
    data.train.labels, data.train.attributes, data.test.labels, data.test.attributes, "demographic"
)
record.metric("majority.accuracy", majority.accuracy, unit="%")
record.metric("majority.privacy", majority.empirical_privacy, unit="%")
tuning = fine_tuning(data, vars())  # of the parameters above
record.uses_encoder(encoder)
record.deviation(
    "BLOG is rebuilt from a sample of 24,000 posts of 20 to 128 tokens, with topics above "
    f"a probability of {threshold:g} (the paper: 0.8)."
)
trained = "accuracy refitted fairness privacy comparable epsilon_flat epsilon_fall".split()
trained += "drop half_lead difference fairer separation".split()
record.deviation(f"The encoder is {encoder}, the paper's BERT base.", keys=trained)
if tuned_layers:
    record.deviation(
        f"Only {tuned_layers} of the encoder's layers and its pooler are trained, at a rate of {learning_rate:g}, on the "
        f"first {max_length} tokens.",
        keys=trained,
    )

# %% [markdown]
# ## Defences and attackers
#
# The settings are those of Table 4, and the measure of protection is {term}`empirical privacy`. If blogs behave as the news did, the released noise leaves accuracy where it is,
# and it stops only an attacker who does not undo the noise.

# %%
attackers = [PAPER, TUNED, KNOWING]
names = [attacker.name for attacker in attackers]
plain, against = Defence(), Defence(adversary=1.0)
ends = {epsilons[0], epsilons[-1]}  # what Figure 3 is judged by
noisy = {Defence(v, e): attackers if e in ends else [PAPER] for v in variants for e in epsilons}
dropped = {Defence(v, 1.0, rate): [] for v in dropped_with for rate in rates}
table = measure(tuning, "demographic", {plain: attackers, against: attackers} | noisy | dropped, seeds)

# %% [markdown]
# As in [the reproduction](reproduction), `accuracy` is that of the head trained with the noise, `refitted` that of a linear head fitted to released training vectors. The paper
# gives no settings for ADV; our weight of one for the reversed gradient is one guess of many.

# %%
judged = [column for column in table if not column.startswith("attack.")]
record.metrics(reproduction.by_defence(table[judged]), interval="t")
record.deviation(
    "The paper gives no settings for ADV; ours are one guess of many.",
    keys=[f"fairness.{reproduction.ADVERSARIAL}"],
    lacks=True,
)

# %%
pairs = []
for variant in variants:
    pairs += reproduction.accuracy_by_epsilon(table, variant, epsilons)
    pairs += reproduction.privacy_by_epsilon(table, variant, epsilons, names)
    name = reproduction.name_of(variant, epsilons[0])
    pairs += reproduction.against_baselines(table, name, names, majority)
    pairs += reproduction.fairer(table, name, data.attribute_names)
    if variant in dropped_with:
        pairs += reproduction.accuracy_by_rate(table, variant, 1.0, rates, majority)
record.metrics(dict(pairs), interval="t", unit="points")

# %%
defences = {
    "non_private": "NON-PRIV",
    "adversarial": "ADV",
    "released.eps0.05.mu0": "one draw per text (released code)",
    "as_written.eps0.05.mu0": "one draw per coordinate (as written)",
}
record.table("{head}.{defence}", head=reproduction.HEADS, defence=defences, columns="head", names=defences)

# %%
record.table(
    "privacy.{defence}.{attacker}",
    defence=defences,
    attacker=("paper", "tuned", "knowing"),
    columns="attacker",
    names=defences,
)

# %% mystnb={"figure": {"name": "fig-dpnr-blogs", "caption": "Table 4 on the rebuilt BLOG: topic accuracy, and what the knowing attacker misses of gender and age, at the paper's default ε (committed record). An attacker who misses half is guessing. Against the knowing attacker the released noise hides a few points of the gap to guessing."}}
guess = evidence(record)["majority.privacy"]["mean"]
short = {**defences, "released.eps0.05.mu0": "released", "as_written.eps0.05.mu0": "as written"}
record.plot(
    "{what}.{defence}",
    "{what}.{defence}.knowing",
    what=("accuracy", "privacy"),
    defence=defences,
    x="defence",
    color="what",
    title="The released noise hides little more than no noise does",
    names={**short, "accuracy": "topic accuracy", "privacy": "gender and age missed"},
    ylabel="%",
    levels={"guessing gender and age": guess},
)

# %% [markdown]
# ## Table 2 on BLOG
#
# Does accuracy depend on $\epsilon$ here? The news showed a flat line for the released code's noise and a falling one for the noise as written; we expect the same. A server can
# always name the most frequent topic.

# %% mystnb={"figure": {"name": "fig-dpnr-blogs-accuracy", "caption": "Table 2 on the rebuilt BLOG: topic accuracy by ε, mean and interval over seeds (committed record). With one number per text, as the released code draws it, accuracy rises slightly with ε; whether by more than our limit is undetermined. With independent noise of the same scale, as written, the trained head is at the two smallest ε far less accurate than always naming the most frequent topic; the refitted head is not."}}
record.plot(
    "{head}.{variant}.eps{e:g}.mu0",
    head=reproduction.HEADS,
    variant=("released", "as_written"),
    x="e",
    color="variant",
    col="head",
    log_x=True,
    title="The noise as written costs the trained head its lead over the most frequent topic",
    names={"released": "released code", "e": "ε as the paper counts it", "accuracy": "trained with the noise"},
    levels={"most frequent topic": evidence(record)["majority.accuracy"]["mean"]},
)

# %% [markdown]
# The shape is that of the news. When the phone also drops words (Table 3), each step costs accuracy from the smallest share on, with either noise; see the [claims
# table](ledger.md). The dropped words are the same in all epochs and seeds, so the intervals do not include the chance of their choice. The learning rate is constant, and the
# head starts as torch's linear layers do, as in [the reproduction](reproduction).

# %% [markdown]
# ## Figure 4: maps of the two ages
#
# The paper shows t-SNE maps of both ages, without noise and with DPNR, and judges privacy and fairness by how well the ages mix. We turn each map into a number: how often a
# post's nearest neighbour on it has a writer of the same age (half is chance). The released noise should mix the ages, as the paper saw. If you subtract each vector's smallest
# coordinate before you draw the map, the ages should separate again.

# %%
def released(defence, seed):
    setting = Setting(data, "demographic", defence, tuning.trained(defence, seed))
    return setting.release("test", setting.generator(seed))


# %%
age = data.test.attributes[:, 1]
shared, own = (Defence(variant, epsilons[0]) for variant in variants)
views = {
    "non_private": lambda s: released(plain, s),
    shared.name: lambda s: released(shared, s),
    f"{shared.name}.subtracted": lambda s: (x := released(shared, s)) - x.amin(1, keepdim=True),
    own.name: lambda s: released(own, s),
}
maps = {(name, s): tsne_map(view(s), seed=s) for name, view in views.items() for s in seeds}  # fmt: skip
agreed = {name: np.array([neighbour_agreement(maps[name, s], age) for s in seeds]) for name in views}
for name, values in agreed.items():
    record.metric(f"separation.{name}.age", values, interval="t", unit="%")
    if name != "non_private":
        less = agreed["non_private"] - values
        record.metric(f"difference.separation.{name}.age", less, interval="t", unit="points")

# %% mystnb={"figure": {"name": "fig-dpnr-blogs-maps", "caption": "Figure 4 in numbers: how often a post's nearest neighbour on the t-SNE map of test posts has a writer of the same age (committed record). The noise of the released code mixes the ages. With each vector's minimum subtracted, neighbours agree about as often as without noise."}}
record.plot(
    "separation.{view}.age",
    view=("non_private", "released.eps0.05.mu0", "released.eps0.05.mu0.subtracted", "as_written.eps0.05.mu0"),
    x="view",
    title="Subtracting the minimum separates the ages again",
    names={
        "non_private": "without noise",
        "released.eps0.05.mu0": "released",
        "released.eps0.05.mu0.subtracted": "minus the minimum",
        "as_written.eps0.05.mu0": "as written",
        "view": "vectors",
    },
    ylabel="neighbours of one age (%)",
    levels={"chance": 50.0},
)

# %% [markdown]
# A map that looks mixed guarantees nothing: one method of drawing may miss what another view of the same numbers shows.

# %%
record.save()
