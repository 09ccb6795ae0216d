"""Trees in Stanford's labels: each rule of the mapping on a sentence parsed by hand, and trees that stay trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.annotation.corenlp_dependencies import LABELS, one_tree, stanford_tree
from trustnlp.data.relations.relation_examples import RelationExample, Span


def tree(parse: str, temporal: str) -> set[str]:
    """A parse in Stanford's labels; both are written `word/head/relation`, heads by their words."""
    rows = [unit.split("/") for unit in parse.split()]
    words = [row[0] for row in rows]
    heads = [words.index(row[1]) for row in rows]
    heads, labels = stanford_tree(words, heads, [row[2] for row in rows], [word == temporal for word in words])
    return {
        f"{word}/{'' if head == -1 else words[head]}/{label}"
        for word, head, label in zip(words, heads, labels, strict=True)
    }


@pytest.mark.parametrize(
    ("parse", "expected"),
    [
        (  # a preposition
            "Ada/lived/nsubj lived/lived/ROOT in/lived/prep big/Paris/amod Paris/in/pobj",
            "Paris/lived/nmod:in in/Paris/case big/Paris/amod lived//root",
        ),
        (  # two in a row
            "ran/ran/ROOT Out/ran/prep of/Out/prep town/of/pobj",
            "town/ran/nmod:out_of of/town/case Out/town/case",
        ),
        (  # one inside the object of another
            "head/head/ROOT of/head/prep school/of/pobj in/school/prep Rome/in/pobj",
            "school/head/nmod:of Rome/school/nmod:in",
        ),
        (  # a clause behind one
            "left/left/ROOT after/left/prep winning/after/pcomp gold/winning/dobj",
            "winning/left/advcl:after after/winning/mark gold/winning/dobj",
        ),
        (  # one inside one
            "ran/ran/ROOT from/ran/prep within/from/pcomp town/within/pobj",
            "town/ran/nmod:from_within within/town/case from/town/case",
        ),
        (  # the doer, the receiver, nobody
            "sold/sold/ROOT by/sold/agent Ada/by/pobj to/sold/dative Bo/to/pobj over/sold/prep",
            "Ada/sold/nmod:by Bo/sold/nmod:to over/sold/advmod",
        ),
        (  # what hangs on a preposition hangs on its object
            "lived/lived/ROOT just/near/advmod near/lived/prep Rome/near/pobj",
            "just/Rome/advmod Rome/lived/nmod:near",
        ),
        ("With/With/ROOT Ada/With/pobj !/With/punct", "Ada//root With/Ada/case !/Ada/punct"),  # the root is one
        (  # prepositions in a row of conjuncts
            "lived/lived/ROOT in/lived/prep Rome/in/pobj and/in/cc near/in/conj Bonn/near/pobj",
            "Rome/lived/nmod:in Bonn/Rome/conj:and near/Bonn/case and/Rome/cc",
        ),
        (  # conjuncts hang on the first, with the word before the last
            "Ada/met/nsubj ,/Ada/punct Bo/Ada/conj and/Bo/cc Cy/Bo/conj met/met/ROOT",
            "Bo/Ada/conj:and Cy/Ada/conj:and and/Ada/cc",
        ),
        (
            "Ada/met/nsubj &/Ada/cc Bo/Ada/conj met/met/ROOT left/met/conj",
            "Bo/Ada/conj:and left/met/conj",
        ),
        (  # `be` under its predicate, and everything with it
            "Ada/is/nsubj not/is/neg is/is/ROOT the/chief/det chief/is/attr of/chief/prep IBM/of/pobj ./is/punct",
            "chief//root is/chief/cop Ada/chief/nsubj not/chief/neg ./chief/punct IBM/chief/nmod:of",
        ),
        (
            "Ada/left/nsubj who/was/nsubj was/Ada/relcl ill/was/acomp left/left/ROOT",
            "ill/Ada/acl:relclause was/ill/cop who/ill/nsubj",
        ),
        ("There/is/expl is/is/ROOT hope/is/attr", "is//root hope/is/xcomp"),
        ("Ada/became/nsubj became/became/ROOT chief/became/attr", "became//root chief/became/xcomp"),
        (  # names
            "Bo/wife/poss 's/Bo/case wife/met/nsubj met/met/ROOT chief/Ada/nmod Ada/met/dobj Monday/met/npadvmod",
            "Bo/wife/nmod:poss 's/Bo/case chief/Ada/compound Monday/met/nmod:tmod",
        ),
        ("Oh/sang/meta sang/sang/ROOT miles/sang/npadvmod", "Oh/sang/dep miles/sang/nmod:npmod"),
    ],
)
def test_what_becomes_of(parse, expected):
    assert set(expected.split()) <= tree(parse, temporal="Monday")


def test_later_trees_hang_on_the_first():
    relations = ["nsubj", "ROOT", "ROOT", "dobj"]
    assert one_tree([1, 1, 2, 2], relations) == ([1, -1, 1, 2], ["nsubj", "ROOT", "parataxis", "dobj"])
    assert one_tree([-1, 0, -1], ["root", "x", "root"]) == ([-1, 0, 0], ["root", "x", "parataxis"])


@st.composite
def parses(draw: st.DrawFn) -> tuple[list[str], list[int], list[str]]:
    """Any trees, one or several, with any relations at any place."""
    length = draw(st.integers(1, 14))
    order = draw(st.permutations(range(length)))
    heads = list(range(length))
    for place, token in enumerate(order[1:], start=1):
        heads[token] = order[draw(st.integers(0, place - 1))] if draw(st.integers(0, 5)) else token
    often = ["prep", "pobj", "pcomp", "conj", "cc", "attr", "acomp", "agent", "dative", "nsubj"]
    relations = draw(
        st.lists(st.sampled_from([*often, *sorted(LABELS.keys() - {"ROOT"})]), min_size=length, max_size=length)
    )
    words = draw(st.lists(st.sampled_from(["is", "in", "and", "Ada"]), min_size=length, max_size=length))
    return words, heads, ["ROOT" if heads[at] == at else relation for at, relation in enumerate(relations)]


@given(parses())
def test_any_parse_becomes_one_tree_in_known_labels(parse):
    words, given_heads, relations = parse
    before = (list(given_heads), list(relations))
    heads, labels = stanford_tree(words, given_heads, relations, [False] * len(words))
    assert (given_heads, relations) == before
    tokens = (*words, "x", "y")
    last = len(words)
    RelationExample("x", tokens, Span(last, last + 1), Span(last + 1, last + 2), "r", heads=(*heads, 0, 0))  # a tree
    assert [label == "root" for label in labels] == [head == -1 for head in heads]
    known = {*LABELS.values(), "cop", "nmod:tmod"}
    assert {label for label in labels if not label.startswith(("nmod:", "advcl:", "conj:"))} <= known
