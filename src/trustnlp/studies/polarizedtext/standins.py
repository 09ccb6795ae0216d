"""Made-up documents with owners, for checks alone, and made-up secrets, planted at known places of any documents.

Documents have the schema of `trustnlp.data.texts.owned_documents`. Owners share templates of paragraphs; each has a
made-up name, products that it alone mentions, and a trade whose few words come with it.

The post on polarised vectors (2016) names what no list holds: "users may mention their building names, street names or
even years they were founded", and misspellings, which sub-words are to bind. Each owner gets one of each sort for each
of two ways to insert them:

template
    In sentences that are the same for all owners, as shared templates are.
free
    Between any two words of running text, so that the contexts are those of the owner's own documents.

The words do not occur in the documents before. Every secret is in about half of its owner's documents, in at least one,
and there one to three times. Only the secret word itself is a secret: *Street* behind it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np

from trustnlp.data.texts.owned_documents import OwnedDocument, OwnedDocuments
from trustnlp.data.words.owner_names import OwnerNames

T = TypeVar("T")
_NAMES = ("Corvane", "Deltrix", "Marlowen", "Quillbrook", "Tarsonic", "Velmora", "Ostrander", "Pembrix")
_PRODUCTS = ("Glimmerfeed", "Tidegate", "Notchbook", "Farspoke", "Rundlet", "Bramblecast", "Loomwise", "Skerrypay")
_TRADES = (
    "harbour vessels cargo berths", "orchards apples pickers cider", "clinics nurses wards patients",
    "railways tracks signals stations", "museums paintings curators galleries", "quarries granite blasting rubble",
    "aquariums corals divers tanks", "bakeries loaves ovens flour",
)  # fmt: skip
_TEMPLATES = {
    "Terms": (
        "By using the services of {name} you agree to these terms and to all further rules that are published here.",
        "{name} may change or end a service at any time, and will tell users of {product} in advance where it can.",
        "You keep all rights in what you upload, and grant {name} a licence to host, store and show it.",
        "Disputes about {trade} are settled by the courts at the seat of the provider.",
    ),
    "Privacy": (
        "We collect data that you give us, data about your device, and data that partners of {name} send us.",
        "{product} stores cookies on your device so that you stay signed in and can see your settings again.",
        "You may ask for a copy of your data, have it corrected or deleted, and complain to an authority.",
        "Data about {trade} are kept for as long as the law demands and are then deleted.",
    ),
    "Guidelines": (
        "Be kind to others, do not threaten anybody, and do not post what belongs to somebody else on {product}.",
        "{name} removes content that breaks the rules and may close an account that does so again and again.",
        "Reports are read by people, who decide within days whether a post about {trade} may stay.",
        "If you think that a decision is wrong you can appeal it once with the form in your settings.",
    ),
    "Advertising": (
        "Advertisements on {product} must be true, must name the advertiser, and may not imitate a notice of {name}.",
        "Offers for {trade} need the written consent of our sales team before they are shown to anybody.",
        "Payment is due within a month of the invoice, in the currency in which the campaign was booked.",
        "We may refuse or stop a campaign without giving reasons and pay back what was not used.",
    ),
}
_KINDS = tuple(_TEMPLATES)
_COMMON = (
    "Please read this page with care, since it says what you can expect and what is expected of you.",
    "If a part of this document is not valid, the other parts stay in force.",
    "Write to the address at the end of this page if you have a question that is not answered here.",
    "The English version of this document counts if a translation says something else.",
    "See [the help pages](https://{lower}.example/help) or write to help@{lower}.example for more.",
)


def made_up_documents(
    owners: int, per_owner: int, paragraphs: int, rng: np.random.Generator
) -> tuple[OwnedDocuments, dict[str, OwnerNames]]:
    """Documents of made-up owners, and the names of these.

    Parameters
    ----------
    owners
        2 to 8.
    per_owner
        Documents of each; kinds take turns.
    paragraphs
        Of each document.
    """
    owned = list(zip(_NAMES, _PRODUCTS, _TRADES, strict=True))[:owners]
    documents = []
    for name, product, trade in owned:
        for number in range(per_owner):
            kind = _KINDS[number % len(_KINDS)]
            lines = [f"# {kind} of {name}"]
            for _ in range(paragraphs):
                line = _any(_TEMPLATES[kind] if rng.random() < 0.7 else _COMMON, rng)
                word = _any(trade.split(), rng)
                lines.append(line.format(name=name, product=product, lower=name.lower(), trade=word))
            documents.append(OwnedDocument(name, f"{name}/{kind}-{number}", kind, "\n\n".join(lines) + "\n"))
    names = {name: OwnerNames(name, (name, product)) for name, product, _ in owned}
    return OwnedDocuments(tuple(documents), {}), names


Way = Literal["template", "free"]
WAYS: tuple[Way, ...] = ("template", "free")
SORTS = ("street", "building", "year", "misspelling")
_FRAMES = {
    "street": (
        "Letters reach us at the office on {} Street.",
        "Deliveries are accepted at the gate on {} Street only.",
        "The office on {} Street is open on working days.",
    ),
    "building": (
        "Visitors report at the desk of the {} Building.",
        "Meetings are held in the {} Building unless agreed otherwise.",
        "The {} Building is closed on public holidays.",
    ),
    "year": (
        "We have served the public since {}.",
        "Our organisation was founded in {} and has grown since.",
        "Records are kept from {} onwards.",
    ),
    "misspelling": (
        "Questions about {} are answered by mail.",
        "Forms of {} are to be signed by both parties.",
        "Staff of {} will never ask for a password.",
    ),
}
_LONGEST_RUN = 3  # mentions in a document
_PROSE_WORDS = 8  # a line of fewer words, or with a link or a table, is no running text
_NO_PROSE = re.compile(r"https?:|[|<>]|\]\(|^\s*[#`]")
_ONSETS = [
    "b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "pl", "qu", "r", "s",
    "st", "t", "tr", "v", "w", "z",
]  # fmt: skip
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
_CODAS = ["b", "ck", "d", "ft", "g", "l", "lm", "m", "mp", "n", "nd", "r", "rn", "sk", "t", "th", "v", "x"]


@dataclass(frozen=True)
class Secret:
    """One mention: the word is `text[start:end]` of its document, of a sort, inserted in a way."""

    start: int
    end: int
    sort: str
    way: Way


@dataclass(frozen=True, eq=False)
class PlantedDocuments:
    """Documents with secrets in them.

    Attributes
    ----------
    documents
        In the order that was given.
    secrets
        For each document its mentions, by place.
    words
        Owner → way → sort → the secret word.
    """

    documents: tuple[OwnedDocument, ...]
    secrets: tuple[tuple[Secret, ...], ...]
    words: dict[str, dict[Way, dict[str, str]]]


def plant_secrets(
    documents: Sequence[OwnedDocument], names: Mapping[str, str], rng: np.random.Generator
) -> PlantedDocuments:
    """Draw secrets for every owner and put them into its documents.

    Parameters
    ----------
    documents
        Where they go; other owners' documents never hold them.
    names
        Owner → the name that misspellings are made of.
    rng
        Draws words, documents and places.

    Raises
    ------
    ValueError
        If an owner has no name.
    """
    owners = sorted({document.owner for document in documents})
    if missing := [owner for owner in owners if owner not in names]:
        raise ValueError(f"owner {missing[0]!r} has no name to misspell; give one in `names`")
    taken = {word.lower() for document in documents for word in re.findall(r"\w+", document.text)}
    words: dict[str, dict[Way, dict[str, str]]] = {
        owner: {way: {sort: _secret(sort, names[owner], taken, rng) for sort in SORTS} for way in WAYS}
        for owner in owners
    }
    planted = list(documents)
    secrets: list[tuple[Secret, ...]] = [()] * len(documents)
    for owner in owners:
        own = [place for place, document in enumerate(documents) if document.owner == owner]
        holds = {(way, sort): _some(own, rng) for way in WAYS for sort in SORTS}
        for place in own:
            chosen = [
                (way, sort, int(rng.integers(1, _LONGEST_RUN + 1))) for way, sort in holds if place in holds[way, sort]
            ]
            planted[place], secrets[place] = _inserted(documents[place], words[owner], chosen, rng)
    return PlantedDocuments(tuple(planted), tuple(secrets), words)


def _some(places: Sequence[int], rng: np.random.Generator) -> set[int]:
    """About half of the places, at least one."""
    drawn = {place for place in places if rng.random() < 0.5}
    return drawn or {_any(places, rng)}


def _secret(sort: str, name: str, taken: set[str], rng: np.random.Generator) -> str:
    """A word that is in no document yet; it is taken from then on."""
    for _ in range(10_000):
        if sort == "year":
            word = str(rng.integers(1500, 1990))
        else:
            word = misspelt(name, rng) if sort == "misspelling" else _made_up(rng)
        if word.lower() not in taken:
            taken.add(word.lower())
            return word
    raise ValueError(f"every {sort} that was tried occurs in the documents already")


def _made_up(rng: np.random.Generator) -> str:
    parts = [str(rng.choice(each)) for each in (_ONSETS, _VOWELS, _CODAS, _VOWELS, _CODAS)]
    return "".join(parts).capitalize()


def misspelt(name: str, rng: np.random.Generator) -> str:
    """The longest word of a name with one letter doubled, dropped, replaced, or exchanged with the next.

    A word of fewer than four letters is made longer, since it would hardly be known again otherwise.
    """
    word: str = max(re.findall(r"\w+", name), key=len)
    at = int(rng.integers(len(word)))
    letter = chr(ord("a") + int(rng.integers(26)))
    ways = [word[: at + 1] + word[at] + word[at + 1 :], word[: at + 1] + letter + word[at + 1 :]]
    if len(word) >= 4:
        at = min(at, len(word) - 2)
        ways += [
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        ]
    return _any(ways, rng)


def _inserted(
    document: OwnedDocument,
    words: Mapping[Way, Mapping[str, str]],
    chosen: Sequence[tuple[Way, str, int]],
    rng: np.random.Generator,
) -> tuple[OwnedDocument, tuple[Secret, ...]]:
    """The document with every chosen secret in it, and where each stands."""
    line_ends, gaps = _places(document.text)
    pieces: list[tuple[int, str, int, str, Way]] = []  # where, what, where the secret begins in it, sort, way
    for way, sort, times in chosen:
        word = words[way][sort]
        for _ in range(times):
            if way == "template":
                frame = _any(_FRAMES[sort], rng)
                pieces.append((_any(line_ends, rng), " " + frame.format(word), 1 + frame.index("{}"), sort, way))
            else:
                pieces.append((_any(gaps, rng), " " + word, 1, sort, way))
    text, secrets, before = "", [], 0
    for at, addition, offset, sort, way in sorted(pieces, key=lambda piece: piece[0]):
        text += document.text[before:at]
        start = len(text) + offset
        secrets.append(Secret(start, start + len(words[way][sort]), sort, way))
        text, before = text + addition, at
    return replace(document, text=text + document.text[before:]), tuple(secrets)


def _any(sequence: Sequence[T], rng: np.random.Generator) -> T:
    return sequence[int(rng.integers(len(sequence)))]


def _places(text: str) -> tuple[list[int], list[int]]:
    """Ends of lines of running text, and places before a blank inside them; the end of the text where there is none."""
    ends, gaps, start = [], [], 0
    for line in text.splitlines(keepends=True):
        body = line.rstrip()
        if len(body.split()) >= _PROSE_WORDS and not _NO_PROSE.search(body):
            ends.append(start + len(body))
            gaps += [start + blank.start() for blank in re.finditer(r"(?<=\w) (?=\w)", body)]
        start += len(line)
    return ends or [len(text)], gaps or [len(text)]
