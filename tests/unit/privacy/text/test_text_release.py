"""The call that readers make on a text: what is released, what is told of it, and messages for what cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st
from made_vocabularies import WORDS, Next, vocabulary
from refusals import assert_refused

from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import Relation
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_guarantee import TextGuarantee
from trustnlp.privacy.text.text_pieces import cut, is_word
from trustnlp.privacy.text.text_release import privatise, privatise_many

VECTORS = vocabulary()
BY_NAME = ["nearest_word", "truncated_exponential", "mahalanobis", "randomised_response"]


def shifted(text: Any, **options: Any) -> str:
    return privatise(text, vectors=VECTORS, mechanism=Next(), **options).text


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ("The river, by THE Bank!\n", "River bank, walks RIVER Stream!\n"),
        ("I don't walk.", "[UNK] by do [UNK]."),
        ("  bank...bank ", "  stream...stream "),
        ("cash's", "n't [UNK]"),
        ("Don’t", "By do"),
        ("Cash n't", "N't do"),
    ],
)
def test_case_punctuation_and_spaces_stay(text: str, released: str) -> None:
    assert shifted(text) == released


@given(st.text(max_size=30))
def test_nothing_but_spaces_punctuation_and_known_words_comes_through(text: str) -> None:
    if not any(piece.is_word for piece in cut(text)):
        return
    released = privatise(text, vectors=VECTORS, mechanism=Next())
    for entry in released.provenance:
        if entry.what == "punctuation":
            assert not is_word(entry.released)
        else:
            assert entry.released == "[UNK]" or entry.released.lower() in WORDS


@pytest.mark.parametrize(
    ("rule", "released"),
    [
        ("mask", "River [UNK] stream, [UNK]."),
        ("drop", "River stream,."),
        ("keep_unprotected", "River Elbe stream, Anna."),
    ],
)
def test_unknown_words(rule: Any, released: str) -> None:
    assert shifted("The Elbe bank, Anna.", unknown=rule) == released


def test_a_dropped_word_leaves_its_neighbours_apart() -> None:
    assert shifted("the Annan't do", unknown="drop") == "river do by"
    assert shifted("Annan't", unknown="drop") == "do"


def test_unknown_words_become_any_word_equally_often() -> None:
    released = privatise(["xyzzy"] * 4000, vectors=VECTORS, mechanism=Next(), unknown="substitute", insecure_seed=1)
    counts = [released.tokens.count(word) for word in WORDS]
    assert sum(counts) == 4000 and max(abs(count - 400) for count in counts) < 5 * 19
    assert {entry.what for entry in released.provenance} == {"unknown"}
    assert released.guarantee.words == 0


def test_a_list_of_tokens_is_not_cut() -> None:
    released = privatise(["The", "New bank", ",", "do", "n't", ""], vectors=VECTORS, mechanism=Next())
    assert released.text == "River [UNK] , by do"
    assert [entry.what for entry in released.provenance] == [
        "substituted", "unknown", "punctuation", "substituted", "substituted", "punctuation",
    ]  # fmt: skip
    assert [entry.position for entry in released.provenance] == list(range(6))


def test_a_vocabulary_that_tells_cases_apart() -> None:
    cased = WordVectors(["Bank", "bank", "THE"], np.eye(3), "cased")
    release: dict[str, Any] = {"vectors": cased, "mechanism": Next(3)}
    assert privatise("Bank bank BANK the THE", **release).text == "bank THE [UNK] [UNK] Bank"
    assert privatise("Bank BANK", cased=False, **release).text == "THE THE"


def test_provenance_holds_no_original_unless_asked() -> None:
    private = "Cash by Anna"
    released = privatise(private, vectors=VECTORS, mechanism=Next())
    assert "Cash" not in repr(released) and "Anna" not in repr(released)
    asked = privatise(private, vectors=VECTORS, mechanism=Next(), keep_originals=True)
    assert [entry.original for entry in asked.provenance] == ["Cash", " ", "by", " ", "Anna"]
    assert "original='Anna'" in repr(asked)


def test_many_texts_are_one_batch() -> None:
    mechanism = Next()
    texts = ["the bank", ["cash", "xyzzy"], "by money!"]
    released = privatise_many(texts, vectors=VECTORS, mechanism=mechanism)
    assert mechanism.calls == [5]
    assert [one.text for one in released] == [shifted(text) for text in texts]
    assert [one.guarantee.words for one in released] == [2, 1, 2]


def test_vectors_of_every_kind() -> None:
    rows = np.eye(3, dtype=np.float32)
    keyed = KeyedVectors(3)
    keyed.add_vectors(["a", "b", "c"], rows)
    for vectors in (keyed, dict(zip("abc", rows.tolist(), strict=True)), WordVectors("abc", rows, "three")):
        assert privatise("A b.", vectors=vectors, mechanism=Next(3)).text == "B c."


@pytest.mark.parametrize("mechanism", BY_NAME)
def test_mechanisms_by_name(mechanism: str) -> None:
    text = "The bank by the stream walks cash. " * 10
    first, again, other = (
        privatise(text, vectors=VECTORS, epsilon=0.5, mechanism=mechanism, insecure_seed=seed).text
        for seed in (1, 1, -1)
    )
    assert first == again != other
    fresh = [privatise(text, vectors=VECTORS, epsilon=0.5, mechanism=mechanism).text for _ in range(2)]
    assert fresh[0] != fresh[1]
    sure = privatise("The bank.", vectors=VECTORS, epsilon=500.0, mechanism=mechanism)
    assert sure.text == "The bank."
    # Per unit of Euclidean distance, in which Mahalanobis noise promises less than in its own.
    assert sure.guarantee.epsilon >= 1000.0 and (mechanism == "mahalanobis" or sure.guarantee.epsilon == 1000.0)
    local = mechanism == "randomised_response"
    assert (sure.guarantee.position.relation is Relation.LOCAL) == local


# --- senses ----------------------------------------------------------------------------------------------------------

# "bank" beside "river" and "stream" has the first sense, beside "money" and "cash" the second.
WORD_ROWS = {
    "river": [4.0, 0, 1],
    "stream": [4.0, 0, -1],
    "money": [0, 4.0, 1],
    "cash": [0, 4.0, -1],
    "bank": [2.0, 2, 0],
}
SENSED = WordVectors(list(WORD_ROWS), list(WORD_ROWS.values()), "two senses")
SENSES = SenseInventory(
    SENSED.words,
    np.array([0, 1, 2, 3, 4, 4]),
    np.array([*list(WORD_ROWS.values())[:4], [3.9, 0.5, -0.9], [0.5, 3.9, -0.9]], dtype=np.float32),
    np.array([1, 1, 1, 1, 0.6, 0.4]),
    0,
    hash_of(SENSED),
)


def substitutes_of_bank(text: str, **options: Any) -> set[str]:
    """What stands for the third word in 200 releases."""
    given = {"vectors": SENSED, "mechanism": "nearest_sense", "inventory": SENSES, "epsilon": 8.0, **options}
    return {one.tokens[2] for one in privatise_many([text] * 200, insecure_seed=1, **given)}


def test_neighbours_choose_the_sense_that_is_released() -> None:
    assert substitutes_of_bank("river stream bank") == {"bank", "stream"}
    assert substitutes_of_bank("money cash bank") == {"bank", "cash"}
    assert substitutes_of_bank("money cash Bank, river river river") == {"Bank", "Stream"}
    near = privatise("bank", vectors=SENSED, mechanism=NearestSense(SENSES, 500.0), window=2)
    assert near.text == "bank" and near.guarantee.neighbours == 4


def test_only_words_within_the_window_choose() -> None:
    """Unknown words take a place in it; words of another text do not."""
    far = "xyzzy " * 3
    assert substitutes_of_bank(f"xyzzy xyzzy bank {far}cash", window=4) == {"bank", "cash"}
    assert substitutes_of_bank(f"xyzzy xyzzy bank {far}cash", window=3) == {"bank", "stream"}
    many = privatise_many(
        ["xyzzy bank", "cash cash"] * 200,
        vectors=SENSED, mechanism=NearestSense(SENSES, 8.0), insecure_seed=1,
    )  # fmt: skip
    assert {one.tokens[1] for one in many[::2]} == {"bank", "stream"}


def test_inventories_that_do_not_fit_are_refused() -> None:
    def attempt(options: dict[str, Any]) -> object:
        return privatise("bank", **{"vectors": SENSED, "mechanism": "nearest_sense", "epsilon": 1.0, **options})

    other = WordVectors(SENSED.words, SENSED.matrix + 1, "others")
    assert_refused(
        attempt,
        [
            ({}, "needs inventory="),
            ({"inventory": SENSES, "window": 0}, "how many words on each side choose a sense, at least 1"),
            ({"inventory": SENSES, "vectors": other}, "the inventory was made from other vectors"),
            ({"inventory": SENSES, "mechanism": "nearest_word"}, "no other does"),
            ({"mechanism": NearestSense(SENSES, 1.0), "epsilon": None, "vectors": other}, "made from other vectors"),
        ],
    )


# --- what is promised ------------------------------------------------------------------------------------------------


def test_the_guarantee_of_a_text() -> None:
    told = privatise("The bank, the Elbe.", vectors=VECTORS, mechanism=Next()).guarantee
    assert told.epsilon == 9.0
    assert told.loss_bound([0.0, 2.0, 0.5]) == pytest.approx(7.5)
    assert str(told) == (
        "One position: (3, 0)-differential privacy, per unit of distance, L2 sensitivity 1, for all pairs of words.\n"
        "Whole text: two texts of one layout, with 3 words known to the vocabulary in the same positions: any release "
        "is at most exp(3 · D) times as likely, D the sum of the distances of their words, position by position; that "
        "is exp(9) when every position moves by 1.\n"
        "Several releases: k releases of one input cost k·ε and k·δ.\n"
        "All of this holds in exact arithmetic; rounding is not covered.\n"
        "Not protected: the number of words, the case pattern of each, punctuation, signs such as $ and +, "
        "spaces, and contractions; which words are unknown to the vocabulary (they are masked)."
    )
    with pytest.raises(ValueError, match="expected 3 distances"):
        told.loss_bound([1.0])


def test_a_local_guarantee_adds_up_over_words_that_differ() -> None:
    told = TextGuarantee(Next(relation=Relation.LOCAL).guarantee, 4, 0, "drop")
    assert "any release is at most exp(12) times as likely, whatever the words" in told.whole_text
    assert told.loss_bound([0.0, 9.0, 0.1, 0.0]) == 6.0


def test_a_sense_mechanism_promises_less() -> None:
    told = TextGuarantee(Next().guarantee, 4, 10, "mask")
    assert told.one_position.startswith("nothing for a word alone: its sense depends on up to 10 neighbours")
    assert "the distances of their senses, position by position, each sense chosen in its own text" in told.whole_text


def test_a_text_of_unknown_words_says_so() -> None:
    for rule, text in (("mask", "[UNK] [UNK]!"), ("drop", "!")):
        released = privatise("Xyzzy plugh!", vectors=VECTORS, mechanism=Next(), unknown=rule)  # type: ignore[arg-type]
        assert released.text.strip() == text
        assert released.guarantee.epsilon == 0 and released.guarantee.one_position == "no word was substituted"
        assert released.guarantee.whole_text.startswith("no word of the text is in the vocabulary")


# --- refusals --------------------------------------------------------------------------------------------------------


def test_texts_and_options_that_are_refused() -> None:
    def attempt(text: Any, options: dict[str, Any]) -> object:
        return privatise(text, **{"vectors": VECTORS, "epsilon": 1.0, **options})

    zero = {"a": [0.0, 0.0], "b": [1.0, 0.0]}
    assert_refused(
        attempt,
        [
            ("", {}, "the text is empty: there is no word"),
            (" ... !", {}, "punctuation and spaces only, which are released as they are"),
            (["bank", 3], {}, TypeError, "a token that is no string but int: 3"),
            (b"bank", {}, TypeError, "the text is a string or a list of tokens, got bytes"),
            ("bank", {"epsilon": 0.0}, "epsilon is positive and finite"),
            ("bank", {"epsilon": None}, TypeError, "epsilon is missing"),
            ("bank", {"vectors": zero}, "the vector is zero for 'a'"),
            (
                "bank",
                {"vectors": {"a": [1.0], "b": [1.0, 2.0]}},
                "vectors are a matrix .* of the same length",
            ),
            ("bank", {"vectors": {"bank": [1.0]}}, "one word, 'bank': every text would be"),
            ("bank", {"vectors": "glove_6b_50d"}, TypeError, r"got str; read_vectors\(NAME\)"),
            ("bank", {"mechanism": "nearst_word"}, "got 'nearst_word'; did you mean 'nearest_word'"),
            ("bank", {"mechanism": Next()}, TypeError, "has its own ε, 3; leave epsilon out"),
            ("bank", {"mechanism": Next(4), "epsilon": None}, "over 4 words, the vocabulary has 10"),
            ("bank", {"unknown": "keep"}, "unknown is one of mask, drop, substitute, keep_unprotected, got 'keep'"),
            ("bank", {"mask": ""}, "mask is the text released for an unknown word"),
            ("bank", {"window": 3}, "only mechanism='nearest_sense' looks at a window"),
            ("bank", {"insecure_seed": 1.5}, TypeError, "insecure_seed is a whole number"),
            ("bank", {"seed": 1}, TypeError, "privatise takes no seed: noise that can be repeated can be taken off"),
            ("bank", {"epsilom": 1}, TypeError, "unexpected keyword argument 'epsilom'"),
        ],
    )


def test_many_names_the_text_that_is_refused() -> None:
    assert_refused(
        lambda texts, **options: privatise_many(texts, vectors=VECTORS, mechanism=Next(), **options),
        [
            ("the bank", TypeError, "texts are a list of texts, got str; for a single text use privatise"),
            (["bank", ""], "text 1 is empty"),
            (["bank", ["a", None]], TypeError, "text 1 holds a token that is no string but NoneType"),
        ],
    )
    with pytest.raises(TypeError, match="privatise_many takes no rng"):
        privatise_many(["bank"], vectors=VECTORS, mechanism=Next(), rng=1)
    assert privatise_many([], vectors=VECTORS, mechanism=Next()) == []
