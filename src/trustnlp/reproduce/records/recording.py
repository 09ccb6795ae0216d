"""Records: what one run of a notebook measured, and on which data, code and machine.

A notebook fills a `Record` and calls `save()`; the runner adds where the numbers come from with `complete()` and
writes the whole, which `load_record()` checks against the schema each time it is read. A notebook needs no
project, no runner and no file: without TRUSTNLP_RECORD (which the runner sets) `save()` only reports.

>>> record = Record("weat_measures", "method", profile="smoke")
>>> record.metric("planted.effect_size", 1.5)
>>> record.save()
Record method (smoke): 1 metric, 0 arrays, 0 deviations, 0 data sets; not saved, because ... `trustnlp run` keeps it
"""

from __future__ import annotations

import copy
import html
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustnlp.data.registry import dataset as registered
from trustnlp.reproduce.notebooks.paper_places import named_places
from trustnlp.reproduce.project import ProjectError, nearest, project_root, shown, write_atomic
from trustnlp.reproduce.records.measurement import RecordError, covers, summary
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.reproduce.records.record_files import (
    check_digest,
    check_record,
    complete,
    digest,
    load_record,
    write_record,
)
from trustnlp.reproduce.records.record_values import exactness_by_name, finite_numbers, plain, whole_seeds
from trustnlp.reproduce.records.units import FILE, NONE, units_of
from trustnlp.reproduce.runs.injected_parameters import running_shell

__all__ = [
    "Record", "RecordError", "check_digest", "check_record", "complete", "digest", "load_record", "plain",
    "write_record",
]  # fmt: skip

if TYPE_CHECKING:
    from pandas import DataFrame

    from trustnlp.reproduce.checks.comparison import Comparison

RECORD_VARIABLE = "TRUSTNLP_RECORD"
# Set by the runner: the file that will hold the record when the run is over, as a reader finds it.
HOLDS_VARIABLE = "TRUSTNLP_HOLDS"
SCHEMA_VERSION = 2
PROFILES = ("smoke", "paper")
# Names of encoders that no registry pins, among a record's data.
ENCODER_PREFIX = "encoder "

_KEY = re.compile(r"[A-Za-z0-9_+=-]+(\.[A-Za-z0-9_+=-]+)*")


