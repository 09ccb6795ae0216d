"""Signs of a conversation: greetings, thanks, apologies, the second person, words that open questions, "no", "!", "?".

Misra, Liu and Mahmud (2021), §3.3.1, after Oraby et al. (2017). The paper prints the words that open questions and no
others: those of the first four markers are ours. The names are those of Table 6.

Words that open questions count wherever they stand. The paper speaks of questions *starting with* them, but finds them
in the first text of Table 5, which asks nothing. A negated one ("don't", "cannot") is another word and does not count.
"""

from __future__ import annotations

import itertools
from collections import Counter

from trustnlp.data.annotation.spacy_annotation import Annotation

_PHRASES = {
    "greeting": ("hi", "hiya", "hello", "hey", "howdy", "greetings", "good morning", "good afternoon", "good evening"),
    "thanks": ("thank", "thanks", "thanked", "thanking", "thankyou", "thx", "thanx", "thnx", "tnx", "ty", "tysm"),
    "apology": (
        *("sorry", "apology", "apologies", "apologize", "apologizes", "apologized", "apologizing"),
        *("apologise", "apologises", "apologised", "apologising", "pardon"),
    ),
    "second_person": ("you", "your", "yours", "yourself", "yourselves", "yall", "u", "ur"),
    "question_yesno": ("do", "did", "can", "could"),
    "question_wh": ("who", "what", "where"),
    "no": ("no",),
}
_SIGNS = ("!", "?")
MARKERS = (*_PHRASES, *_SIGNS)
_MARKER_OF = {phrase: marker for marker, phrases in _PHRASES.items() for phrase in phrases}
_NEGATIONS = frozenset({"n't", "nt", "not"})


def count_markers(annotation: Annotation) -> Counter[str]:
    """How often each marker occurs in a text; those that do not occur are left out.

    Case does not count. "Thank you" is one of thanks and one of the second person, and "!!" is two signs. Signs inside
    the address of a page are not counted.

    >>> tokens = ("Hi", ",", "did", "you", "say", "no", "?", "?")
    >>> dict(count_markers(Annotation(tokens, (0, 2, 4, 8, 12, 16, 18, 19))))
    {'greeting': 1, 'question_yesno': 1, 'second_person': 1, 'no': 1, '?': 2}
    """
    words = _words(annotation)
    counts = Counter(_MARKER_OF[word] for word in words if word in _MARKER_OF)
    pairs = (f"{first} {second}" for first, second in itertools.pairwise(words))
    counts.update(_MARKER_OF[pair] for pair in pairs if pair in _MARKER_OF)
    for sign in _SIGNS:
        if count := sum(token.count(sign) for token in annotation.tokens if "://" not in token):
            counts[sign] = count
    return counts


def _words(annotation: Annotation) -> list[str]:
    """Lower-case tokens, with a negation that is written against a word put back to it."""
    words: list[str] = []
    end = -1
    for token, start in zip(annotation.tokens, annotation.offsets, strict=True):
        if token.isspace():
            continue
        word = token.lower().replace("’", "'")
        if start == end and word in _NEGATIONS:
            words[-1] += word
        else:
            words.append(word)
        end = start + len(token)
    return words
