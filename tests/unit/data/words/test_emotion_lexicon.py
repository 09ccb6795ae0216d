"""The emotion lexicon: what each word is associated with."""

from collections import Counter

from trustnlp.data.words import emotion_lexicon
from trustnlp.data.words.emotion_lexicon import EMOTIONS, read_emotion_lexicon

TERMS = "\nAn Emotion Lexicon\nFor research.\n....\n\n"


def rows(word: str, *emotions: str) -> str:
    return "".join(f"{word}\t{emotion}\t{int(emotion in emotions)}\n" for emotion in EMOTIONS)


def read(offer, content: str) -> dict[str, tuple[str, ...]]:
    offer(emotion_lexicon, lexicon=content)
    return read_emotion_lexicon()


def test_words_have_the_emotions_that_are_marked_in_one_order(offer):
    turned = "".join(reversed(rows("crash", "fear", "negative", "surprise").splitlines(keepends=True)))
    found = read(offer, TERMS + rows("seat") + turned + rows("gift", "joy"))
    assert found == {"seat": (), "crash": ("fear", "negative", "surprise"), "gift": ("joy",)}


def test_real_counts_are_those_of_the_published_lexicon(mirror):
    lexicon = read_emotion_lexicon()
    assert len(lexicon) == 14_182
    counts = Counter(emotion for emotions in lexicon.values() for emotion in emotions)
    assert [counts[emotion] for emotion in EMOTIONS] == [1247, 839, 1058, 1476, 689, 3324, 2312, 1191, 534, 1231]
    assert sum(not emotions for emotions in lexicon.values()) > len(lexicon) / 2
    assert all(word.isalpha() and word.islower() for word in lexicon)
