"""Corpora of nine languages: how files are cut into documents, draws of whole documents, and what is refused."""

import lzma

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.languages import language_corpora
from trustnlp.data.languages.language_corpora import read_corpus, read_language
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.registry import DataError
from trustnlp.data.texts.corpus_documents import Corpus, Document, draw_documents, resample_documents, tokenised


def read(offer, name: str, text: str, **novels: str) -> Corpus:
    offer(language_corpora, text=lzma.compress(text.encode()), **novels)
    return read_corpus(name)


def lines(corpus: Corpus) -> list[list[str]]:
    return [list(document.lines) for document in corpus.documents]


def test_novels_are_documents_with_the_names_of_the_list(offer):
    corpus = read(offer, "eltec_de", "a b\nc\n\nd\n\n", novels="level1/DEU001.xml\t3\nlevel1/DEU002.xml\t1\n")
    assert [d.name for d in corpus.documents] == ["DEU001", "DEU002"] and lines(corpus) == [["a b", "c"], ["d"]]


@pytest.mark.parametrize(
    ("name", "text", "documents"),
    [
        ("saudinewsnet", "T\nA\n\n\nT2\n", [["T", "A"], ["T2"]]),
        ("books_wo", "### x\na\n\nb\n### y\n\n### z\nc\n", [["a", "b"], ["c"]]),
        ("classics_zh", "### B\n书名\n第一回甲\n乙\n第二回丙\n", [["书名"], ["第一回甲", "乙"], ["第二回丙"]]),
        ("tatoeba_zh", "eng\tcmn\nHi.\t嗨。\n", [["嗨。"]]),
        ("ganjoor_poems", "### p.txt\np.txt\nnumber of beyts:\t1\nا\n\nب\n", [["ا", "ب"]]),
        ("commonvoice_ur", "ا\n" * 120, [["ا"] * 50, ["ا"] * 50, ["ا"] * 20]),
    ],
)
def test_each_layout_is_cut_where_its_texts_end(offer, name, text, documents):
    assert lines(read(offer, name, text)) == documents


def test_what_is_no_corpus_is_refused():
    said = "no corpus of the nine languages; choose from eltec_de"
    assert_refused(read_corpus, [("commonvoice_en", DataError, said)])
    assert_refused(
        Corpus, [("c", "en", (), "no document"), ("c", "en", (Document("d", (" ",)),), "1 documents are empty")]
    )
    assert_refused(read_language, [("xx", "unknown language 'xx'; choose one of en")])


def test_tokens_share_memory_and_long_lines_are_cut():
    corpus = Corpus("c", "en", (Document("d", ("one two " * 600, "...", "two")), Document("e", ("one",))))
    texts = tokenised(corpus, LanguageWords("en"))
    assert texts == tokenised(corpus)
    assert [[len(s) for s in text] for text in texts] == [[1000, 200, 1], [1]]
    assert texts[0][0][0] is texts[1][0][0]


TEXTS = [[[f"w{i}"] * 10] * 10 for i in range(20)]


def test_draws_take_whole_documents_at_random_up_to_the_number_of_words():
    drawn, again, other = (draw_documents(TEXTS, 950, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert sum(len(s) for t in drawn for s in t) == 950 and len(drawn) == 10
    assert drawn[:9] != TEXTS[:9]  # not the head of the file
    assert drawn == again != other
    assert len({t[0][0] for t in drawn}) == 10
    assert_refused(
        lambda n: draw_documents(TEXTS, n, np.random.default_rng(0)), [(0, "1 to that"), (2001, "hold 2,000")]
    )


def test_documents_cut_to_their_first_words_make_a_sample_of_more_of_them():
    long = [[[f"w{i}", "a", "b", "c"]] * 25 for i in range(20)]
    drawn = draw_documents(long, 180, np.random.default_rng(0), longest=18)
    assert len(drawn) == 10 and sum(len(s) for t in drawn for s in t) == 180
    assert all([len(sentence) for sentence in text] == [4, 4, 4, 4, 2] for text in drawn)
    assert len({t[0][0] for t in drawn}) == 10 and len(long[0]) == 25  # what was given stays whole
    assert [] not in draw_documents([*TEXTS, [], [[]]], 2000, np.random.default_rng(0))
    assert_refused(
        lambda n, longest: draw_documents(long, n, np.random.default_rng(0), longest=longest),
        [(361, 18, "cut to 18 each, hold 360"), (10, 0, "cannot cut documents to 0 words")],
    )


def test_a_bootstrap_sample_says_how_many_documents_it_has_and_how_many_differ():
    sample = resample_documents(TEXTS, np.random.default_rng(0))
    assert sample.documents == len(sample.texts) == 20
    assert sample.distinct == len({t[0][0] for t in sample.texts}) < 20
    assert sample == resample_documents(TEXTS, np.random.default_rng(0))
    assert sample != resample_documents(TEXTS, np.random.default_rng(1))
    drawn = [resample_documents(TEXTS, np.random.default_rng(seed)).distinct for seed in range(200)]
    assert np.mean(drawn) == pytest.approx(20 * (1 - 0.95**20), abs=0.4)  # each stays out with (1 - 1/20)^20
    assert_refused(
        lambda texts: resample_documents(texts, np.random.default_rng(0)),
        [(TEXTS[:9], "a bootstrap over 9 documents is no measure of spread, at least 10")],
    )


@pytest.mark.parametrize(
    ("name", "documents"),
    [("commonvoice_ur", 195), ("ted_ur", 398), ("bible_wo", 159), ("books_wo", 90), ("farsi_feeds", 2487)],
)
def test_real_corpora_have_the_documents_that_the_registry_tells(mirror, name, documents):
    assert len(read_corpus(name)) == documents
