"""Forms of a word that vectors have in its place, and the command that looks words up in lower case."""

import json

import pytest
from typer.testing import CliRunner

from trustnlp.embeddings.word_forms import form_there
from trustnlp.tools.cli import app


@pytest.mark.parametrize(
    ("word", "words", "form"),
    [
        ("Femme", ["femme"], "femme"),
        ("mädchen", ["Mädchen"], "Mädchen"),
        ("nasa", ["NASA"], "NASA"),
        ("été", ["e\u0301te\u0301"], "e\u0301te\u0301"),
        ("femme", ["/c/fr/homme", "/c/fr/femme"], "/c/fr/femme"),
        ("femme", ["homme_NOUN", "femme_NOUN"], "femme_NOUN"),
        ("new york", ["new_york"], "new_york"),
        ("femme", ["homme"], None),
        ("femme", [], None),
    ],
)
def test_a_word_is_found_in_another_form(word, words, form):
    assert form_there(word, words) == form
    assert form_there(word, dict.fromkeys(words)) == form


def test_the_command_hints_at_its_own_option_and_has_it(tmp_path):
    words = ["rose", "tulip", "wasp", "moth", "joy", "love", "grief", "hate"]
    rows = [f"{word} {number % 3} {number} 1" for number, word in enumerate(words)]
    (tmp_path / "v.vec").write_text("\n".join([f"{len(words)} 3", *rows]))
    pairs = [words[at : at + 2] for at in range(0, 8, 2)]
    sets = dict(zip("XYAB", [[word.title() for word in pair] for pair in pairs], strict=True))
    (tmp_path / "sets.json").write_text(json.dumps(sets))
    given = ["weat", str(tmp_path / "v.vec"), "--sets", str(tmp_path / "sets.json")]
    refused = CliRunner().invoke(app, given)
    assert refused.exit_code == 2 and "2 of them are known in lower case: --lower" in refused.output
    assert CliRunner().invoke(app, [*given, "--lower"]).exit_code == 0
