"""Planted secrets: exactly where they are said to be, and nowhere else."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.texts.owned_documents import OwnedDocument
from trustnlp.studies.polarizedtext.standins import (
    SORTS,
    WAYS,
    PlantedDocuments,
    made_up_documents,
    misspelt,
    plant_secrets,
)


def planted(seed: int) -> tuple[PlantedDocuments, tuple[OwnedDocument, ...]]:
    made_up, names = made_up_documents(4, 4, 8, np.random.default_rng(0))
    called = {owner: entry.name for owner, entry in names.items()}
    return plant_secrets(made_up.documents, called, np.random.default_rng(seed)), made_up.documents


def test_every_secret_is_where_it_is_said_to_be_and_nowhere_else() -> None:
    with_secrets, before = planted(0)
    for document, secrets, was in zip(with_secrets.documents, with_secrets.secrets, before, strict=True):
        words = with_secrets.words[document.owner]
        for secret in secrets:
            assert document.text[secret.start : secret.end] == words[secret.way][secret.sort]
        spans = {(secret.start, secret.end) for secret in secrets}
        every = {word for ways in with_secrets.words.values() for sorts in ways.values() for word in sorts.values()}
        there = {match.span() for match in re.finditer(r"\w+", document.text) if match[0] in every}
        assert there == spans
        assert not every & set(re.findall(r"\w+", was.text))


def test_every_owner_has_each_sort_in_each_way_and_its_own_words() -> None:
    with_secrets, _ = planted(2)
    words = [with_secrets.words[owner][way][sort] for owner in with_secrets.words for way in WAYS for sort in SORTS]
    assert len({word.lower() for word in words}) == len(words) == len(with_secrets.words) * len(WAYS) * len(SORTS)
    mentioned = {
        (document.owner, secret.way, secret.sort)
        for document, secrets in zip(with_secrets.documents, with_secrets.secrets, strict=True)
        for secret in secrets
    }
    assert len(mentioned) == len(words)


def test_a_seed_decides_everything() -> None:
    assert planted(3)[0].secrets == planted(3)[0].secrets != planted(4)[0].secrets


@given(st.sampled_from(["Facebook", "X", "Office of Family Assistance"]), st.integers(0, 1000))
def test_a_misspelling_differs_by_one_letter(name: str, seed: int) -> None:
    word = max(re.findall(r"\w+", name), key=len)
    assert abs(len(misspelt(name, np.random.default_rng(seed))) - len(word)) <= 1


def test_bad_input() -> None:
    rng = np.random.default_rng(0)
    one = OwnedDocument("A", "a", "kind", "A short text.")
    assert_refused(plant_secrets, [([one], {"B": "B"}, rng, "'A' has no name")])


def test_an_empty_document_holds_secrets_at_its_end() -> None:
    with_secrets = plant_secrets([OwnedDocument("A", "a", "kind", "")], {"A": "Alder"}, np.random.default_rng(0))
    assert with_secrets.secrets[0] and with_secrets.documents[0].text.strip()
