"""Classes of words from tagged text, and how an archive is read."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data.annotation import parts_of_speech
from trustnlp.data.annotation.parts_of_speech import class_of, most_frequent_classes, read_parts_of_speech
from trustnlp.data.registry import DataError


def test_the_most_frequent_class_wins_and_case_does_not_count() -> None:
    texts = ["Run/vb a/at run/nn", "RUN/vb ,/, runs/vbz ''/''"]
    assert most_frequent_classes(texts) == {"run": "verb", "a": "determiner", "runs": "verb"}


def test_tags_are_brought_down_to_classes() -> None:
    expected = {
        "np-tl": "noun", "nrs": "noun", "jjr": "adjective", "bedz*": "verb", "hvg": "verb", "md+hv": "verb",
        "cd": "number", "wdt": "determiner", "abn": "determiner", "rp": "preposition", "cs": "conjunction",
        "ql": "adverb", "ppss+bem": "pronoun", "uh": "other", ".": None, "*": None, "": None,
    }  # fmt: skip
    assert {tag: class_of(tag) for tag in expected} == expected


def archive(path: Path, **texts: str) -> dict[str, Path]:
    with zipfile.ZipFile(path, "w") as out:
        for name, text in texts.items():
            out.writestr(f"brown/{name}", text)
    return {"archive": path}


def test_only_texts_of_the_corpus_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = archive(tmp_path / "a.zip", ca01="the/at bank/nn", cats="bank/vb bank/vb")
    monkeypatch.setattr(parts_of_speech, "fetch", lambda name: paths)
    assert read_parts_of_speech() == {"the": "determiner", "bank": "noun"}


def test_what_is_no_such_archive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no.zip").write_bytes(b"no archive")
    large = archive(tmp_path / "large.zip", ca01="a/at " * 300_000)

    def read(paths: dict[str, Path]) -> None:
        monkeypatch.setattr(parts_of_speech, "fetch", lambda name: paths)
        read_parts_of_speech()

    rows = [
        (archive(tmp_path / "none.zip", readme="a/at"), "found 0 texts"),
        (large, "at most 1,000,000 bytes"),
        ({"archive": tmp_path / "no.zip"}, "brown_corpus"),
    ]
    assert_refused(read, rows, DataError)
