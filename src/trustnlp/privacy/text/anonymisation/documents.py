"""Anonymise documents: score every word, redact what is private to its owner, and say what was done.

The anonymiser that the post on polarised vectors (2016) describes and that was never released: each word is scored by
its closeness to the owner, and removed above a threshold. Beside word vectors in a field, other scores can be asked
for; in the book's measurements a count of words, the log-odds, does better, so it is the default. Links and addresses
are always redacted, whatever the method. Words inside tags and comments of HTML are redacted like others.

Deviations: the post does not say how a threshold is chosen. Here it is given, or set so that a share of all words is
removed, or promised by `trustnlp.privacy.text.anonymisation.removal_guarantee`.

No method here gives a guarantee about a reader of the redacted text: what is common to all documents of an owner may be
in their style. The book's chapter measures how often an attacker still names the owner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.files.missing_values import text_or_none
from trustnlp.privacy.text.anonymisation.entities import entity_scores
from trustnlp.privacy.text.anonymisation.entity_spans import presidio_entities, spacy_entities
from trustnlp.privacy.text.anonymisation.inputs import check_settings, checked_texts, notes_on
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.scores import (
    WordScores,
    check_documents,
    log_odds_scores,
    search_scores,
    tf_idf_scores,
)
from trustnlp.privacy.text.anonymisation.vectors import Vectors, axis_targets, cosine_scores, name_targets
from trustnlp.privacy.text.anonymisation.words import DocumentWords, document_words

Method = Literal["log_odds", "tf_idf", "polarised", "skipgram", "search", "entities", "presidio"]
REPLACEMENT, LINK = "[…]", "[link]"
SHARE = 0.05
_YES_OR_NO = ("search", "entities", "presidio")


@dataclass(frozen=True)
class RedactedSpan:
    """`text[start:end]` of the document was replaced: a word with its score, or a link, whose score is None."""

    start: int
    end: int
    score: float | None


@dataclass(frozen=True)
class AnonymisedDocument:
    """A document after redaction.

    Attributes
    ----------
    text
        With replacements; all that stands between words is as it was.
    spans
        What was replaced, by place in the original.
    owner
        Whose words were removed; None where the owner is not known.
    """

    text: str
    spans: tuple[RedactedSpan, ...]
    owner: str | None


@dataclass
class AnonymisationReport:
    """The account of an anonymisation: words removed, and warnings.

    Attributes
    ----------
    method, threshold
        Words with this score or more were removed.
    documents, words, removed, links
        Counts; words and links of all documents.
    notes
        What may surprise: owners with one document, names that are ordinary words, targets that never occur.
    commonest
        Removed words and how often, the commonest first.
    """

    method: str
    threshold: float
    documents: int
    words: int
    removed: int
    links: int
    notes: list[str] = field(default_factory=list)
    commonest: list[tuple[str, int]] = field(default_factory=list)

    def __str__(self) -> str:
        share = self.removed / self.words if self.words else 0.0
        lines = [
            f"{self.removed:,} of {self.words:,} words ({share:.1%}) and {self.links:,} links removed from "
            f"{self.documents:,} documents by {self.method} at {self.threshold:.3g} and above"
        ]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


@dataclass(frozen=True, eq=False)
class Anonymiser:
    """A method that was fitted, and its threshold; redacts one document after another.

    Attributes
    ----------
    method
        Its name.
    scores
        The method.
    threshold
        Words with this score or more are removed.
    replacement
        What is written in the place of a word.
    notes
        What the fit found.
    """

    method: str
    scores: WordScores
    threshold: float
    replacement: str = REPLACEMENT
    notes: tuple[str, ...] = ()

    def redact(self, text: str, owner: Any) -> AnonymisedDocument:
        """Redact one document.

        Raises
        ------
        KeyError
            If the owner has no document among those that the method was fitted to; a missing one (None, NaN, "") scores
            a word by its highest score.
        """
        owner = text_or_none(owner)
        words = document_words(text, thorough=True)
        scores = self.scores(words, owner) if len(words) else np.zeros(0)
        spans = [RedactedSpan(start, end, None) for start, end in words.links]
        spans += [
            RedactedSpan(int(words.spans[place, 0]), int(words.spans[place, 1]), float(scores[place]))
            for place in np.flatnonzero(scores >= self.threshold)
        ]
        spans.sort(key=lambda span: span.start)
        pieces, at = [], 0
        for span in spans:
            pieces += [text[at : span.start], LINK if span.score is None else self.replacement]
            at = span.end
        return AnonymisedDocument("".join([*pieces, text[at:]]), tuple(spans), owner)


def anonymise(
    documents: Sequence[str],
    owners: Sequence[Any],
    *,
    method: Method = "log_odds",
    names: Mapping[str, str] | None = None,
    threshold: float | None = None,
    share: float = SHARE,
    replacement: str = REPLACEMENT,
    seed: int = 0,
) -> tuple[list[AnonymisedDocument], AnonymisationReport]:
    """Redact documents of several owners.

    Parameters
    ----------
    documents
        Their texts.
    owners
        One for each: text, or a number, which is taken as text. None, NaN (pandas' NA, too) or an empty string where
        nobody knows; 0 and `False` are owners. A document of nobody is not learned from, and a word of it is removed
        if it is private to any owner.
    method
        `log_odds` and `tf_idf` count words; `polarised` and `skipgram` train word vectors (extra `senses`) and score a
        word by its cosine with the owner's name, or without `names` with its label's axis (`polarised` only); `search`
        looks for the name; `entities` and `presidio` remove what spaCy or presidio find.
    names
        Owner → its name. The owner's label itself unless given.
    threshold
        Remove words with this score or more.
    share
        Without a threshold: remove about this share of all words. Methods that say yes or no have a threshold of their
        own.
    replacement
        What is written in the place of a word.
    seed
        Of a training.

    Returns
    -------
    tuple
        The documents in their order, and a report.

    Raises
    ------
    ImportError
        If the method needs a package that is not installed; the message names it.
    TypeError
        If `documents` or `owners` is no list (a single string, a generator, a set), a document is no string, an owner
        neither text nor a number, or a threshold, share, replacement or seed of another kind.
    ValueError
        If lengths do not fit, fewer than two owners, no word, a name without a word or a vector, a name of nobody, or a
        number out of range.
    """
    fitted = fit_anonymiser(
        documents,
        owners,
        method=method,
        names=names,
        threshold=threshold,
        share=share,
        replacement=replacement,
        seed=seed,
    )
    redacted = [fitted.redact(text, owner) for text, owner in zip(documents, owners, strict=True)]
    return redacted, report_of(fitted, list(documents), redacted)


def fit_anonymiser(
    documents: Sequence[str],
    owners: Sequence[Any],
    *,
    method: Method = "log_odds",
    names: Mapping[str, str] | None = None,
    threshold: float | None = None,
    share: float = SHARE,
    replacement: str = REPLACEMENT,
    seed: int = 0,
) -> Anonymiser:
    """Learn from documents what is private to their owners; parameters and errors as for `anonymise`."""
    if method not in get_args(Method):
        raise ValueError(f"method is one of {', '.join(get_args(Method))}, got {method!r}")
    texts, whose = checked_texts(documents, owners)
    if len(texts) != len(whose):
        raise ValueError(f"{len(texts)} documents need as many owners, got {len(whose)}")
    check_settings(threshold, share, replacement, seed)
    known = [
        (document_words(text, thorough=True), owner)
        for text, owner in zip(texts, whose, strict=True)
        if owner is not None
    ]
    labels = check_documents([each for each, _ in known], [owner for _, owner in known])
    names = None if names is None else {str(text_or_none(owner)): name for owner, name in names.items()}
    if strangers := sorted(set(names or {}) - set(labels)):
        raise ValueError(f"a name is given for {strangers[0]!r}, who owns none of the documents; of {labels[:5]}")
    # Nothing can be learned from a document without a word, and there is nothing in it to remove.
    worded = [(each, owner) for each, owner in known if len(each)]
    words, learned = [each for each, _ in worded], [owner for _, owner in worded]
    if len(set(learned)) < 2:
        raise ValueError(f"only documents of {learned[0]} have words; nothing is exclusive without another's: add some")
    listed = {owner: _names(owner, names) for owner in sorted(set(learned))}
    notes = notes_on(words, learned, listed, len(texts) - len(known), len(known) - len(worded))
    scores = _fit(method, words, learned, listed, names is not None, seed)
    if threshold is None:
        if method in _YES_OR_NO:
            threshold = 1e-9
        else:
            every = np.sort(np.concatenate([scores(each, owner) for each, owner in worded]))[::-1]
            threshold = float(every[max(0, round(share * len(every)) - 1)])
            if (gone := float((every >= threshold).mean())) > max(1.5 * share, share + 1 / len(every)):
                notes.append(
                    f"{gone:.0%} of the words go, and {share:.0%} were asked for: many have the same score, as in "
                    "documents that are few, short or alike"
                )
    return Anonymiser(method, scores, float(threshold), replacement, notes=tuple(notes))


def report_of(fitted: Anonymiser, texts: Sequence[str], redacted: Sequence[AnonymisedDocument]) -> AnonymisationReport:
    """Count what was done to documents."""
    removed: Counter[str] = Counter()
    words = links = 0
    for text, document in zip(texts, redacted, strict=True):
        words += len(document_words(text, thorough=True))
        links += sum(span.score is None for span in document.spans)
        removed.update(text[span.start : span.end].lower() for span in document.spans if span.score is not None)
    total = sum(removed.values())
    return AnonymisationReport(
        fitted.method, fitted.threshold, len(redacted), words, total, links, list(fitted.notes), removed.most_common(20)
    )


def _names(owner: str, names: Mapping[str, str] | None) -> OwnerNames:
    name = (names or {}).get(owner, owner)
    name = name if name.strip() else repr(name)  # a blank is an owner too, and has no word to look for
    return OwnerNames(name, (name,))


def _fit(
    method: Method,
    words: Sequence[DocumentWords],
    owners: Sequence[str],
    listed: Mapping[str, OwnerNames],
    by_name: bool,
    seed: int,
) -> WordScores:
    if method == "log_odds":
        return log_odds_scores(words, owners)
    if method == "tf_idf":
        return tf_idf_scores(words, owners)
    if method in ("entities", "presidio"):
        return entity_scores(spacy_entities if method == "entities" else presidio_entities)
    if (method != "polarised" or by_name) and (nameless := [name for name in listed if not name_words(listed[name])]):
        raise ValueError(
            f"{method} looks for names, and that of {nameless[0]!r} has no word, {listed[nameless[0]].name!r}; give "
            "one with a word in names= or --name"
        )
    if method == "search":
        return search_scores(listed)
    vectors = _trained([each.contexts for each in words], owners, 0.0 if method == "skipgram" else 1.0, seed)
    if method == "skipgram" or by_name:
        return cosine_scores(vectors, name_targets(vectors, listed))
    return cosine_scores(vectors, axis_targets(vectors, sorted(listed)))


def _trained(contexts: Sequence[Sequence[Sequence[str]]], owners: Sequence[str], strength: float, seed: int) -> Vectors:
    try:
        from trustnlp.embeddings.polarised.polarised_training import train_polarised
    except ImportError as error:
        raise ImportError("word vectors in a field need numba: pip install 'trustnlp[senses]'") from error
    lines = [list(map(list, document)) for document in contexts]
    return train_polarised(lines, owners, field=strength, dim=max(50, len(set(owners))), min_count=1, seed=seed)
