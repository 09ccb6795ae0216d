"""Words of nine languages: how a line is normalised and cut, with a table and a source for each choice.

Matthews et al. (2021), §3.2, do not say how they tokenise; they report that words between blanks are counted, that
German was lower-cased without their notice, and that Chinese is cut by a dictionary. Here every language has a table:

Arabic
    Tatweel and the vowel marks go before words are cut, as Python's `\\w` ends a word at a mark (Unicode 16, chart
    Arabic, U+0640, U+064B to U+0652, U+0670). Hamza stays by default; `fold_hamza` writes every carrier as a bare alef,
    as much Arabic software does, and then *father* and *August* are one word, and *mother* and *or*.
Arabic, Farsi, Urdu
    Presentation forms, letters as they look at one place of a word (U+FB50 to U+FDFB, U+FE70 to U+FEFC), become the
    letters themselves, by NFKC of these alone. The rial sign (U+FDFC) is no word.
Farsi
    Arabic yeh, alef maksura and kaf become Farsi ye and ke (U+064A, U+0649 → U+06CC; U+0643 → U+06A9: Unicode 16,
    chapter 9.2), heh with hamza above becomes heh. The zero-width non-joiner, which holds the parts of a word together
    without joining letters, cuts (`join_zwnj=False`) or vanishes. So does every other sign that is not seen: the news
    write direction marks and soft hyphens in its place.
Urdu
    The same for yeh and kaf; Arabic heh becomes heh goal (U+0647 → U+06C1), as Urdu keyboards write it.
Chinese
    No blanks. Words come from the word lists by longest match, or from jieba's dictionary, and traditional characters
    become simplified (`trustnlp.data.languages.chinese_words`).
French, Wolof
    An elided article ends at its apostrophe: *l'homme* is *l*, *homme*.
All
    Signs that are not seen go: soft hyphen, direction marks, byte-order mark and the like (Unicode's category Cf). Of
    that category these cut, as other signs that are no letters do: zero-width space, which stands for a blank, joiner
    and non-joiner (but see Farsi), and those that are seen, such as the end of a verse (U+06DD). Unicode NFC, lower
    case (`lower=False` keeps it: German nouns), digits and punctuation cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from trustnlp.data.languages.chinese_words import Cutter, Simplifier, cut_chinese, simplified
from trustnlp.data.words.gender_words import check_language

_UNSEEN = re.compile("[\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]+")
_FORMS = re.compile("\u0627?\ufdf2|[\ufb50-\ufdfb\ufe70-\ufefc]")
_MARKS = re.compile("[\u0640\u064b-\u0652\u0670]+")
# From, to: str.replace takes a tenth of the time of str.translate on such text.
_HAMZA = [("أ", "ا"), ("إ", "ا"), ("آ", "ا"), ("ٱ", "ا")]
_FARSI = [("ي", "ی"), ("ى", "ی"), ("ك", "ک"), ("ۀ", "ه")]
_URDU = [("ي", "ی"), ("ى", "ی"), ("ك", "ک"), ("ه", "ہ"), ("ۂ", "ہ")]
_ZWNJ = "\u200c"
_LETTERS = r"[^\W\d_]+"
_PLAIN = re.compile(_LETTERS)
_HYPHENED = re.compile(rf"{_LETTERS}(?:-{_LETTERS})*")
_ENGLISH = re.compile(rf"{_LETTERS}(?:['-]{_LETTERS})*")
_PATTERNS = {"en": _ENGLISH, "de": _HYPHENED, "es": _HYPHENED, "fr": _HYPHENED, "wo": _HYPHENED}


class LanguageWords:
    """From a line of text to its words; call it.

    Parameters
    ----------
    language
        One of the nine.
    lower
        Lower-case the line, as the paper's German text was.
    fold_hamza
        Arabic: write alef with hamza, madda or wasla as a bare alef.
    join_zwnj
        Farsi: parts held together by a zero-width non-joiner are one word.
    cutter, simplifier
        Chinese: by `lists` or `jieba`, by `table` or `opencc`. None takes the first of each; another language has none.
    phrases
        Concepts of several words, each written with blanks, to be kept as one word with low lines: longest first.

    Raises
    ------
    ValueError
        If nobody knows the language, cutter or simplifier, another language than Chinese has one, or a phrase is a
        single word.
    ImportError
        If jieba or OpenCC is asked for and not installed.

    >>> LanguageWords("fr")("L'homme arrive aujourd'hui, peut-être")
    ['l', 'homme', 'arrive', 'aujourd', 'hui', 'peut-être']
    >>> LanguageWords("wo", phrases=["doom ju góor"])("Doom ju góor la.")
    ['doom_ju_góor', 'la']
    """

    def __init__(
        self,
        language: str,
        *,
        lower: bool = True,
        fold_hamza: bool = False,
        join_zwnj: bool = False,
        cutter: Cutter | None = None,
        simplifier: Simplifier | None = None,
        phrases: Sequence[str] = (),
    ) -> None:
        check_language(language)
        self.language, self.lower, self.fold_hamza, self.join_zwnj = language, lower, fold_hamza, join_zwnj
        self._pattern = _PATTERNS.get(language, _PLAIN)
        if language != "zh" and (cutter or simplifier):
            raise ValueError(f"cutter and simplifier are of Chinese; leave them out for {language!r}")
        self.cutter: Cutter = cutter or "lists"
        self.simplifier: Simplifier = simplifier or "table"
        if language == "zh":
            cut_chinese(simplified("", self.simplifier), self.cutter)  # what is unknown or missing is told now
        self._phrases: dict[str, list[list[str]]] = {}
        for phrase in sorted(phrases, key=lambda text: -len(text.split())):
            parts = self._cut(phrase)
            if len(parts) < 2:
                raise ValueError(f"{phrase!r} is one word, no phrase; it is counted as it is")
            self._phrases.setdefault(parts[0], []).append(parts)

    def __call__(self, line: str) -> list[str]:
        words = self._cut(line)
        return list(self._joined(words)) if self._phrases else words

    def form(self, word: str) -> str:
        """How a word of a list occurs among the words of a text: normalised, several words joined by low lines."""
        return "_".join(self._cut(word))

    def _cut(self, line: str) -> list[str]:
        text = line
        if not line.isprintable():  # asking takes a fifth of the time of looking for them
            text = _UNSEEN.sub(_ZWNJ if self.language == "fa" else "", line)
        if self.language in ("ar", "fa", "ur") and not unicodedata.is_normalized("NFKC", text):
            text = _FORMS.sub(_letters_of_form, text)
        text = unicodedata.normalize("NFC", text)
        if self.lower:
            text = text.lower()
        if self.language == "zh":
            return cut_chinese(simplified(text, self.simplifier), self.cutter)
        if self.language in ("ar", "fa", "ur"):
            text = _MARKS.sub("", text)
            if self.language == "ar" and self.fold_hamza:
                text = _replaced(text, _HAMZA)
            elif self.language == "fa":
                text = _replaced(text, _FARSI).replace(_ZWNJ, "" if self.join_zwnj else " ")
            elif self.language == "ur":
                text = _replaced(text, _URDU)
        else:
            text = text.replace("’", "'")
        return self._pattern.findall(text)

    def _joined(self, words: Sequence[str]) -> Iterable[str]:
        at = 0
        while at < len(words):
            for parts in self._phrases.get(words[at], ()):
                if list(words[at : at + len(parts)]) == parts:
                    yield "_".join(parts)
                    at += len(parts)
                    break
            else:
                yield words[at]
                at += 1


def _letters_of_form(form: re.Match[str]) -> str:
    """The letters of a presentation form, without the blank that NFKC puts before a vowel mark that stands alone.

    A phrase that is one sign, such as U+FDFA, is often written without a blank before it, and gets one. An alef before
    the sign for *Allah* (U+FDF2) is the alef of the name.
    """
    letters = unicodedata.normalize("NFKC", form[0][-1]).strip()
    return f" {letters} " if " " in letters else letters


def _replaced(text: str, table: Sequence[tuple[str, str]]) -> str:
    for old, new in table:
        text = text.replace(old, new)
    return text
