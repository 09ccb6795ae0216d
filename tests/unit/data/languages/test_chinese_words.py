"""Chinese cut by the lists and by jieba, simplified by the table and by OpenCC; what is missing is told in one line."""

import sys
from importlib import import_module
from importlib.util import find_spec

import pytest
from refusals import assert_refused

from trustnlp.data.languages import chinese_words
from trustnlp.data.languages.chinese_words import cut_chinese, simplified
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import words_of_lists

jieba = pytest.mark.skipif(find_spec("jieba") is None, reason="needs jieba: pip install 'trustnlp[zh]'")
opencc = pytest.mark.skipif(find_spec("opencc") is None, reason="needs OpenCC: pip install 'trustnlp[zh]'")

# Listed words that traditional characters write otherwise, one spelling to a word.
TRADITIONAL = {
    **{"儿子": "兒子", "女儿": "女兒", "母亲": "母親", "父亲": "父親", "国王": "國王", "护士": "護士", "教师": "教師"},
    **{"老师": "老師", "工程师": "工程師", "科学家": "科學家", "经理": "經理", "司机": "司機", "银行家": "銀行家"},
    **{"音乐家": "音樂家", "艺术家": "藝術家", "厨师": "廚師", "制片人": "製片人", "喜剧演员": "喜劇演員"},
    **{"发明家": "發明家", "记者": "記者", "学生": "學生", "运动员": "運動員", "演员": "演員", "州长": "州長"},
    **{"农民": "農民", "律师": "律師", "冒险家": "冒險家", "分析师": "分析師", "宇航员": "宇航員"},
    **{"天文学家": "天文學家", "生物学家": "生物學家"},
}
SAME_IN_BOTH = {
    *("丈夫", "人", "作家", "助手", "士兵", "大使", "女人", "女士"),
    *("女孩", "女王", "妻子", "工人", "法官", "男人", "男士", "男孩"),
}


def test_lists_find_their_words_inside_longer_ones_and_leave_single_characters():
    assert cut_chinese("女孩子的母亲，ABC 3。") == ["女孩", "子", "的", "母亲", "ABC"]
    assert cut_chinese("科学家") == ["科学家"] and cut_chinese("") == [] == cut_chinese("3。")
    assert simplified("母親是護士") == "母亲是护士" and simplified("龍") == "龍"


def test_every_listed_word_in_traditional_characters_becomes_the_listed_one():
    assert TRADITIONAL.keys() | SAME_IN_BOTH == words_of_lists("zh") and not TRADITIONAL.keys() & SAME_IN_BOTH
    words = LanguageWords("zh")
    for listed, traditional in TRADITIONAL.items():
        assert traditional != listed and simplified(traditional) == listed == simplified(listed)
        assert words(traditional) == [listed]
    assert simplified("頭髮") == "頭发"  # 髮 and 發 are one sign in simplified text; 頭 is in no listed word


def test_the_table_holds_no_sign_that_no_listed_word_needs():
    assert set(chinese_words._SIMPLIFIED) == {
        sign for listed, other in TRADITIONAL.items() for sign in set(other) - set(listed)
    } | {"髮"}


@opencc
def test_opencc_writes_the_listed_words_in_the_same_traditional_characters():
    traditional = import_module("opencc").OpenCC("s2t").convert
    assert {word: traditional(word) for word in TRADITIONAL} == TRADITIONAL
    assert all(traditional(word) == word for word in SAME_IN_BOTH)
    assert all(simplified(old, "opencc") == new for old, new in chinese_words._SIMPLIFIED.items())


@jieba
def test_jieba_knows_more_words_and_hides_some(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    chinese_words._jieba.cache_clear()
    assert cut_chinese("女孩子喜欢学习", "jieba") == ["女孩子", "喜欢", "学习"]
    assert cut_chinese("女孩是工程师，ABC。", "jieba") == ["女孩", "是", "工程师", "ABC"]
    assert list((tmp_path / "jieba").iterdir())  # its parsed dictionary lies in our cache
    assert LanguageWords("zh", cutter="jieba")("母親喜歡") == ["母亲", "喜", "歡"]
    chinese_words._jieba.cache_clear()


@opencc
def test_opencc_simplifies_what_the_table_leaves():
    assert simplified("母親喜歡龍", "opencc") == "母亲喜欢龙"
    assert LanguageWords("zh", simplifier="opencc")("龍") == ["龙"]


def test_what_is_missing_or_unknown_is_told_at_once(monkeypatch):
    rows = [
        ("zh", {"cutter": "spaces"}, "unknown cutter 'spaces' of Chinese; choose one of lists, jieba"),
        ("zh", {"simplifier": "s2t"}, "unknown simplifier 's2t' of Chinese; choose one of table, opencc"),
        ("de", {"cutter": "jieba"}, "are of Chinese; leave them out for 'de'"),
    ]
    assert_refused(lambda language, options: LanguageWords(language, **options), rows)
    for cached in (chinese_words._jieba, chinese_words._opencc):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "jieba", None)
    monkeypatch.setitem(sys.modules, "opencc", None)
    cases = [
        ({"cutter": "jieba"}, r"needs jieba, which is not installed: pip install 'trustnlp\[zh\]'"),
        ({"simplifier": "opencc"}, r"needs OpenCC, which is not installed: pip install 'trustnlp\[zh\]'"),
    ]
    assert_refused(lambda options: LanguageWords("zh", **options), cases, error=ImportError)
