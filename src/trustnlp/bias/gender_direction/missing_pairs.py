"""Why a list's pairs have no vectors: another form, another script, letters of two scripts, or a wrong encoding."""

from __future__ import annotations

from collections.abc import Sequence

from trustnlp.bias.gender_direction.pair_directions import FEWEST_PAIRS, Pair, usable_pairs
from trustnlp.data.languages.scripts import script_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.embeddings.word_forms import form_there

_LOOKED_AT = 1000  # words, for the script of the vectors
_OF_SEVERAL = frozenset({"HIRAGANA", "KATAKANA"})  # stand beside Chinese characters in one word


def too_few_pairs(table: WordVectors, pairs: Sequence[Pair], as_listed: Sequence[Pair] = ()) -> str:
    """One line for whoever wanted a direction: what is missing, the likely reason, and what to do.

    Parameters
    ----------
    pairs
        (female, male) as they were looked for.
    as_listed
        The same pairs before they were lower-cased and normalised, if they come from a list.
    """
    known = usable_pairs(table, pairs)
    missing = [pair for pair in pairs if pair not in known]
    named = ", ".join("/".join(pair) for pair in missing[:5]) or "none"
    return (
        f"{table.name}: {len(known)} of {len(pairs)} pairs have vectors for both words, at least {FEWEST_PAIRS} are "
        f"needed (missing: {named}); {_reason(table, missing, as_listed)}"
    )


def scripts_of(text: str) -> set[str]:
    """Unicode's names of the scripts of the letters, such as `LATIN`, `ARABIC` or `CJK`.

    >>> sorted(scripts_of("m\u0430n"))  # the second letter is Cyrillic
    ['CYRILLIC', 'LATIN']
    """
    return {script_of(sign) for sign in text if sign.isalpha()} - _OF_SEVERAL


def _reason(table: WordVectors, missing: Sequence[Pair], as_listed: Sequence[Pair]) -> str:
    if not missing:
        return "give more pairs"
    words = [word for pair in missing for word in pair]
    if len(usable_pairs(table, as_listed)) >= FEWEST_PAIRS:
        return "as the list writes them they do: pass words=LanguageWords(language, lower=False), or pairs="
    for word in words:
        if len(scripts := scripts_of(word)) > 1:
            names = " and ".join(script.title() for script in sorted(scripts))
            return f"{word!r} mixes letters of {names}: write it in one script"
    for word in words:
        misread = word.encode("utf-8").decode("cp1252", errors="replace")
        if misread != word and misread in table:
            return f"{word!r} stands there as {misread!r}: read the vectors as UTF-8, this was another encoding"
    for word in words:
        if word not in table and (form := form_there(word, table)):
            return f"{word!r} stands there as {form!r}: give the pairs as the vectors write them (pairs=)"
    scripts = {script for word in words for script in scripts_of(word)}
    lettered = [letters for word in table.words[:_LOOKED_AT] if (letters := scripts_of(word))]
    share = sum(bool(letters & scripts) for letters in lettered) / len(lettered) if lettered else 0.0
    if share < 0.5:
        asked = " or ".join(script.title() for script in sorted(scripts))
        return f"{share:.0%} of the first words of the vectors are in {asked} letters: are they of this language?"
    return "use vectors of a larger corpus, or other pairs (pairs=)"
