"""Pictures with a slider: each state says what the committed record says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup

from trustnlp.reproduce.pages.moving_pictures import moving_picture
from trustnlp.reproduce.project import UserError, chapter_dir, project_root
from trustnlp.reproduce.records.derived_metrics import committed_record


def metric(mean: float, half: float, unit: str, interval: str) -> dict[str, Any]:
    told = {"mean": mean, "low": mean - half, "high": mean + half, "unit": unit, "interval": interval}
    return {**told, "values": [mean] * 5, "n": 5}


RECORD = {
    "metrics": {
        "found.eps1": metric(0.2, 0.02, "share", "t"),
        "found.eps2": metric(0.6, 0.02, "share", "t"),
        "best": metric(80.0, 0, "score", "deterministic"),
    },
    "arrays": {"path": {"cut": [1, 2], "value": [40.0, 80.0]}},
}
ASKED: dict[str, Any] = {
    "title": "More <is> more",
    "slider": {"name": "ε", "values": [1, 2], "start": 2},
    "arms": {
        "an attacker": {"record": "a/b.paper", "key": "found.eps{value}"},
        "weight": {
            "record": "a/b.paper", "array": "path", "along": "cut", "take": "value", "unit": "%", "of": "best",
        },
    },
    "says": "At {value}: {an attacker}, {weight}.",
}  # fmt: skip


def test_each_state_has_its_sentence_and_its_bars() -> None:
    picture = moving_picture(ASKED, lambda name: RECORD)
    assert picture.says == ("At 1: 20 %, 50 %.", "At 2: 60 %, 100 %.") and picture.start == 1
    html = BeautifulSoup(picture.html("moving-x", "../b.html"), "html.parser")
    states = json.loads(html.select_one("script").string)
    assert [[text for text, _ in state["bars"]] for state in states] == [
        ["20 % (18 to 22)", "50 %"], ["60 % (58 to 62)", "100 %"],
    ]  # fmt: skip
    assert html.select_one(".tn-moving-says").text == states[1]["says"]
    assert [bar["style"] for bar in html.select(".tn-bar-fill")] == ["width: 60.0%", "width: 100.0%"]
    assert html.select_one("figcaption").text == "More <is> more" and html.select_one("label").has_attr("hidden")
    assert [row.text for row in html.select("tbody th")] == ["1", "2"]


@pytest.mark.parametrize(
    ("arm", "changed", "message"),
    [
        ("an attacker", {"key": "fund.eps{value}"}, "no metric 'fund.eps1'; did you mean 'found.eps1'"),
        ("weight", {"array": "paths"}, "no array 'paths'; did you mean 'path'"),
    ],
)
def test_what_no_record_holds_is_refused(arm: str, changed: dict[str, str], message: str) -> None:
    arms = {**ASKED["arms"], arm: {**ASKED["arms"][arm], **changed}}
    with pytest.raises(UserError, match=re.escape(message)):
        moving_picture({**ASKED, "arms": arms}, lambda name: RECORD)


def test_a_sentence_names_arms_that_are_there() -> None:
    with pytest.raises(UserError, match="the sentence names 'nobody', and the arms are an attacker, weight"):
        moving_picture({**ASKED, "says": "{nobody}"}, lambda name: RECORD)


def test_a_value_that_a_curve_lacks_is_refused() -> None:
    arms = {"weight": ASKED["arms"]["weight"]}
    with pytest.raises(UserError, match="array 'path' has no cut 3"):
        moving_picture({**ASKED, "arms": arms, "slider": {"name": "ε", "values": [3]}}, lambda name: RECORD)


def test_the_pictures_of_the_book_stand() -> None:
    def record_of(name: str) -> Any:
        slug, _, record = name.partition("/")
        return committed_record(chapter_dir(slug) / "results" / f"{record}.json")

    text = Path(project_root() / "book" / "moving-pictures.md").read_text("utf-8")
    asked = re.findall(r"```\{moving-picture\} \S+\n(.*?)```", text, re.DOTALL)
    assert len(asked) >= 3
    for each in asked:
        picture = moving_picture(yaml.safe_load(each), record_of)
        assert len(set(picture.says)) == len(picture.values) > 4
