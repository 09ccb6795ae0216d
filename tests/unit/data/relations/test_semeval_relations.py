"""SemEval-2010 Task 8: the real parts' numbers, `Other` read as no relation, and what is refused."""

from collections import Counter

import pytest
from refusals import assert_refused

from trustnlp.data.relations import semeval_relations
from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.data.relations.semeval_relations import OTHER, read_semeval_relations


@pytest.mark.parametrize(("part", "size", "other"), [("train", 8_000, 1_410), ("test", 2_717, 454)])
def test_the_real_parts(mirror, part, size, other):
    examples = read_semeval_relations(part)
    labels = Counter(example.relation for example in examples)
    assert len(examples) == size and labels[NO_RELATION] == other
    assert labels["Entity-Destination(e2,e1)"] == 1 == min(labels.values())
    assert OTHER not in labels and len(labels) == 19


ITEM = '1\t"The <e1>hammer</e1> broke the <e2>glass</e2>."\r\nCause-Effect(e1,e2)\r\nComment: sharp\r\n\r\n'


def test_direction_is_kept_and_other_is_no_relation(offer):
    offer(semeval_relations, train=ITEM + ITEM.replace("1\t", "2\t").replace("Cause-Effect(e1,e2)", OTHER))
    caused, none = read_semeval_relations("train")
    assert (caused.id, caused.relation) == ("semeval-train-1", "Cause-Effect(e1,e2)")
    assert (none.id, none.relation) == ("semeval-train-2", NO_RELATION)
    assert caused.tokens == none.tokens == ("The", "hammer", "broke", "the", "glass", ".")
    assert (caused.subject.start, caused.object.start) == (1, 4)


def test_another_part_is_refused():
    assert_refused(read_semeval_relations, [("dev", "part must be train or test, got 'dev'")])
