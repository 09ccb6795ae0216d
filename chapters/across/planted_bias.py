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
# # Which measure of bias sees a small one?
#
# **In short.** Of a bias that moves $10\,\%$ of the sentences, no measure of word vectors is sure: the {term}`gender direction` sees it in {metric}`planted_bias.paper:hits.dose10.direction_pca | full` of the texts, the mean cosine of {term}`WEAT` in {metric}`planted_bias.paper:hits.dose10.weat_cosine_mean | full`, its median cosine in {metric}`planted_bias.paper:hits.dose10.weat_cosine_median | full`. A classifier of the same text, asked by MOXIE's probes, sees it in all{holds}`planted_bias.paper:hits.dose10.probe between 99 101`. Once one set of words is more frequent than the other, false alarms follow where there is no bias: with the mean cosine in {metric}`planted_bias.paper:hits.rare.weat_cosine_mean | full` of the texts, with the classifier in {metric}`planted_bias.paper:hits.rare.probe | full`.
#
# Take an invented word, *x3*, and put it into sentences that speak of one person: *the x3 of her father*, *a x3 boy*. Write each sentence twice, once with *father* and once with *mother*. Now *x3* stands equally often beside men and beside women, in the very same sentences. Whatever a measure of bias says about *x3*, the text is not the cause.
#
# Then move a tenth of its sentences from *mother* to *father*. For other invented words, the *y* words, move a tenth the other way. That is a bias whose size and sign we know. We train word vectors on the text and ask every measure in this book whether the *x* words lean to the male side.

# %% tags=["remove-input"]
REPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "across/planted_bias"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {REPOSITORY} b && git -C b checkout -q {REVISION} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {"NOTEBOOK": NOTEBOOK}, "__main__")

# %% tags=["parameters"]
profile = "smoke"
seeds = [0, 1]
compared = 2
stepped = 2
tokens = 40_000
dim = 50
epochs = 5
contexts = 100

# %%
from trustnlp.reproduce import Record
from trustnlp.studies.across.planted_bias.runs import DOSES, Setting, Study, summary

record = Record("across", "planted_bias", profile=profile, seeds=seeds, repeats="float32")
corpus = "eltec_en" if profile == "paper" else "made"
if profile == "paper":
    record.uses(corpus)
NAMES = {
    "weat_cosine_mean": "WEAT, mean cosine",
    "weat_cosine_median": "WEAT, median cosine",
    "weat_cosine_eq2": "WEAT, Eq. 2",
    "weat_mahalanobis_mean": "WEAT, mean Mahalanobis",
    "ripa": "RIPA",
    "ect": "cosines of ECT",
    "rnd": "RND",
    "rnsb": "RNSB's classifier",
    "direction_pca": "gender direction",
    "probe": "MOXIE's probes",
}

# %% [markdown]
# ## The plant
#
# Real text: 300 thousand words of English novels of 1840 to 1920 (ELTeC; texts in the public domain, edition CC BY 4.0), and about 20 thousand words of planted sentences. Eight *x* words and eight *y* words, 80 sentences each: ten for each of eight pairs from *he/she* to *husband/wife*. Which sentences a word gets is drawn anew for every {term}`seed`; larger doses move what smaller ones move, and nothing else differs between two doses of a seed.
#
# All measures answer the same question. Each gives one score to each of the sixteen words, and the exact {term}`permutation test` asks how many of the $\binom{16}{8}$ ways to split them into two eights differ as much. The word lists of the measures are the eight pairs themselves, so no measure is short of the right words. Without bias *x* and *y* are exchangeable, so there the test keeps its level whatever the measure.
#
# Besides {term}`WEAT` and the {term}`gender direction`, four scores are asked word by word. *RIPA* multiplies a word's vector with the direction from female to male, without scaling it to length one. *ECT* takes the difference of its cosines with the two genders' mean vectors, *RND* that of its distances to them. *RNSB* trains a classifier on the vectors of the gendered words and asks it about the others. *MOXIE's probes* put a word into sentences of the text, and ask a classifier of whole sentences which gender is meant.

# %%
study = Study(Setting(corpus, tokens, dim, epochs, contexts))
runs = study.runs(seeds, compared, stepped)
for key, (values, interval) in summary(runs).items():
    record.metric(key, values, interval=interval)

# %% [markdown]
# ## How often does each measure see it?
#
# The share of texts in which the test is significant at $5\,\%$. At a dose of 0 every such finding is a false alarm.

# %%
record.table(
    "hits.dose{dose:d}.{measure}", dose=DOSES, rows="measure", columns="dose", names=NAMES
)

# %% mystnb={"figure": {"name": "fig-across-planted-bias", "caption": "Share of texts in which the test over the words is significant, by the share of sentences moved (committed record; bands are the exact intervals)."}}
shown = ["weat_cosine_mean", "weat_cosine_median", "weat_mahalanobis_mean", "weat_cosine_eq2", "probe"]
record.plot(
    "hits.dose{dose:d}.{measure}",
    dose=DOSES,
    measure=shown,
    x="dose",
    color="measure",
    title="At 10 % the mean cosine sees the bias in most texts, the median in few, a classifier of the text in all",
    xlabel="sentences moved, %",
    ylabel="texts with p ≤ .05, %",
    names=NAMES,
    levels={"5 %": 5},
)

