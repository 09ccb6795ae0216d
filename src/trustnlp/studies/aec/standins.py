"""Made-up reviews and tweets in which the causes of a classifier's errors are known.

Three causes are planted, each as a way to write a sentence that spaCy's parser, its entities and a list of question
words can see: a negation, a name of a place or a day, and a question. A base classifier errs on them for a reason:

`negation`
    No review has one. In a tweet it turns praise into blame and blame into praise.
`entity`
    Reviews name a place or a day in praise alone. In tweets names say nothing.
`question`
    No review asks. A tweet that asks is neutral, whatever its words.

`planted_errors` needs no base classifier: it draws which tweets it would get wrong, at one rate where the cause is
there and at another where it is not. The other two causes are then without effect: whoever names them names what did
not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Truths = NDArray[np.bool_]

CAUSES = ("negation", "entity", "question")
NEGATIVE, NEUTRAL, POSITIVE = range(3)

_TONES = {
    NEGATIVE: "rude slow awful terrible dirty broken horrible useless boring stupid",
    NEUTRAL: "new open small red long empty",
    POSITIVE: "friendly helpful great lovely smooth comfortable wonderful excellent pleasant clever",
}
_ADJECTIVES = {label: adjectives.split() for label, adjectives in _TONES.items()}
_NOUNS = (
    "film story plot cast script ending music camera scene actor hero dialogue",
    "crew flight seat meal app desk gate bag plane service lounge agent screen website",
)
_REVIEWED, _TRAVELLED = (nouns.split() for nouns in _NOUNS)
_PLACES, _DAYS = "Boston Chicago Denver Dallas Seattle Miami Phoenix Atlanta", "Monday Tuesday Friday Sunday"
_NAMES = [*(f"in {place}" for place in _PLACES.split()), *(f"on {day}" for day in _DAYS.split())]
_ADDITIONS = ("", "", " for us", " at the counter", " with the kids", " after the change", " before the trip")
_OPENERS = ("", "", "well , ", "so , ", "wow , ", "ok , ")
_SECOND = (
    *("", "", "", " we sit by the window .", " my friend has the ticket .", " they told the others ."),
    *(" I wrote to the desk .", " the children sleep ."),
)
# Shares of the labels in Table 1 and of the tone of words in Table 2, and of the tweets that carry each cause.
_REVIEW_SHARES = (0.39, 0.19, 0.42)
_TONE_SHARES = (0.63, 0.21, 0.16)
_CARRIED = {"negation": 0.3, "entity": 0.4, "question": 0.2}
_NAMED_PRAISE = 0.5
_FEWEST = 10
_MOST = 10_000


@dataclass(frozen=True, eq=False)
class PlantedTexts:
    """Texts of known label.

    Attributes
    ----------
    texts
        All different.
    labels
        `(n,)` int64: 0 negative, 1 neutral, 2 positive.
    carries
        Cause → `(n,)` whether each text carries it.
    """

    texts: tuple[str, ...]
    labels: NDArray[np.int64]
    carries: Mapping[str, Truths]

    def at(self, rows: NDArray[np.int64]) -> PlantedTexts:
        """Some of the texts."""
        texts = tuple(self.texts[row] for row in rows)
        return PlantedTexts(texts, self.labels[rows], {cause: each[rows] for cause, each in self.carries.items()})


@dataclass(frozen=True, eq=False)
class PlantedErrors:
    """Tweets and the answers of a base classifier that errs for one cause.

    Attributes
    ----------
    tweets
        Texts, true labels, and which text carries which cause.
    cause
        The one that decides the rate of errors.
    predicted
        `(n,)` int64.
    probabilities
        `(n, 3)` float64 in rows that sum to 1, greatest at the predicted label; how great says nothing of an error.
    """

    tweets: PlantedTexts
    cause: str
    predicted: NDArray[np.int64]
    probabilities: NDArray[np.float64]

    @property
    def wrong(self) -> Truths:
        """`(n,)` which answers are errors."""
        wrong: Truths = self.predicted != self.tweets.labels
        return wrong


def labelled_reviews(n: int, rng: np.random.Generator) -> PlantedTexts:
    """Draw `n` different film reviews in about the paper's shares of labels (Table 1), from 10 to 10,000."""

    def review() -> tuple[str, int, dict[str, bool]]:
        label = int(rng.choice(3, p=_REVIEW_SHARES))
        clauses = [f"the {_one(_REVIEWED, rng)} is {_one(_ADJECTIVES[label], rng)}" for _ in range(2)]
        named = label == POSITIVE and rng.random() < _NAMED_PRAISE
        end = f" {_one(_NAMES, rng)} ." if named else " ."
        return " and ".join(clauses) + end, label, {"negation": False, "entity": named, "question": False}

    return _different(n, review)


