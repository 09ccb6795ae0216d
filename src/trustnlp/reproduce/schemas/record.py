"""A record: what one run of one notebook measured, and everything needed to judge and repeat it. Version 2."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from trustnlp.reproduce.schemas.fields import OUT, Misfit, Model, Number, Once, Sha256, Text, like

_Count = Annotated[int, Field(ge=1)]
_Amount = Annotated[Number, Field(ge=0)]
_KEY = like(r"^[A-Za-z0-9_+=-]+(\.[A-Za-z0-9_+=-]+)*$", "a key of letters, digits and _ + = - joined by single dots")
_TIME = like(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "a time as ISO 8601 (2021-08-01T12:00:00+00:00)")
_DAY = like(r"^\d{4}-\d\d-\d\d$", "a day such as 2026-11-26")
_HASH = like("^[0-9a-f]{12}$", "a hash of 12 hexadecimal digits")


class Metric(Model):
    """One measured number: a value per seed, or the one value, with its 95 % interval.

    `low` and `high` are null where one random value allows no interval. `interval` says how it came about: none needed,
    Student's t or bootstrap over the values, or given by the notebook. `unit` is a kind, alone or with what it is of
    (share of pairs); none or null for a pure number.
    """

    values: Annotated[list[Number], Field(min_length=1)]
    mean: Number
    low: Number | None
    high: Number | None
    n: _Count
    interval: Literal["deterministic", "t", "bootstrap", "given"]
    unit: str | None


class Deviation(Model):
    """Where the run departs from the paper: a sentence, shown beside each verdict it touches.

    `keys` are the metrics it touches, by key or the first names of one; empty: all. `lacks` says that what these need
    is not to be had here: claims on them are not testable.
    """

    text: Text
    keys: list[Text]
    lacks: bool


class Hardware(Model):
    """The machine: processor, cores the run could use, main memory in GB, accelerator if any."""

    cpu: str
    cores: _Count
    memory_gb: Annotated[Number, Field(gt=0)]
    gpu: str | None


class Verified(Model):
    """The last verification that passed: a part run again, with what differed from the record's parameters."""

    started: str
    git_commit: str | None
    parameters: dict[str, Any]
    compared: _Count
    cpu: str
    instructions: str | None
    device: str
    seconds: _Amount


class Logged(Model):
    """An edit of the record after its run, by a command of `trustnlp records`; no value is ever changed."""

    date: Annotated[str, _DAY]
    what: Text
    commit: str | None


class Record(Model):
    """The whole file.

    `parameters` are all of the run, defaults of the profile included; `seeds` are in the order of each metric's values.
    Keys of `metrics` are paths of names, from general to special. `arrays` are any JSON that a figure or table needs.
    `conditions` say how near the run came to the paper's; caps of the ledger look here, and among the parameters.
    `repeats` says how exactly another machine repeats a metric, by the first names of its key; the empty name is for
    all others. `data` has the sha256 of each file by registered name. `sources` are what the numbers stand for:
    definitions that the measurements reach, the notebook's own statements and the files they read, with a hash of each,
    and one of all; a passed verification renews it. `cache_key` is a hash of cells, parameters, source, data and lock.
    `instructions` are what torch computed with. `verified` and `parts` are null where there was no verification, and
    for a single run. `digest` is of everything measured and asked: whoever edits a record by hand is found out.
    """

    schema_version: Literal[2]
    chapter: Text
    notebook: Text
    profile: Literal["smoke", "paper"]
    parameters: dict[str, Any]
    seeds: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1), Once]
    metrics: dict[Annotated[str, _KEY], Metric]
    arrays: dict[str, Any]
    deviations: list[Deviation]
    conditions: dict[str, str | Number | bool]
    repeats: dict[str, Literal["exact", "float64", "float32", "timed"]]
    data: dict[str, dict[str, Sha256]]
    git_commit: str | None
    git_dirty: bool | None
    sources: dict[str, Annotated[str, _HASH]]
    cache_key: Text
    environment: dict[str, str]
    hardware: Hardware
    instructions: str | None
    device: Text
    precision: str | None
    threads: _Count
    verified: Verified | None
    parts: Annotated[list[dict[str, Any]], Field(min_length=2)] | None
    log: list[Logged] = OUT
    digest: Sha256
    seconds: _Amount
    peak_memory_mb: _Amount
    started: Annotated[str, _TIME]

    @model_validator(mode="after")
    def _of_all(self) -> Self:
        if "" not in self.repeats:
            raise Misfit("lacks ''", "repeats")
        return self