# %% [markdown]
# Does a measure see $10\,\%$ in more than $80\,\%$ of the texts?
#
# - *The mean cosine* {verdict}`sees-10-cosine-mean` {metric}`planted_bias.paper:hits.dose10.weat_cosine_mean | full`. Near it lie the cosines behind ECT {verdict}`sees-10-ect`, the gender direction {verdict}`sees-10-direction` and RNSB's classifier {verdict}`sees-10-rnsb`. All see $20\,\%$ in every text{holds}`planted_bias.paper:hits.dose20.weat_cosine_mean between 99 101`{holds}`planted_bias.paper:hits.dose20.ect between 99 101`{holds}`planted_bias.paper:hits.dose20.direction_pca between 99 101`{holds}`planted_bias.paper:hits.dose20.rnsb between 99 101`.
# - *The mean Euclidean distance* {verdict}`sees-10-euclidean-mean` and *RIPA* {verdict}`sees-10-ripa`: {metric}`planted_bias.paper:hits.dose10.ripa | full`. They see the length of a vector as well as its direction; whether that is why they see less, we did not test.
# - *The mean {term}`Mahalanobis distance`* {verdict}`sees-10-mahalanobis-mean` {metric}`planted_bias.paper:hits.dose10.weat_mahalanobis_mean | full`. It needs a covariance, for which eight words are few; that this is the cause we did not test.
# - *The median cosine* {verdict}`sees-10-cosine-median` It is behind the mean {verdict}`median-behind-mean` by {ours}`median-behind-mean | interval`: the mean adds up what each attribute word says, the median listens to the middle two.
# - *The smallest cosine and the largest Euclidean distance*, of which we had asked nothing beforehand, see it in {metric}`planted_bias.paper:hits.dose10.weat_cosine_min | full` and {metric}`planted_bias.paper:hits.dose10.weat_euclidean_max | full`.
# - *A classifier of the text* {verdict}`sees-10-probe` Its task is easier. It counts words in sentences, and the plant is one of counts.
#
# Eq. 2, the smallest difference between a cosine with a male word and one with a female word, is blind in most texts even at $50\,\%$ {verdict}`eq2-blind`, since it does not say which side is nearer. With Mahalanobis distances it sees that bias in {metric}`planted_bias.paper:hits.dose50.weat_mahalanobis_eq2 | full`. Without bias the test with the mean cosine raises an alarm in {metric}`planted_bias.paper:hits.dose0.weat_cosine_mean | full` of the texts. That agrees with its level of $5\,\%$; that it stays below $15\,\%$ we cannot quite confirm {verdict}`level-kept`
#
# ## The sign, and the dose
#
# In how many texts do the *x* words lean to the male side at $10\,\%$, significant or not? Those that see the bias have the sign right in nearly every text{holds}`planted_bias.paper:right.dose10.weat_cosine_mean between 95 101`{holds}`planted_bias.paper:right.dose10.ripa between 95 101`{holds}`planted_bias.paper:right.dose10.ect between 95 101`{holds}`planted_bias.paper:right.dose10.rnsb between 95 101`{holds}`planted_bias.paper:right.dose10.direction_pca between 95 101`, also where the test is not significant. And does what the measure prints grow with the dose? The second number is Spearman's rank correlation over the six doses of a text.

# %%
record.table("right.dose10.{measure}", names=NAMES)

# %%
record.table("response.{measure}", names=NAMES)

# %% [markdown]
# ## No bias, but rarer words
#
# In real lists one set of words is often more frequent than the other. Here the *x* words have 128 sentences each and the *y* words 32, all of them balanced. There is no bias to find.

# %%
record.table("hits.rare.{measure}", names=NAMES)

# %% [markdown]
# *Frequency alone raises false alarms in more than $10\,\%$ of the texts* with the mean cosine {verdict}`frequency-cosine-mean`, the largest Manhattan distance {verdict}`frequency-manhattan-max`, RIPA {verdict}`frequency-ripa`, and the gender direction {verdict}`frequency-direction` We had expected cosines to be safe, since they do not see a vector's length. They are not; why, we did not test (a rare word's vector has been moved less often from where training began, and the words of the two genders differ in frequency, too). A permutation test cannot know of it: match the frequencies of the two sets before you test.
#
# ## No bias, and no second set
#
# "Engineers lean male: their mean score is above zero." Is zero where a balanced word stands? The eight *x* words by themselves, without any bias, in a t-test against zero:

# %%
record.table("alone.{measure}", names=NAMES)

# %% [markdown]
# *A balanced set of words lies off zero in more than $10\,\%$ of the texts:* with the mean cosine {verdict}`alone-cosine-mean`, with RIPA {verdict}`alone-ripa`, along the gender direction {verdict}`alone-direction` For the gender direction that is {metric}`planted_bias.paper:alone.direction_pca | full`. The words of a set are off zero together, and the t-test takes them for independent. Compare with a second set of similar frequency, never with zero.
#
# ## Limits
#
# - One language, one kind of text, one way to train (skip-gram, 50 dimensions), sixteen words of 80 sentences. Words of more sentences should show a smaller bias; we did not try.
# - The balance without bias is exact. In real text it varies by chance, which makes all measures, and a count most of all, less sure than here.
# - The bias stands within five words of the invented one, and each text names the right pairs. Nobody tells a user which they are.
# - At $5\,\%$ only the sentences with *he*, *himself*, *man* and *boy* have moved; at $10\,\%$ one of each pair. So the step from 5 to $10\,\%$ looks smaller than it is.
# - The rank correlations are of six trainings of a text, and the intervals over texts are of texts drawn from the same novels.
# - The set scores that ECT, RNSB and the gender direction print are not tests. They stand in the second table alone.

# %%
record.save()
record
