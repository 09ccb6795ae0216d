"""Phrase books, questions and tweets: what stands in the files, how the study cuts words, and what is refused."""

from __future__ import annotations

import itertools
import zipfile
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts import everyday_text
from trustnlp.data.texts.everyday_text import distinct_sentences, draw_share, read_columns, words_as_reported
from trustnlp.studies.dpnr_study.standins import walked_columns

QUORA = {"first": "a?\nb?\n", "second": "c?\nd?\n", "labelled": '"","question1","question2"\n"1","e, f","g\nh"\n'}


@pytest.mark.mirror
def test_sizes_of_the_real_files(mirror: Path) -> None:
    read = {
        name: {column: len(texts) for column, texts in read_columns(name).items()}
        for name in ("anki_fra_eng", "quora_pairs", "tweets_emoji")
    }
    assert read == {
        "anki_fra_eng": {"english": 142787, "french": 142787},
        "quora_pairs": {"question1": 11367, "question2": 11367},
        "tweets_emoji": {"tweet": 50000},
    }
    phrases = read_columns("anki_fra_eng")
    assert (phrases["english"][0], phrases["french"][0]) == ("Go.", "Va !")
    assert len(distinct_sentences(phrases["english"])) == 98545


def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    for key, content in files.items():
        (tmp_path / key).write_text(content, encoding="utf-8", newline="")
    monkeypatch.setattr(everyday_text, "fetch", lambda name: {key: tmp_path / key for key in files})


def offer_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, members: dict[str, str]) -> None:
    with zipfile.ZipFile(tmp_path / "archive", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    monkeypatch.setattr(everyday_text, "fetch", lambda name: {"archive": tmp_path / "archive"})


def test_pairs_are_read_from_the_archive_and_nothing_is_unpacked(tmp_path, monkeypatch):
    offer_archive(
        tmp_path, monkeypatch, {"_about.txt": "x", "../evil.txt": "y", "fra.txt": "Go.\tVa !\nHi.\tÀ\u2028toi.\n"}
    )
    assert read_columns("anki_fra_eng") == {"english": ("Go.", "Hi."), "french": ("Va !", "À\u2028toi.")}
    assert [path.name for path in tmp_path.iterdir()] == ["archive"] and not (tmp_path.parent / "evil.txt").exists()


def test_other_archives_are_refused(tmp_path, monkeypatch):
    def attempt(members):
        offer_archive(tmp_path, monkeypatch, members)
        read_columns("anki_fra_eng")

    assert_refused(
        attempt,
        [
            ({"other.txt": "a\tb\n"}, "fra.txt"),
            ({"fra.txt": "a\tb\nc\n"}, "line 2 of fra.txt has 1 columns, expected 2"),
            ({"fra.txt": ""}, "empty"),
            ({"fra.txt": "0" * 20_000_001}, "would unpack to 20,000,001 bytes"),
        ],
        error=DataError,
    )


def test_a_damaged_archive_is_refused_with_what_to_do(tmp_path, monkeypatch):
    offer(tmp_path, monkeypatch, {"archive": "no archive"})
    with pytest.raises(DataError, match="trustnlp data fetch anki_fra_eng"):
        read_columns("anki_fra_eng")


def test_questions_of_both_sources_stand_one_after_the_other(tmp_path, monkeypatch):
    offer(tmp_path, monkeypatch, QUORA)
    assert read_columns("quora_pairs") == {"question1": ("a?", "b?", "e, f"), "question2": ("c?", "d?", "g\nh")}


def test_other_questions_are_refused(tmp_path, monkeypatch):
    def attempt(key, content):
        offer(tmp_path, monkeypatch, QUORA | {key: content})
        read_columns("quora_pairs")

    assert_refused(
        attempt,
        [
            ("second", "c?\n", "2 and 1 lines"),
            ("labelled", '"","q1","q2"\n"1","e","f"\n', "question1"),
            ("first", "", "empty"),
        ],
        error=DataError,
    )


def test_tweets_keep_signs_that_look_like_line_ends(tmp_path, monkeypatch):
    offer(tmp_path, monkeypatch, {"train": "one\u2028still one\ntwo \n", "validation": "three\n"})
    assert read_columns("tweets_emoji") == {"tweet": ("one\u2028still one", "two ", "three")}


def test_an_unknown_name_is_refused():
    with pytest.raises(DataError, match="choose from anki_fra_eng, quora_pairs, tweets_emoji"):
        read_columns("anki")


def test_words_are_cut_as_in_the_study():
    assert words_as_reported("J'ai dit : «\xa0Non\xa0!\xa0»") == ["jai", "dit", "«\xa0non\xa0\xa0»"]
    assert words_as_reported(" ... ") == []


def test_sentences_are_distinct_by_their_words_and_cut_afterwards():
    texts = ["Go on!", "go on", "?", "Go on now", "Stay"]
    assert distinct_sentences(texts) == [["go", "on"], ["go", "on", "now"], ["stay"]]
    assert distinct_sentences(texts, longest=2) == [["go", "on"], ["go", "on"], ["stay"]]
    with pytest.raises(TypeError, match="single string"):
        distinct_sentences("Go on!")


def test_a_share_is_drawn_without_replacement_by_the_generator():
    sentences = [[str(number)] for number in range(100)]
    first, again, other = (draw_share(sentences, 0.5, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert first == again != other and len({words[0] for words in first}) == 50
    assert sorted(draw_share(sentences, 1, np.random.default_rng(0))) == sorted(sentences)
    assert len(draw_share(sentences, 1e-9, np.random.default_rng(0))) == 1


def test_shares_out_of_range_are_refused():
    assert_refused(
        lambda share: draw_share([["a"]], share, np.random.default_rng(0)),
        [(share, "above 0 and is at most 1") for share in [0, -0.5, 1.5, float("nan")]],
    )


def test_nothing_to_draw_from_is_refused():
    with pytest.raises(ValueError, match="no sentences"):
        draw_share([], 0.5, np.random.default_rng(0))


def followers(texts: tuple[str, ...]) -> dict[str, set[str]]:
    """Word → the words that follow it at least five times."""
    seen: dict[tuple[str, str], int] = {}
    for text in texts:
        words = words_as_reported(text)
        for pair in itertools.pairwise(words):
            seen[pair] = seen.get(pair, 0) + 1
    found: dict[str, set[str]] = {}
    for (word, follower), count in seen.items():
        if count >= 5:
            found.setdefault(word, set()).add(follower)
    return found


def test_standins_have_the_columns_and_plant_company_that_tweets_do_not_share():
    rng = np.random.default_rng(0)
    questions, tweets = (walked_columns(name, rng, rows=2000, words=60) for name in ("quora_pairs", "tweets_emoji"))
    assert list(questions) == ["question1", "question2"] and list(tweets) == ["tweet"]
    one, two, three = (followers(texts) for texts in (*questions.values(), *tweets.values()))
    rare = [f"qu{number:03d}" for number in range(30, 60)]  # a frequent word follows any word by chance

    def agreement(a: dict[str, set[str]], b: dict[str, set[str]]) -> float:
        both = [len(a[w] & b[w]) / len(a[w] | b[w]) for w in rare if w in a and w in b]
        return float(np.mean(both))

    assert agreement(one, two) > 0.6 > 0.3 > agreement(one, three)


def test_standins_follow_the_generator():
    draws = [walked_columns("anki_fra_eng", np.random.default_rng(seed), rows=5, words=9) for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert all(len(words_as_reported(text)) == 8 for text in draws[0]["english"])
