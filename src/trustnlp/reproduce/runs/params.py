"""What a notebook may be asked: `params.yaml`, with its types, ranges, profiles and sweep grids.

Papermill passes unknown parameters on with a log line and runs; this module refuses them before anything starts.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import UserError, chapter_dir, nearest
from trustnlp.reproduce.schemas import load_yaml, validate

PROFILES = ("smoke", "paper")
# The place where a run is made is no part of its question.
_NOT_ASKED = frozenset({"device"})
SEEDS = "seeds"
_MOST_VALUES = 10_000  # of a range that is typed
RESERVED = "profile"  # every notebook has it; it is chosen with --profile, never with --set

Value = int | float | str | bool | list[int] | list[float] | list[str]


@dataclass(frozen=True)
class Parameter:
    """One declared parameter: its type, its value in each profile and what it may become."""

    name: str
    type: str
    help: str
    defaults: Mapping[str, Value]
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Any, ...] | None = None

    @property
    def is_list(self) -> bool:
        return self.type.startswith("list[")

    @property
    def element_type(self) -> str:
        return self.type[5:-1] if self.is_list else self.type

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
                    raise self._refuse(text, because=f"the range {item} runs backwards")
                if last - first >= _MOST_VALUES:
                    raise self._refuse(text, because=f"a range has at most {_MOST_VALUES:,} numbers")
                values += range(first, last + 1)
            elif item:
                values.append(self._parse_one(item))
        return self.check(values)

    def check(self, value: Any) -> Value:
        """Return `value` in the declared type, or raise `UserError` saying what was expected."""
        if not self.is_list:
            return self._check_one(value)  # type: ignore[no-any-return]
        if not isinstance(value, list | tuple):
            raise self._refuse(value)
        values = [self._check_one(item) for item in value]
        if self.name == SEEDS and not 0 < len(values) == len(set(values)):
            raise self._refuse(value, because="give one seed at least, each once")
        return values

    def _parse_one(self, text: str) -> Any:
        kind = self.element_type
        try:
            if kind == "int":
                return int(text)
            if kind == "float":
                return float(text)
        except ValueError:
            raise self._refuse(text) from None
        if kind == "bool":
            if text.lower() not in {"true", "false", "yes", "no", "1", "0"}:
                raise self._refuse(text)
            return text.lower() in {"true", "yes", "1"}
        return text

    def _check_one(self, value: Any) -> Any:
        kind = self.element_type
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if kind == "float" and is_number and math.isfinite(value):
            value = float(value)
        elif not (
            (kind == "int" and is_number and isinstance(value, int))
            or (kind == "str" and isinstance(value, str))
            or (kind == "bool" and isinstance(value, bool))
        ):
            raise self._refuse(value)
        if self.minimum is not None and value < self.minimum:
            raise self._refuse(value)
        if self.maximum is not None and value > self.maximum:
            raise self._refuse(value)
        if self.choices is not None and value not in self.choices:
            raise self._refuse(value, because=nearest(str(value), [str(c) for c in self.choices]).lstrip("; "))
        return value

    def _refuse(self, value: Any, because: str = "") -> UserError:
        expected = self.type
        if self.choices is not None:
            expected += " of " + ", ".join(str(c) for c in self.choices)
        elif self.minimum is not None and self.maximum is not None:
            expected += f" from {self.minimum:g} to {self.maximum:g}"
        elif self.minimum is not None:
            expected += f", at least {self.minimum:g}"
        elif self.maximum is not None:
            expected += f", at most {self.maximum:g}"
        why = f"; {because}" if because else ""
        return UserError(f"parameter {self.name!r}: expected {expected}, got {value!r:.200}{why}")


@dataclass(frozen=True)
class NotebookParams:
    """What `params.yaml` says of one notebook.

    `verify` is what a verification changes of the paper profile, `verify_except` the metrics (by their first names)
    that this change alters: those over all seeds or over a whole grid, `verify_needs` the modules that it imports and
    the lock leaves out, `verify_trained` those whose kept trainings it reads. `parts` are the lists that a paper run
    may be divided by, each with the metrics that need the whole of it (`trustnlp join`).
    """

    chapter: str
    name: str
    verify: Mapping[str, Any] | None
    verify_except: tuple[str, ...]
    verify_needs: tuple[str, ...]
    verify_trained: tuple[str, ...]
    data: Mapping[str, tuple[str, ...]]
    parameters: Mapping[str, Parameter]
    parts: Mapping[str, tuple[str, ...]]

    def resolve(self, profile: str, overrides: Mapping[str, Any] | None = None) -> dict[str, Value]:
        """The full set of parameters of a run: the profile's values with `overrides` laid over them.

        A string given for a parameter of another type is parsed, so that `--set` and Python callers share this path.
        """
        check_profile(profile)
        values: dict[str, Value] = {name: p.defaults[profile] for name, p in self.parameters.items()}
        for name, value in (overrides or {}).items():
            parameter = self.parameter(name)
            as_text = isinstance(value, str) and parameter.type != "str"
            values[name] = parameter.parse(value) if as_text else parameter.check(value)
        return values

    def parameter(self, name: str) -> Parameter:
        if name == RESERVED:
            raise UserError("parameter 'profile' is chosen with --profile, not with --set")
        if name not in self.parameters:
            known = ", ".join(self.parameters) or "none"
            raise UserError(
                f"{self.chapter}/{self.name} has no parameter {name!r}{nearest(name, list(self.parameters))} "
                f"(known: {known})"
            )
        return self.parameters[name]


def question(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that decide what is measured."""
    return {name: value for name, value in parameters.items() if name not in _NOT_ASKED}


