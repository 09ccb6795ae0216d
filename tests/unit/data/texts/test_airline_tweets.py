"""Tweets about airlines: which are read, what is masked in them, and what is refused."""

import csv
import io

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts import airline_tweets
from trustnlp.data.texts.airline_tweets import USER, read_airline_tweets
from trustnlp.data.texts.film_reviews import Phrases

HEADER = ["tweet_id", "airline_sentiment", "name", "text"]


def read(offer, content: bytes) -> Phrases:
    offer(airline_tweets, tweets=content)
    return read_airline_tweets()


def table(*rows: tuple[str, str], header: list[str] = HEADER) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(["1", sentiment, "somebody", text] for sentiment, text in rows)
    return out.getvalue().encode()


def test_neutral_tweets_names_and_repetitions_are_left_out(offer):
    content = table(
        ("positive", "@Air_1 thanks,\n  “great” &amp; \N{SPARKLES}"),
        ("neutral", "@Air_1 what time?"),
        ("negative", "no @air1, @bob99!"),
        ("negative", "@other thanks, “great” & \N{SPARKLES}"),
    )
    tweets = read(offer, content)
    assert tweets.texts == (f"{USER} thanks, “great” & \N{SPARKLES}", f"no {USER}, {USER}!")
    assert tweets.labels.tolist() == [1, 0] and tweets.labels.dtype == np.int64


def test_damaged_files_are_refused_and_no_text_is_told(offer):
    secret = "something private"
    rows = [
        (table(("mixed", secret)), "tweets, row 1: expected a text that is negative, positive or neutral, got 'mixed'"),
        (table(("positive", " \n ")), "text 0 is empty"),
        (table(header=["tweet_id", "sentiment", "name", "text"]), "has no columns airline_sentiment and text"),
        (table(("positive", secret)) + b"2,positive\n", "row 2.*no text"),
        (b"airline_sentiment,text\npositive,caf\xe9\n", "UnicodeDecodeError.*trustnlp data fetch airline_tweets"),
    ]
    assert_refused(lambda content: read(offer, content), rows, DataError)
    with pytest.raises(DataError) as caught:
        read(offer, rows[0][0])
    assert secret not in str(caught.value)


def test_real_sizes_and_no_name_of_a_user(mirror):
    tweets = read_airline_tweets()
    assert np.bincount(tweets.labels).tolist() == [9079, 2255]
    assert len(set(tweets.texts)) == len(tweets)
    words = {word for text in tweets.texts for word in text.split() if word.startswith("@")}
    assert all(word.startswith(USER) or not word[1:2].isalnum() for word in words)
