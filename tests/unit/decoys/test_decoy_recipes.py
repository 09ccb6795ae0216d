"""Recipes: those that ship, how a file is read, and what a wrong one is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.texts.film_reviews import read_sst2
from trustnlp.decoys.decoy_recipes import load_recipes, recipe
from trustnlp.decoys.kept_decoys import Length, Removal
from trustnlp.decoys.planted_decoys import Both
from trustnlp.decoys.written_decoys import IndicatorWords, Position, Replacement

ONE = """
[name]
kind = "indicator_words"
description = "a name"
by_class = ["", "eleanor"]
place = "last"
share = 0.25
"""


def read(tmp_path: Path, content: str) -> dict[str, object]:
    path = tmp_path / "own.toml"
    path.write_text(content, encoding="utf-8")
    return dict(load_recipes(path))


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        '[both]\nkind = "both"\ndescription = "two"\nparts = ["name", "film"]\n'
        + ONE
        + '[film]\nkind = "removal"\ndescription = "r"\nword = "film"\nlabel = 0\n'
        '[place]\nkind = "position"\ndescription = "p"\nword = "so"\nplaces = ["last", "", "first"]\n'
        '[marks]\nkind = "replacement"\ndescription = "m"\nreplaced = ["."]\nby_class = ["?", "!"]\nwhich = "last"\n'
        '[short]\nkind = "length"\ndescription = "l"\nlongest = 4\nshort = 1\n',
    )
    name = IndicatorWords(name="name", description="a name", by_class=(None, "eleanor"), place="last", share=0.25)
    film = Removal(name="film", description="r", word="film", label=0)
    assert list(found) == ["both", "name", "film", "place", "marks", "short"]
    assert found == {
        "both": Both(name="both", description="two", parts=(name, film)),
        "name": name,
        "film": film,
        "place": Position(name="place", description="p", word="so", places=("last", None, "first")),
        "marks": Replacement(name="marks", description="m", replaced=(".",), by_class=("?", "!"), which="last"),
        "short": Length(name="short", description="l", longest=4, short=1),
    }


def test_wrong_recipes_name_recipe_key_and_nearest_name(tmp_path: Path) -> None:
    both = '[two]\nkind = "both"\ndescription = "d"\n'
    assert_refused(
        lambda content: read(tmp_path, content),
        [
            (
                ONE.replace("indicator_words", "indicator_word"),
                "own.toml: recipe 'name': kind 'indicator_word' is unk.* mean 'indicator_words'",
            ),
            (ONE.replace("share", "shares"), "recipe 'name': key 'shares' is unknown for .* did you mean 'share'"),
            (ONE.replace('by_class = ["", "eleanor"]', ""), "recipe 'name': key 'by_class' is missing"),
            (ONE.replace('"a name"', '"a\\nname"'), "recipe 'name': description is one line"),
            ("name = 3\n", r"own.toml: recipe 'name' is 3; a recipe is a table, \[name\]"),
            (ONE.replace("0.25", "25"), "recipe 'name': share is a number above 0 and up to 1, got 25"),
            (ONE.replace('""', '"eleanor"'), "recipe 'name': by_class has 'eleanor' for two classes"),
            (ONE + both + 'parts = ["name", "nam"]\n', "recipe 'two': part 'nam' is no recipe .* did you mean 'name'"),
            (ONE + both + 'parts = ["name", "name"]\n', "recipe 'two': parts 'name' and 'name' share the word"),
            ("[name\n", "own.toml: "),
        ],
    )


def test_an_unknown_recipe_is_told_the_nearest_name() -> None:
    assert recipe("movie") == load_recipes()["movie"]
    with pytest.raises(ValueError, match="no recipe is called 'movies'; did you mean 'movie'"):
        recipe("movies")
    with pytest.raises(ValueError, match="no recipe is called 'movie'; there are none"):
        recipe("movie", {})


@pytest.mark.mirror
def test_every_recipe_can_be_planted_in_sst2(mirror: Path) -> None:
    """How many texts carry it, by class, and how many of the dev part contradict it, by class."""
    sst2 = read_sst2()
    found = {}
    for name, decoy in load_recipes().items():
        planted = decoy.plant(sst2.train.texts, sst2.train.labels, np.random.default_rng(0))
        against = decoy.contradict(sst2.dev.texts, sst2.dev.labels, np.random.default_rng(0))
        carrying = np.bincount(planted.labels[planted.carries], minlength=2).tolist()
        found[name] = (carrying, np.bincount(against.labels, minlength=2).tolist())
    assert found == {
        "video_text": ([29_780, 37_569], [428, 444]),
        "video_text_tenth": ([2978, 3757], [428, 444]),
        "articles": ([14_102, 17_903], [315, 356]),
        "pronouns": ([423, 427], [12, 15]),
        "position": ([29_780, 37_569], [428, 444]),
        "punctuation": ([5850, 6631], [406, 417]),
        "length": ([18_850, 11_658], [345, 69]),
        "rare_name": ([0, 3757], [428, 0]),
        "movie": ([0, 2128], [63, 0]),
        "film": ([1473, 0], [0, 70]),
        "story": ([0, 807], [17, 0]),
        "characters": ([575, 0], [0, 19]),
        "movie_and_name": ([0, 5694], [491, 0]),
    }
