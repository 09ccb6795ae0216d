"""Phrase books, questions and tweets: what stands in the files, how the study cuts words, and what is refused."""

import io
import itertools
import zipfile
from collections import Counter, defaultdict

import numpy as np
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts import everyday_text
from trustnlp.data.texts.everyday_text import distinct_sentences, draw_share, read_columns, words_as_reported
from trustnlp.studies.dpnr_study.standins import walked_columns

QUORA = {"first": "a?\nb?\n", "second": "c?\nd?\n", "labelled": '"","question1","question2"\n"1","e, f","g\nh"\n'}


def test_sizes_of_the_real_files(mirror):
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


def zipped(members: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_pairs_are_read_from_the_archive_and_nothing_is_unpacked(offer):
    members = {"_about.txt": "x", "../evil.txt": "y", "fra.txt": "Go.\tVa !\nHi.\tÀ\u2028toi.\n"}
    folder = offer(everyday_text, archive=zipped(members))
    assert read_columns("anki_fra_eng") == {"english": ("Go.", "Hi."), "french": ("Va !", "À\u2028toi.")}
    assert [path.name for path in folder.iterdir()] == ["archive"] and not (folder.parent / "evil.txt").exists()


def test_questions_of_both_sources_stand_one_after_the_other(offer):
    offer(everyday_text, **QUORA)
    assert read_columns("quora_pairs") == {"question1": ("a?", "b?", "e, f"), "question2": ("c?", "d?", "g\nh")}


def test_tweets_keep_signs_that_look_like_line_ends(offer):
    offer(everyday_text, train="one\u2028still one\ntwo \n", validation="three\n")
    assert read_columns("tweets_emoji") == {"tweet": ("one\u2028still one", "two ", "three")}


def test_another_collection_is_refused():
    assert_refused(read_columns, [("anki", "choose from anki_fra_eng, quora_pairs, tweets_emoji")], error=DataError)


def test_words_are_cut_as_in_the_study():
    assert words_as_reported("J'ai dit : «\xa0Non\xa0!\xa0»") == ["jai", "dit", "«\xa0non\xa0\xa0»"]
    assert words_as_reported(" ... ") == []


def test_sentences_are_distinct_by_their_words_and_cut_afterwards():
    texts = ["Go on!", "go on", "?", "Go on now", "Stay"]
    assert distinct_sentences(texts) == [["go", "on"], ["go", "on", "now"], ["stay"]]
    assert distinct_sentences(texts, longest=2) == [["go", "on"], ["go", "on"], ["stay"]]


def test_a_share_is_drawn_without_replacement_by_the_generator():
    sentences = [[str(number)] for number in range(100)]
    first, again, other = (draw_share(sentences, 0.5, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert first == again != other and len({words[0] for words in first}) == 50
    assert sorted(draw_share(sentences, 1, np.random.default_rng(0))) == sorted(sentences)
    assert len(draw_share(sentences, 1e-9, np.random.default_rng(0))) == 1


def followers(texts: tuple[str, ...]) -> dict[str, set[str]]:
    """Word → the words that follow it at least five times."""
    seen = Counter(pair for text in texts for pair in itertools.pairwise(words_as_reported(text)))
    frequent: dict[str, set[str]] = defaultdict(set)
    for (word, follower), count in seen.items():
        if count >= 5:
            frequent[word].add(follower)
    return frequent


def test_standins_have_the_columns_and_plant_company_that_tweets_do_not_share():
    rng = np.random.default_rng(0)
    questions, tweets = (walked_columns(name, rng, rows=2000, words=60) for name in ("quora_pairs", "tweets_emoji"))
    again = walked_columns("quora_pairs", np.random.default_rng(0), rows=2000, words=60)
    assert questions == again != walked_columns("quora_pairs", rng, rows=2000, words=60)
    assert list(questions) == ["question1", "question2"] and list(tweets) == ["tweet"]
    one, two, three = (followers(texts) for texts in (*questions.values(), *tweets.values()))
    rare = [f"qu{number:03d}" for number in range(30, 60)]  # a frequent word follows any word by chance

    def agreement(a: dict[str, set[str]], b: dict[str, set[str]]) -> float:
        return float(np.mean([len(a[w] & b[w]) / len(a[w] | b[w]) for w in rare if w in a and w in b]))

    assert agreement(one, two) > 0.6 > 0.3 > agreement(one, three)
