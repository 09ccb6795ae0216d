"""Table 1 and the text of Matthews et al. (2021) against themselves: repeated words, unequal pairs, arithmetic.

Everything here is exact and needs no corpus, but for counts that a notebook hands over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import WORD_LANGUAGES, word_list

# §2.1 and §2.2, as printed.
ORIGINAL_PAIRS = (
    ("she", "he"),
    ("daughter", "son"),
    ("her", "his"),
    ("mother", "father"),
    ("woman", "man"),
    ("gal", "guy"),
    ("Mary", "John"),
    ("girl", "boy"),
    ("herself", "himself"),
    ("female", "male"),
)
DOWNLOADS = ("zh", "es", "ar", "de", "fr", "fa", "ur", "wo")  # §3
SECTIONS_ANNOUNCED, SECTIONS = (2, 3, 4, 5), (1, 2, 3, 4, 6)
_ARTICLE = "ال"


def text_numbers(released_pairs: Sequence[Sequence[str]], scientist: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Numbers for the claims on lists and arithmetic, by the key of the metric.

    Parameters
    ----------
    scientist
        The ledger's table of this name: scores and counts of the two forms.
    """
    original, ours = {tuple(pair) for pair in released_pairs}, set(word_list("en", "printed").pairs.values())
    farsi, arabic = word_list("fa", "repaired").pairs.values(), word_list("ar", "printed").pairs.values()
    arabic_words = [word for pair in arabic for word in pair]
    scores, counts = scientist["scores"], scientist["counts"]
    return {
        "bolukbasi.pairs": len(released_pairs),
        "bolukbasi.removed": len(original - ours),
        "bolukbasi.added": len(ours - original),
        "table1.fa.repeated_pairs": len(farsi) - len(set(farsi)),
        "table1.ar.repeated_words": len(arabic_words) - len(set(arabic_words)),
        "table1.ar.unequal_pairs": sum(f.startswith(_ARTICLE) != m.startswith(_ARTICLE) for f, m in arabic),
        "text.languages_without_download": len(set(WORD_LANGUAGES) - set(DOWNLOADS)),
        "text.missing_sections": len(set(SECTIONS_ANNOUNCED) - set(SECTIONS)),
        "text.printed_negative_score": -min(scores),
        "arithmetic.equal": sum(scores) / 2,
        "arithmetic.weighted": sum(s * n for s, n in zip(scores, counts, strict=True)) / sum(counts),
    }


def profession_share(language: str, counts: Mapping[str, int], words: LanguageWords) -> float:
    """Occurrences of the listed professions' forms in per cent of all words."""
    forms = {words.form(form) for p in word_list(language).professions for form in p.forms}
    return 100 * sum(counts.get(form, 0) for form in forms) / sum(counts.values())
