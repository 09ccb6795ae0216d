"""spaCy's annotation in CoreNLP's names: words, lemmas, entity types, and what is lost."""

import pytest

from trustnlp.data.annotation.corenlp_labels import (
    CorenlpSentence,
    as_corenlp,
    entity_types,
    type_of,
    written,
)
from trustnlp.data.annotation.spacy_annotation import Annotation, Entity, annotate, pipeline_folder
from trustnlp.data.relations.relation_examples import Span


def annotation(text: str, *entities: tuple[str, str], tags: str = "", lemmas: str = "") -> Annotation:
    """An annotation by hand: words at blanks, entities by their words; each token hangs on the first."""
    tokens = tuple(text.split())
    found = []
    for words, label in entities:
        parts = tuple(words.split())
        start = next(at for at in range(len(tokens)) if tokens[at : at + len(parts)] == parts)
        found.append(Entity(start, start + len(parts), label))
    return Annotation(
        tokens=tokens,
        offsets=tuple(range(len(tokens))),
        tags=tuple(tags.split()) or ("NN",) * len(tokens),
        lemmas=tuple(lemmas.split()) or tokens,
        heads=(0,) * len(tokens),
        relations=("ROOT", *["dep"] * (len(tokens) - 1)),
        sentence_starts=(0,),
        entities=tuple(found),
    )


@pytest.mark.parametrize(
    ("words", "label", "types"),
    [
        ("Ada Lovelace", "PERSON", "PERSON PERSON"),
        ("France", "GPE", "COUNTRY"),
        ("the United States", "GPE", "COUNTRY COUNTRY COUNTRY"),
        ("Texas", "GPE", "STATE_OR_PROVINCE"),
        ("Paris", "GPE", "CITY"),
        ("New York", "GPE", "STATE_OR_PROVINCE STATE_OR_PROVINCE"),
        ("New York City", "GPE", "CITY CITY CITY"),
        ("Columbus Ohio", "GPE", "CITY STATE_OR_PROVINCE"),
        ("San Antonio Texas USA", "GPE", "CITY CITY STATE_OR_PROVINCE COUNTRY"),
        ("Swedish", "NORP", "NATIONALITY"),
        ("Catholic", "NORP", "RELIGION"),
        ("1999", "DATE", "DATE"),
        ("49", "DATE", "NUMBER"),
        ("Hamlet", "WORK_OF_ART", "MISC"),
    ],
)
def test_entities_have_corenlps_types(words, label, types):
    assert entity_types(annotation(words, (words, label))) == tuple(types.split())


@pytest.mark.parametrize(
    ("text", "tags", "lemmas", "types"),
    [
        ("the vice president spoke", "DT NN NN VBD", "", "O TITLE TITLE O"),
        ("Prime Minister Ludd", "NNP NNP NNP", "", "TITLE TITLE O"),
        ("two actors", "CD NNS", "two actor", "O TITLE"),
        ("she headed it", "PRP VBD PRP", "she head it", "O O O"),  # a verb
        ("a general rule", "DT JJ NN", "", "O O O"),  # an adjective
        ("charged with wire fraud", "VBN IN NN NN", "", "O O CRIMINAL_CHARGE CRIMINAL_CHARGE"),
        ("died of lung cancer", "VBD IN NN NN", "", "O O CAUSE_OF_DEATH CAUSE_OF_DEATH"),
        ("drunk driving", "JJ VBG", "", "CRIMINAL_CHARGE CRIMINAL_CHARGE"),
        ("see www.acme.example/x and acme.com", "VB NN CC NN", "", "O URL O URL"),
        ("an assistant professor", "DT NN NN", "", "O TITLE TITLE"),  # the longer of two
    ],
)
def test_titles_charges_and_causes_are_found_by_lists(text, tags, lemmas, types):
    assert entity_types(annotation(text, tags=tags, lemmas=lemmas)) == tuple(types.split())


def test_words_and_lemmas_are_printed_as_corenlp_prints_them():
    found = as_corenlp(
        annotation(
            'He ( his " an " ) [ us',
            tags="PRP -LRB- PRP$ `` DT '' -RRB- XX NNP",
            lemmas='he ( his " an " ) [ us',
        )
    )
    assert found.tokens == ("He", "-LRB-", "his", "``", "an", "''", "-RRB-", "-LSB-", "us")
    assert found.lemmas == ("he", "-LRB-", "he", "``", "a", "''", "-RRB-", "-LSB-", "us")  # a name keeps its form
    assert [written(token) for token in found.tokens] == ["He", "(", "his", '"', "an", '"', ")", "[", "us"]


def sentence(tokens: str, ner: str, *heads: int) -> CorenlpSentence:
    words = tuple(tokens.split())
    return CorenlpSentence(words, words, words, tuple(ner.split()), heads, words)


@pytest.mark.parametrize(
    ("tokens", "ner", "heads", "span", "expected"),
    [
        ("Ada Lovelace left", "PERSON PERSON O", (1, 2, -1), (0, 2), "PERSON"),
        ("the Paris office left", "O CITY ORGANIZATION O", (2, 2, 3, -1), (0, 3), "ORGANIZATION"),  # the head's
        ("Bo Bo Rome thing left", "PERSON PERSON CITY O O", (3, 3, 3, 4, -1), (0, 4), "PERSON"),  # the commonest
        ("He left", "O O", (1, -1), (0, 1), "PERSON"),
        ("It left", "O O", (1, -1), (0, 1), "O"),
        ("he he left", "O O O", (1, 2, -1), (0, 2), "O"),
    ],
)
def test_a_marked_entity_has_the_type_of_its_head(tokens, ner, heads, span, expected):
    assert type_of(Span(*span), sentence(tokens, ner, *heads)) == expected


def test_spacys_own_parse_comes_out_as_the_rules_want_it():
    """The whole way on two made-up sentences. Needs spaCy and, once, the package index."""
    pytest.importorskip("spacy", reason="annotating needs the extra 'text'")
    assert pipeline_folder().is_dir()
    found = as_corenlp(annotate(["His wife, Mary Smith, was born in Paris (France)."])[0])
    rows = dict(zip(found.tokens, zip(found.lemmas, found.ner, found.dependencies, strict=True), strict=True))
    assert rows["born"] == ("bear", "O", "root")
    assert rows["His"] == ("he", "O", "nmod:poss")
    assert rows["Smith"] == ("Smith", "PERSON", "appos")
    assert rows["Paris"] == ("Paris", "CITY", "nmod:in")
    assert rows["France"][1] == "COUNTRY"
    assert rows["-LRB-"][0] == "-LRB-"
    titles = as_corenlp(annotate(["Mary Smith is the president of Acme."])[0])
    labels = dict(zip(titles.tokens, zip(titles.dependencies, titles.ner, strict=True), strict=True))
    assert labels["president"] == ("root", "TITLE") and labels["is"][0] == "cop" and labels["Smith"][0] == "nsubj"
