"""Made languages, list checks, what is measured on a language, clusters, set comparisons, tables and figures."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from matplotlib import pyplot as plt
from refusals import assert_refused
from scipy import stats

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.pair_directions import gender_direction
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.alignment import centred
from trustnlp.embeddings.static import WordVectors
from trustnlp.reproduce.claims.ledger_tables import printed_tables
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import chapter_dir
from trustnlp.studies.gender_bias_languages import (
    checks,
    critique,
    models,
)
from trustnlp.studies.gender_bias_languages.beyond import repairs, shared_directions
from trustnlp.studies.gender_bias_languages.data import language_text
from trustnlp.studies.gender_bias_languages.lists import list_counts
from trustnlp.studies.gender_bias_languages.lists import cell, pairs_table, professions_table
from trustnlp.studies.gender_bias_languages.method import planted_pairs
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction import language_clusters as clusters
from trustnlp.studies.gender_bias_languages.reproduction import language_figures as figures
from trustnlp.studies.gender_bias_languages.reproduction import languages_said
from trustnlp.studies.gender_bias_languages.reproduction.nine_languages import (
    compared,
    is_large,
    run_languages,
)
from trustnlp.studies.gender_bias_languages.standins import CONTEXT_WORDS, planted_language, shuffled

QUICK = Training(dim=20, epochs=2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def words_of(texts: list[list[list[str]]]) -> list[str]:
    return [word for text in texts for sentence in text for word in sentence]


def test_made_text_has_the_leans_that_it_tells() -> None:
    made = planted_language("es", tokens=60_000, rng=rng())
    form = LanguageWords("es").form
    around: dict[str, list[int]] = {}
    for text in made.texts:
        for sentence in text:
            found = around.setdefault(sentence[4], [0, 0])
            for side in (0, 1):
                found[side] += sum(word in CONTEXT_WORDS[side] for word in sentence)
    share = {word: female / max(female + male, 1) for word, (female, male) in around.items()}
    assert share["mujer"] > 0.8 and share["hombre"] < 0.2
    counts = Counter(words_of(made.texts))
    assert 58_000 < counts.total() < 62_000
    writer = next(p for p in word_list("es").professions if p.concept == "writer")
    female, male = form(writer.feminine[0]), form(writer.masculine[0])
    assert share[female] > share[male] and counts[male] > 2 * counts[female]
    neutral = [p for p in word_list("es").professions if p.neutral and not p.feminine]
    leans = [made.leans[p.concept] for p in neutral]
    assert np.corrcoef(leans, [share[form(p.neutral[0])] for p in neutral])[0, 1] > 0.7


def test_made_text_without_gender_has_none_and_seeds_differ() -> None:
    flat = planted_language("en", tokens=30_000, rng=rng(), lean=0.0)
    assert not any(flat.leans.values())
    counts = Counter(words_of(flat.texts))
    female, male = (sum(counts[word] for word in kind) for kind in CONTEXT_WORDS)
    assert abs(female - male) < 0.1 * female
    assert planted_language("en", tokens=2000, rng=rng()) == planted_language("en", tokens=2000, rng=rng())
    assert planted_language("en", tokens=2000, rng=rng()) != planted_language("en", tokens=2000, rng=rng(1))
    assert_refused(
        lambda n, lean: planted_language("en", tokens=n, rng=rng(), lean=lean),
        [(999, 0.5, "1,000 words or more"), (1000, 1.5, "lean from 0 to 1")],
    )


def test_shuffling_keeps_words_and_lengths_and_nothing_else() -> None:
    texts = planted_language("de", tokens=5000, rng=rng()).texts
    mixed = shuffled(texts, rng())
    assert Counter(words_of(mixed)) == Counter(words_of(texts)) and words_of(mixed) != words_of(texts)
    assert [[len(s) for s in t] for t in mixed] == [[len(s) for s in t] for t in texts]


def test_numbers_of_the_lists() -> None:
    pairs = checks.ORIGINAL_PAIRS
    told = printed_tables("gender_bias_languages", "professions", "scientist", "wolof")
    numbers = checks.text_numbers(pairs, ["nurse"] * 320, told)
    expected = {
        "table1.pairs": 7,
        "bolukbasi.removed": 6,
        "bolukbasi.added": 3,
        "table1.fa.repeated_pairs": 1,
        "table1.fa.repeated_words": 2,
        "table1.ar.repeated_words": 1,
        "table1.fr.repeated_words": 1,
        "table1.ar.unequal_pairs": 2,
        "table1.wo.phrases": 4,
        "professions.printed": 32,
        "professions.fewer_released": 7,
        "professions.not_released": 31,
        "text.languages_without_download": 1,
        "text.missing_sections": 1,
    }
    assert {key: numbers[key] for key in expected} == expected
    assert numbers["arithmetic.equal"] == pytest.approx(0.13)
    assert numbers["arithmetic.weighted"] == pytest.approx(-0.04479, abs=1e-5)
    assert numbers["text.wolof_tokens_per_article"] == pytest.approx(1406 / 0.00026 / 1422)
    share = checks.profession_share("en", {"nurse": 3, "the": 97, "judge": 0}, LanguageWords("en"))
    assert share == pytest.approx(3)
    assert_refused(lambda: checks.profession_share("en", {}, LanguageWords("en")), [("no words",)])


def test_a_language_is_measured_with_each_seed(spanish) -> None:
    results = run_languages(
        {"es": spanish}, QUICK, [0, 1], further={"es": list(word_list("es").pairs.values())}, draws=50
    )
    assert results.series("es", "pairs") == [7, 7]
    assert len(set(results.series("es", "gap"))) == 2  # seeds differ
    again = run_languages({"es": spanish}, QUICK, [0], further={}, draws=50)
    assert again.numbers["es"][0] == results.numbers["es"][0]  # and repeat
    row = results.numbers["es"][0]
    female, below = row["defining.female"], row["defining.male_below_zero"]
    assert row["defining.larger_lean"] == pytest.approx(min(female - below, below))
    low, high = results.beyond_random("es", "defining.female")
    assert low <= female - row["defining.female_random_high"] < row["defining.female_above_random"] < high
    assert (
        results.interval("es", "defining.female_above_random") == (low, high) and results.interval("es", "gap") == "t"
    )
    male = results.interval("es", "defining.male_below_zero_above_random")
    assert male == results.beyond_random("es", "defining.male_below_zero") != (low, high)
    gain = [own["gap_gain"] - own["gap_gain_random_high"] for own in results.numbers["es"]]
    assert results.interval("es", "gap_gain_above_random")[0] == min(gain)
    assert len(results.margins["es"][0]) == 7
    scores = results.defining["es"][0]  # the pairs tried here are those of the direction itself
    assert results.margins["es"][0]["mujer", "hombre"] == pytest.approx(scores["woman"] - scores["man"])
    assert row["defining.husband"] == results.defining["es"][0]["husband"]
    feminine = results.forms["es"][0]["feminine"]
    assert row["professions.lowest_feminine"] <= min(feminine.values())
    assert row["professions.scientist_feminine"] == pytest.approx(feminine["scientist"])
    assert not is_large(spanish, results) and compared(results, ["es"]) == {}


def test_sentences_follow_the_record() -> None:
    def metric(mean: float, low: float | None, high: float | None) -> dict[str, float | None]:
        return {"mean": mean, "low": low, "high": high}

    shown = {"fr.x": metric(-1, -2, -0.5), "en.x": metric(1, 0.5, 2), "de.x": metric(1, -1, 3), "es.y": metric(1, 0, 2)}
    found = languages_said.of_languages(shown, "x")
    assert list(found) == ["en", "de", "fr"]
    assert languages_said.by_side(found) == {"above": ["en"], "below": ["fr"], "open": ["de"]}
    assert languages_said.by_side({"en": metric(0.2, None, None)})["above"] == ["en"]
    assert languages_said.sides_said("It", found, above="rises", below="falls") == (
        "It rises in English, falls in French, and its interval holds zero in German."
    )


def test_a_kept_training_is_the_same_and_is_not_trained_again(spanish, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    kept = Training(dim=20, epochs=2, kept=True)
    plain, first = trained(spanish.texts, QUICK, 1), trained(spanish.texts, kept, 1)
    assert plain.words == first.words
    np.testing.assert_array_equal(plain.matrix, first.matrix)
    monkeypatch.setattr(models, "train_word2vec", lambda *_, **__: pytest.fail("trained again"))
    np.testing.assert_array_equal(trained(spanish.texts, kept, 1).matrix, first.matrix)
    monkeypatch.undo()
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    others = [(spanish.texts[1:], kept, 1), (spanish.texts, kept, 2), (spanish.texts, Training(20, 3, kept=True), 1)]
    assert all(not np.array_equal(trained(*other).matrix, first.matrix) for other in others)
    assert len(list(tmp_path.rglob("*.npy"))) == 4


def test_audits_and_repairs_run_and_tell_what_they_should(spanish) -> None:
    turns = critique.turns(spanish, QUICK, [0])
    assert set(turns) == set(word_list("es").pairs) and all(-1 <= v[0] < 1 + 1e-9 for v in turns.values())
    assert critique.agreement({"a": 1, "b": 2, "c": 3, "x": 9}, {"a": -1, "b": -2, "c": -3}) == pytest.approx(-1)
    assert_refused(critique.agreement, [({"a": 1, "b": 2}, {"a": 1, "b": 2}, "three professions or more, got 2")])
    same = [{"a": 0.1, "b": -0.2}, {"a": 0.3, "b": 0.2}]
    spread = repairs.spread(same)
    assert spread["same_sign"] == 0.5
    assert spread["median_width"] == pytest.approx(0.95 * (0.2 + 0.4) / 2)
    assert_refused(repairs.spread, [([{"a": 1.0}], "1 samples")])


def test_bootstrap_samples_repeat_by_number_and_small_texts_are_counted_out(spanish) -> None:
    first, again, other = (repairs.bootstrap_sample(spanish, QUICK, number) for number in (3, 3, 4))
    assert first is not None and other is not None
    assert first == again and first.professions != other.professions
    assert first.numbers["gap"] != other.numbers["gap"]
    assert first.documents == len(spanish.texts) > first.distinct > first.documents / 2
    tiny = spanish.with_texts([text[:1] for text in spanish.texts[:10]])
    assert repairs.bootstrap_sample(tiny, QUICK, 0) is None and repairs.bootstrap_samples(tiny, QUICK, 2) == []
    assert_refused(
        lambda n: repairs.bootstrap_sample(spanish.with_texts(spanish.texts[:n]), QUICK, 0), [(9, "over 9 documents")]
    )
    made = [repairs.BootstrapSample({"gap": value, "pairs": 7.0}, {}, 20, 13) for value in (0.1, 0.2, 0.3)]
    found = repairs.interval_of(made, "gap")
    assert found is not None and found[0] == pytest.approx(0.2) and found[1] == pytest.approx((0.105, 0.295))
    assert repairs.interval_of([*made, repairs.BootstrapSample({}, {}, 20, 13)], "gap") is None
    assert repairs.interval_of(made[:1], "gap") is None


def test_pairs_that_say_the_same_leave_no_width_when_they_are_resampled(spanish) -> None:
    vectors = trained(spanish.texts, QUICK, 0)
    width = repairs.pair_bootstrap(spanish, vectors, 20, rng())
    assert repairs.can_hold_out(spanish, [vectors]) and width is not None and width > 0.01
    rows = rng(1).standard_normal((len(vectors), 20))
    pairs = spanish.pairs().values()
    for female, male in pairs:
        rows[vectors.words.index(female)] = np.eye(20)[0]
        rows[vectors.words.index(male)] = -np.eye(20)[0]
    alike = WordVectors(vectors.words, rows, "alike")
    assert repairs.pair_bootstrap(spanish, alike, 20, rng()) == pytest.approx(0, abs=1e-9)
    few = vectors.restrict([w for pair in list(pairs)[:3] for w in pair])
    assert not repairs.can_hold_out(spanish, [vectors, few])
    assert repairs.pair_bootstrap(spanish, few, 20, rng()) is None


def test_a_text_is_compared_with_itself_written_otherwise(spanish) -> None:
    assert critique.written_otherwise(spanish, spanish, QUICK, [0]) == pytest.approx([1.0])
    other = [[["novo"] * 50]] * 400
    mixed = critique.mixed_with(spanish, other, 0.45, rng())
    assert mixed.counts["novo"] == pytest.approx(0.45 * spanish.tokens, abs=50)
    assert mixed.tokens == pytest.approx(spanish.tokens, abs=100)
    assert_refused(
        lambda share: critique.mixed_with(spanish, other, share, rng()),
        [(0, "between 0 and 1"), (0.99, "the 400 documents hold 20,000")],
    )
    rows = critique.without_homographs(spanish, QUICK, [0])
    assert rows[0]["all.pairs"] == rows[0]["single.pairs"] == 7  # no defining word of the Spanish list has two meanings
    assert rows[0]["cosine"] == pytest.approx(1) and rows[0]["agreement"] > 0.9
    german = language_text("de", planted_tokens=20_000, rng=rng())
    rows = critique.without_homographs(german, QUICK, [0])
    assert (rows[0]["all.pairs"], rows[0]["single.pairs"]) == (7, 4) and rows[0]["cosine"] < 1
    arabic = language_text("ar", planted_tokens=2000, rng=rng())
    assert "mother-father" in arabic.pairs() and "mother-father" not in arabic.pairs(homographs=False)
    folded = critique.hamza_folded(arabic)
    assert arabic.counts["أب"] and not folded.counts["أب"] and folded.pairs()["mother-father"] == ("ام", "اب")


def test_words_that_translate_each_other_are_anchors() -> None:
    first = [{"the", "cat", "rare"}, {"the", "dog"}, {"the", "cat"}, {"the", "dog"}, {"the", "cat", "dog"}]
    second = [{"die", "katze"}, {"die", "hund"}, {"die", "katze"}, {"die", "hund"}, {"die", "katze", "hund"}]
    found = shared_directions.anchors(first, second)
    assert sorted(found) == [("cat", "katze"), ("dog", "hund"), ("the", "die")]
    assert ("cat", "katze") not in shared_directions.anchors(first, second, exclude=["katze"])
    assert_refused(shared_directions.anchors, [(first, second[:2], "5 and 2")])


def test_a_direction_is_shared_by_a_rotated_space_and_not_by_random_anchors(spanish) -> None:
    vectors = trained(spanish.texts, QUICK, 0)
    turn = np.linalg.qr(rng(5).standard_normal((20, 20)))[0]
    rotated = WordVectors(vectors.words, vectors.matrix @ turn, "rotated")
    words = [(word, word) for word in vectors.words[:200]]
    found = shared_directions.transferred(spanish, vectors, spanish, rotated, words, rng())
    pairs = list(spanish.pairs().values())
    own = gender_direction(centred(vectors), pairs).g
    ordered = [np.subtract(*signed_scores(centred(vectors), pair, own)) > 0 for pair in pairs]
    assert found["right"] == pytest.approx(np.mean(ordered))
    assert found["cosine"] == pytest.approx(1, abs=1e-4) and found["anchors"] == 200
    assert abs(found["random_cosine"]) < 0.9
    assert_refused(
        lambda anchors: shared_directions.transferred(spanish, vectors, spanish, rotated, anchors, rng()),
        [(words[:19], "19 anchors have vectors; 20 dimensions")],
    )


def test_usable_words_are_those_that_occur_often_enough(spanish) -> None:
    found = list_counts.usable(spanish, min_count=5)
    assert found["pairs"] == 7 == found["distinct_pairs"] and found["professions"] == 32
    assert list_counts.usable(spanish, min_count=10**6)["pairs"] == 0
    stories = list_counts.german_and_arabic(planted_tokens=2000)
    assert stories["counts.de.capitalised_in_lower_case"] == 0 == stories["counts.ar.astronomer_as_one_word"]


def test_a_translation_attests_a_form() -> None:
    rows = {x: [""] * 2 for x in ("zh", "es", "ar", "de", "fr", "fa", "ur", "wo")}
    rows |= {"en": ["The judge and the nurse.", "A judge."], "de": ["Die Richterin.", "Recht."]}
    found = list_counts.attested(rows)
    assert found["de"]["judge"] == (1, 2) and found["de"]["nurse"] == (0, 1) and found["es"]["judge"] == (0, 2)


def test_languages_that_are_alike_join_first() -> None:
    base, other = rng().standard_normal(20), rng(1).standard_normal(20)
    rows = np.array([base, base + 0.1 * other, -base, other])
    matrix = clusters.correlations(rows)
    assert matrix[0, 1] == pytest.approx(stats.pearsonr(rows[0], rows[1]).statistic)
    groups = clusters.groups_of(clusters.joined(matrix))
    assert frozenset([0, 1]) in groups and frozenset(range(4)) not in groups
    support, drawn = clusters.group_support(rows, 30, rng())
    assert support[frozenset([0, 1])] == 1 and drawn.shape == (30, 4, 4)
    assert clusters.english_with_europe(["en", "de", "ar", "fr"], matrix) == pytest.approx(
        (matrix[0, 1] + matrix[0, 3]) / 2 - matrix[0, 2]
    )
    names, values = clusters.common_scores(
        {"en": dict(zip("abcdef", range(6), strict=True)), "de": dict(zip("bcdefg", range(6), strict=True))}
    )
    assert names == list("bcdef") and values.tolist() == [[1, 2, 3, 4, 5], [0, 1, 2, 3, 4]]
    assert_refused(
        lambda call: call(),
        [
            (lambda: clusters.common_scores({"en": {}}), "two languages"),
            (lambda: clusters.common_scores({"en": {"a": 1}, "de": {"a": 1}}), "only 1 professions"),
            (lambda: clusters.correlations(np.ones((2, 5))), "one score for all"),
            (lambda: clusters.english_with_europe(["en", "de"], np.eye(2)), "both groups"),
        ],
    )


def test_cells_say_their_language_and_direction_of_writing() -> None:
    assert cell(["زن"], "fa") == '<td lang="fa" dir="rtl">زن</td>'
    assert cell(["<b>"], "de") == '<td lang="de" dir="ltr">&lt;b&gt;</td>' and ">–<" in cell([], "wo")
    table = pairs_table("reconciled")
    assert table.count("<tr>") == 15 and 'lang="zh-Hans"' in table and table.count('dir="rtl"') == 14 * 3
    assert "zhou2019" in professions_table(["es"]) and professions_table(["es"]).count("<tr>") == 33


def test_figures_name_concepts_in_english_and_say_what_they_show() -> None:
    made = [
        figures.signed_bars({"Farsi": {"man": [0.1, 0.2], "son": [-0.1]}}, quantity="cos(w, g)"),
        figures.values_beside_floors({"fa": [0.2, 0.3]}, {"random": {"fa": 0.1}}, quantity="DirectBias"),
        figures.score_map({"fa": {"nurse": 0.2, "judge": -0.1}, "de": {"judge": 0.3}}, quantity="cos(w, g)"),
        figures.values_with_intervals({"fa": (0.1, -0.1, 0.2), "de": (0.3, 0.1, 0.4)}, quantity="cos(w, g)"),
        figures.recovery({"x": {10: [0.1], 100: [0.5]}}, over="tokens", quantity="share"),
        figures.correlation_tree(
            ["en", "de", "fa"], np.eye(3), clusters.joined(np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1.0]]))
        ),
    ]
    for figure, alt in made:
        assert alt.isascii() and len(alt) > 40
        plt.close(figure)
    plain, alt = figures.values_beside_floors({"fa": [0.2, 0.3], "Google News": [0.5]}, {}, quantity="share")
    plt.close(plain)
    assert alt == "Dot plot of share for 2 rows, from smallest to largest: Farsi, Google News."
    assert_refused(lambda values: figures.values_beside_floors(values, {}, quantity="q"), [({}, "a language or more")])
    assert "1 of 2 bars lean female" in made[0][1] and "Farsi" in made[1][1] and "0.10 to 0.50" in made[4][1]
    assert "holds zero for: Farsi." in made[3][1]
    assert "Farsi 1 of 2, German 1 of 1" in made[2][1]
    assert_refused(lambda s: figures.signed_bars(s, quantity="q"), [({}, "a bar or more")])
    assert_refused(lambda s: figures.score_map(s, quantity="q"), [({"de": {}}, "a language with a score")])
    assert_refused(lambda s: figures.values_with_intervals(s, quantity="q"), [({}, "a language or more")])


def test_planted_pairs_differ_along_their_axis() -> None:
    female, male, axis = planted_pairs(50, lean=1.0, dim=30, noise=0.0, rng=rng())
    np.testing.assert_allclose(female - male, np.tile(2 * axis, (50, 1)), atol=1e-12)


def test_a_dump_is_the_papers_own_by_its_date_and_is_drawn_from(tmp_path) -> None:
    for folder in ("wikipedia-20200620", "wikipedia-20240101"):
        (tmp_path / folder / "wo" / "AA").mkdir(parents=True)
        rows = [{"title": f"article {n}", "text": f"nit {'jigéen ' * 30}a{n}"} for n in range(20)]
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (tmp_path / folder / "wo" / "AA" / "wiki_00").write_text(text, encoding="utf-8")
    papers = language_text("wo", wikipedia=tmp_path / "wikipedia-20200620", rng=rng())
    assert papers.papers and papers.datasets == () and papers.dump is not None and papers.dump.articles == 20
    assert papers.with_texts(papers.texts[:1]).papers
    other = language_text("wo", wikipedia=tmp_path / "wikipedia-20240101", tokens=64, rng=rng())
    assert not other.papers and other.tokens == 64
    heads = language_text("wo", wikipedia=tmp_path / "wikipedia-20200620", tokens=50, longest=5, rng=rng())
    assert len(heads.texts) == 10 and heads.tokens == 50
    few = language_text("wo", wikipedia=tmp_path / "wikipedia-20200620", tokens=10**6, longest=5, rng=rng())
    assert few.tokens == 100  # all there is
    assert not language_text("wo", planted_tokens=2000, rng=rng()).papers


def test_the_page_of_conditions_names_every_claim_that_has_one() -> None:
    page = (chapter_dir("gender_bias_languages") / "conditions.md").read_text(encoding="utf-8")
    capped = [claim.id for claim in load_claims("gender_bias_languages").claims if claim.caps]
    assert capped and not [name for name in capped if f"`{name}`" not in page]
