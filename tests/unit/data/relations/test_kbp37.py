"""KBP37: what is left out by rule, the real parts' numbers, and what is refused."""

from collections import Counter

import pytest
from refusals import assert_refused

from trustnlp.data.relations import kbp37
from trustnlp.data.relations.kbp37 import read_kbp37
from trustnlp.data.relations.relation_examples import NO_RELATION


@pytest.mark.parametrize(
    ("part", "kept", "without"), [("train", 15_800, 1_530), ("dev", 1_713, 207), ("test", 3_379, 412)]
)
def test_the_real_parts(mirror, part, kept, without):
    examples = read_kbp37(part)
    assert len(examples) == kept
    labels = Counter(example.relation for example in examples)
    assert len(labels) == 37
    assert labels[NO_RELATION] == without
    assert all(example.subject.end <= example.object.start for example in examples)
    assert "," not in {token for example in examples for token in example.tokens}


def item(number: int, sentence: str, label: str = "per:title(e1,e2)") -> str:
    return f'{number}\t" {sentence} "\n{label}\n\n\n'


KING = "<e1> Ludd </e1> was a <e2> king </e2> ."


def read(offer, part: str = "train", **contents: str):
    offer(kbp37, **{name: item(at, f"{name} {KING}") for at, name in enumerate(("train", "dev", "test"))} | contents)
    return read_kbp37(part)


def test_repeated_contradicting_and_held_out_items_are_left_out(offer):
    bran, mab = "<e1> Bran </e1> was a <e2> king </e2> .", "<e1> Mab </e1> was a <e2> queen </e2> ."
    train = [
        item(0, KING),
        item(1, "<e1> Ludd </e1> was a <e2> king </e2>  ."),  # more blanks, the same text
        item(2, KING, "no_relation"),
        item(3, "<e1> Ludd </e1> was <e2> a king </e2> ."),  # other entities
        item(4, bran, "no_relation"),
        item(5, mab),
        item(6, "<e1>  </e1> was a <e2> queen </e2> ."),
        item(7, "<e1> Ludd </e1> sang <e2> songs </e2> .", "per:title(e2,e1) "),
    ]
    parts = {"train": "".join(train), "dev": item(8, bran), "test": item(9, mab)}
    examples = read(offer, **parts)
    assert [(example.id, example.relation) for example in examples] == [
        ("kbp37-train-0", "per:title(e1,e2)"),
        ("kbp37-train-3", "per:title(e1,e2)"),
        ("kbp37-train-7", "per:title(e2,e1)"),
    ]
    assert len(read(offer, "dev", **parts)) == 1


def test_an_example_has_every_column(offer):
    (example,) = read(offer, train=item(0, KING))
    assert example.tokens == ("Ludd", "was", "a", "king", ".")
    assert (tuple(example.subject), tuple(example.object)) == ((0, 1), (3, 4))
    assert (example.subject_type, example.object_type) == ("PERSON", "TITLE")
    assert all(len(column) == 5 for column in (example.tags, example.lemmas, example.ner, example.heads))


def test_another_part_is_refused():
    assert_refused(read_kbp37, [("all", "part must be train, dev, test, got 'all'")])
