"""`gender_bias` on planted vectors and on gensim's, words of like frequency, averages over forms, and bad input."""

from typing import Any

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.bias.gender_direction.direct_bias import (
    ProfessionBias,
    isotropic_floor,
    mean_direct_bias,
    profession_bias,
    signed_scores,
)
from trustnlp.bias.gender_direction.direction_nulls import (
    p_value_of_share,
    random_pair_shares,
    shares_of_repairings,
    words_of_like_frequency,
)
from trustnlp.bias.gender_direction.language_bias import gender_bias
from trustnlp.bias.gender_direction.pair_directions import direction_of_rows, gender_direction, held_out_margins
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.static import WordVectors

LISTED = word_list("en")
DEFINING = [word for pair in LISTED.pairs.values() for word in pair]
PROFESSIONS = [p.concept for p in LISTED.professions]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def english(lean: float, biases: dict[str, float], seed: int = 0, dim: int = 50) -> WordVectors:
    """English with a planted axis: the first coordinate. Words of no list come first and last."""
    draw = rng(seed)
    words = [f"w{i}" for i in range(150)] + DEFINING + PROFESSIONS + [f"v{i}" for i in range(150)]
    rows = draw.standard_normal((len(words), dim))
    rows[:, 0] = 0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for number in range(0, 14, 2):
        rows[150 + number + 1, 1:] = rows[150 + number, 1:]
        rows[150 + number, 0], rows[150 + number + 1, 0] = lean, -lean
    for concept, bias in biases.items():
        row = words.index(concept)
        rows[row] *= np.sqrt(1 - bias**2)
        rows[row, 0] = bias
    return WordVectors(words, rows, "planted English")


def test_planted_bias_is_measured_and_its_absence_is_the_floor():
    found = gender_bias(english(0.5, {"nurse": 0.4, "soldier": -0.3}), language="en", rng=rng(), draws=200)
    assert found.professions["nurse"].equal == pytest.approx(0.4, abs=1e-6)
    assert found.professions["soldier"].weighted == pytest.approx(-0.3, abs=1e-6)
    assert found.direct_bias == pytest.approx(0.7 / 32, abs=1e-6)
    assert found.held_out_right == 1.0 and found.direction.gap == pytest.approx(1, abs=1e-9)
    assert all(female > 0 > male for female, male in found.defining.values())
    assert found.p_random == pytest.approx(1 / 201) and found.p_repairings is not None and found.p_repairings < 0.01
    assert found.floors["isotropic"] == isotropic_floor(50)
    assert found.floors["words"] < 1e-6 < found.floors["directions"]


def test_without_gender_nothing_stands_out():
    draw = rng(1)
    values, held = [], []
    for seed in range(12):
        words = [f"w{i}" for i in range(150)] + DEFINING + PROFESSIONS + [f"v{i}" for i in range(150)]
        noise = WordVectors(words, draw.standard_normal((len(words), 50)), "noise")
        found = gender_bias(noise, language="en", rng=rng(seed), draws=199)
        values.append(found.p_random)
        held.append(found.held_out_right)
        assert abs(found.direct_bias - found.floors["words"]) < 0.04
    assert 0.2 < np.mean(values) < 0.8 and 0.2 < np.mean(held) < 0.8


def test_the_same_generator_gives_the_same_numbers_and_another_gives_others():
    vectors = english(0.2, {"nurse": 0.1})
    first, again, other = (gender_bias(vectors, language="en", rng=rng(s), draws=50).floors for s in (3, 3, 4))
    assert first == again != other


def test_options_reach_every_number_that_depends_on_them():
    """Vectors of unlike length, taken as they are, and c = 2: direction, floors and pairs left out by plain numpy."""
    made = english(0.5, {"nurse": 0.4})
    rows = made.matrix * np.linspace(0.3, 3, len(made.words))[:, None] ** rng(3).choice([-1, 1], (len(made.words), 1))
    rows = rows + 0.4 * rng(4).standard_normal(rows.shape)
    vectors = WordVectors(made.words, rows, "of unlike length")
    found = gender_bias(vectors, language="en", rng=7, unit=False, c=2.0, draws=50)
    pairs = list(LISTED.pairs.values())
    g = gender_direction(vectors, pairs, unit=False).g
    assert g @ found.direction.g == pytest.approx(1)
    forms = sorted({form for own in found.professions.values() for form in own.scores})
    assert found.direct_bias == pytest.approx(np.mean(signed_scores(vectors, forms, g) ** 2))
    shares, directions = random_pair_shares(vectors, found.direction.pairs, 50, rng=rng(7), unit=False)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (rows / lengths)[[made.words.index(form) for form in forms]] @ directions.T
    assert found.floors["directions"] == pytest.approx((cosines**2).mean(), rel=1e-4)
    assert found.p_random == (1 + (shares[:, 0] >= found.direction.shares[0]).sum()) / 51
    right = [margin > 0 for margin in held_out_margins(vectors, pairs, unit=False).values()]
    assert found.held_out_right == np.mean(right)
    one = gender_bias(vectors, language="en", rng=7, draws=50)
    assert one.p_random != found.p_random or one.direction.gap != found.direction.gap


