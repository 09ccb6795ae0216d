"""Table 1 and the text of Matthews et al. (2021) against themselves: repeated words, unequal pairs, arithmetic.

Everything here is exact and needs no corpus, but for counts that a notebook hands over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import WORD_LANGUAGES, WordList, word_list

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


def repeated_words(listed: WordList) -> int:
    """Printed words that stand a second time in their column."""
    counts = Counter(word for pair in listed.pairs.values() for word in pair)
    return sum(count - 1 for count in counts.values())


def repeated_pairs(listed: WordList) -> int:
    """Printed pairs that are the same two words as another."""
    return len(listed.pairs) - len(set(listed.pairs.values()))


def unequal_in_article(listed: WordList) -> int:
    """Arabic pairs of which one word has the article and the other has not."""
    return sum(female.startswith(_ARTICLE) != male.startswith(_ARTICLE) for female, male in listed.pairs.values())


def phrases(listed: WordList) -> int:
    """Words of the pairs that are written as several."""
    return sum(" " in word for pair in listed.pairs.values() for word in pair)


def text_numbers(
    released_pairs: Sequence[Sequence[str]], released_professions: Sequence[str], told: Mapping[str, Any]
) -> dict[str, float]:
    """Numbers for the claims on lists and arithmetic, by the key of the metric.

    Parameters
    ----------
    told
        The ledger's tables `professions`, `scientist` and `wolof`.
    """
    scores, counts, wolof_says = told["scientist"]["scores"], told["scientist"]["counts"], told["wolof"]
    english, arabic, farsi, french, wolof = (word_list(x, "printed") for x in ("en", "ar", "fa", "fr", "wo"))
    original = {tuple(pair) for pair in released_pairs}
    ours = set(english.pairs.values())
    printed = [p.concept for p in english.professions]
    tokens = wolof_says["nit"] + wolof_says["waykat"]
    per_article = tokens / (wolof_says["share"] / 100) / wolof_says["articles"]
    return {
        "table1.pairs": len(english.pairs),
        "bolukbasi.pairs": len(released_pairs),
        "bolukbasi.removed": len(original - ours),
        "bolukbasi.added": len(ours - original),
        "table1.fa.repeated_pairs": repeated_pairs(word_list("fa", "repaired")),
        "table1.ar.repeated_words": repeated_words(arabic),
        "table1.fa.repeated_words": repeated_words(farsi),
        "table1.fr.repeated_words": repeated_words(french),
        "table1.ar.unequal_pairs": unequal_in_article(arabic),
        "table1.wo.phrases": phrases(wolof),
        "professions.printed": len(printed),
        "professions.fewer_released": told["professions"] - len(released_professions),
        "professions.not_released": len(set(printed) - set(released_professions)),
        "text.languages_without_download": len(set(WORD_LANGUAGES) - set(DOWNLOADS)),
        "text.missing_sections": len(set(SECTIONS_ANNOUNCED) - set(SECTIONS)),
        "text.printed_negative_score": -min(scores),
        "text.wolof_tokens_per_article": per_article,
        "arithmetic.equal": sum(scores) / 2,
        "arithmetic.weighted": sum(s * n for s, n in zip(scores, counts, strict=True)) / sum(counts),
    }


def profession_share(language: str, counts: Mapping[str, int], words: LanguageWords) -> float:
    """Occurrences of the listed professions' forms in per cent of all words.

    Raises
    ------
    ValueError
        If there are no words.
    """
    total = sum(counts.values())
    if not total:
        raise ValueError("no words to take a share of")
    forms = {words.form(form) for p in word_list(language).professions for form in p.forms}
    return 100 * sum(counts.get(form, 0) for form in forms) / total
