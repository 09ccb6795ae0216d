"""English text: what counts as a word and a sentence, and each corpus read as its format demands."""

import io
import lzma
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.registry import DataError
from trustnlp.data.texts import english_text
from trustnlp.data.texts.english_text import read_english, sentences_of, words_of


def brown(texts: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("brown/README", "not/jj text/nn\n")
        for name, text in texts.items():
            archive.writestr(name, text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't STOP", ["don't", "stop"]),
        ("don’t", ["don't"]),
        ("'quoted' words' end", ["quoted", "words", "end"]),
        ("well-made -- not half - baked", ["well-made", "not", "half", "baked"]),
        ("3 of 10, mp3 and snake_case", ["of", "mp", "and", "snake", "case"]),
        ("naïve café", ["naïve", "café"]),
        ("... !? 42 m²", ["m"]),
    ],
)
def test_words(text, words):
    assert words_of(text) == words


@given(st.text(alphabet="ab.!? \n'-"))
def test_cutting_into_sentences_loses_no_word(text):
    assert [word for sentence in sentences_of(text) for word in words_of(sentence)] == words_of(text)


def test_a_full_stop_inside_a_word_ends_no_sentence():
    assert sentences_of("It costs 3.50 at x.com. Fine.") == ["It costs 3.50 at x.com.", "Fine."]


def test_lines_are_sentences_in_common_voice_and_paragraphs_in_the_novels(offer):
    offer(english_text, text=lzma.compress(b"Dr. Who came. He left.\n\nWhy?\n"))
    assert read_english(["commonvoice_en"]) == [["dr", "who", "came", "he", "left"], ["why"]]
    assert read_english(["eltec_en"]) == [["dr"], ["who", "came"], ["he", "left"], ["why"]]


def test_only_the_text_of_imdb_is_read(offer):
    table = 'split\tlabel\tid\trating\ttext\ntrain\tpos\t7_9\t9\tA "gem"! See it.\ntest\tneg\t8_2\t2\tBad.\n'
    offer(english_text, text=lzma.compress(table.encode()))
    assert read_english(["imdb_reviews"]) == [["a", "gem"], ["see", "it"], ["bad"]]


def test_yelp_reviews_keep_quotes_commas_and_line_breaks(offer):
    dev = 'text,label1,label2\n"So, ""good"".\nCome back!",Food,5\n'
    offer(english_text, dev=dev, test="text,label1,label2\nMeh.,Food,2\n")
    assert read_english(["yelp_reviews"]) == [["so", "good"], ["come", "back"], ["meh"]]


def test_masked_numbers_of_the_yelp_sentences_are_no_words(offer):
    keys = ("dev_0", "dev_1", "test_0", "test_1")
    offer(english_text, **{key: f"_num_ stars . we do n't go .\n{key[:-2]}\n" for key in keys})
    parts = [[["stars", "we", "do", "n't", "go"], [key[:-2]]] for key in keys]
    assert read_english(["yelp_sentences"]) == [sentence for part in parts for sentence in part]


def test_the_tags_of_brown_are_dropped_and_its_readme_is_not_read(offer):
    last = "\n\n\tThe/at Jury/nn and/or/cc\tothers/nns ./.\n\n\tIt's/pps+bez Mr./np X/np ./.\n"
    offer(english_text, archive=brown({"brown/ca01": "\n", "brown/cr09": last}))
    assert read_english(["brown_corpus"]) == [["the", "jury", "and", "or", "others"], ["it's", "mr", "x"]]


def test_corpora_come_in_the_order_asked_for_and_share_their_words(offer):
    offer(english_text, text=lzma.compress(b"One word. Two.\n"))
    forth = read_english(["commonvoice_en", "eltec_en"])
    assert forth == [["one", "word", "two"], ["one", "word"], ["two"]]
    assert read_english(["eltec_en", "commonvoice_en"]) == forth[1:] + forth[:1]
    assert forth[0][0] is forth[1][0]


def test_another_corpus_is_refused():
    with pytest.raises(DataError, match="'minilm' is not an English corpus; choose from brown_corpus, commonvoice_en"):
        read_english(["minilm"])


@pytest.mark.parametrize(
    ("name", "sentences", "words"),
    [("commonvoice_en", 79_016, 644_218), ("brown_corpus", 56_833, 1_006_060), ("yelp_sentences", 190_098, 1_444_936)],
)
def test_sizes_of_the_real_corpora(mirror, name, sentences, words):
    read = read_english([name])
    assert (len(read), sum(map(len, read))) == (sentences, words)
