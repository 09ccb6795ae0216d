"""KBP37: what is left out by rule and counted, the real parts' numbers, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from made_annotations import annotated
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.relations import kbp37, marked_sentences
from trustnlp.data.relations.kbp37 import LABELS, PARTS, kbp37_counts, read_kbp37
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("part", "items", "empty", "kept", "without"),
    [("train", 15_917, 110, 15_800, 1_530), ("dev", 1_724, 10, 1_713, 207), ("test", 3_405, 26, 3_379, 412)],
)
def test_the_real_parts(
    part: str, items: int, empty: int, kept: int, without: int, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marked_sentences, "annotate", annotated)  # no minutes of parsing for numbers that need none
    examples, counts = read_kbp37(part), kbp37_counts(part)
    left_out = {"train": {"in dev or test": 1, "repeated": 4, "contradicting": 2}, "dev": {"repeated": 1}, "test": {}}[
        part
    ]
    assert len(examples) == kept == items - empty - sum(left_out.values())
    assert {name: counts[name] for name in left_out} == left_out and counts["empty entity"] == empty
    assert counts.get("labels with blanks", 0) == (part == "train")
    labels = Counter(example.relation for example in examples)
    assert set(labels) == set(LABELS) and len(labels) == 37
    assert labels[NO_RELATION] == without
    assert all(example.subject.end <= example.object.start for example in examples)
    assert "," not in {token for example in examples for token in example.tokens}


def item(number: int, sentence: str, label: str = "per:title(e1,e2)") -> str:
    return f'{number}\t" {sentence} "\n{label}\n\n\n'


KING = "<e1> Ludd </e1> was a <e2> king </e2> ."


def read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str = "train", **contents: str
) -> tuple[list[RelationExample], dict[str, int]]:
    paths = {name: tmp_path / f"{name}.txt" for name in PARTS}
    for at, (name, path) in enumerate(paths.items()):
        path.write_text(contents.get(name, item(at, f"{name} {KING}")), encoding="utf-8")
    monkeypatch.setattr(kbp37, "fetch", lambda name: paths)
    monkeypatch.setattr(marked_sentences, "annotate", annotated)
    return read_kbp37(part), kbp37_counts(part)


def test_repeated_contradicting_and_held_out_items_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = "".join(
        [
            item(0, KING),
            item(1, "<e1> Ludd </e1> was a <e2> king </e2>  ."),  # more blanks, the same text
            item(2, KING, "no_relation"),
            item(3, "<e1> Ludd </e1> was <e2> a king </e2> ."),  # other entities
            item(4, "<e1> Bran </e1> was a <e2> king </e2> .", "no_relation"),
            item(5, "<e1> Mab </e1> was a <e2> queen </e2> ."),
            item(6, "<e1>  </e1> was a <e2> queen </e2> ."),
            item(7, "<e1> Ludd </e1> sang <e2> songs </e2> .", "per:title(e2,e1) "),
        ]
    )
    dev, test = item(8, "<e1> Bran </e1> was a <e2> king </e2> ."), item(9, "<e1> Mab </e1> was a <e2> queen </e2> .")
    examples, counts = read(tmp_path, monkeypatch, train=train, dev=dev, test=test)
    assert [example.id for example in examples] == ["kbp37-train-0", "kbp37-train-3", "kbp37-train-7"]
    assert [example.relation for example in examples] == ["per:title(e1,e2)", "per:title(e1,e2)", "per:title(e2,e1)"]
    assert counts == {
        "empty entity": 1,
        "repeated": 1,
        "contradicting": 1,
        "in dev or test": 2,
        "labels with blanks": 1,
    }
    assert len(read(tmp_path, monkeypatch, "dev", train=train, dev=dev, test=test)[0]) == 1


def test_an_example_has_every_column_and_says_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    (example,), counts = read(tmp_path, monkeypatch, train=item(0, KING))
    assert example.tokens == ("Ludd", "was", "a", "king", ".")
    assert (tuple(example.subject), tuple(example.object)) == ((0, 1), (3, 4))
    assert (example.subject_type, example.object_type) == ("PERSON", "TITLE")
    assert all(len(column) == 5 for column in (example.tags, example.lemmas, example.ner, example.heads))
    assert counts == {}
    assert "kbp37 train: 1 examples; {}" in caplog.text


def test_damaged_parts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(
        lambda content: read(tmp_path, monkeypatch, train=content),
        [
            (item(0, KING, "per:title(e1,e3)"), "train.txt, line 1: the label.*trustnlp data fetch kbp37"),
            (item(0, KING, "per:title"), "none of the 37"),
            (item(0, "no marks"), "expected <e1>"),
            (item(0, KING)[:-1], "whole lines"),
        ],
        error=DataError,
    )
    with pytest.raises(ValueError, match="part must be train, dev, test, got 'all'"):
        read_kbp37("all")
