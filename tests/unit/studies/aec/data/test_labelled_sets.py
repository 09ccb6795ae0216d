"""The paper's two data sets: what is read, drawn and split, near duplicates, and sizes where the real files are."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet, count_labels
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.runs.params import load_params
from trustnlp.studies.aec.data import labelled_sets

HEADER = ("tweet_id", "airline_sentiment", "airline_sentiment_confidence", "name", "text")
TRAIN = [
    "(0 (2 A) (1 (1 dull) (2 -LRB-)))",
    "(1 (2 So) (1 so))",
    "(2 (2 2\N{NO-BREAK SPACE}1\\/2) (2 hours))",
    "(3 (3 Good) (2 one))",
    "(4 (3 Good) (2 one))",
]


def printed_counts(table: str) -> tuple[int, ...]:
    """Texts of each label, as the paper counts them."""
    counts = printed_tables("aec", "table1", "table2")[table]
    return tuple(counts[label] for label in labelled_sets.LABEL_NAMES)


def test_as_many_tweets_are_drawn_as_the_paper_prints() -> None:
    asked = [entry.resolve("paper") for entry in load_params("aec").notebooks.values()]
    drawn = {tuple(values["drawn"]) for values in asked if "drawn" in values}
    assert drawn == {printed_counts("table2")}


def table(*rows: tuple[str, str, str, str], header: tuple[str, ...] = HEADER) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([tweet, sentiment, confidence, "somebody", text] for tweet, sentiment, confidence, text in rows)
    return out.getvalue().encode()


def read_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> Sentences:
    (tmp_path / "t.csv").write_bytes(content)
    monkeypatch.setattr(labelled_sets, "fetch", lambda name: {"tweets": tmp_path / "t.csv"})
    return labelled_sets.read_tweets()


def read_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, train: list[str], near_duplicates: bool) -> SentenceSet:
    parts = {"train": train, "dev": ["(2 (2 Well) (2 now))"], "test": ["(1 (2 So) (1 so))"]}
    paths = {name: tmp_path / f"{name}.txt" for name in parts}
    for name, lines in parts.items():
        paths[name].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    monkeypatch.setattr(labelled_sets, "fetch", lambda name: paths)
    return labelled_sets.read_reviews(near_duplicates=near_duplicates)


def test_grades_become_three_labels_and_sentences_keep_their_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews = read_trees(tmp_path, monkeypatch, TRAIN, near_duplicates=True)
    assert reviews.train.texts == ("A dull (", "So so", "2 1/2 hours", "Good one", "Good one")
    assert reviews.train.labels.tolist() == [0, 0, 1, 2, 2]
    assert (
        reviews.label_names == labelled_sets.LABEL_NAMES
        and reviews.counts("dev") == (0, 1, 0)
        and reviews.counts("test") == (1, 0, 0)
    )
    assert read_trees(tmp_path, monkeypatch, TRAIN, near_duplicates=False).train.labels.tolist() == [0, 1, 2]


def test_damaged_trees_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"train.txt.* cannot be read as the registry describes it .*'7'"):
        read_trees(tmp_path, monkeypatch, [*TRAIN, "(7 x)"], near_duplicates=True)


def test_every_row_of_tweets_is_read_and_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = table(
        ("570306133677760513", "positive", "1.0", "@Air_1 thanks,\n  “great” &amp; \N{SPARKLES}"),
        ("2", "neutral", "0.5", "@Air_1 what time?"),
        ("2", "negative", "0.7", "@other what time?"),
    )
    tweets = read_table(tmp_path, monkeypatch, content)
    assert tweets.texts == ("@user thanks, “great” & \N{SPARKLES}", "@user what time?", "@user what time?")
    assert tweets.labels.tolist() == [2, 1, 0]


def test_damaged_tables_are_refused_and_no_text_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "something private"
    rows = [
        (table(("1", "mixed", "1", secret)), "t.csv cannot be read"),
        (table(("1", "neutral", "1", "fine"), header=("tweet_id", "text")), "airline_sentiment"),
        (table() + b'1,positive,1,somebody,"cut off', "trustnlp data fetch airline_tweets"),
    ]
    assert_refused(lambda content: read_table(tmp_path, monkeypatch, content), rows, DataError)
    with pytest.raises(DataError) as caught:
        read_table(tmp_path, monkeypatch, rows[0][0])
    assert secret not in str(caught.value)


def test_a_draw_has_the_numbers_asked_for() -> None:
    tweets = Sentences(tuple("abcdefgh"), np.array([0, 0, 0, 1, 1, 2, 2, 2]))
    drawn = [labelled_sets.draw_tweets(tweets, (2, 1, 3), np.random.default_rng(seed)) for seed in range(30)]
    for rows in drawn:
        assert rows.tolist() == sorted(set(rows.tolist()))
        assert count_labels(tweets.labels[rows], 3) == (2, 1, 3)
    assert {row for rows in drawn for row in rows.tolist()} == set(range(8))
    np.testing.assert_array_equal(drawn[4], labelled_sets.draw_tweets(tweets, (2, 1, 3), np.random.default_rng(4)))
    with pytest.raises(ValueError, match=r"\(3, 2, 3\) distinct texts, of which \(2, 1, 4\) cannot be drawn"):
        labelled_sets.draw_tweets(tweets, (2, 1, 4), np.random.default_rng(0))


def test_no_text_of_one_part_repeats_one_of_the_other() -> None:
    texts = [f"text {row // 2}{'!' * (row % 2)}" for row in range(100)] + ["?", "!", "?"]
    for seed in range(10):
        first, second = labelled_sets.split_by_text(texts, 0.2, np.random.default_rng(seed))
        assert sorted([*first, *second]) == list(range(103)) and len(second) in (20, 21)
        assert not {texts[row].rstrip("!") for row in first} & {texts[row].rstrip("!") for row in second if row < 100}
    one, again, other = (
        labelled_sets.split_by_text(texts, 0.2, np.random.default_rng(seed))[1].tolist() for seed in (1, 1, 2)
    )
    assert one == again != other


@pytest.mark.mirror
def test_real_sizes_of_the_treebank(mirror: Path) -> None:
    reviews = labelled_sets.read_reviews(near_duplicates=True)
    assert [reviews.counts(part) for part in ("train", "dev", "test")] == [
        (3310, 1624, 3610), (428, 229, 444), (912, 389, 909),
    ]  # fmt: skip
    assert labelled_sets.read_reviews().counts() == printed_counts("table1")


@pytest.mark.mirror
def test_real_sizes_of_the_tweets(mirror: Path) -> None:
    tweets = labelled_sets.read_tweets()
    assert count_labels(tweets.labels, 3) == (9178, 3099, 2363)
    assert count_labels(tweets.labels[labelled_sets.first_places(tweets.texts)], 3) == (9075, 3017, 2249)
    handles = {word for text in tweets.texts for word in text.split() if word.startswith("@")}
    assert all(word.startswith("@user") or not word[1:2].isalnum() for word in handles)


TEXTS = ("A fine film .", "dull", "a fine film .", "dull", "A fine film !", "held back", "so so", "So  so .")
HELD_OUT = ("held back", "DULL", "so so")


@pytest.mark.parametrize(
    ("held_out", "same", "kept"),
    [
        ((), None, [0, 1, 2, 3, 4, 5, 6, 7]),
        ((), str, [0, 1, 2, 4, 5, 6, 7]),
        ((), labelled_sets.letters_and_digits, [0, 1, 5, 6]),
        (HELD_OUT, None, [0, 1, 2, 3, 4, 7]),
        (HELD_OUT, str, [0, 1, 2, 4, 7]),
        (HELD_OUT, labelled_sets.letters_and_digits, [0]),
    ],
)
def test_each_rule_drops_what_it_says(
    held_out: tuple[str, ...], same: Callable[[str], str] | None, kept: list[int]
) -> None:
    assert same in labelled_sets.SAME and labelled_sets.kept_rows(TEXTS, held_out, same).tolist() == kept