def test_a_share_that_the_null_reaches_exactly_counts():
    assert p_value_of_share(0.5, np.array([0.4, 0.5, 0.6, 0.5]), exact=True) == 0.75
    assert p_value_of_share(0.5, np.array([0.4, 0.5, 0.6]), exact=False) == 0.75


def test_gensims_vectors_bring_their_counts():
    gensim = pytest.importorskip("gensim.models")
    vectors = english(0.5, {"nurse": 0.4})
    keyed = gensim.KeyedVectors(50)
    keyed.add_vectors(list(vectors.words), vectors.matrix)
    professions = {"care": ["nurse", "soldier", "unheard"]}
    plain = gender_bias(keyed, language="en", rng=rng(), professions=professions, draws=20)
    assert plain.professions["care"].weighted == pytest.approx(plain.professions["care"].equal)
    last = vectors.words.index("nurse")
    assert last < vectors.words.index("soldier")
    for row, word in enumerate(vectors.words):
        keyed.set_vecattr(word, "count", 90 if row <= last else 9)
    counted = gender_bias(keyed, language="en", rng=rng(), professions=professions, draws=20).professions["care"]
    assert counted.counts["nurse"] == 90 and counted.weighted > counted.equal
    keyed.set_vecattr("soldier", "count", 99)
    with pytest.raises(ValueError, match="the most frequent word must come first"):
        gender_bias(keyed, language="en", rng=rng(), professions=professions, draws=20)


def test_averages_over_forms_are_the_papers_example():
    german = ProfessionBias("scientist", {"m": -0.06, "f": 0.32}, {"m": 32467, "f": 1354})
    assert german.equal == pytest.approx(0.13) and german.weighted == pytest.approx(-1514.74 / 33821)


def test_pairs_with_a_missing_word_are_dropped_and_told():
    vectors = english(0.5, {})
    fewer = vectors.restrict([word for word in vectors.words if word not in ("queen", "sir")])
    found = gender_bias(fewer, language="en", rng=rng(), draws=20)
    assert found.direction.missing == (("queen", "king"), ("madam", "sir")) and len(found.direction.pairs) == 5
    three = gender_bias(vectors, language="en", rng=rng(), pairs=list(LISTED.pairs.values())[:3], draws=20)
    assert three.held_out_right is None


def test_what_gender_bias_refuses():
    vectors = english(0.5, {})

    def attempt(given: Any, changes: dict[str, Any]) -> object:
        return gender_bias(given, **{"language": "en", "rng": rng(), "draws": 20} | changes)

    rows = [
        (vectors, {"language": "english"}, "unknown language 'english'.*Did you mean 'en'"),
        (vectors, {"language": "wo"}, "0 of 7 pairs have vectors for both words, at least 3"),
        (vectors, {"pairs": [("woman", "man")]}, "at least 3 are needed \\(missing: none\\); give more pairs"),
        (vectors, {"language": "ur"}, "0% of the first words of the vectors are in Arabic letters"),
        (vectors, {"pairs": [("woman", "m\u0430n"), ("girl", "boy")]}, "mixes letters of Cyrillic and Latin"),
        (vectors, {"draws": 0}, "0 draws"),
        (vectors, {"c": float("nan")}, "finite number"),
        (vectors, {"pairs": ["ab", "cd", "ef"]}, "pairs of words, got 'ab'"),
        (vectors, {"professions": {"nurse": "nurse"}}, "a list of words, got 'nurse'"),
        (vectors, {"pairs": [("woman", "man"), ("girl", "boy")]}, "2 of 2 pairs"),
        (vectors, {"professions": {"x": ["y"]}}, "none of the 1 professions"),
        (vectors, {"counts": {"nurse": 3}}, "has a vector but no count"),
        (vectors.restrict([*DEFINING, *PROFESSIONS]), {}, "too few to match frequencies"),
        ({"woman": [1.0]}, {}, TypeError, "WordVectors or gensim's KeyedVectors, got dict"),
    ]
    assert_refused(attempt, rows)


class Keyed:
    """As much of gensim's KeyedVectors as is read."""

    def __init__(self, words: list[str], rows: Any) -> None:
        self.index_to_key, self.vectors = words, np.asarray(rows, dtype=np.float32)


