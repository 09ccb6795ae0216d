"""Words counted in texts and translations; cells that say their language."""

from __future__ import annotations

from trustnlp.studies.gender_bias_languages import lists


def test_usable_words_are_those_that_occur_often_enough(spanish) -> None:
    assert lists.usable(spanish, min_count=5) == {"pairs": 7, "professions": 32}
    assert lists.usable(spanish, min_count=10**6)["pairs"] == 0


def test_a_translation_attests_a_form() -> None:
    rows = {x: [""] * 2 for x in ("zh", "es", "ar", "de", "fr", "fa", "ur", "wo")}
    rows |= {"en": ["The judge and the nurse.", "A judge."], "de": ["Die Richterin.", "Recht."]}
    shares = lists.attested(rows)
    assert shares["de"]["judge"] == (1, 2) and shares["de"]["nurse"] == (0, 1) and shares["es"]["judge"] == (0, 2)


def test_cells_say_their_language_and_direction_of_writing() -> None:
    assert lists.cell(["زن"], "fa") == '<td lang="fa" dir="rtl">زن</td>'
    assert lists.cell(["<b>"], "de") == '<td lang="de" dir="ltr">&lt;b&gt;</td>' and ">–<" in lists.cell([], "wo")
    table = lists.pairs_table("reconciled")
    assert table.count("<tr>") == 15 and 'lang="zh-Hans"' in table and table.count('dir="rtl"') == 14 * 3
    assert "zhou2019" in lists.professions_table(["es"]) and lists.professions_table(["es"]).count("<tr>") == 33
