"""Which types of entity each relation of TAC KBP takes: a rule fires only where they fit.

The 41 relations of TACRED (Zhang et al. 2017) are the slots of TAC KBP (task descriptions 2009-2014); their types are
those of `RelationType` in CoreNLP's `KBPRelationExtractor` (stanfordnlp/CoreNLP at commit 01789c0, src/edu/stanford/
nlp/ie), whose extractors try a relation's rules only where subject and object have them. CoreNLP asks no more of
founded_by's and shareholders' objects than to be a person or an organization.
"""

from __future__ import annotations

from typing import NamedTuple


class SlotTypes(NamedTuple):
    """The type that the subject must have, and the types that the object may have."""

    subject: str
    objects: frozenset[str]

    def fit(self, subject_type: str, object_type: str) -> bool:
        """Whether a pair of entities has these types.

        >>> SLOT_TYPES["per:title"].fit("PERSON", "TITLE"), SLOT_TYPES["per:title"].fit("ORGANIZATION", "TITLE")
        (True, False)
        """
        return subject_type == self.subject and object_type in self.objects


_OBJECTS = {
    "per:age": "NUMBER DURATION",
    "per:alternate_names": "PERSON MISC",
    "per:cause_of_death": "CAUSE_OF_DEATH",
    "per:charges": "CRIMINAL_CHARGE",
    "per:children": "PERSON",
    "per:cities_of_residence": "CITY",
    "per:city_of_birth": "CITY",
    "per:city_of_death": "CITY",
    "per:countries_of_residence": "COUNTRY",
    "per:country_of_birth": "COUNTRY",
    "per:country_of_death": "COUNTRY",
    "per:date_of_birth": "DATE",
    "per:date_of_death": "DATE",
    "per:employee_of": "ORGANIZATION COUNTRY STATE_OR_PROVINCE CITY",
    "per:origin": "NATIONALITY COUNTRY",
    "per:other_family": "PERSON",
    "per:parents": "PERSON",
    "per:religion": "RELIGION",
    "per:schools_attended": "ORGANIZATION",
    "per:siblings": "PERSON",
    "per:spouse": "PERSON",
    "per:stateorprovince_of_birth": "STATE_OR_PROVINCE",
    "per:stateorprovince_of_death": "STATE_OR_PROVINCE",
    "per:stateorprovinces_of_residence": "STATE_OR_PROVINCE",
    "per:title": "TITLE MODIFIER",
    "org:alternate_names": "ORGANIZATION MISC",
    "org:city_of_headquarters": "CITY LOCATION",
    "org:country_of_headquarters": "COUNTRY NATIONALITY",
    "org:dissolved": "DATE",
    "org:founded": "DATE",
    "org:founded_by": "PERSON ORGANIZATION",
    "org:member_of": "ORGANIZATION STATE_OR_PROVINCE COUNTRY",
    "org:members": "ORGANIZATION COUNTRY",
    "org:number_of_employees/members": "NUMBER",
    "org:parents": "ORGANIZATION",
    "org:political/religious_affiliation": "IDEOLOGY RELIGION",
    "org:shareholders": "PERSON ORGANIZATION",
    "org:stateorprovince_of_headquarters": "STATE_OR_PROVINCE",
    "org:subsidiaries": "ORGANIZATION",
    "org:top_members/employees": "PERSON",
    "org:website": "URL",
}

SLOT_TYPES: dict[str, SlotTypes] = {
    relation: SlotTypes({"per": "PERSON", "org": "ORGANIZATION"}[relation[:3]], frozenset(objects.split()))
    for relation, objects in _OBJECTS.items()
}