def committed(chapter: str, notebook: str) -> Path:
    """Where the paper record of a notebook is committed."""
    return chapter_dir(chapter) / "results" / f"{notebook}.paper.json"


@dataclass(frozen=True)
class Sweep:
    """A named grid: each combination of values is one run. If it `completes` the paper record, all make one."""

    name: str
    notebook: str
    profile: str
    grid: Mapping[str, tuple[Any, ...]]
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


@dataclass(frozen=True)
class ChapterParams:
    """The content of one chapter's `params.yaml`."""

    chapter: str
    notebooks: Mapping[str, NotebookParams]
    sweeps: Mapping[str, Sweep]

    def notebook(self, name: str) -> NotebookParams:
        if name not in self.notebooks:
            hint, known = nearest(name, list(self.notebooks)), ", ".join(self.notebooks)
            raise UserError(f"chapter {self.chapter!r} has no notebook {name!r}{hint} (known: {known})")
        return self.notebooks[name]


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
    return read_params(chapter, load_yaml(path, "params"), path.parent)


def read_params(chapter: str, raw: Any, folder: Path | None = None) -> ChapterParams:
    """Build `ChapterParams` from the parsed YAML; `folder`, if given, must hold each notebook's `.py`."""
    where = f"chapters/{chapter}/params.yaml"
    validate(raw, "params", where)
    notebooks = {}
    found = {path.name for path in folder.glob("*.py")} if folder is not None else set()
    for name, entry in raw["notebooks"].items():
        if folder is not None and f"{name}.py" not in found:
            raise UserError(f"{where}: notebook '{name:.60}' has no source chapters/{chapter}/{name:.60}.py")
        parameters = {
            key: _read_parameter(key, spec, f"{where}, notebook {name!r}")
            for key, spec in (entry.get("parameters") or {}).items()
        }
        data = {profile: tuple(entry.get("data", {}).get(profile) or ()) for profile in PROFILES}
        left_out, needed = tuple(entry.get("verify_except", ())), tuple(entry.get("verify_needs", ()))
        trained = tuple(entry.get("verify_trained", ()))
        parts = {key: tuple(names) for key, names in entry.get("parts", {}).items()}
        verify = entry.get("verify")
        notebook = NotebookParams(chapter, name, verify, left_out, needed, trained, data, parameters, parts)
        try:
            notebook.resolve("paper", notebook.verify)
        except UserError as error:
            raise UserError(f"{where}, notebook {name!r}, verify: {error}") from None
        try:
            whole = [key for key in parts if not notebook.parameter(key).is_list]
        except UserError as error:
            raise UserError(f"{where}, notebook {name!r}, parts: {error}") from None
        if whole:
            raise UserError(f"{where}, notebook {name!r}, parts: {whole[0]!r} is no list, so runs cannot divide it")
        notebooks[name] = notebook
    sweeps = {name: _read_sweep(name, entry, notebooks, where) for name, entry in (raw.get("sweeps") or {}).items()}
    return ChapterParams(chapter, notebooks, sweeps)


def _read_parameter(name: str, spec: Mapping[str, Any], where: str) -> Parameter:
    if name == RESERVED:
        raise UserError(f"{where}: 'profile' is given to every notebook and may not be declared")
    bare = Parameter(
        name,
        spec["type"],
        spec["help"],
        {},
        spec.get("min"),
        spec.get("max"),
        tuple(spec["choices"]) if "choices" in spec else None,
    )
    try:
        defaults = {profile: bare.check(spec[profile]) for profile in PROFILES}
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    return Parameter(name, bare.type, bare.help, defaults, bare.minimum, bare.maximum, bare.choices)


def _read_sweep(name: str, entry: Mapping[str, Any], notebooks: Mapping[str, NotebookParams], where: str) -> Sweep:
    notebook = entry["notebook"]
    if notebook not in notebooks:
        raise UserError(f"{where}: sweep {name!r} names notebook {notebook!r}{nearest(notebook, list(notebooks))}")
    try:
        sweep = make_sweep(name, notebooks[notebook], entry["profile"], entry["grid"])
    except UserError as error:
        raise UserError(f"{where}, sweep {name!r}: {error}") from None
    if entry.get("completes"):
        several = [key for key, values in sweep.grid.items() if len(values) > 1 and not isinstance(values[0], list)]
        if several or sweep.profile != "paper":
            told = f"one value of {several[0]!r}" if several else "the profile paper"
            raise UserError(f"{where}, sweep {name!r}: a sweep that completes the paper record needs {told}")
    return replace(sweep, completes=entry.get("completes", False))


def make_sweep(name: str, notebook: NotebookParams, profile: str, grid: Mapping[str, Any]) -> Sweep:
    """Check a grid `{parameter: [value, …]}` against the notebook's declared parameters."""
    check_profile(profile)
    if not grid:
        raise UserError("an empty grid: give at least one parameter with its values, as in --grid alphas=2,4,8")
    checked: dict[str, tuple[Any, ...]] = {}
    for key, values in grid.items():
        parameter = notebook.parameter(key)
        if not isinstance(values, list | tuple) or not values:
            raise UserError(f"grid of {key!r}: expected a list of values, got {values!r}")
        read = [
            parameter.parse(v) if isinstance(v, str) and parameter.type != "str" else parameter.check(v) for v in values
        ]
        if len({json.dumps(v) for v in read}) < len(read):
            raise UserError(f"grid of {key!r}: a value stands twice in {read!r}")
        checked[key] = tuple(read)
    return Sweep(name, notebook.name, profile, checked)
