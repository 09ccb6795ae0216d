"""Marked sentences: where the entities are once the marks are gone, which tokens they become, what is refused."""

from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data.relations.marked_sentences import MarkedSentence, parsed, read_marked, unmarked
from trustnlp.data.relations.relation_examples import Span

LABELS = ("cause(e1,e2)", "none")
ITEM = '7\t"The <e1>rain</e1> caused <e2>floods</e2>."\ncause(e1,e2)\nComment: x\n\n'


@pytest.mark.parametrize(
    ("sentence", "text", "entities"),
    [
        ("The <e1>rain</e1> caused <e2>big floods</e2>.", "The rain caused big floods.", ("rain", "big floods")),
        (" The <e1> rain </e1>  hit <e2> big \t towns </e2> . ", "The rain hit big towns .", ("rain", "big towns")),
        ("<e1>A</e1><e2>B</e2>", "AB", ("A", "B")),
        ("(<e1> A</e1> <e2>B </e2>)", "( A B )", ("A", "B")),
        ("x <e1> </e1> y <e2></e2>", "x y", ("", "")),
    ],
)
def test_marks_go_and_entities_stay_where_they_were(sentence, text, entities):
    found, first, second = unmarked(sentence)
    assert found == text
    assert (text[slice(*first)], text[slice(*second)]) == entities
    assert 0 <= first.start <= first.end <= second.end


def test_marks_in_disorder_are_refused():
    rows = [
        ("<e2>a</e2> <e1>b</e1>", "in this order, got '<e2> </e2> <e1> </e1>'"),
        ("<e1>a</e1> <e1>b</e1> <e2>c</e2>", "once each"),
        ("<e1>a</e1> b", "got '<e1> </e1>'"),
        ("<e1> </e1> <e2></e2>", "no text"),
    ]
    assert_refused(unmarked, rows)


def read_item(tmp_path: Path, content: str | bytes):
    (tmp_path / "f.txt").write_bytes(content.encode() if isinstance(content, str) else content)
    return read_marked(tmp_path / "f.txt", LABELS)


def test_items_are_read_with_either_end_of_line_and_labels_without_blanks(tmp_path):
    (one,), counts = read_item(tmp_path, ITEM)
    assert one == MarkedSentence(7, "The rain caused floods.", Span(4, 8), Span(16, 22), "cause(e1,e2)")
    assert counts["labels with blanks"] == 0
    again, counts = read_item(tmp_path, ITEM.replace("e2)\n", "e2) \n").replace("\n", "\r\n") * 2)
    assert again == [one, one] and counts["labels with blanks"] == 2


def test_damaged_files_are_refused(tmp_path):
    rows = [
        ("", "f.txt has 0 whole lines"),
        (ITEM[:-3], "f.txt has 2 whole lines; expected some, four per item"),
        (ITEM + ITEM.replace("7\t", "seven\t"), "line 5: expected number, tab and quoted sentence"),
        (ITEM[:-1] + "more\n", "line 1: expected number"),
        (ITEM.replace("cause(e1,e2)", "cause(e1)"), r"line 1: the label 'cause\(e1\)' is none of the 2"),
        (ITEM.replace("<e1>", ""), "line 1: expected <e1>"),
        (ITEM.replace("rain", "ca\xf1a").encode("latin-1"), UnicodeDecodeError, "utf-8"),
    ]
    assert_refused(lambda content: read_item(tmp_path, content), rows)


def entities_of(*sentences: str) -> tuple[list[str | None], dict[str, int]]:
    """What `parsed` makes of sentences: the tokens of both entities, and what it counted."""
    items = [MarkedSentence(at, *unmarked(sentence), "none") for at, sentence in enumerate(sentences)]
    examples, counts = parsed("made", items)
    shown: list[str | None] = [None] * len(examples)
    for at, example in enumerate(examples):
        if example is not None:
            assert example.id == f"made-{at}"
            first, second = (" ".join(example.tokens[slice(*span)]) for span in (example.subject, example.object))
            shown[at] = f"{first} - {second}"
    return shown, dict(+counts)


def test_entities_widen_to_whole_tokens():
    shown, counts = entities_of(
        "the <e1>rain</e1> caused <e2>big floods</e2>",
        "a <e1>rain</e1>drop and a <e2>sun</e2>beam",
        "a snow<e1>storm</e1>; a <e2>gale</e2>",
    )
    assert shown == ["rain - big floods", "raindrop - sunbeam", "snowstorm - gale"]
    assert counts == {"widened entity": 2}


def test_items_without_two_entities_have_no_example_and_are_counted():
    without = ("a <e1> </e1> b <e2>c</e2>", "a <e1>rain</e1><e2>bow</e2>", "<e1>a</e1> <e2></e2>")
    shown, counts = entities_of(*without, "<e1>a</e1> <e2>b</e2>")
    assert shown == [None, None, None, "a - b"]
    assert counts == {"empty entity": 2, "overlapping entities": 1}


def test_a_sentence_that_the_parser_cut_is_one_tree_again():
    shown, counts = entities_of("<e1>a</e1> b <e2>c</e2> | d", "<e1>a</e1> b | <e2>c</e2> | d")
    assert shown == ["a - c", "a - c"]
    assert counts == {"several trees": 2, "entities in different trees": 1}
    examples, _ = parsed("made", [MarkedSentence(0, *unmarked("<e1>a</e1> | b | <e2>c</e2>"), "none")])
    assert examples[0] is not None
    assert examples[0].heads == (-1, 0, 1, 0, 3)
    assert examples[0].dependencies == ("root", "parataxis", "dep", "parataxis", "dep")
