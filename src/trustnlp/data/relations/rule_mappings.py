"""The rules of Tang and Surdeanu (2021) and the lists of which rule matches which item of TACRED; no text of TACRED.

The paper, appendix C: 4,528 patterns of TokensRegex and 169 of Semgrex, "extracted from CoreNLP"; here are 4,528 and
198. The authors' mapping files have a line per item of TACRED: the rules that match it, each with the relation it was
written for, or `no_rule`. They name rules by `t_` (TokensRegex) or `s_` (Semgrex) and a number. From these files alone
one knows what matched where, and how often the rules agree with each other, but not what the sentences say.

Files: clulab/releases, naacl-trustnlp2021-edin/dataset/tacred.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from trustnlp.data.store import fetch

PARTS = ("train", "dev", "test", "train_ssl")
NO_RULE = "no_rule"
# The train file writes relation names without their stroke.
_STROKES = {
    "org:number_of_employeesmembers": "org:number_of_employees/members",
    "org:politicalreligious_affiliation": "org:political/religious_affiliation",
    "org:top_membersemployees": "org:top_members/employees",
}
_MACRO = re.compile(r"macro (\w+) = (.+)")
_MATCH = re.compile(r"\('((?:org|per):[a-z_/]+)', '([ts]_\d+)'\)")


class ListedMatch(NamedTuple):
    """A rule that matches an item, and the relation that the rule was written for."""

    relation: str
    rule: str


def read_rule_mappings(part: str) -> list[tuple[ListedMatch, ...] | None]:
    """The matches of every item of a part, in the order of TACRED's file.

    Parameters
    ----------
    part
        `train`, `dev` or `test` of TACRED, or `train_ssl`: the paper's "rule-only data", 3,850 items with rules and
        12,311 pairs without.

    Returns
    -------
    list
        Of an item: None where its line is `no_rule`, and an empty tuple where its list is empty. `train` alone has
        empty lists, 554; with the 3,296 others they are as many as the items with rules in `train_ssl`.

    Raises
    ------
    DataError
        If the files cannot be fetched.
    ValueError
        If there is no such part.
    """
    if part not in PARTS:
        raise ValueError(f"part must be {', '.join(PARTS)}, got {part!r}")
    return [_matches(line) for line in _lines(fetch("edin_rules")[part])]


def read_rule_texts() -> dict[str, str]:
    """The pattern of every rule, as released: TokensRegex (`t_…`) first, each kind by its numbers.

    Raises
    ------
    DataError
        If the file cannot be fetched.
    """
    rules: dict[str, str] = json.loads(fetch("edin_rules")["rules"].read_bytes())
    return dict(sorted(rules.items(), key=lambda rule: (rule[0][0] == "s", int(rule[0][2:]))))


def read_corenlp_semgrex() -> dict[str, tuple[str, ...]]:
    """CoreNLP's own Semgrex patterns by relation, without comments and with macros written out.

    They are newer than the paper's, in labels of a later parser. Where the two agree but for labels, they say which
    relation a rule of the paper was written for. Some relations have no pattern.

    Raises
    ------
    DataError
        If the files cannot be fetched.
    """
    paths = fetch("corenlp_kbp_semgrex")
    return {key.replace("SLASH", "/").replace("_", ":", 1): _patterns(path) for key, path in paths.items()}


def _lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


def _patterns(path: Path) -> tuple[str, ...]:
    macros: dict[str, str] = {}
    patterns = []
    for line in _lines(path):
        if macro := _MACRO.fullmatch(line):
            macros[macro[1]] = macro[2]
        elif line.strip() and not line.startswith("#"):
            for name, text in macros.items():
                line = line.replace(f"${{{name}}}", text)
            patterns.append(line)
    return tuple(patterns)


def _matches(line: str) -> tuple[ListedMatch, ...] | None:
    if line == NO_RULE:
        return None
    return tuple(ListedMatch(_STROKES.get(relation, relation), rule) for relation, rule in _MATCH.findall(line))