def planted_tweets(n: int, rng: np.random.Generator, *, carried: Mapping[str, float] = _CARRIED) -> PlantedTexts:
    """Draw `n` different tweets, from 10 to 10,000.

    Words are of the paper's shares of labels (Table 2); a negation or a question then changes the label.

    Parameters
    ----------
    carried
        Cause → share of the tweets that carry it, each drawn apart from the others.
    """

    def tweet() -> tuple[str, int, dict[str, bool]]:
        tone = int(rng.choice(3, p=_TONE_SHARES))
        carries = {cause: bool(rng.random() < carried[cause]) for cause in CAUSES}
        label = NEUTRAL if carries["question"] else 2 - tone if carries["negation"] else tone
        return _tweet(tone, carries, rng), label, carries

    return _different(n, tweet)


def planted_errors(
    tweets: PlantedTexts, cause: str, rng: np.random.Generator, *, rates: tuple[float, float] = (0.7, 0.3)
) -> PlantedErrors:
    """Draw answers to tweets that are wrong at a rate that one cause decides.

    Parameters
    ----------
    cause
        One of `CAUSES`.
    rates
        Of errors where the cause is there, and where it is not; the same rate twice plants nothing. A wrong answer is
        one of the other two labels, each as likely.
    """
    n = len(tweets.texts)
    wrong = rng.random(n) < np.where(tweets.carries[cause], *rates)
    predicted = np.where(wrong, (tweets.labels + rng.integers(1, 3, n)) % 3, tweets.labels)
    # At least .5, so that no other label has more.
    greatest = rng.uniform(0.5, 0.9, n)
    probabilities = np.empty((n, 3))
    rows = np.arange(n)
    probabilities[rows, predicted] = greatest
    probabilities[rows, (predicted + 1) % 3] = (1 - greatest) * rng.uniform(0.1, 0.9, n)
    probabilities[rows, (predicted + 2) % 3] = 1 - greatest - probabilities[rows, (predicted + 1) % 3]
    return PlantedErrors(tweets, cause, predicted.astype(np.int64), probabilities)


def _tweet(tone: int, carries: Mapping[str, bool], rng: np.random.Generator) -> str:
    noun, adjective = _one(_TRAVELLED, rng), _one(_ADJECTIVES[tone], rng)
    verb = _one(("is", "was"), rng)
    negation = _one(("not", "never", "no"), rng) if carries["negation"] else ""
    if negation == "no":
        subject, rest = "there", f"no {adjective} {noun}"
    else:
        subject, rest = f"the {noun}", f"{negation} {adjective}".strip()
    rest += _one(_ADDITIONS, rng) + (f" {_one(_NAMES, rng)}" if carries["entity"] else "")
    if carries["question"]:
        said = f"{_one(('', 'why ', 'how '), rng)}{verb} {subject} {rest} ?"
    else:
        said = f"{subject} {verb} {rest} {_one(('.', '!'), rng)}"
    return f"@user {_one(_OPENERS, rng)}{said}{_one(_SECOND, rng)}"


def _different(n: int, draw: Callable[[], tuple[str, int, dict[str, bool]]]) -> PlantedTexts:
    """Draw texts until `n` are different."""
    if not _FEWEST <= n <= _MOST:
        raise ValueError(f"{_FEWEST} to {_MOST:,} texts can be made up, got {n}")
    drawn: dict[str, tuple[int, dict[str, bool]]] = {}
    while len(drawn) < n:
        text, label, carries = draw()
        drawn.setdefault(text, (label, carries))
    labels = np.array([label for label, _ in drawn.values()], dtype=np.int64)
    carried = {cause: np.array([carries[cause] for _, carries in drawn.values()]) for cause in CAUSES}
    return PlantedTexts(tuple(drawn), labels, carried)


def _one(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
