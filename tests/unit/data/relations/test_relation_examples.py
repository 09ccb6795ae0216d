"""An example of a relation holds together: entities inside and apart, columns of one length, one tree."""

from typing import Any

from refusals import assert_refused

from trustnlp.data.relations.relation_examples import RelationExample, Span

GOOD: dict[str, Any] = {
    "id": "x",
    "tokens": ("Ada", "Lovelace", "met", "Babbage"),
    "subject": Span(0, 2),
    "object": Span(3, 4),
    "relation": "no_relation",
    "subject_type": "PERSON",
    "object_type": "O",
    "heads": (1, 2, -1, 2),
}


def test_what_is_given_is_kept_and_swapping_exchanges_the_entities_alone():
    example = RelationExample(**GOOD)
    other = example.swapped()
    assert (other.subject, other.object) == (example.object, example.subject)
    assert (other.subject_type, other.object_type) == ("O", "PERSON")
    assert (other.tokens, other.heads, other.relation) == (example.tokens, example.heads, example.relation)
    assert other.swapped() == example


def test_bad_examples_are_refused():
    rows = [
        ({"tokens": (), "heads": ()}, "x: the sentence has no token"),
        ({"subject": Span(0, 0)}, "the subject is tokens 0 to 0 of 4"),
        ({"subject": Span(-1, 1)}, "the subject is tokens -1 to 1"),
        ({"object": Span(3, 5)}, "the object is tokens 3 to 5 of 4"),
        ({"object": Span(1, 3)}, r"subject \(0, 2\) and object \(1, 3\) overlap"),
        ({"tags": ("NNP",)}, "1 tags for 4 tokens"),
        ({"heads": (1, 2, -1)}, "3 heads for 4 tokens"),
        *(
            ({"heads": heads}, "x: the heads .* make no tree")
            for heads in [(-1, 2, -1, 2), (1, 2, 3, 0), (1, 0, -1, 2), (1, 4, -1, 2), (1, -2, -1, 2)]
        ),
    ]
    assert_refused(lambda changed: RelationExample(**{**GOOD, **changed}), rows)
