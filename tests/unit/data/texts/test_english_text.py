"""English text: what counts as a word and a sentence, and each corpus read as its format demands."""

from __future__ import annotations

import lzma
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.registry import DataError, dataset
from trustnlp.data.texts import english_text
from trustnlp.data.texts.english_text import read_english, sentences_of, words_of

CORPORA = ("commonvoice_en", "brown_corpus", "eltec_en", "imdb_reviews", "yelp_reviews", "yelp_sentences")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the fetched corpora: the file KEY of a data set is `tmp_path / KEY`."""
    monkeypatch.setattr(
        english_text, "fetch", lambda name: {file.key: tmp_path / file.key for file in dataset(name).files}
    )
    return tmp_path


def write_brown(path: Path, texts: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("brown/README", "not/jj text/nn\n")
        for name, text in texts.items():
            archive.writestr(name, text)


def brown_texts(last: str) -> dict[str, str]:
    """500 texts, all but the last one empty."""
    names = [f"brown/c{'abcdefghij'[number // 50]}{number % 50:02}" for number in range(500)]
    return dict.fromkeys(names, "\n") | {names[-1]: last}


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
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_words_are_lower_case_and_hold_a_letter(text: str) -> None:
    for word in words_of(text):
        assert word == word.lower()
        assert all(part.isalpha() for part in word.replace("-", "'").split("'"))


@given(st.text(alphabet="ab.!? \n'-"))
def test_cutting_into_sentences_loses_no_word(text: str) -> None:
    assert [word for sentence in sentences_of(text) for word in words_of(sentence)] == words_of(text)


def test_a_full_stop_inside_a_word_ends_no_sentence() -> None:
    assert sentences_of("It costs 3.50 at x.com. Fine.") == ["It costs 3.50 at x.com.", "Fine."]


def test_lines_are_sentences_in_common_voice_and_paragraphs_in_the_novels(files: Path) -> None:
    (files / "text").write_bytes(lzma.compress(b"Dr. Who came. He left.\n\nWhy?\n"))
    assert read_english(["commonvoice_en"]) == [["dr", "who", "came", "he", "left"], ["why"]]
    assert read_english(["eltec_en"]) == [["dr"], ["who", "came"], ["he", "left"], ["why"]]


def test_only_the_text_of_imdb_is_read(files: Path) -> None:
    table = 'split\tlabel\tid\trating\ttext\ntrain\tpos\t7_9\t9\tA "gem"! See it.\ntest\tneg\t8_2\t2\tBad.\n'
    (files / "text").write_bytes(lzma.compress(table.encode()))
    assert read_english(["imdb_reviews"]) == [["a", "gem"], ["see", "it"], ["bad"]]


def test_imdb_with_other_columns_is_refused(files: Path) -> None:
    (files / "text").write_bytes(lzma.compress(b"text\tlabel\nGood.\tpos\n"))
    with pytest.raises(DataError, match="does not open with the columns split, label"):
        read_english(["imdb_reviews"])


def test_yelp_reviews_keep_quotes_commas_and_line_breaks(files: Path) -> None:
    (files / "dev").write_text('text,label1,label2\n"So, ""good"".\nCome back!",Food,5\n', encoding="utf-8")
    (files / "test").write_text("text,label1,label2\nMeh.,Food,2\n", encoding="utf-8")
    assert read_english(["yelp_reviews"]) == [["so", "good"], ["come", "back"], ["meh"]]


def test_masked_numbers_of_the_yelp_sentences_are_no_words(files: Path) -> None:
    for key in ("dev_0", "dev_1", "test_0", "test_1"):
        (files / key).write_text(f"_num_ stars . we do n't go .\n{key[:-2]}\n", encoding="utf-8")
    assert read_english(["yelp_sentences"]) == [
        sentence for part in ("dev", "dev", "test", "test") for sentence in (["stars", "we", "do", "n't", "go"], [part])
    ]


def test_the_tags_of_brown_are_dropped_and_its_readme_is_not_read(files: Path) -> None:
    write_brown(
        files / "archive",
        brown_texts("\n\n\tThe/at Jury/nn and/or/cc\tothers/nns ./.\n\n\tIt's/pps+bez Mr./np X/np ./.\n"),
    )
    assert read_english(["brown_corpus"]) == [["the", "jury", "and", "or", "others"], ["it's", "mr", "x"]]


def test_a_brown_archive_of_another_shape_is_refused(files: Path) -> None:
    write_brown(files / "archive", {"brown/ca01": "a/at\n", "../brown/ca02": "b/at\n"})
    with pytest.raises(DataError, match="found 1 texts in the archive, expected 500"):
        read_english(["brown_corpus"])
    write_brown(files / "archive", brown_texts("a" * 1_000_001))
    with pytest.raises(DataError, match="would unpack to 1,000,001 bytes"):
        read_english(["brown_corpus"])
    (files / "archive").write_bytes(b"no zip")
    with pytest.raises(DataError, match=r"brown_corpus: archive cannot be read .* `trustnlp data fetch brown_corpus`"):
        read_english(["brown_corpus"])


def test_corpora_come_in_the_order_asked_for_and_share_their_words(files: Path) -> None:
    (files / "text").write_bytes(lzma.compress(b"One word. Two.\n"))
    forth = read_english(["commonvoice_en", "eltec_en"])
    assert forth == [["one", "word", "two"], ["one", "word"], ["two"]]
    assert read_english(["eltec_en", "commonvoice_en"]) == forth[1:] + forth[:1]
    assert forth[0][0] is forth[1][0]


def test_a_wrong_request_is_refused() -> None:
    assert_refused(
        read_english,
        [
            ("brown_corpus", TypeError, "single string 'brown_corpus'"),
            ([], ValueError, "at least one"),
            (["eltec_en", "eltec_en"], ValueError, "each corpus once"),
            (["minilm"], DataError, "'minilm' is not an English corpus; choose from brown_corpus, commonvoice_en"),
        ],
    )


@pytest.mark.parametrize("name", CORPORA)
def test_every_corpus_is_registered_with_this_reader(name: str) -> None:
    assert dataset(name).reader == "trustnlp.data.texts.english_text.read_english"


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "sentences", "words"),
    [("commonvoice_en", 79_016, 644_218), ("brown_corpus", 56_833, 1_006_060), ("yelp_sentences", 190_098, 1_444_936)],
)
def test_sizes_of_the_real_corpora(mirror: Path, name: str, sentences: int, words: int) -> None:
    read = read_english([name])
    assert (len(read), sum(map(len, read))) == (sentences, words)


def test_a_damaged_file_is_named(files: Path) -> None:
    def attempt(name: str, key: str, content: bytes) -> None:
        (files / key).write_bytes(content)
        read_english([name])

    assert_refused(
        attempt,
        [
            (name, key, content, f"{name}: {key} cannot be read .* `trustnlp data fetch {name}`")
            for name, key, content in [
                ("imdb_reviews", "text", lzma.compress(b"split\tlabel\tid\trating\ttext\ntrain\tpos\n")),
                ("commonvoice_en", "text", b"not xz"),
                ("commonvoice_en", "text", lzma.compress(b"one line\n" * 500)[:-20]),
                ("commonvoice_en", "text", lzma.compress(b"\xff\xfe\n")),
            ]
        ],
        error=DataError,
    )


def test_a_review_without_text_is_named(files: Path) -> None:
    def attempt(content: str) -> None:
        for file in dataset("yelp_reviews").files:
            (files / file.key).write_text(content)
        read_english(["yelp_reviews"])

    assert_refused(
        attempt,
        [(content, r"yelp_reviews: .* cannot be read") for content in ["stars,text\n5\n", "stars,words\n5,good\n"]],
        error=DataError,
    )


def test_a_text_of_brown_that_does_not_unpack_is_named(files: Path) -> None:
    write_brown(files / "archive", brown_texts("\n"))
    content = bytearray((files / "archive").read_bytes())
    with zipfile.ZipFile(files / "archive") as archive:
        start = archive.getinfo("brown/ca00").header_offset + 30 + len("brown/ca00")
    content[start] = 0xFF
    (files / "archive").write_bytes(content)
    with pytest.raises(DataError, match=r"brown_corpus: archive cannot be read .* `trustnlp data fetch brown_corpus`"):
        read_english(["brown_corpus"])
