"""Rated pairs of words: sizes and oddities of the real files, contexts without their marks."""

from collections import Counter

import pytest

from trustnlp.data.registry import DataError
from trustnlp.data.words import similarity_sets
from trustnlp.data.words.similarity_sets import RatedPair, read_similarity
from trustnlp.data.words.words_in_context import Occurrence

WORDSIM = "Word 1\tWord 2\tHuman (mean)\r\n"
SIMLEX = "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)\r\n"
SINGLE = ["2.0", "3.0"] * 5
SCWS = ["1", "Bank", "n", "lend", "v", 'the <b> bank </b> of "', "they <b> lend </b>", "2.5", *SINGLE]


def test_the_real_sets_are_complete_and_keep_their_repetitions(mirror):
    sets = {name: read_similarity(name) for name in ("wordsim353", "simlex999", "scws")}
    assert {name: len(pairs) for name, pairs in sets.items()} == {"wordsim353": 353, "simlex999": 999, "scws": 2003}
    bank = [
        (p.first, p.second, p.rating) for p in sets["wordsim353"] if {p.first, p.second} <= {"bank", "money", "cash"}
    ]
    assert bank == [("bank", "money", 8.12), ("money", "cash", 9.15), ("money", "cash", 9.08), ("money", "bank", 8.5)]
    assert [p.first for p in sets["wordsim353"] if p.first == p.second] == ["tiger"]
    parts = Counter(p.parts_of_speech for p in sets["simlex999"])
    assert parts == {("n", "n"): 666, ("v", "v"): 222, ("a", "a"): 111}


def test_the_real_contexts_point_at_their_words(mirror):
    pairs = read_similarity("scws")
    assert all(
        word.lower() == context.token.lower() and not {"<b>", "</b>"} & set(context.tokens)
        for pair in pairs
        for word, context in zip((pair.first, pair.second), pair.contexts or (), strict=True)
    )
    assert sum(p.first == p.second for p in pairs) == 241
    mixed = [p for p in pairs if p.parts_of_speech and len(set(p.parts_of_speech)) == 2]
    assert len(mixed) == 179 and sum(p.first == p.second for p in mixed) == 76
    assert sum(p.rating for p in pairs) / len(pairs) == pytest.approx(3.852, abs=5e-4)


def read(offer, name: str, content: str) -> tuple[RatedPair, ...]:
    offer(similarity_sets, pairs=content)
    return read_similarity(name)


def test_pairs_without_contexts(offer):
    found = read(offer, "wordsim353", WORDSIM + "tiger\ttiger\t10.00\r\nstock\tCD\t1.31\r\n")
    assert found == (RatedPair("tiger", "tiger", 10.0), RatedPair("stock", "CD", 1.31))
    found = read(offer, "simlex999", SIMLEX + "old\tnew\tA\t1.58\t2.7\t2.8\t2\t7.2\t1\t0.4\r\n")
    assert found == (RatedPair("old", "new", 1.58, ("a", "a")),)


def test_pairs_in_contexts_lose_the_marks_and_keep_the_places(offer):
    [pair] = read(offer, "scws", "\t".join(SCWS) + "\n")
    assert (pair.first, pair.second, pair.rating, pair.parts_of_speech) == ("Bank", "lend", 2.5, ("n", "v"))
    assert pair.contexts == (Occurrence(("the", "bank", "of", '"'), 1), Occurrence(("they", "lend"), 1))


def test_an_unknown_name_is_refused():
    with pytest.raises(DataError, match="choose from wordsim353, simlex999, scws"):
        read_similarity("men")
