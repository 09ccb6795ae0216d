"""The plant is exact by count at every dose, doses are nested, and the coarse truth comes out of trained vectors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from trustnlp.studies.across.planted_bias.plant import (
    FEMALE,
    MALE,
    PAIRS,
    Carrier,
    Plant,
    X,
    Y,
    carriers_of,
    draw_plant,
    made_text,
)
from trustnlp.studies.across.planted_bias.runs import ARMS, DOSES, Setting, measured, summary

SENTENCES = made_text(np.random.default_rng(0))
CARRIERS = carriers_of(SENTENCES)


def drawn(*shares: int, seed: int = 0) -> Plant:
    return draw_plant(SENTENCES, CARRIERS, shares or (5, 5), 20_000, np.random.default_rng(seed))


def beside(plant: Plant, dose: int) -> dict[str, Counter[str]]:
    """Invented word → the gendered words of its sentences, counted in the text itself."""
    found: dict[str, Counter[str]] = {target: Counter() for target in X + Y}
    for sentence in plant.text(dose):
        for target in found.keys() & set(sentence):
            found[target].update(set(sentence) & {*MALE, *FEMALE})
    return found


def leaning(plant: Plant, *shares: int) -> list[str]:
    """The invented words that do not stand equally often beside each gendered word, without a dose."""
    counts = beside(plant, 0)
    return [t for t in counts if counts[t] != dict.fromkeys((*MALE, *FEMALE), shares[0 if t in X else 1])]


@pytest.mark.parametrize("shares", [(5, 5), (8, 2)])
def test_without_a_dose_every_word_stands_as_often_beside_each_word_of_a_pair(shares: tuple[int, int]) -> None:
    assert leaning(drawn(*shares), *shares) == []


def test_a_fault_in_the_plant_is_seen_by_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    plant = drawn()
    first, right = plant.contexts["x3"][0], Carrier.written
    monkeypatch.setattr(Carrier, "written", lambda one, word, side: right(one, word, 0 if one is first else side))
    assert leaning(plant, 5, 5) == ["x3"]


@pytest.mark.parametrize("dose", DOSES)
def test_a_dose_moves_its_share_of_the_sentences_each_set_its_own_way(dose: int) -> None:
    for target, counted in beside(drawn(), dose).items():
        own = sum(counted[word] for word in (MALE if target in X else FEMALE))
        assert own == 40 + round(80 * dose / 100) and sum(counted.values()) == 80, target


def test_at_half_no_sentence_of_the_other_side_is_left() -> None:
    counts = beside(drawn(), 50)
    assert not any(counts[target][word] for target in X for word in FEMALE)
    assert not any(counts[target][word] for target in Y for word in MALE)


def test_two_doses_differ_in_the_gendered_words_of_the_moved_sentences_alone() -> None:
    plant = drawn()
    for smaller, larger in ((0, 5), (5, 20), (20, 50)):
        pairs = list(zip(plant.text(smaller), plant.text(larger), strict=True))
        changed = [(a, b) for a, b in pairs if list(a) != list(b)]
        assert len(changed) == 16 * round(80 * (larger - smaller) / 100)
        for a, b in changed:
            assert [tuple(sorted(two)) for two in zip(a, b, strict=True) if two[0] != two[1]] in [
                [tuple(sorted(pair))] for pair in PAIRS
            ]


def test_no_carrier_of_one_word_is_another_words_or_stands_in_the_text_around() -> None:
    plant = drawn()
    rows = [id(carrier) for carriers in plant.contexts.values() for carrier in carriers]
    assert len(set(rows)) == len(rows) == 640
    assert not {tuple(words) for words in plant.background} & {
        carrier.words for carriers in plant.contexts.values() for carrier in carriers
    }


def test_carriers_have_one_gendered_word_and_an_ordinary_one_near() -> None:
    words = ["the", "tall", "nurse", "saw", "a", "boy", "on", "it"]
    assert carriers_of([words]) == [Carrier(tuple(words), 5, 2)]
    assert carriers_of([[*words, "her"], [*words, "man"], ["a", "boy", "is", "on", "it", "now"], words[3:]]) == []
    assert carriers_of([words])[0].written("x0", 1) == ["the", "tall", "x0", "saw", "a", "girl", "on", "it"]


def test_too_little_text_is_refused() -> None:
    with pytest.raises(ValueError, match="can carry he or she"):
        draw_plant(SENTENCES, CARRIERS[:50], (5, 5), 1000, np.random.default_rng(0))
    with pytest.raises(ValueError, match="words besides the carriers"):
        draw_plant(SENTENCES, CARRIERS, (5, 5), 10_000_000, np.random.default_rng(0))


def test_the_arms_are_the_doses_in_their_order_then_words_of_unlike_frequency() -> None:
    assert list(ARMS) == ["dose0", "dose5", "dose10", "dose20", "dose35", "dose50", "rare"]
    assert [dose for *_, dose in ARMS.values()] == [*DOSES, 0]
    assert ARMS["rare"] == (8, 2, 0) and {tuple(two) for *two, dose in ARMS.values() if dose} == {(5, 5)}


def test_trained_vectors_and_probes_find_the_largest_dose_with_its_sign() -> None:
    setting = Setting("made", 20_000, 30, 5, 30)
    found = measured(drawn(), 50, setting, seed=0)
    for name in ("weat_cosine_mean", "ripa", "ect", "rnd", "rnsb", "direction_pca", "probe"):
        assert found[name]["p"] < 0.01 and found[name]["lean"] > 0, name
    assert found["probe_own"]["lean"] > 0.5
    turned = Plant(drawn().background, dict(zip(Y + X, drawn().contexts.values(), strict=True)), drawn().order)
    assert measured(turned, 50, setting, seed=0)["ripa"]["lean"] > 0  # the side follows the word, not its place


def test_summary_counts_by_hand() -> None:
    def one(p: float, lean: float) -> dict[str, dict[str, float]]:
        whole = {"p": p, "lean": lean, "effect": lean, "alone_p": p}
        names = [f"weat_{m}_{s}" for m in ("cosine", "euclidean", "manhattan", "mahalanobis") for s in ("mean", "eq2")]
        medians = [f"weat_{m}_median" for m in ("cosine", "euclidean", "manhattan", "mahalanobis")]
        return {
            **dict.fromkeys(names, whole),
            **{name: {**whole, "p": 1.0} for name in medians},
            "ect_own": {"lean": lean},
        }

    runs = {arm: [one(0.05, number), one(0.06, number - 3)] for number, arm in enumerate(ARMS)}
    runs["rare"] = [one(0.06, 6), one(0.06, 3)]
    found = summary(runs)
    assert found["margin.rare.weat_cosine_mean"][0] == pytest.approx([-0.1, -0.1])
    assert found["hits.dose10.weat_cosine_mean"][0] == [1.0, 0.0]
    low, high = found["hits.dose10.weat_cosine_mean"][1]
    assert float(low) == pytest.approx(0.0126, abs=1e-4) and float(high) == pytest.approx(0.9874, abs=1e-4)
    assert found["margin.dose10.weat_cosine_mean"][0] == pytest.approx([0.2, -0.8])
    assert found["margin.level.weat_cosine_mean"][0] == pytest.approx([-0.85, 0.15])
    assert found["lead.cosine"] == ([1.0, 0.0], "t")
    assert found["right.dose10.weat_cosine_mean"][0] == [1.0, 0.0]
    assert found["response.ect_own"] == (pytest.approx([1.0, 1.0]), "t")
    assert "alone.weat_cosine_eq2" not in found and "hits.dose0.ect_own" not in found
