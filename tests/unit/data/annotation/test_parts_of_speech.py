"""Classes of words from tagged text, and how an archive is read."""

import io
import zipfile

from refusals import assert_refused

from trustnlp.data.annotation import parts_of_speech
from trustnlp.data.annotation.parts_of_speech import class_of, most_frequent_classes, read_parts_of_speech
from trustnlp.data.registry import DataError


def test_the_most_frequent_class_wins_and_case_does_not_count():
    texts = ["Run/vb a/at run/nn", "RUN/vb ,/, runs/vbz ''/''"]
    assert most_frequent_classes(texts) == {"run": "verb", "a": "determiner", "runs": "verb"}


def test_tags_are_brought_down_to_classes():
    expected = {
        "np-tl": "noun", "nrs": "noun", "jjr": "adjective", "bedz*": "verb", "hvg": "verb", "md+hv": "verb",
        "cd": "number", "wdt": "determiner", "abn": "determiner", "rp": "preposition", "cs": "conjunction",
        "ql": "adverb", "ppss+bem": "pronoun", "uh": "other", ".": None, "*": None, "": None,
    }  # fmt: skip
    assert {tag: class_of(tag) for tag in expected} == expected


def archive(**texts: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as out:
        for name, text in texts.items():
            out.writestr(f"brown/{name}", text)
    return content.getvalue()


def test_only_texts_of_the_corpus_are_read(offer):
    offer(parts_of_speech, archive=archive(ca01="the/at bank/nn", cats="bank/vb bank/vb"))
    assert read_parts_of_speech() == {"the": "determiner", "bank": "noun"}


def test_what_is_no_such_archive_is_refused(offer):
    def read(content: bytes) -> None:
        offer(parts_of_speech, archive=content)
        read_parts_of_speech()

    rows = [
        (archive(readme="a/at"), "found 0 texts"),
        (archive(ca01="a/at " * 300_000), "at most 1,000,000 bytes"),
        (b"no archive", "brown_corpus"),
    ]
    assert_refused(read, rows, DataError)
