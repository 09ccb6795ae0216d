"""Chinese text cut into words: by longest match against the word lists, or by jieba's dictionary; and simplified.

Matthews et al. (2021), §3.2: "The Chinese tokenizer ... involves looking up a string of characters in a dictionary".
Which one, and whether traditional characters were simplified, is not said. Two cutters, whose counts differ:

lists
    Longest match, from the left, against the words of the word lists (`trustnlp.data.words.gender_words`); what is left
    is cut into single characters. Every occurrence of a listed word is found, also as a part of a longer one, and most
    tokens are single characters.
jieba
    The most probable cut by a dictionary of 350,000 words (jieba 0.42, extra `zh`), without its model for unknown words
    (`HMM=False`), so that only words of the dictionary are found. It knows more words and hides some: 女孩子 (girl) is
    one word and no 女孩.

Traditional characters become simplified by a table of those that the listed words are written with where characters
are traditional (kSimplifiedVariant of the Unihan database), and of 髮 (hair), which simplified text writes like the 發
of 發明家 (inventor); every other one stays. Or all of them do, by OpenCC's dictionary `t2s` (extra `zh`), which also
looks at words.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args

from trustnlp.data.logger_levels import at_level
from trustnlp.data.store import cache_root
from trustnlp.data.words.gender_words import words_of_lists

Cutter = Literal["lists", "jieba"]
Simplifier = Literal["table", "opencc"]
CUTTERS: tuple[Cutter, ...] = get_args(Cutter)
SIMPLIFIERS: tuple[Simplifier, ...] = get_args(Simplifier)
_TRADITIONAL = "兒劇動員國學師廚樂機發髮經藝術製親記護農運銀長險"
_SIMPLIFIED = dict(zip(_TRADITIONAL, "儿剧动员国学师厨乐机发发经艺术制亲记护农运银长险", strict=True))
_TABLE = re.compile(f"[{_TRADITIONAL}]")
_HAN = re.compile(r"[\u4e00-\u9fff\u3400-\u4dbf]+|[A-Za-z]+")


def cut_chinese(text: str, cutter: Cutter = "lists") -> list[str]:
    """Words of Chinese text, punctuation and digits left out; Latin letters in a row are one word.

    Raises
    ------
    ValueError
        If given an unknown cutter.
    ImportError
        If jieba is asked for and not installed.

    >>> cut_chinese("女孩子是工程师。")
    ['女孩', '子', '是', '工程师']
    """
    if cutter == "lists":
        match = _longest_match()
        return [word for run in _HAN.findall(text) for word in match.findall(run)]
    if cutter != "jieba":
        raise ValueError(f"unknown cutter {cutter!r} of Chinese; choose one of {', '.join(CUTTERS)}")
    cut = _jieba().lcut
    return [word for run in _HAN.findall(text) for word in cut(run, HMM=False)]


def simplified(text: str, simplifier: Simplifier = "table") -> str:
    """Text in simplified characters.

    Raises
    ------
    ValueError
        If given an unknown simplifier.
    ImportError
        If OpenCC is asked for and not installed.

    >>> simplified("母親")
    '母亲'
    """
    if simplifier == "opencc":
        return _opencc()(text)
    if simplifier != "table":
        raise ValueError(f"unknown simplifier {simplifier!r} of Chinese; choose one of {', '.join(SIMPLIFIERS)}")
    return _TABLE.sub(lambda sign: _SIMPLIFIED[sign[0]], text)


@cache
def _longest_match() -> re.Pattern[str]:
    lexicon = sorted({word for word in words_of_lists("zh") if len(word) > 1}, key=len, reverse=True)
    return re.compile("|".join([*map(re.escape, lexicon), "[A-Za-z]+", "."]))


@cache
def _jieba() -> Any:
    """A tokenizer of jieba's own dictionary, which keeps its parsed form in our cache, not in the common /tmp."""
    jieba = _of_extra("jieba", "jieba")
    folder = cache_root() / "jieba"
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = jieba.Tokenizer()
    tokenizer.tmp_dir = str(folder)
    with at_level(logging.getLogger("jieba"), logging.CRITICAL):
        tokenizer.initialize()
    return tokenizer


@cache
def _opencc() -> Callable[[str], str]:
    convert: Callable[[str], str] = _of_extra("opencc", "OpenCC").OpenCC("t2s").convert
    return convert


def _of_extra(module: str, name: str) -> Any:
    try:
        with warnings.catch_warnings():  # jieba's source has invalid escapes, and asks for pkg_resources
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise ImportError(
            f"this way to read Chinese needs {name}, which is not installed: pip install 'trustnlp[zh]'", name=module
        ) from error
