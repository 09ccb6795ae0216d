"""What tests of prose look for: results of ours that were typed, in digits or in words."""

import math
import re

from trustnlp.reproduce.pages.assertions import Assertion, assertion_of

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
TYPED = re.compile(r"(?:(?<!\w)[−-])?(?:\d+(?:\.\d+)?[ \u00a0]?%|\d+[.,]\d+)|\bp[ \u00a0]*[<=>≤≥][ \u00a0]*\d")

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


# What a typed number may stand beside: an assertion in the same paragraph, which fails the build once it is untrue.
HOLDS = re.compile(r"\{holds\}`([^`]+)`")
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")
VALUES = {word: value for value, word in enumerate(f"zero|one|{ONES}|{TEENS}".split("|"))}
VALUES |= {word: 10 * value for value, word in enumerate(TENS.split("|"), start=2)}
VALUES |= {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "tenth": 0.1, "twice": 2, "thrice": 3, "hundred": 100}


def is_size(assertion: Assertion) -> bool:
    """Whether it bounds a size from both sides."""
    return math.isfinite(assertion.low) and math.isfinite(assertion.high)


def paragraphs(markdown: str) -> list[str]:
    """Paragraphs and items of lists, without blocks of code, formulas and directives."""
    for block in ALLOWED[:2]:
        markdown = block.sub(" ", markdown)
    return PARAGRAPH.split(markdown)


def covered(typed: str, paragraph: str) -> bool:
    """Whether an assertion of the paragraph bounds a typed number from both sides, or counts to it."""
    number = value_of(typed)
    below = typed.lstrip().startswith(("-", "−"))
    for text in HOLDS.findall(paragraph):
        asserted = assertion_of(text)
        if number is not None and is_size(asserted) and is_tight(asserted) and (asserted.high < 0 or not below):
            low, high = sorted((abs(asserted.low), abs(asserted.high)))
            if low <= number <= high:
                return True
        if number is not None and number in (asserted.count, asserted.total):
            return True
    return False


def is_tight(asserted: Assertion) -> bool:
    """Whether twice the number would leave the bounds, and its opposite, too."""
    low, high = sorted((abs(asserted.low), abs(asserted.high)))
    return asserted.low * asserted.high > 0 and high <= 2 * low


def value_of(typed: str) -> float | None:
    """The number that is typed, in digits or in words: `8`, `12 %`, `twenty-five per cent`, `half a point`."""
    if digits := re.search(r"\d+(?:[.,]\d+)?", typed):
        return float(digits.group().replace(",", "."))
    words = [VALUES[word] for word in re.findall(r"[a-z]+?(?=fold|\b)", typed.lower()) if word in VALUES]
    if re.search(r"(?i)\bone (?:\w+ )+in\b", typed) and len(words) > 1:
        return 100 / words[-1]  # one in twenty is 5 %
    return sum(words) if words else None


def running_text(markdown: str) -> str:
    """Markdown without what may hold a number."""
    for pattern in ALLOWED:
        markdown = pattern.sub(" ", markdown)
    return markdown


def typed_results(markdown: str) -> list[str]:
    """Decimal numbers, percentages and p-values that were typed into prose, with no assertion beside them."""
    return [
        typed
        for part in paragraphs(markdown)
        for typed in TYPED.findall(running_text(part))
        if not covered(typed, part)
    ]


def spelled_results(markdown: str) -> list[str]:
    """Numbers with the unit of a result, such as "ten points", in a clause that does not say they are the paper's.

    One with an assertion beside it that covers the number is no fault.
    """
    return [
        match.group()
        for part in paragraphs(markdown)
        for clause in CLAUSE_END.split(" ".join(running_text(part).split()))
        if not NOT_A_RESULT.search(clause)
        for match in SPELLED.finditer(clause)
        if not covered(match.group(), part)
    ]


# Terms of the glossary that are also everyday words: a link at each first use would be noise.
EVERYDAY = {
    "claim",
    "deviation",
    "interval",
    "mirror",
    "our question",
    "profile",
    "record",
    "seed",
    "stand-in",
    "verdict",
}
NOT_RUNNING = (
    *ALLOWED[:2],
    re.compile(r"^#+ .*$", re.MULTILINE),
    re.compile(r"\{[a-z:]+\}`[^`]*`|`[^`\n]+`"),
    ALLOWED[4],
    re.compile(r'"[^"`]{,200}"'),  # a title, or words of the paper
    re.compile(r"\[[^\]]*\]\([^)]*\)|<[a-z/][^>\n]*>(?!`)|https?://\S+"),
)
TERM_ROLE = re.compile(r"\{term\}`(?:[^`<]*<([^`>]+)>|([^`<]+))`")


def glossary_terms(markdown: str) -> list[str]:
    """The terms that the page's glossary explains: its lines without indentation."""
    block = re.search(r"^```\{glossary\}\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL)
    return re.findall(r"^\S.*$", block.group(1), re.MULTILINE) if block else []


def unlinked_terms(markdown: str, terms: list[str]) -> list[str]:
    """Terms whose first use in running text, in any case and number, is not a `{term}` link."""

    def blank(match: re.Match[str]) -> str:
        return match.group() if match.group().startswith("{term}") else " " * len(match.group())

    for pattern in NOT_RUNNING:
        markdown = pattern.sub(blank, markdown)
    linked: dict[str, int] = {}
    for role in TERM_ROLE.finditer(markdown):
        linked.setdefault(" ".join((role.group(1) or role.group(2)).split()).lower(), role.start())
    text, missing = TERM_ROLE.sub(lambda role: " " * len(role.group()), markdown), []
    for term in sorted(terms, key=len, reverse=True):  # the longest first: what it takes is no use of a shorter one
        words = r"\s+".join(re.escape(word) for word in term.split())
        named = re.compile(rf"(?<![\w-]){words}(?:e?s)?(?![\w-])", re.IGNORECASE)
        used = named.search(text)
        if used and used.start() < linked.get(term.lower(), len(text)):
            missing.append(term)
        text = named.sub(blank, text)
    return sorted(missing)


# Phrases that hide what they say: a sentence that stays true whatever the number, a verdict that seems to be on our own
# words, a passive that names nobody. Each with what a reader stumbled over.
HIDDEN = {
    "a badge as predicate": re.compile(r"\b(?:is|are|was|were)(?: only| merely)? \{verdict\}`"),
    "true whatever the sign": re.compile(r"(?i)\((?:below|above) zero:|\bless a (?:tenth|half)\b"),
    "what was seen": re.compile(r"(?i)\bwhat (?:was seen|to expect)\b"),
    "can be told": re.compile(r"(?i)\bcan(?:not)? be told\b"),
    "held against": re.compile(r"(?i)\bheld against\b"),
    "comes out": re.compile(r"(?i)\b(?:comes?|came) out\b"),
    "hangs on": re.compile(r"(?i)\b(?:hangs?|hung) on\b"),
    "rare words": re.compile(r"(?i)\b(?:whoever|commonest|of like frequency)\b"),
    "a share in decimals": re.compile(r"(?i)\bshare of 0?\.\d"),
    "is to": re.compile(r"\b(?:is|are|was|were) to [a-z]+\b"),
}


def hidden_words(markdown: str) -> list[str]:
    """Places of a page's prose where a phrase hides what is said, with the kind before them."""
    for pattern in (*ALLOWED[:2], re.compile(r'"[^"\n]{,200}"|“[^”\n]{,200}”')):  # code, formulas, the paper's words
        markdown = pattern.sub(" ", markdown)
    return [f"{kind}: {match.group()}" for kind, pattern in HIDDEN.items() for match in pattern.finditer(markdown)]
