"""NLTK's words and tags, and the dictionary made from them: on made-up weights, and the counts of Table 8."""

import gzip
import io
import json
import sys
import zipfile

import pytest
from refusals import assert_refused

from trustnlp.data.annotation import english_tags
from trustnlp.data.annotation.english_tags import (
    CLOSED_TAGS,
    OPEN_TAGS,
    TAGS,
    TaggedText,
    Tagger,
    contexts_of,
    open_classes,
    read_closed_classes,
    read_tagger,
    tag_texts,
    tagged_vocabulary,
    treebank_words,
)
from trustnlp.data.registry import DataError
from trustnlp.data.texts.film_reviews import read_sst2

UNIVERSAL = {"NN": "NOUN", "JJ": "ADJ", "DT": "DET", "RB": "ADV"}
WEIGHTS = {"bias": {"NN": 1.0}, "i word fine": {"JJ": 3.0}, "i-1 tag DT": {"NN": 2.0}, "i suffix xyz": {"FW": 9.0}}


def tagger() -> Tagger:
    return Tagger(WEIGHTS, {"the": "DT"}, ["NN", "JJ", "DT", "FW"], UNIVERSAL)


def test_words_are_those_of_nltk():
    assert treebank_words("it's a \"fine\" film, isn't it?") == (
        "it", "'s", "a", "``", "fine", "''", "film", ",", "is", "n't", "it", "?",
    )  # fmt: skip
    assert treebank_words("( a film . ) and one . more") == ("(", "a", "film", ".", ")", "and", "one", ".", "more")
    assert treebank_words(" ") == ()


def test_tags_depend_on_the_word_its_neighbours_and_the_tags_before():
    assert tagger().tag(("the", "fine", "fine", "film")) == ("DET", "NOUN", "ADJ", "NOUN")
    assert tagger().tag(["wxyz"]) == ("X",), "FW is not in the map"
    assert tagger().tag([]) == ()
    assert_refused(
        tagger().tag,
        [("the film", TypeError, "single string 'the film'; tokenise it"), (["the", ""], "word 1 is empty")],
    )


def test_texts_are_cut_and_tagged_in_order():
    tagged = tag_texts(["the fine film", "fine"], tagger())
    assert tagged[0] == TaggedText(("the", "fine", "film"), ("DET", "NOUN", "NOUN"))
    assert contexts_of(tagged, "NOUN") == ((0, 1), (0, 2)) and contexts_of(tagged, "ADJ") == ((1, 0),)
    assert_refused(tag_texts, [("the film", tagger(), TypeError, "several texts")])
    assert_refused(TaggedText, [(("a", "b"), ("DET",), "2 words need as many tags, got 1")])


def tagged(*texts: str) -> list[TaggedText]:
    pairs = [[token.rsplit("/", 1) for token in text.split()] for text in texts]
    return [TaggedText(tuple(word for word, _ in text), tuple(tag for _, tag in text)) for text in pairs]


def test_a_word_stands_under_the_tag_it_has_most_often():
    texts = tagged(
        "fine/ADJ film/NOUN", "film/VERB well/ADV fine/NOUN fine/ADJ", "film/NOUN like/ADP like/VERB like/ADP"
    )
    assert open_classes(texts) == {"NOUN": ("film",), "VERB": (), "ADJ": ("fine",), "ADV": ("well",)}
    # Of two equally frequent tags the first met: an adjective here, a noun in the other order.
    assert open_classes(tagged("cold/ADJ", "cold/NOUN"))["ADJ"] == ("cold",)
    assert open_classes(tagged("cold/NOUN", "cold/ADJ"))["ADJ"] == ()


def test_the_dictionary_holds_open_and_closed_classes():
    closed = {tag: (f"a {tag}",) for tag in TAGS}
    vocabulary = tagged_vocabulary(tagged("the/DET film/NOUN"), closed)
    assert tuple(vocabulary) == OPEN_TAGS + CLOSED_TAGS and len(set(TAGS)) == 12
    assert vocabulary["NOUN"] == ("film",) and vocabulary["DET"] == ("a DET",) and vocabulary["ADV"] == ()