def test_what_is_wrong_with_a_readers_vectors_is_told_in_one_line():
    good = english(0.5, {})
    words, rows = list(good.words), good.matrix.copy()
    bad, zero = rows.copy(), rows.copy()
    bad[words.index("nurse")], zero[words.index("nurse")] = np.nan, 0

    def attempt(vectors: Any, language: str = "en") -> object:
        return gender_bias(vectors, language=language, rng=rng(), draws=20)

    german = word_list("de")
    cased = [word for pair in german.pairs.values() for word in pair]
    noise, names = rng(1).standard_normal((300, 20)), [f"w{i}" for i in range(300)]
    misread = [word.encode("utf-8").decode("latin-1") for word in ("mädchen", "königin", "müller")]
    cases = [
        (Keyed(words, bad), "NaN or infinite .* for 'nurse'"),
        (Keyed(words, zero), "zero for 'nurse'"),
        (Keyed([*words[:-1], words[0]], rows), "'w0' occur more than once"),
        (Keyed(words, rows[:-1]), r"314 words need a matrix|words need a matrix of shape"),
        (Keyed(DEFINING, rows[: len(DEFINING)]), "none of the 32 professions; check their case"),
        (Keyed(cased + names[:286], noise), "de", r"pass words=LanguageWords\(language, lower=False"),
        (Keyed([*misread, *names[:297]], noise), "de", "'mädchen' stands there as 'mÃ¤dchen': read .* as UTF-8"),
    ]
    assert_refused(attempt, cases)


def test_a_profession_without_a_vector_is_named_and_a_homograph_leaves_on_request():
    vectors = english(0.5, {"nurse": 0.4})
    fewer = vectors.restrict([word for word in vectors.words if word != "astronaut"])
    found = gender_bias(fewer, language="en", rng=rng(), draws=20)
    assert found.absent == ("astronaut",) and len(found.professions) == 31
    without = gender_bias(fewer, language="en", rng=rng(), draws=20, homographs=False)
    assert found.professions.keys() - without.professions.keys() == {"nurse", "judge", "driver"}
    assert without.absent == ("astronaut",)


def test_what_directions_and_scores_refuse():
    good = {f"{x}{i}": rng(i).standard_normal(5) for i in range(3) for x in "fm"}
    pairs = [("f0", "m0"), ("f1", "m1"), ("f2", "m2")]

    def changed(word: str, value: Any) -> object:
        return gender_direction({**good, word: np.asarray(value)}, pairs)

    rows = [
        ("f1", np.zeros(5), "'f1' is zero, NaN"),
        ("m2", [1, 2, np.nan, 4, 5], "'m2' is zero, NaN"),
        ("f2", np.ones(4), r"different dimensions: \[4, 5\]"),
        ("f0", np.ones((1, 5)), r"shape \(1, 5\)"),
    ]
    assert_refused(changed, rows)
    flat = {word: row[:2] for word, row in good.items()}
    assert_refused(lambda v: gender_direction(v, pairs), [(flat, "2 dimensions hold no direction")])
    assert_refused(lambda f, m: direction_of_rows(f, m), [(np.ones((3, 4)), np.ones((3, 4)), "same vector")])
    cases = [
        (lambda: signed_scores(good, [], np.ones(5)), "no word to score"),
        (lambda: signed_scores(good, ["f0"], np.ones(4)), "5 dimensions, the direction has shape"),
        (lambda: mean_direct_bias([]), "one or more words"),
        (lambda: mean_direct_bias([1.2]), "within ±1"),
        (lambda: mean_direct_bias([0.2], -1), "a finite number, not negative, got -1"),
        (lambda: isotropic_floor(1), "at least 2 dimensions"),
        (lambda: profession_bias(good, "x", [], np.ones(5)), "'x' has no form"),
        (lambda: shares_of_repairings(np.ones((9, 4)), np.ones((9, 4))), "1 to 8 pairs"),
        (lambda: p_value_of_share(0.5, np.array([]), exact=True), "empty null"),
    ]
    assert_refused(lambda call: call(), cases)


def test_strictness_zero_counts_words_that_are_not_orthogonal():
    assert mean_direct_bias([0.0, 0.5, -0.1, 0.0], 0) == 0.5


def test_random_words_are_near_in_rank_and_never_of_the_list():
    vectors = WordVectors([f"w{i}" for i in range(1000)], rng().standard_normal((1000, 3)), "v")
    rows = words_of_like_frequency(vectors, ["w0", "w500", "w999"], 300, exclude=["w501"], rng=rng())
    assert rows.shape == (300, 3) and not {0, 500, 501, 999} & set(rows.ravel().tolist())
    assert all(len(set(row)) == 3 for row in rows.tolist())
    close = words_of_like_frequency(vectors, [f"w{i}" for i in range(100, 120)], 50, rng=rng())
    assert all(len(set(row)) == 20 for row in close.tolist())
    assert rows[:, 0].max() <= 51 and rows[:, 2].min() >= 948 and np.abs(rows[:, 1] - 500).max() <= 27
    assert len(set(rows[:, 1].tolist())) > 40
    assert_refused(
        lambda w, n: words_of_like_frequency(vectors, w, n, rng=rng()), [([], 1, "0 words"), (["w1"], 0, "0 draws")]
    )
