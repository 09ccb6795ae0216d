"""Documents with owners: what the rules leave out, on small sets and on the real ones."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.texts.owned_documents import (
    OwnedDocument,
    OwnedDocuments,
    is_english,
    read_platform_policies,
    read_procurement_papers,
    select,
)
from trustnlp.data.words.owner_names import OwnerNames, read_owner_names
from trustnlp.studies.polarizedtext.standins import made_up_documents

LONG = " ".join(f"the word{number} of the page" for number in range(40))
OTHER = " ".join(f"another{number} and more" for number in range(60))


def document(owner: str, name: str, text: str) -> OwnedDocument:
    return OwnedDocument(owner, name, "kind", text)


def kept(*documents: OwnedDocument, share_templates: bool = False, fewest_words: int = 0) -> list[str]:
    found = select(documents, share_templates=share_templates, fewest_words=fewest_words)
    assert len(found) + sum(found.left_out.values()) == len(documents)
    return [each.name for each in found.documents]


def test_of_near_copies_of_one_owner_the_longer_stays():
    assert kept(document("A", "draft", LONG), document("A", "posted", LONG + " with an end")) == ["posted"]


def test_what_two_owners_share_belongs_to_neither():
    both = document("A", "a", LONG), document("B", "b", LONG)
    assert kept(*both, document("B", "own", OTHER)) == ["own"]
    assert kept(*both, share_templates=True) == ["a", "b"]


def test_of_partly_shared_documents_the_shorter_goes():
    assert kept(document("A", "short", LONG), document("B", "long", LONG + " " + OTHER)) == ["long"]


def test_short_and_foreign_documents_go():
    german = "Die Daten werden nicht weitergegeben und das ist von Belang für die Nutzer " * 8
    three = (document("A", "de", german), document("A", "few", "the of and"), document("A", "en", LONG))
    assert kept(*three, fewest_words=10) == ["en"]
    assert is_english("| cookie | host | purpose |")  # a table without function words stays
    assert not is_english(german)


def test_bad_documents_are_refused():
    assert_refused(document, [("", "name", "text", "non-empty owner"), ("A", " ", "text", "non-empty name")])
    twice = (document("A", "a", LONG), document("B", "a", OTHER))
    assert_refused(OwnedDocuments, [(twice, {}, "two documents are called 'a'")])
    assert_refused(OwnerNames, [("", (), (), "a name is empty"), ("A", (), (), "no name to look for")])
    assert_refused(read_owner_names, [("letters", "names are listed for policies and procurement")])


def test_made_up_documents_follow_the_seed():
    one, names = made_up_documents(3, 2, 5, np.random.default_rng(1))
    again, _ = made_up_documents(3, 2, 5, np.random.default_rng(1))
    other, _ = made_up_documents(3, 2, 5, np.random.default_rng(2))
    texts = [[each.text for each in made.documents] for made in (one, again, other)]
    assert texts[0] == texts[1] != texts[2]
    assert set(names) == set(one.owners)


@pytest.mark.mirror
def test_the_real_sets_are_cut_by_the_rules():
    policies, papers = read_platform_policies(), read_procurement_papers()
    assert (len(policies), len(policies.owners)) == (113, 24)
    assert policies.left_out == {
        "near copy within an owner": 11, "near copy between owners": 6, "another language": 2, "too short": 0,
    }  # fmt: skip
    assert (len(papers), len(papers.owners)) == (44, 6)
    assert set(read_owner_names("policies")) == set(policies.owners)
    assert set(read_owner_names("procurement")) == set(papers.owners)
