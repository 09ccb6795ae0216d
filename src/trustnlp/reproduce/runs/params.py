"""The parameters of notebooks: `params.yaml`, with its types, ranges, profiles and sweep grids.

Papermill passes unknown parameters on with a log line and runs; this module refuses them before anything starts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, model_validator

from trustnlp.reproduce.project import UserError, chapter_dir, nearest
from trustnlp.reproduce.schemas import load_yaml, validate
from trustnlp.reproduce.schemas.fields import OUT, USELESS, Misfit, Model, Number, Once, Text, like

PROFILES = ("smoke", "paper")
# The place where a run is made is no part of its question.
_NOT_ASKED = frozenset({"device"})
SEEDS = "seeds"
_MOST_VALUES = 10_000  # of a range that is typed
RESERVED = "profile"  # every notebook has it; it is chosen with --profile, never with --set

Value = int | float | str | bool | list[int] | list[float] | list[str]
Profile = Literal["smoke", "paper"]
Names = Annotated[tuple[Text, ...], Field(strict=False), Once]
_NAME = like("^[A-Za-z_][A-Za-z0-9_]*$", "a name of letters, digits and underscores")
_PROFILE = like("^(smoke|paper)$", "smoke or paper")
_MODULE = like(r"^trustnlp(\.[a-z0-9_]+)+$", "a module of the package")
_KINDS: Mapping[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}
_BOOLS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_READ: Mapping[str, Callable[[str], Any]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": lambda text: _BOOLS[text.lower()],
}


class Parameter(Model):
    """One declared parameter: its type, its value in each profile and what it may become (of a list each entry)."""

    type: Literal["int", "float", "str", "bool", "list[int]", "list[float]", "list[str]"]
    smoke: Any
    paper: Any
    min: Number = OUT
    max: Number = OUT
    choices: Annotated[list[Any], Field(min_length=1), Once] = OUT
    help: Text

    @model_validator(mode="after")
    def _fits_itself(self) -> Self:
        useless = {"str": ("min", "max"), "bool": ("min", "max", "choices")}.get(self.element_type, ())
        for name in filter(self.has, useless):
            raise Misfit(USELESS, name)
        for profile in PROFILES:
            try:
                setattr(self, profile, self.check(getattr(self, profile)))
            except Misfit as error:
                raise Misfit(str(error), profile) from None
        return self

    @property
    def is_list(self) -> bool:
        return self.type.startswith("list[")

    @property
    def element_type(self) -> str:
        return self.type.removeprefix("list[").removesuffix("]")

    def parse(self, text: str) -> Value:
        """Read what was typed after `--set name=`; a list is `a,b,c`, whole numbers also `0-4`."""
        if not self.is_list:
            return self.check(self._parse_one(text.strip()))
        items = [item.strip() for item in text.strip().removeprefix("[").removesuffix("]").split(",")]
        values: list[Any] = []
        for item in items:
            low, dash, high = item.partition("-")
            if self.element_type == "int" and dash and low.isdecimal() and high.isdecimal():
                first, last = self._parse_one(low), self._parse_one(high)
                if last < first:
                    raise self._misfit(text, because=f"the range {item} runs backwards")
                if last - first >= _MOST_VALUES:
                    raise self._misfit(text, because=f"a range has at most {_MOST_VALUES:,} numbers")
                values += range(first, last + 1)
            elif item:
                values.append(self._parse_one(item))
        return self.check(values)

    def check(self, value: Any) -> Value:
        """Return `value` in the declared type, or raise `Misfit` (a `UserError`) saying what was expected."""
        if not self.is_list:
            return self._check_one(value)  # type: ignore[no-any-return]
        if not isinstance(value, list | tuple):
            raise self._misfit(value)
        return [self._check_one(item) for item in value]

    def read(self, value: Any) -> Value:
        """A value from the command line or from Python: text for a parameter of another type is parsed."""
        return self.parse(value) if isinstance(value, str) and self.type != "str" else self.check(value)

    def _parse_one(self, text: str) -> Any:
        try:
            return _READ[self.element_type](text)
        except (ValueError, KeyError):
            raise self._misfit(text) from None

    def _check_one(self, value: Any) -> Any:
        kind = self.element_type
        fits = isinstance(value, _KINDS[kind]) and (kind == "bool" or not isinstance(value, bool))
        if not fits or (kind == "float" and not math.isfinite(value)):
            raise self._misfit(value)
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            raise self._misfit(value)
        if self.choices is not None and value not in self.choices:
            raise self._misfit(value, because=nearest(str(value), [str(c) for c in self.choices]).lstrip("; "))
        return float(value) if kind == "float" else value

    def _misfit(self, value: Any, because: str = "") -> Misfit:
        expected: str = self.type
        if self.choices is not None:
            expected += " of " + ", ".join(str(c) for c in self.choices)
        elif self.min is not None and self.max is not None:
            expected += f" from {self.min:g} to {self.max:g}"
        elif self.min is not None or self.max is not None:
            expected += f", at least {self.min:g}" if self.max is None else f", at most {self.max:g}"
        return Misfit(f"expected {expected}, got {value!r:.200}{f'; {because}' if because else ''}")


class NotebookParams(Model):
    """One notebook's entry in `params.yaml`.

    `verify` is what a verification changes of the paper profile, `verify_except` the metrics (by their first names)
    that this change alters: those over all seeds or over a whole grid, `verify_needs` the modules that it imports and
    the lock leaves out, `verify_trained` those whose kept trainings it reads. `parts` are the lists that a paper run
    may be divided by, each with the metrics that need the whole of it (`trustnlp join`).
    """

    chapter: str = Field("", exclude=True)
    name: str = Field("", exclude=True)
    verify: dict[str, Any] = OUT
    verify_except: Names = ()
    verify_needs: Names = ()
    verify_trained: Annotated[tuple[Annotated[str, _MODULE], ...], Field(strict=False), Once] = ()
    data: dict[Annotated[str, _PROFILE], Names] = Field(default_factory=dict)
    parameters: dict[Annotated[str, _NAME], Parameter] = Field(default_factory=dict)
    parts: dict[str, Names] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if RESERVED in self.parameters:
            raise Misfit("'profile' is given to every notebook and may not be declared", "parameters")
        self.data = {profile: self.data.get(profile, ()) for profile in PROFILES}
        return self.together(*((name, "verify") for name in ("verify_except", "verify_needs", "verify_trained")))

    def checked(self) -> None:
        """Refuse what `verify` and `parts` say of parameters that are not there, or not so."""
        field = "verify"
        try:
            self.resolve("paper", self.verify)
            field = "parts"
            for name in self.parts:
                if not self.parameter(name).is_list:
                    raise UserError(f"{name!r} is no list, so runs cannot divide it")
        except UserError as error:
            raise Misfit(str(error), "notebooks", self.name, field) from None

    def resolve(self, profile: str, overrides: Mapping[str, Any] | None = None) -> dict[str, Value]:
        """The full set of parameters of a run: the profile's values with `overrides` laid over them."""
        check_profile(profile)
        values: dict[str, Value] = {name: getattr(p, profile) for name, p in self.parameters.items()}
        return values | {name: self.read(name, value) for name, value in (overrides or {}).items()}

    def read(self, name: str, value: Any) -> Value:
        """A parameter's value as it was given, in its type."""
        parameter = self.parameter(name)
        try:
            given = parameter.read(value)
        except Misfit as error:
            raise UserError(f"parameter {name!r}: {error}") from None
        if name == SEEDS and isinstance(given, list) and not 0 < len(given) == len(set(given)):
            raise UserError(f"parameter {name!r}: give one seed at least, each once, got {value!r:.200}")
        return given

    def parameter(self, name: str) -> Parameter:
        if name == RESERVED:
            raise UserError("parameter 'profile' is chosen with --profile, not with --set")
        if name not in self.parameters:
            known = ", ".join(self.parameters) or "none"
            hint = nearest(name, self.parameters)
            raise UserError(f"{self.chapter}/{self.name} has no parameter {name!r}{hint} (known: {known})")
        return self.parameters[name]


