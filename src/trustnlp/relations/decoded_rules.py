"""A decoded rule put to the test: does it match the sentence that it explains?

Tang & Surdeanu (2021, §4, result 5) have people judge decoded rules, as BLEU says little of whether a rule explains its
prediction. A rule can be run instead, whether or not it is in the rule base.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_index import RuleIndex
from trustnlp.relations.rules.rule_spelling import pattern_of
from trustnlp.relations.rules.token_automaton import Commas

_ANY = "any relation"  # outside TAC KBP, hence without a gate


def matches(
    rule: str | Sequence[str], example: RelationExample, *, lemmas: bool = True, commas: Commas = "required"
) -> bool:
    """Whether a rule, as a pattern or as tokens, matches an example with its subject and object. No types are asked.

    A rule that names no subject or no object matches nothing: it does not say which pair it is about.

    Raises
    ------
    RuleSyntaxError
        If the rule cannot be read; ask `well_formed` first.

    >>> from trustnlp.data.relations.relation_examples import Span
    >>> example = RelationExample("1", ("IBM", "CEO", "Ada"), Span(0, 1), Span(2, 3), "")
    >>> matches('([{kbpentity:true}]+) /CEO|chief/ ([{slotvalue:true}]+)', example)
    True
    """
    index = _index(rule if isinstance(rule, str) else pattern_of(rule), commas)
    return bool(index.match([example], lemmas=lemmas, gate=False).matches[0])


@lru_cache(maxsize=4096)
def _index(pattern: str, commas: Commas) -> RuleIndex:
    return RuleIndex(RuleBase.of([("decoded rule", _ANY, pattern)]), commas=commas)
