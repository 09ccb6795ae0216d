"""SemEval-2010 Task 8: the real parts' numbers, `Other` read as no relation, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from made_annotations import annotated
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.relations import marked_sentences, semeval_relations
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.data.relations.semeval_relations import LABELS, OTHER, read_semeval_relations


@pytest.mark.mirror
@pytest.mark.parametrize(("part", "size", "other"), [("train", 8_000, 1_410), ("test", 2_717, 454)])
def test_the_real_parts(part: str, size: int, other: int, mirror: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marked_sentences, "annotate", annotated)
    examples = read_semeval_relations(part)
    labels = Counter(example.relation for example in examples)
    assert len(examples) == size and len(LABELS) == 19
    assert labels[NO_RELATION] == other
    assert labels["Entity-Destination(e2,e1)"] == 1 == min(labels.values())
    assert set(labels) <= {*LABELS, NO_RELATION} - {OTHER}
    assert len(labels) == 19


ITEM = '1\t"The <e1>hammer</e1> broke the <e2>glass</e2>."\r\nCause-Effect(e1,e2)\r\nComment: sharp\r\n\r\n'


def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> list[RelationExample]:
    (tmp_path / "TRAIN.TXT").write_text(content, encoding="utf-8", newline="")
    monkeypatch.setattr(semeval_relations, "fetch", lambda name: {"train": tmp_path / "TRAIN.TXT"})
    monkeypatch.setattr(marked_sentences, "annotate", annotated)
    return read_semeval_relations("train")


def test_direction_is_kept_and_other_is_no_relation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caused, none = read(tmp_path, monkeypatch, ITEM + ITEM.replace("1\t", "2\t").replace("Cause-Effect(e1,e2)", OTHER))
    assert (caused.id, caused.relation) == ("semeval-train-1", "Cause-Effect(e1,e2)")
    assert (none.id, none.relation) == ("semeval-train-2", NO_RELATION)
    assert caused.tokens == none.tokens == ("The", "hammer", "broke", "the", "glass", ".")
    assert (caused.subject.start, caused.object.start) == (1, 4)


def test_damaged_parts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(
        lambda content: read(tmp_path, monkeypatch, content),
        [
            (
                ITEM.replace("Cause-Effect(e1,e2)", "Cause-Effect"),
                "TRAIN.TXT, line 1: the label 'Cause-Effect' is none",
            ),
            (ITEM.replace("Cause-Effect(e1,e2)", NO_RELATION), "none of the 19"),
            (ITEM.replace("</e2>", ""), "expected <e1>.*trustnlp data fetch semeval2010_task8"),
        ],
        error=DataError,
    )
    with pytest.raises(ValueError, match="part must be train or test, got 'dev'"):
        read_semeval_relations("dev")