def question(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that decide what is measured."""
    return {name: value for name, value in parameters.items() if name not in _NOT_ASKED}


def committed(chapter: str, notebook: str) -> Path:
    """Where the paper record of a notebook is committed."""
    return chapter_dir(chapter) / "results" / f"{notebook}.paper.json"


class Sweep(Model):
    """A named grid: each combination of values is one run. If it `completes` the paper record, all make one."""

    name: str = Field("", exclude=True)
    notebook: Text
    profile: Profile
    grid: Annotated[dict[str, Annotated[list[Any], Field(min_length=1)]], Field(min_length=1)]
    completes: bool = False

    def points(self) -> list[dict[str, Any]]:
        return [dict(zip(self.grid, combination, strict=True)) for combination in product(*self.grid.values())]

    def whole(self) -> dict[str, Any]:
        """The one question that the points of a completing sweep answer together: the lists they divide, united."""
        united = {}
        for name, values in self.grid.items():
            lists = isinstance(values[0], list)
            united[name] = list(dict.fromkeys(item for value in values for item in value)) if lists else values[0]
        return united

    def checked(self, notebooks: Mapping[str, NotebookParams]) -> Sweep:
        """The same with its values in their types; refused where its notebook has no such parameters."""
        if self.notebook not in notebooks:
            raise UserError(f"names notebook {self.notebook!r}{nearest(self.notebook, notebooks)}")
        sweep = make_sweep(self.name, notebooks[self.notebook], self.profile, self.grid)
        several = [key for key, values in sweep.grid.items() if len(values) > 1 and not isinstance(values[0], list)]
        if self.completes and (several or self.profile != "paper"):
            need = f"one value of {several[0]!r}" if several else "the profile paper"
            raise UserError(f"a sweep that completes the paper record needs {need}")
        return sweep.model_copy(update={"completes": self.completes})


class ChapterParams(Model):
    """The content of one chapter's `params.yaml`."""

    chapter: str = Field("", exclude=True)
    notebooks: Annotated[dict[Annotated[str, _NAME], NotebookParams], Field(min_length=1)]
    sweeps: dict[Annotated[str, _NAME], Sweep] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _named(self, info: ValidationInfo) -> Self:
        self.chapter = (info.context or {}).get("chapter", "")
        for name, notebook in self.notebooks.items():
            notebook.chapter, notebook.name = self.chapter, name
            notebook.checked()
        for name, sweep in self.sweeps.items():
            sweep.name = name
            try:
                self.sweeps[name] = sweep.checked(self.notebooks)
            except UserError as error:
                raise Misfit(str(error), "sweeps", name) from None
        return self

    def notebook(self, name: str) -> NotebookParams:
        if name not in self.notebooks:
            hint, known = nearest(name, self.notebooks), ", ".join(self.notebooks)
            raise UserError(f"chapter {self.chapter!r} has no notebook {name!r}{hint} (known: {known})")
        return self.notebooks[name]

    def unknown(self, name: str, notebooks: Iterable[NotebookParams]) -> UserError:
        """The error for a parameter that none of some notebooks declares."""
        known = sorted({key for entry in notebooks for key in entry.parameters})
        hint = f"{nearest(name, known)} (known: {', '.join(known)})"
        return UserError(f"no notebook of {self.chapter!r} has a parameter {name!r}{hint}")


def check_profile(profile: str) -> str:
    """Raise `UserError` unless `profile` is one of `PROFILES`."""
    if profile not in PROFILES:
        raise UserError(f"unknown profile {profile!r}{nearest(profile, list(PROFILES))} (known: {', '.join(PROFILES)})")
    return profile


def load_params(chapter: str) -> ChapterParams:
    """Read and check `chapters/<chapter>/params.yaml`; an unknown chapter or a faulty file is a `UserError`."""
    path = chapter_dir(chapter) / "params.yaml"
    return _load(chapter, path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=64)  # asked for again and again: a plan, a cache key and a listing each need it per notebook
def _load(chapter: str, path: Path, _changed: int) -> ChapterParams:
    return read_params(chapter, load_yaml(path), path.parent)


def read_params(chapter: str, raw: Any, folder: Path | None = None) -> ChapterParams:
    """Build `ChapterParams` from the parsed YAML; `folder`, if given, must hold each notebook's `.py`."""
    where = f"chapters/{chapter}/params.yaml"
    params: Any = validate(raw, "params", where, chapter=chapter)
    for name in params.notebooks:
        if folder is not None and not (folder / f"{name}.py").is_file():
            raise UserError(f"{where}: notebook '{name:.60}' has no source chapters/{chapter}/{name:.60}.py")
    return params  # type: ignore[no-any-return]


def make_sweep(name: str, notebook: NotebookParams, profile: str, grid: Mapping[str, Any]) -> Sweep:
    """Check a grid `{parameter: [value, …]}` against the notebook's declared parameters."""
    check_profile(profile)
    if not grid:
        raise UserError("an empty grid: give at least one parameter with its values, as in --grid alphas=2,4,8")
    checked: dict[str, list[Any]] = {}
    for key, values in grid.items():
        notebook.parameter(key)
        if not isinstance(values, list | tuple) or not values:
            raise UserError(f"grid of {key!r}: expected a list of values, got {values!r}")
        read = [notebook.read(key, value) for value in values]
        if len({json.dumps(v) for v in read}) < len(read):
            raise UserError(f"grid of {key!r}: a value stands twice in {read!r}")
        checked[key] = read
    sweep = Sweep(notebook=notebook.name, profile=profile, grid=checked)  # type: ignore[call-arg, arg-type]
    sweep.name = name
    return sweep
