"""Pictures that a reader can move: one slider, a bar for each arm, a sentence that says what the bars say.

All numbers come from committed records. Without scripts the picture stands still at its first state, above a table of
all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.pages.html_parts import macros
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.pages.tables import measured
from trustnlp.reproduce.project import UserError, nearest


@dataclass(frozen=True)
class Bar:
    """One arm at one state: its text, and its length in % of the track."""

    text: str
    length: float


@dataclass(frozen=True)
class MovingPicture:
    """The states of a picture, ready to be written.

    Attributes
    ----------
    slider
        What the reader moves, in words.
    values, says
        Text of each state's value, and its sentence.
    arms
        Name of each arm → a bar for each state.
    start
        Number of the state that is shown first.
    """

    title: str
    slider: str
    values: tuple[str, ...]
    says: tuple[str, ...]
    arms: Mapping[str, tuple[Bar, ...]]
    start: int

    def html(self, name: str, evidence: str) -> str:
        """The picture; `evidence` is the address of the notebook whose record it shows."""
        states = [
            {"value": value, "says": said, "bars": [[bar.text, round(bar.length, 1)] for bar in bars]}
            for value, said, *bars in zip(self.values, self.says, *self.arms.values(), strict=True)
        ]
        return str(macros("moving_picture.j2").picture(self, name, evidence, json.dumps(states, ensure_ascii=False)))


def moving_picture(asked: Mapping[str, Any], record_of: Callable[[str], Mapping[str, Any]]) -> MovingPicture:
    """The picture that a directive's YAML asks for.

    Parameters
    ----------
    asked
        `title`; `slider`: `name`, `values`, `unit` and `start`; `arms`: name → `record` and `key` with `{value}`, or
        `array`, `along` and `take` for a curve of the record, with its `unit`, in % of the metric `of` where that is
        named; `says`: a sentence with `{value}` and the arms' names in braces.
    record_of
        Committed record by `CHAPTER/NOTEBOOK.paper`.

    Raises
    ------
    UserError
        If a record has no such number, an arm has fewer states than the slider, or the sentence names no arm.
    """
    slider = asked["slider"]
    values = slider["values"]
    numbers = {name: [_number(arm, value, record_of) for value in values] for name, arm in asked["arms"].items()}
    arms = {name: tuple(Bar(each.full(), _length(each)) for each in row) for name, row in numbers.items()}
    told = [f"{value:g}{slider.get('unit', '')}" for value in values]
    try:
        says = [
            asked["says"].format(value=text, **{name: row[at].mean() for name, row in numbers.items()})
            for at, text in enumerate(told)
        ]
    except KeyError as error:
        raise UserError(f"the sentence names {error}, and the arms are {', '.join(arms)}") from None
    return MovingPicture(
        asked["title"], slider["name"], tuple(told), tuple(says), arms, values.index(slider.get("start", values[0]))
    )


def _number(arm: Mapping[str, Any], value: float, record_of: Callable[[str], Mapping[str, Any]]) -> Measured:
    record = record_of(arm["record"])
    if "key" in arm:
        key = arm["key"].replace("{value}", f"{value:g}")
        if key not in record["metrics"]:
            raise UserError(f"record {arm['record']} has no metric '{key}'{nearest(key, record['metrics'])}")
        number = measured(record["metrics"][key])
        if number is None:
            raise UserError(f"record {arm['record']}: '{key}' is no number")
        return number
    name = arm["array"]
    if name not in record["arrays"]:
        raise UserError(f"record {arm['record']} has no array '{name}'{nearest(name, record['arrays'])}")
    curve = record["arrays"][name]
    if value not in curve[arm["along"]]:
        raise UserError(f"array '{name}' has no {arm['along']} {value:g}")
    number = curve[arm["take"]][curve[arm["along"]].index(value)]
    return Measured(100 * number / record["metrics"][arm["of"]]["mean"] if "of" in arm else number, arm["unit"])


def _length(number: Measured) -> float:
    return min(100.0, max(0.0, number.value * number.kind.factor))