class Record:
    """The record of one run, filled by its notebook.

    Parameters
    ----------
    chapter, notebook : str
        Slug of the chapter and name of the notebook (no suffix).
    profile : str
        "smoke" or "paper": the notebook's own parameter `profile`.
    seeds : sequence of int
        Seeds of the repeated runs; a metric with one value per seed lists its values in this order.
    parameters : mapping, optional
        Parameters of the run. The runner knows them all and fills them in; give them when there is no runner.
    repeats : str or mapping
        How exactly another machine repeats the metrics: "exact" (counts, fractions), "float64", "float32" (states of
        encoders, trainings) or "timed". A mapping says it by the first names of the keys, "" for all others:
        `{"": "float32", "data": "exact", "seconds": "timed"}`; the longest that fits counts.
    """

    def __init__(
        self,
        chapter: str,
        notebook: str,
        *,
        profile: str,
        seeds: Sequence[int] = (0,),
        parameters: Mapping[str, Any] | None = None,
        repeats: str | Mapping[str, str] = "float64",
    ) -> None:
        if profile not in PROFILES:
            raise RecordError(f"profile '{profile}': expected smoke or paper{nearest(profile, PROFILES)}")
        self._units = units_of(chapter, notebook)
        self._without_unit: list[str] = []
        self.chapter, self.notebook, self.profile = chapter, notebook, profile
        self.seeds = whole_seeds(seeds)
        self._parameters = {name: plain(value, f"parameter '{name}'") for name, value in (parameters or {}).items()}
        self._metrics: dict[str, dict[str, Any]] = {}
        self._arrays: dict[str, Any] = {}
        self._deviations: list[dict[str, Any]] = []
        self._conditions: dict[str, Any] = {}
        self._repeats = exactness_by_name(repeats)
        self._data: dict[str, dict[str, str]] = {}
        self._given = dict(self._parameters)
        if "IPython" in sys.modules:
            from trustnlp.reproduce.checks.comparison import follow_sections, given_parameters

            # Now: a notebook may give a parameter's name to something else later on.
            self._given = {**given_parameters(chapter, notebook), **self._parameters}
            follow_sections(self)

    @property
    def measurements(self) -> Metrics:
        """A copy of what `metric` and `metrics` have kept so far, by key, in the order of the record."""
        return Metrics({key: dict(kept) for key, kept in self._metrics.items()})

    @property
    def arrays(self) -> dict[str, Any]:
        """A copy of what `array` has kept so far, by name."""
        return copy.deepcopy(self._arrays)

    def metric(
        self,
        key: str,
        values: Any,
        *,
        interval: str | tuple[float, float] = "deterministic",
        unit: str | None = None,
    ) -> None:
        """Record a number, or one number per seed, with its 95 % interval.

        key
            Names joined by dots, from general to special: "word2vec.cosine.mean.weat1.effect_size".
        values
            A number or a flat list or array of numbers, all finite.
        interval
            "deterministic": one value that no seed changes. "t" or "bootstrap": computed over the values, one per
            seed (a single value is kept without an interval, and judged undetermined). (low, high): known otherwise.
        unit
            A kind of `trustnlp.reproduce.records.units`, with what it is of: "share of pairs", "points", "none". It may
            be left out where the chapter's `units.yaml` says it; a metric without any is refused when the record is
            saved.
        """
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise RecordError(f"metric '{key}': expected names of letters, digits and _ + = - joined by dots")
        if key in self._metrics:
            raise RecordError(f"metric '{key}' is recorded already; give each number its own key")
        numbers = finite_numbers(key, values)
        unit = self._unit(key, unit)
        if not isinstance(interval, str):
            interval = tuple(finite_numbers(f"{key} (interval)", interval))  # type: ignore[assignment]
        try:
            self._metrics[key] = summary(numbers, interval, unit=unit, seeds=self.seeds)
        except RecordError as error:
            raise RecordError(f"metric '{key}': {error}") from None

    def metrics(
        self,
        values: Mapping[str, Any] | DataFrame,
        *,
        prefix: str = "",
        interval: str | tuple[float, float] = "deterministic",
        unit: str | None = None,
    ) -> None:
        """Record many numbers in one call, in their order: all of them, or none where `metric` would refuse one.

        values
            Key → a number, or one number per seed, as for `metric`; or a frame with a column for each key and a row for
            each seed. What is missing in a column is left out, and the metric's n says so. A number that brings an
            interval of its own is a pair: (value, (low, high)).
        prefix
            Names before each key, joined to it by a dot.
        interval, unit
            Of all that bring none, as for `metric`. Units that differ are said in the chapter's `units.yaml`.

        >>> record = Record("no_chapter", "method", profile="smoke", seeds=[0, 1])
        >>> record.metrics({"bag": [0.5, 0.7], "encoder": [0.8, 0.9]}, prefix="accuracy", interval="t", unit="share")
        >>> record.metrics({"texts": 40, "slope": (1.5, (1.0, 2.25))}, unit="none")
        >>> {key: metric["mean"] for key, metric in record.measurements.items()}
        {'accuracy.bag': 0.6, 'accuracy.encoder': 0.85, 'texts': 40.0, 'slope': 1.5}
        """
        if not isinstance(values, Mapping) and not hasattr(values, "columns"):
            raise RecordError(f"metrics: expected keys with values, or a frame with a column a key, got {values!r:.80}")
        before = dict(self._metrics), list(self._without_unit)
        try:
            for key, numbers in values.items():
                full: Any = f"{prefix}.{key}" if prefix and isinstance(key, str) else key
                around = interval
                if not isinstance(values, Mapping):
                    numbers = numbers.dropna()
                elif isinstance(numbers, tuple) and len(numbers) == 2 and isinstance(numbers[1], str | tuple):
                    numbers, around = numbers
                self.metric(full, numbers, interval=around, unit=unit)
        except BaseException:
            self._metrics, self._without_unit = before
            raise

    def _unit(self, key: str, said: str | None) -> str:
        """The unit of a metric: said in the call, or by the chapter's table, but not by both."""
        if said is not None and not isinstance(said, str):
            raise RecordError(f"metric '{key}': the unit is {said!r}; expected text such as 'share of pairs'")
        listed = self._units.unit_of(key) if self._units else None
        if said is not None and listed not in (None, said):
            raise RecordError(f"metric '{key}' has the unit '{listed}' in {FILE} and '{said}' in the call; mend one")
        if said is None and listed is None and self._units:
            self._without_unit.append(key)
        return next((unit for unit in (said, listed) if unit is not None), NONE)

    def array(self, name: str, value: Any) -> None:
        """Record anything a figure or table needs that JSON can hold; numpy arrays become lists, missing is None."""
        if name in self._arrays:
            raise RecordError(f"array '{name}' is recorded already; give each array its own name")
        self._arrays[name] = plain(value, f"array '{name}'")

    def deviation(self, text: str, keys: Sequence[str] = (), *, lacks: bool = False) -> None:
        """Say in one sentence where this run departs from the paper, for some metrics (`keys`) or for all.

        `lacks` says that what these metrics need (a word, a row, weights) is not to be had here: claims on them are
        not testable, whatever the numbers are.

        A key covers itself and every longer key that begins with its names: "word2vec.mahalanobis" covers
        "word2vec.mahalanobis.mean.weat1.effect_size".
        """
        if not isinstance(text, str) or not text.strip():
            raise RecordError("a deviation needs a sentence that says what differs from the paper")
        named = [keys] if isinstance(keys, str) else list(keys)
        if not all(isinstance(key, str) and key for key in named):
            raise RecordError(f"a deviation names {named!r}; expected keys of metrics, or their first names")
        if lacks and not named:
            raise RecordError("a deviation that lacks something needs 'keys': which metrics cannot be had without it?")
        self._deviations.append({"text": " ".join(text.split()), "keys": named, "lacks": lacks})

    def condition(self, name: str, value: str | float | bool) -> None:
        """Say how near the run came to the paper's own conditions, so that the ledger's caps can look: which encoder,
        whether the data are complete. Parameters of the run need not be said again.
        """
        value = plain(value, f"condition '{name}'")
        if not isinstance(value, bool | int | float | str):
            raise RecordError(f"condition '{name}' is {value!r}; caps compare one text, number, or true and false")
        if self._conditions.setdefault(name, value) != value:
            raise RecordError(f"condition '{name}' is {self._conditions[name]!r} already, and now {value!r}")

    def uses(self, dataset: str) -> None:
        """Say that the run read a registered data set; its files' hashes become part of the record.

        Raises
        ------
        trustnlp.data.registry.DataError
            If there is no such data set; the nearest name is suggested.
        """
        self._data[dataset] = {file.key: file.sha256 for file in registered(dataset).files}

    def uses_encoder(self, name: str, *, condition: str | None = "encoder") -> None:
        """Say which encoder was loaded: its files' hashes become part of the record, its name a condition for caps.

        name
            As given to `trustnlp.encoders.pretrained.load_encoder`. Weights of a folder are named by their hash, so
            that no folder's name lifts a cap.
        condition
            Name of the condition; None where a run has several encoders.

        Raises
        ------
        trustnlp.data.registry.DataError
            If the encoder's files are not to be had.
        """
        from trustnlp.encoders.identity import identify

        encoder = identify(name)
        if condition:
            self.condition(condition, encoder.label)
        if encoder.registered:
            self.uses(encoder.registered)
        else:
            self._data[f"{ENCODER_PREFIX}{encoder.label}"] = encoder.files

    def to_json(self) -> dict[str, Any]:
        """The notebook's part of the record; `complete` adds the rest."""
        return {
            "schema_version": SCHEMA_VERSION,
            "chapter": self.chapter,
            "notebook": self.notebook,
            "profile": self.profile,
            "parameters": self._parameters,
            "seeds": self.seeds,
            "metrics": self._metrics,
            "arrays": self._arrays,
            "deviations": self._deviations,
            "conditions": self._conditions,
            "repeats": self._repeats,
            "data": self._data,
            "instructions": _instructions(),
        }

    def show(self, what: Any, alt: str | None = None, *, printed: bool = False) -> None:
        """Display what was made of `evidence(record)` alone: a table, or a figure with its alternative text."""
        from trustnlp.reproduce.pages.record_display import shown

        shown(self, what, alt, printed=printed)

    def frame(self, *patterns: Any, **values: Any) -> Any:
        """The evidence that fits key patterns, one metric a row (`pages.record_display.frame`)."""
        from trustnlp.reproduce.pages.record_display import frame

        return frame(self, *patterns, **values)

    def table(self, *patterns: Any, **how: Any) -> None:
        """Show the evidence that fits key patterns: paper, ours, verdict (`pages.record_display.table`)."""
        from trustnlp.reproduce.pages.record_display import table

        table(self, *patterns, **how)

    def plot(self, *patterns: Any, **how: Any) -> None:
        """Draw the evidence that fits key patterns over a field (`pages.record_display.plot`)."""
        from trustnlp.reproduce.pages.record_display import plot

        plot(self, *patterns, **how)

    def comparison(self, heading: str | None = None) -> Comparison | None:
        """The metrics recorded so far beside the paper and the committed record; None outside the book.

        With a heading such as "Table 3" only what belongs to the tables and figures of the paper that it names.
        """
        from trustnlp.reproduce.checks.comparison import compare_run

        compared = compare_run(self, self._given)
        return compared if compared is None or heading is None else compared.at(named_places(heading))

    def save(self, path: str | Path | None = None) -> None:
        """Write the notebook's part to `path`, or to where the runner wants it, and print one line about it.

        In a notebook, all that was measured stands below, beside the paper and the committed record, with the name of
        the file that holds it; without a runner that is `_build/runs/CHAPTER/NOTEBOOK.notebook.json`.

        Raises
        ------
        RecordError
            If a runner wants the record, and some metric has no unit.
        OSError
            If the file cannot be written.
        """
        wanted, held_by = self._place(path)
        if (path or os.environ.get(RECORD_VARIABLE)) and self._units and self._without_unit:
            raise RecordError(
                f"{len(self._without_unit)} metrics have no unit, such as '{self._without_unit[0]}'; say the unit in"
                f" the call, or add a pattern to {self._units.source} ('{NONE}' for a pure number)"
            )
        if wanted is not None:
            write_atomic(wanted, json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False) + "\n")
            # No folder: the line is printed on a page, and folders differ between machines.
            fate = f"saved as {wanted.name}" if RECORD_VARIABLE not in os.environ or path else "saved"
        else:
            fate = "not saved, because no runner asked for it; `trustnlp run` keeps it"
        print(f"Record {self.notebook} ({self.profile}): {', '.join(self._counts())}; {fate}")
        for deviation in self._deviations:
            for key in deviation["keys"]:
                if not any(covers(key, metric) for metric in self._metrics):
                    # As many first names as the key has: to compare it with thousands of whole keys takes seconds.
                    first = {".".join(metric.split(".")[: key.count(".") + 1]) for metric in self._metrics}
                    print(f"Note: a deviation names '{key}', which no metric begins with{nearest(key, sorted(first))}")

        if "IPython" in sys.modules:
            from trustnlp.reproduce.checks.comparison import show_comparison

            show_comparison(self, held_by)

    def _place(self, path: str | Path | None) -> tuple[Path | None, str]:
        """Where the record is saved, and how a reader calls that file."""
        asked = path or os.environ.get(RECORD_VARIABLE)
        if asked:
            return Path(asked), str(path) if path else os.environ.get(HOLDS_VARIABLE, Path(asked).name)
        if running_shell() is not None:
            with suppress(ProjectError):
                own = project_root() / "_build" / "runs" / self.chapter / f"{self.notebook}.notebook.json"
                own.parent.mkdir(parents=True, exist_ok=True)
                return own, shown(own)
        return None, "no file"

    def _counts(self) -> list[str]:
        parts = {
            "metric": self._metrics, "array": self._arrays, "deviation": self._deviations, "data set": self._data,
        }  # fmt: skip
        return [f"{len(held)} {name}{'' if len(held) == 1 else 's'}" for name, held in parts.items()]

    def __repr__(self) -> str:
        return f"<Record {self.chapter}/{self.notebook} ({self.profile}): {', '.join(self._counts())}>"

    def _repr_html_(self) -> str:
        """Summary table for the last line of a notebook cell."""
        data = ", ".join(self._data) or "none"
        deviations = "".join(f"<li>{html.escape(item['text'])}</li>" for item in self._deviations)
        rows = {
            "profile": html.escape(self.profile),
            "seeds": html.escape(", ".join(map(str, self.seeds))),
            "metrics": str(len(self._metrics)),
            "arrays": str(len(self._arrays)),
            "data": html.escape(data),
            "deviations": f"<ul>{deviations}</ul>" if deviations else "none",
        }
        body = "".join(f'<tr><th scope="row">{name}</th><td>{cell}</td></tr>' for name, cell in rows.items())
        title = html.escape(f"Record {self.chapter}/{self.notebook}")
        return f'<table class="tn-record"><caption>{title}</caption><tbody>{body}</tbody></table>'


def _instructions() -> str | None:
    """The instructions torch computes with here ("AVX2", "AVX512", …), or None in a run without torch."""
    torch = sys.modules.get("torch")
    return None if torch is None else str(torch.backends.cpu.get_cpu_capability())