def stand_in(
    offer, weights: bytes = b"", universal: str = "NN\tNOUN\nDT\tDET\n.\t.\n$\t.\nIN\tADP\n", **news: str
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as box:
        box.writestr("universal_tagset/en-ptb.map", universal)
        for name, text in news.items():
            box.writestr(f"treebank/{name.replace('__', '/')}.mrg", text)
    stored = {"weights": WEIGHTS, "tagdict": {"the": "DT"}, "classes": ["NN", "DT"]}
    offer(english_tags, weights=weights or gzip.compress(json.dumps(stored).encode()), archive=archive.getvalue())


def test_files_are_read_and_closed_classes_are_what_stands_under_a_tag(offer):
    stand_in(
        offer,
        combined__wsj_0001="( (S (NP (DT The) (NN film)) (PP (IN Of) (NP (DT a) (-NONE- *T*-1)))  (. .) ))",
        combined__wsj_0199="( (S (NP (DT the) ($ US$) ($ $)) (. --) (CD 1)))",
        combined__readme="(DT readme)",
        tagged__wsj_0001="(DT tagged)",
    )
    assert read_tagger().tag(["the", "film"]) == ("DET", "NOUN")
    assert read_closed_classes() == {
        ".": ("$", "--", "."), "DET": ("a", "the"), "ADP": ("of",), "CONJ": (), "PRT": (), "PRON": (),
    }  # fmt: skip
    assert tagged_vocabulary(tagged("film/NOUN"))["ADP"] == ("of",)


def test_damaged_files_are_refused(offer):
    def attempt(reader, files):
        stand_in(offer, **files)
        reader()

    whole = gzip.compress(json.dumps({"weights": WEIGHTS}).encode())
    rows = [
        (read_tagger, {"weights": b"no archive"}, "perceptron_tagger.*trustnlp data fetch perceptron_tagger"),
        (read_tagger, {"weights": whole}, "expected an object with weights, tagdict and classes"),
        (read_tagger, {"universal": "NN NOUN\n"}, "en-ptb.map: expected a tag and one of NOUN.*'NN NOUN'"),
        (read_closed_classes, {}, "nltk_treebank.*found 0 texts"),
        (read_closed_classes, {"combined__wsj_0001": "(DT a)" * 200_000}, "at most 1,000,000 bytes"),
    ]
    assert_refused(attempt, rows, error=DataError)


def test_without_nltk_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.tokenize", None)
    monkeypatch.setitem(sys.modules, "nltk.tag.perceptron", None)
    english_tags._tokenizer.cache_clear()
    assert_refused(
        lambda action: action(),
        [(lambda: treebank_words("a film"), r"pip install 'trustnlp\[explain\]'"), (tagger, r"trustnlp\[explain\]")],
        error=ImportError,
    )


def test_real_tags_and_closed_classes(mirror):
    words = treebank_words("this is not a very good film about straight friends")
    assert read_tagger().tag(words) == (
        "DET", "VERB", "ADV", "DET", "ADV", "ADJ", "NOUN", "ADP", "ADJ", "NOUN",
    )  # fmt: skip
    closed = read_closed_classes()
    assert {tag: len(words) for tag, words in closed.items()} == {
        ".": 15, "DET": 26, "ADP": 79, "CONJ": 12, "PRT": 19, "PRON": 28,
    }  # fmt: skip
    assert "to" in closed["PRT"] and "that" in closed["DET"] and "that" in closed["ADP"]


@pytest.mark.slow
def test_the_counts_of_table_8_and_the_adjective_contexts(mirror):
    tagged = tag_texts(read_sst2().train.texts, read_tagger())
    vocabulary = tagged_vocabulary(tagged)
    # The paper has 7,534 nouns and 3,394 adjectives, and 81,435 contexts.
    assert {tag: len(vocabulary[tag]) for tag in OPEN_TAGS} == {"NOUN": 7535, "VERB": 2749, "ADJ": 3393, "ADV": 809}
    assert len(contexts_of(tagged, "ADJ")) == 81445
    assert sum(len(text.words) for text in tagged) == 633_999
