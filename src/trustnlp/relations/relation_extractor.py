"""Of a sentence of one's own: the relation of two of its names, the rule that explains it, and whether it is true.

Tang and Surdeanu (2021) decode a rule where a relation is predicted, and do not run it. Here it is run: a rule that
does not match the sentence explains nothing, however much it looks like one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trustnlp.data.relations.marked_sentences import MarkedSentence, parsed_examples
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.relations.decoded_rules import matches
from trustnlp.relations.rules.rule_spelling import pattern_of, well_formed
from trustnlp.relations.rules.token_automaton import Commas
from trustnlp.relations.trained_extractor import TrainedExtractor

_FORWARDS, _BACKWARDS = "(e1,e2)", "(e2,e1)"


@dataclass(frozen=True)
class RelationExplanation:
    """An extractor's answer for a sentence.

    Attributes
    ----------
    example
        The sentence as the network read it.
    relation, probability
        The likeliest relation.
    pattern
        The decoded rule, with the commas that its tokens lack; None where there is no relation to explain.
    readable, true
        Whether the rule can be read as a pattern, and whether it matches the sentence with its two entities. Both are
        False where there is no rule.
    """

    example: RelationExample
    relation: str
    probability: float
    pattern: str | None
    readable: bool
    true: bool


class RelationExtractor:
    """A trained extractor for single sentences, parsed by spaCy's English pipeline.

    Parameters
    ----------
    trained
        With a classifier and a decoder.
    commas
        `optional` lets a rule's comma be absent, for extractors trained on a corpus without commas.
    both_directions
        Whether rules name a relation without its direction, as the released ones do: then they explain a label that
        ends in `(e2,e1)` with subject and object exchanged. Rules mined from SemEval-2010 Task 8 name the direction,
        and their subject is what comes first.

    Raises
    ------
    ValueError
        If given an extractor without a classifier or without a decoder.
    """

    def __init__(
        self, trained: TrainedExtractor, *, commas: Commas = "required", both_directions: bool = False
    ) -> None:
        sizes = trained.recipe.sizes
        for part, there in (("classifier", sizes.classifier), ("decoder", sizes.decoder)):
            if not there:
                raise ValueError(
                    f"this extractor was trained without a {part}: an explanation needs a relation and a rule"
                )
        self._trained, self._commas, self._both_directions = trained, commas, both_directions
        # Such a corpus (KBP37, SemEval-2010 Task 8) says the direction by the label; what comes first is the subject.
        self._directed = any(name.endswith((_FORWARDS, _BACKWARDS)) for name in trained.vocabulary.relations)

    def explain(self, sentence: str, subject: str, object: str) -> RelationExplanation:
        """The relation between two entities that a sentence names once each, and the rule that explains it.

        Where the labels say the direction, it makes no difference which entity is given as the subject.

        Raises
        ------
        ValueError
            If an entity is not in the sentence, is there more than once, or shares a word with the other.
        TypeError
            If sentence or entities are no text.
        ImportError
            If spaCy is not installed.
        """
        example = self._example(sentence, subject, object)
        (relation,), probabilities = self._trained.predict([example])
        probability = float(probabilities.max())
        if relation == NO_RELATION:
            return RelationExplanation(example, relation, probability, None, False, False)
        (rule,) = self._trained.decode([example])
        readable = bool(rule) and well_formed(rule)
        pair = example.swapped() if self._both_directions and relation.endswith(_BACKWARDS) else example
        true = readable and matches(rule, pair, commas=self._commas)
        return RelationExplanation(example, relation, probability, pattern_of(rule), readable, true)

    def _example(self, sentence: str, subject: str, object: str) -> RelationExample:
        for role, words in (("sentence", sentence), ("subject", subject), ("object", object)):
            if not isinstance(words, str):
                raise TypeError(f"the {role} is {words!r}: give text, an entity by the words that the sentence has")
        text = " ".join(sentence.split())
        spans = [_place(text, subject, "subject"), _place(text, object, "object")]
        if spans[0].overlaps(spans[1]):
            raise ValueError(f"subject {subject!r} and object {object!r} overlap in the sentence: give two apart")
        if self._directed:
            spans.sort()
        (example,) = parsed_examples("own", [MarkedSentence(0, text, spans[0], spans[1], "unknown")])
        if example is None:
            raise ValueError(f"the parser makes one token of {subject!r} and {object!r}: put a blank between them")
        return example


def _place(text: str, entity: str, role: str) -> Span:
    """Characters of the only place where an entity stands in a text, as whole words."""
    entity = " ".join(entity.split())
    if not entity:
        raise ValueError(f"the {role} is empty: give the words as the sentence has them")
    places = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(entity)}(?!\w)", text)]
    if len(places) != 1:
        problem = "is not in" if not places else f"is {len(places)} times in"
        raise ValueError(
            f"the {role} {entity!r} {problem} the sentence: give words that it has once, spelt as they are there"
        )
    return Span(*places[0])
