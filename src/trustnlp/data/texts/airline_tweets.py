"""Tweets about six airlines of the United States, positive or negative: text of another kind than film reviews.

Crowdflower's data set of February 2015. A classifier trained on reviews meets here other words, other topics and other
manners, and so does an explanation of it. People in distress wrote these tweets in public, not for us: texts are read,
scored and counted, never shown.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.texts.film_reviews import Phrases

USER = "@user"
_HANDLE = re.compile(r"@\w+")
_LINK = re.compile(r"https?://\S+")
_COLUMNS = ("airline_sentiment", "text")
_LABELS = {"negative": 0, "positive": 1}
_NEUTRAL = "neutral"


def read_airline_tweets() -> Phrases:
    """Fetch and read the tweets that are not neutral (data set `airline_tweets`), each once, in the order of the file.

    Names of users become `@user`, escapes of HTML their signs, and white space single blanks. Of tweets that are equal
    by then the first one counts, with its label. Whose tweet it is, where and when it was sent are not read.

    Raises
    ------
    DataError
        If the file cannot be fetched or read.
    """
    paths = fetch("airline_tweets")
    with as_described("airline_tweets", paths):
        return _read(paths["tweets"])


def _read(path: Path) -> Phrases:
    content = path.read_bytes().decode("utf-8")
    rows = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise ValueError(f"{path.name} has no columns {' and '.join(_COLUMNS)}")
    labels: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        sentiment, text = (row[column] for column in _COLUMNS)
        if sentiment not in (*_LABELS, _NEUTRAL) or not text:
            raise ValueError(
                f"{path.name}, row {number}: expected a text that is {', '.join(_LABELS)} or {_NEUTRAL}, got "
                f"{sentiment!r} and {'no text' if not text else 'a text'}"
            )
        if sentiment != _NEUTRAL:
            labels.setdefault(_plain(text), _LABELS[sentiment])
    return Phrases(tuple(labels), np.array(list(labels.values()), dtype=np.int64))


def _plain(text: str) -> str:
    return " ".join(_HANDLE.sub(USER, html.unescape(text)).split())


@dataclass(frozen=True)
class AirlineTweet:
    """A tweet to an airline; `writer` is there to keep a writer's tweets together, and for nothing else."""

    text: str
    positive: bool
    airline: str
    writer: str


def read_tweets_by_airline(words: Mapping[str, str]) -> tuple[AirlineTweet, ...]:
    """Fetch and read the tweets that are not neutral with the airline that they are about, each text once.

    Parameters
    ----------
    words
        Handle, in small letters → the word that is read in its place. Every other handle becomes `user`; links go.

    Raises
    ------
    DataError
        If the file cannot be fetched.
    """
    content = fetch("airline_tweets")["tweets"].read_bytes().decode("utf-8")
    found: dict[str, AirlineTweet] = {}
    for row in csv.DictReader(io.StringIO(content, newline=""), strict=True):
        if row["airline_sentiment"] != _NEUTRAL:
            plain = _LINK.sub(" ", html.unescape(row["text"]))
            text = _HANDLE.sub(lambda match: words.get(match[0][1:].lower(), USER[1:]), plain)
            positive = row["airline_sentiment"] == "positive"
            found.setdefault(text, AirlineTweet(text, positive, row["airline"], row["name"]))
    return tuple(found.values())
