"""Annotations are what spaCy says, whatever is asked for together, and are computed once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data.annotation import spacy_annotation as annotation
from trustnlp.data.annotation.spacy_annotation import PARTS, Annotation, Entity, annotate, pipeline_folder

TEXTS = [
    "Alice Smith didn't sell 300 shares of Apple in Paris. The cats are sitting.",
    "",
    " ",  # the parser calls it a root, the rules after it do not
    "I have it. This did Mr. Smith  no good:\n\tI <3 the U.S. Senate!",
    "@united every flight DO leave late... http://t.co/x 😀 Zürich, 5 May",
]


# --- the pipeline itself ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder() -> Path:
    """The pipeline in the cache of the user. Needs the package index once."""
    pytest.importorskip("spacy", reason="annotating needs the extra 'text'")
    return pipeline_folder()


@pytest.fixture
def real(folder, cache, monkeypatch) -> None:
    monkeypatch.setattr(annotation, "pipeline_folder", lambda: folder)


@pytest.mark.usefixtures("real")
def test_annotations_are_what_the_whole_pipeline_says(folder, capsys):
    import spacy

    pipeline = spacy.load(folder)
    for text, found in zip(TEXTS, annotate(TEXTS), strict=True):
        document = pipeline(text)
        for token in document:
            at = token.i
            assert (found.tokens[at], found.offsets[at], found.tags[at]) == (token.text, token.idx, token.tag_)
            assert found.lemmas[at] == token.lemma_
            assert (found.heads[at], found.relations[at]) == (token.head.i, token.dep_)
        assert found.sentence_starts == tuple(sentence.start for sentence in document.sents)
        assert found.entities == tuple(Entity(each.start, each.end, each.label_) for each in document.ents)
        assert len(found.tokens) == len(document)
    assert capsys.readouterr() == ("", "")  # no progress bar outside a terminal


@pytest.mark.usefixtures("real")
def test_a_part_reads_the_same_alone():
    fields_of = {
        "tags": {"tags": ()},
        "lemmas": {"lemmas": ()},
        "dependencies": {"heads": (), "relations": (), "sentence_starts": ()},
        "entities": {"entities": ()},
    }
    together = annotate(TEXTS)
    for part in PARTS:
        without = {field: none for other in PARTS if other != part for field, none in fields_of[other].items()}
        assert annotate(TEXTS, [part]) == [replace(each, **without) for each in together]


@pytest.mark.slow
@pytest.mark.usefixtures("real")
def test_two_processes_say_what_one_says(monkeypatch):
    texts = [f"{number}: {text}" for number in range(10) for text in TEXTS]
    monkeypatch.setattr(annotation, "_CHUNK", 100)
    assert len(list(annotation._chunks(texts))) >= 10
    monkeypatch.setattr(annotation, "_WORTH_TWO", 1)
    assert list(annotation._run(texts, PARTS, 2)) == list(annotation._run(texts, PARTS, 1))


def test_chunks_are_the_texts_in_lists_of_about_the_same_length(monkeypatch):
    monkeypatch.setattr(annotation, "_CHUNK", 6)
    texts = ["abc", "d", "", "efghijkl", "m", *[""] * 7]
    assert list(annotation._chunks(texts)) == [["abc", "d"], ["", "efghijkl"], ["m", "", "", "", ""], ["", "", ""]]


# --- the cache -------------------------------------------------------------------------------------------------------


class Counted:
    """In place of the pipeline: one token a character, and how many texts were annotated."""

    def __init__(self) -> None:
        self.texts = 0

    def run(self, texts: Sequence[str], parts: tuple[str, ...], processes: int) -> Iterator[Annotation]:
        for text in texts:
            self.texts += 1
            everything = tuple(range(len(text)))
            yield Annotation(
                tokens=tuple(text),
                offsets=everything,
                tags=tuple(text.upper()[: len(text)]) if "tags" in parts else (),
                heads=everything[::-1] if "dependencies" in parts else (),
                sentence_starts=everything[:1] if "dependencies" in parts else (),
                entities=(Entity(0, 1, "\0é"), Entity(1, 2, "X")) if "entities" in parts and len(text) > 1 else (),
            )


@pytest.fixture
def counted(cache, monkeypatch) -> Counted:
    planted = Counted()
    monkeypatch.setattr(annotation, "_run", planted.run)
    monkeypatch.setattr(metadata, "version", lambda name: "3.8.0")
    return planted


def test_the_second_call_reads_what_the_first_kept(counted):
    texts = ["ab", "", "😀\n", "a\0b"]
    first = annotate(texts)
    assert counted.texts == 4
    assert annotate(iter(texts), parts=list(reversed(PARTS)), processes=1) == first
    assert counted.texts == 4
    assert annotate([]) == annotate([]) == []


def test_all_that_decides_the_result_is_in_the_key(counted, monkeypatch):
    def is_new(*arguments: object) -> bool:
        before = counted.texts
        annotate(*arguments)
        return counted.texts > before

    assert is_new(["ab", "c"]) and not is_new(["ab", "c"])
    assert all(is_new(texts) for texts in (["a", "bc"], ["c", "ab"], ["ab", "c", ""], ["abc"]))
    assert is_new(["ab", "c"], ["tags"]) and is_new(["ab", "c"], ["tags", "lemmas"])
    monkeypatch.setattr(annotation, "hashes", lambda name: {"config.cfg": "0" * 64})
    assert is_new(["ab", "c"]) and not is_new(["ab", "c"])
    monkeypatch.setattr(metadata, "version", lambda name: "3.8.1")
    assert is_new(["ab", "c"]) and not is_new(["ab", "c"])


def test_a_cache_that_cannot_be_written_costs_the_copy_and_not_the_result(counted, cache, caplog):
    cache.mkdir()
    (cache / "annotations").write_text("a file where the folder should be")
    assert [each.tokens for each in annotate(["ab"])] == [("a", "b")]
    assert "could not be kept" in caplog.text


def test_bad_input_is_refused(counted):
    rows = [
        ("one text", PARTS, TypeError, "single string 'one text'"),
        (["a" * 1_000_001], PARTS, "text 0 has 1,000,001 characters.*cut it"),
        (["a", "\ud800"], PARTS, "surrogates not allowed"),
        (["a"], [], "parts must be some of tags, lemmas, dependencies, entities, got"),
        (["a"], ["pos"], r"got \['pos'\]"),
    ]
    assert_refused(annotate, rows)
    assert counted.texts == 0


def test_without_spacy_the_extra_is_named(cache, monkeypatch):
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(ImportError, match=r"pip install 'trustnlp\[text\]'"):
        annotate(["a"])
