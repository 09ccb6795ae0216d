"""Marked sentences: where the entities are once the marks are gone, which tokens they become."""

import pytest

from trustnlp.data.relations.marked_sentences import MarkedSentence, parsed_examples, read_marked, unmarked
from trustnlp.data.relations.relation_examples import Span

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


def test_items_are_read_with_either_end_of_line_and_labels_without_blanks(tmp_path):
    path = tmp_path / "items.txt"
    path.write_bytes(ITEM.encode())
    (one,) = read_marked(path)
    assert one == MarkedSentence(7, "The rain caused floods.", Span(4, 8), Span(16, 22), "cause(e1,e2)")
    path.write_bytes(ITEM.replace("e2)\n", "e2) \n").replace("\n", "\r\n").encode() * 2)
    assert read_marked(path) == [one, one]


def entities_of(*sentences: str) -> list[str | None]:
    """The tokens of both entities of sentences, as `parsed_examples` finds them."""
    items = [MarkedSentence(at, *unmarked(sentence), "none") for at, sentence in enumerate(sentences)]
    shown: list[str | None] = [None] * len(items)
    for at, example in enumerate(parsed_examples("made", items)):
        if example is not None:
            assert example.id == f"made-{at}"
            first, second = (" ".join(example.tokens[slice(*span)]) for span in (example.subject, example.object))
            shown[at] = f"{first} - {second}"
    return shown


def test_entities_widen_to_whole_tokens():
    assert entities_of(
        "the <e1>rain</e1> caused <e2>big floods</e2>",
        "a <e1>rain</e1>drop and a <e2>sun</e2>beam",
        "a snow<e1>storm</e1>; a <e2>gale</e2>",
    ) == ["rain - big floods", "raindrop - sunbeam", "snowstorm - gale"]


def test_items_without_two_entities_have_no_example():
    without = ("a <e1> </e1> b <e2>c</e2>", "a <e1>rain</e1><e2>bow</e2>", "<e1>a</e1> <e2></e2>")
    assert entities_of(*without, "<e1>a</e1> <e2>b</e2>") == [None, None, None, "a - b"]


def test_a_sentence_that_the_parser_cut_is_one_tree_again():
    (example,) = parsed_examples("made", [MarkedSentence(0, *unmarked("<e1>a</e1> | b | <e2>c</e2>"), "none")])
    assert example is not None
    assert example.heads == (-1, 0, 1, 0, 3)
    assert example.dependencies == ("root", "parataxis", "dep", "parataxis", "dep")
