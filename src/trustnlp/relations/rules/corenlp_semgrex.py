"""Labels of dependencies in CoreNLP's Semgrex rules: those of today, and those of the released rules.

The files of CoreNLP (`trustnlp.data.relations.rule_mappings.read_corenlp_semgrex`) name the relation of their rules.
They have moved on to today's Universal Dependencies since the rules of Tang & Surdeanu (2021) were taken from them.
"""

from __future__ import annotations

_FORMER = (  # today's label, as the files write it, and the one before
    ("(prep_|nmod:|obl:)", "(prep_|nmod:)"),
    ("(nmod:|obl:|prep_)", "(nmod:|prep_)"),
    ("(nmod:|obl:)tmod", "nmod:tmod"),
    ("(nmod|obl)", "nmod"),
    ("|flat", ""),
    ("acl:relcl/", "acl:relclause/"),
    ("/nsubj:pass/", "nsubjpass"),
    ("/(i?)obj/", "/.obj/"),
    (">obj ", ">dobj "),
)


def former_labels(pattern: str) -> str:
    """The pattern with the labels that CoreNLP's parser gave when the released rules were taken.

    >>> former_labels("{} >obj {}=entity >/(prep_|nmod:|obl:)(of|at)/ {}=slot")
    '{} >dobj {}=entity >/(prep_|nmod:)(of|at)/ {}=slot'
    """
    for now, before in _FORMER:
        pattern = pattern.replace(now, before)
    return pattern
