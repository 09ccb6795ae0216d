"""Chinese cut by the lists and by jieba, simplified by the table and by OpenCC; what is missing is told in one line."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data import chinese_words
from trustnlp.data.chinese_words import cut_chinese, simplified
from trustnlp.data.gender_words import word_list
from trustnlp.data.language_words import LanguageWords

jieba = pytest.mark.skipif(find_spec("jieba") is None, reason="needs jieba: pip install 'trustnlp[zh]'")
opencc = pytest.mark.skipif(find_spec("opencc") is None, reason="needs OpenCC: pip install 'trustnlp[zh]'")


def test_lists_find_their_words_inside_longer_ones_and_leave_single_characters() -> None:
    assert cut_chinese("女孩子的母亲，ABC 3。") == ["女孩", "子", "的", "母亲", "ABC"]
    assert cut_chinese("科学家") == ["科学家"] and cut_chinese("") == [] == cut_chinese("3。")
    assert simplified("母親是護士") == "母亲是护士" and simplified("龍") == "龍"


def test_every_listed_word_of_chinese_is_one_word_of_its_own_cutter() -> None:
    words = [word for pair in word_list("zh").pairs.values() for word in pair]
    assert all(cut_chinese(word) == [word] for word in words)


@jieba
def test_jieba_knows_more_words_and_hides_some(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    chinese_words._jieba.cache_clear()
    assert cut_chinese("女孩子喜欢学习", "jieba") == ["女孩子", "喜欢", "学习"]
    assert cut_chinese("女孩是工程师，ABC。", "jieba") == ["女孩", "是", "工程师", "ABC"]
    assert list((tmp_path / "jieba").iterdir())  # its parsed dictionary lies in our cache
    assert LanguageWords("zh", cutter="jieba")("母親喜歡") == ["母亲", "喜", "歡"]
    chinese_words._jieba.cache_clear()


@opencc
def test_opencc_simplifies_what_the_table_leaves() -> None:
    assert simplified("母親喜歡龍", "opencc") == "母亲喜欢龙"
    assert LanguageWords("zh", simplifier="opencc")("龍") == ["龙"]


def test_what_is_missing_or_unknown_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(
        lambda language, options: LanguageWords(language, **options),
        [
            ("zh", {"cutter": "spaces"}, "unknown cutter 'spaces' of Chinese; choose one of lists, jieba"),
            ("zh", {"simplifier": "s2t"}, "unknown simplifier 's2t' of Chinese; choose one of table, opencc"),
            ("de", {"cutter": "jieba"}, "are of Chinese; leave them out for 'de'"),
        ],
    )
    for cached in (chinese_words._jieba, chinese_words._opencc):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "jieba", None)
    monkeypatch.setitem(sys.modules, "opencc", None)
    assert_refused(
        lambda options: LanguageWords("zh", **options),
        [
            ({"cutter": "jieba"}, r"needs jieba, which is not installed: pip install 'trustnlp\[zh\]'"),
            ({"simplifier": "opencc"}, r"needs OpenCC, which is not installed: pip install 'trustnlp\[zh\]'"),
        ],
        error=ImportError,
    )
