"""Made-up documents with owners, in the place of policies and procurement papers where only a check is wanted.

Schema as in `trustnlp.data.texts.owned_documents`. Owners share templates of paragraphs; each has a made-up name,
products that it alone mentions, and a trade whose few words come with it. That truth is known, so a method that finds
nothing here is broken; how well it does says nothing about real documents.
"""

from __future__ import annotations

import numpy as np

from trustnlp.data.texts.owned_documents import OwnedDocument, OwnedDocuments
from trustnlp.data.words.owner_names import OwnerNames

_NAMES = ("Corvane", "Deltrix", "Marlowen", "Quillbrook", "Tarsonic", "Velmora", "Ostrander", "Pembrix")
_PRODUCTS = ("Glimmerfeed", "Tidegate", "Notchbook", "Farspoke", "Rundlet", "Bramblecast", "Loomwise", "Skerrypay")
_TRADES = (
    "harbour vessels cargo berths", "orchards apples pickers cider", "clinics nurses wards patients",
    "railways tracks signals stations", "museums paintings curators galleries", "quarries granite blasting rubble",
    "aquariums corals divers tanks", "bakeries loaves ovens flour",
)  # fmt: skip
_KINDS = ("Terms", "Privacy", "Guidelines", "Advertising")
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
        Of each document, at least 1.

    Raises
    ------
    ValueError
        A number is out of range.
    """
    if not 2 <= owners <= len(_NAMES) or min(per_owner, paragraphs) < 1:
        raise ValueError(
            f"expected 2 to {len(_NAMES)} owners, and at least one document and one paragraph, got {owners}, "
            f"{per_owner} and {paragraphs}"
        )
    documents = []
    for name, product, trade in list(zip(_NAMES, _PRODUCTS, _TRADES, strict=True))[:owners]:
        for number in range(per_owner):
            kind = _KINDS[number % len(_KINDS)]
            lines = [f"# {kind} of {name}"]
            for _ in range(paragraphs):
                pool = _TEMPLATES[kind] if rng.random() < 0.7 else _COMMON
                words = trade.split()
                line = pool[int(rng.integers(len(pool)))]
                lines.append(
                    line.format(
                        name=name, product=product, lower=name.lower(), trade=words[int(rng.integers(len(words)))]
                    )
                )
            documents.append(OwnedDocument(name, f"{name}/{kind}-{number}", kind, "\n\n".join(lines) + "\n"))
    names = {
        name: OwnerNames(name, (name, product)) for name, product in list(zip(_NAMES, _PRODUCTS, strict=True))[:owners]
    }
    return OwnedDocuments(tuple(documents), {}), names
