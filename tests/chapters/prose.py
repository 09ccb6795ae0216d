"""What tests of prose look for: results of ours that were typed, in digits or in words."""

import re

# What may hold a digit: code, mathematics, what a role or directive computes, links, HTML, and ways to cite the paper.
ALLOWED = (
    re.compile(r"^(`{3,}|:{3,}|~{3,}).*?^\1[`:~]*\s*$", re.MULTILINE | re.DOTALL),
    re.compile(r"^\$\$.*?\$\$", re.MULTILINE | re.DOTALL),
    re.compile(r"\{[a-z:]+\}`[^`]*`"),
    re.compile(r"`[^`\n]+`"),
    re.compile(r"\$[^$]+\$"),
    re.compile(r"\]\([^)]*\)|<[^>]+>|https?://\S+"),
    re.compile(r"(?i)(§+|sections?|tables?|fig(?:ure|s|\.)?|eqs?\.?|equations?|pages?|pp?\.)[ \u00a0]*\d+(\.\d+)*"),
    re.compile(r"\b(CC BY|MIT|Python|wefe|version|v)[ \u00a0=]*\d+(\.\d+)+"),
)  # fmt: skip
TYPED = re.compile(r"\d+(?:\.\d+)?[ \u00a0]?%|\d+[.,]\d+|\bp[ \u00a0]*[<=>≤≥][ \u00a0]*\d")

ONES = "two|three|four|five|six|seven|eight|nine"
TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
NUMBER = rf"(?:(?:{TENS})-(?:one|{ONES})|{ONES}|{TEENS}|{TENS}|hundreds?|thousands?|millions?|dozens?|\d+)"
PART = "(?:half|halves|(?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|hundredth|thousandth)s?)"
UNIT = (
    "(?:(?:percentage )?points?|per ?cent|percentages?|standard (?:deviations?|errors?)|nats?"
    "|(?:milli)?seconds?|minutes?|hours?)"
)
# "ten points", "two and a half hours"; "half a point", "a third of a point"; "ninefold", "seven times as long";
# "one pair in twenty".
SPELLED = re.compile(
    rf"\b{NUMBER}(?: and an? {PART})?[ -]{UNIT}\b"
    rf"|\b{PART}(?: of)? (?:an? )?{UNIT}\b"
    rf"|\b{NUMBER}-?fold\b"
    rf"|\b(?:{NUMBER} times|twice|thrice) (?:as|more|less|fewer|\w+er)\b"
    rf"|\bone (?:\w+ ){{1,3}}in (?:an? )?{NUMBER}\b",
    re.IGNORECASE,
)
CLAUSE_END = re.compile(r"[.,;:()|?!–—](?=\s|$)|\(")
# A clause that says whose number it is, or that it is a limit we set, may spell it out.
NOT_A_RESULT = re.compile(r"(?i)\b(?:papers?|print(?:s|ed)?|publish(?:es|ed)?|report(?:s|ed)?|limits?)\b")


def running_text(markdown: str) -> str:
    """Markdown without what may hold a number."""
    for pattern in ALLOWED:
        markdown = pattern.sub(" ", markdown)
    return markdown


def typed_results(markdown: str) -> list[str]:
    """Decimal numbers, percentages and p-values that were typed into prose."""
    return TYPED.findall(running_text(markdown))


def spelled_results(markdown: str) -> list[str]:
    """Numbers with the unit of a result, such as "ten points", in a clause that does not say they are the paper's."""
    clauses = CLAUSE_END.split(" ".join(running_text(markdown).split()))
    return [
        match.group() for clause in clauses if not NOT_A_RESULT.search(clause) for match in SPELLED.finditer(clause)
    ]
