"""The kinds of things that names of code stand for, and which part of the package computes no number."""

from __future__ import annotations

from dataclasses import dataclass

TOP = "trustnlp"
# Where a logger is told how much to say: as little a part of a number as the messages themselves.
FRAME = ("trustnlp.reproduce", "trustnlp.tools", "trustnlp.plots", "trustnlp.moved", "trustnlp.data.logger_levels")
# Checks that return nothing and only refuse: a statement that calls one, and whose error
# nobody catches, changes no number of a run that ended.
REFUSALS = frozenset(
    f"{TOP}.{name}"
    for name in (
        "files.label_spellings:check_one_spelling",
        "files.number_ranges:check_shares",
        "files.same_rows:check_lists",
        "files.same_rows:check_no_tensors",
        "files.same_rows:check_one_order",
        "files.same_rows:check_positions",
        "graphs.pair_graph:check_exact_ids",
    )
)


def in_frame(module: str) -> bool:
    """Whether a module belongs to what computes no number."""
    return any(module == frame or module.startswith(f"{frame}.") for frame in FRAME)


def is_ours(module: str) -> bool:
    """Whether a module belongs to the package."""
    return module == TOP or module.startswith(f"{TOP}.")


@dataclass(frozen=True)
class Target:
    """The place in a package, or outside, that a name stands for.

    kind
        "unit": a definition `module:name`; "module": a whole module; "frame": something that does not count;
        "external": something of another library.
    """

    kind: str
    what: str


@dataclass
class Form:
    """The text of some code, what it refers to (each once, in order), its strings, and whether it asks dynamically."""

    text: str
    references: tuple[Target, ...]
    strings: frozenset[str]
    dynamic: bool
