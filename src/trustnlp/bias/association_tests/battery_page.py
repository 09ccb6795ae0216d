"""The whole battery on one's own vectors, as one page of HTML that opens without a network.

Azarpanah and Farhadloo (2021), §4, print two hundred effect sizes of an embedding and read each star alone. Here the
tests of one measure and statistic stand first, each with an interval over the stimuli and a p-value corrected for the
number of tests; then all combinations, corrected for all of them. p-values are two-sided unless a side is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.bias.association_tests.association import WeatResult
from trustnlp.bias.association_tests.many_tests import battery
from trustnlp.bias.association_tests.measures import MEASURES, Measure
from trustnlp.bias.association_tests.permutation import Alternative
from trustnlp.bias.association_tests.stability import bootstrap_effect_sizes
from trustnlp.bias.association_tests.statistics import STATISTICS, Statistic
from trustnlp.bias.association_tests.stimuli import Lookup
from trustnlp.bias.association_tests.word_sets import StimuliError, WordSets, resolve
from trustnlp.data.words.weat_stimuli import WeatTest
from trustnlp.evaluation.multiple_testing import benjamini_hochberg, holm

_STYLE = """
:root { color-scheme: light dark }
body { background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; margin: 1rem auto;
  max-width: 70rem; padding: 0 1rem; overflow-wrap: anywhere }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { text-align: left; padding-bottom: .5rem }
th, td { border-bottom: 1px solid GrayText; padding: .25rem .75rem .25rem 0; text-align: right; vertical-align: top }
th:first-child, td:first-child { text-align: left; min-width: 12rem }
"""
_ALL_NUMBERED = range(1, 11)


@dataclass(frozen=True)
class BatteryReport:
    """Results of a battery with intervals and corrections; `html` is the page, and notebooks show it.

    Attributes
    ----------
    tests
        The tests made, in the order given.
    left_out
        Title of a test → why it could not be made.
    results
        By test, measure and statistic.
    headline
        Index in `results` of the chosen measure and statistic of each test.
    low, high
        `(tests,)` ends of the 95 % intervals of the headline effect sizes over the stimuli.
    holm
        `(tests,)` p-values of the headline tests, by Holm's procedure.
    holm_all, fdr_all
        `(results,)` all p-values, by Holm's procedure and by that of Benjamini and Hochberg.
    name, alpha
        Of the vectors, and the level of what the page calls significant.
    """

    tests: list[WeatTest]
    left_out: dict[str, str]
    results: list[WeatResult]
    headline: list[int]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    holm: NDArray[np.float64]
    holm_all: NDArray[np.float64]
    fdr_all: NDArray[np.float64]
    name: str
    alpha: float

    @cached_property
    def html(self) -> str:
        """The page, from `<!doctype html>` on."""
        return _page(self)

    def _repr_html_(self) -> str:
        return self.html


def report(
    vectors: Any,
    tests: Iterable[int | str | WeatTest | WordSets] = _ALL_NUMBERED,
    *,
    measure: Measure = "cosine",
    statistic: Statistic = "mean",
    alternative: Alternative = "absolute",
    alpha: float = 0.05,
    measures: Sequence[Measure] = MEASURES,
    statistics: Sequence[Statistic] = STATISTICS,
    resamples: int = 2000,
    rng: np.random.Generator | None = None,
    lower: bool = False,
    name: str | None = None,
) -> BatteryReport:
    """Every test on these vectors, with intervals and corrections, as numbers and as a page.

    Parameters
    ----------
    vectors, alternative, lower
        As for `weat` and `battery`.
    tests
        What `weat` takes as `test`; by default the ten numbered ones. A test whose words are missing is left out, and
        the page says which words.
    measure, statistic
        What the first table shows; fix it before looking.
    alpha
        Level at which the page calls a corrected p-value significant.
    measures, statistics
        What the second table shows.
    resamples, rng
        Of the bootstrap over the stimuli; without `rng` its seed is 0, so that the same vectors give the same page.
    name
        What the vectors are called on the page; without it, their own name or type.

    Raises
    ------
    StimuliError
        If not one of the tests can be made with these vectors; a test that is none.
    ValueError
        If `battery` would raise it; `alpha` outside (0, 1); `measure` or `statistic` that is not among those shown.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if measure not in measures or statistic not in statistics:
        raise ValueError(f"the first table shows {measure}, {statistic}; put them among measures and statistics")
    source = rng if rng is not None else np.random.default_rng(0)
    possible: list[WeatTest] = []
    left_out: dict[str, str] = {}
    results: list[WeatResult] = []
    for test in map(resolve, tests):
        try:
            results += battery(
                vectors, [test], measures=measures, statistics=statistics, alternative=alternative, lower=lower
            )
            possible.append(test)
        except StimuliError as error:
            left_out[_title(test)] = str(error)
    if not possible:
        raise StimuliError("; ".join(left_out.values()) or "no tests were given")
    headline = [i for i, r in enumerate(results) if (r.measure, r.statistic) == (measure, statistic)]
    drawing: Any = {"resamples": resamples, "rng": source, "measure": measure, "statistic": statistic, "lower": lower}
    drawn = [bootstrap_effect_sizes(vectors, test, **drawing) for test in possible]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
    p = np.array([result.p_value for result in results])
    own = getattr(Lookup(vectors).vectors, "name", None)
    return BatteryReport(
        tests=possible,
        left_out=left_out,
        results=results,
        headline=headline,
        low=low,
        high=high,
        holm=holm(p[headline]),
        holm_all=holm(p),
        fdr_all=benjamini_hochberg(p),
        name=name or (own if isinstance(own, str) else type(vectors).__name__),
        alpha=alpha,
    )


def _title(test: WeatTest) -> str:
    return f"WEAT {test.number}: {test.title}" if test.number else f"{test.title}: {', '.join(test.names)}"


def _page(numbers: BatteryReport) -> str:
    chosen = [numbers.results[i] for i in numbers.headline]
    first, n, alpha, name = chosen[0], len(numbers.results), numbers.alpha, escape(numbers.name)
    sides = {"absolute": "two-sided", "greater": "of X leaning to A", "observed": "on the side seen, which doubles α"}
    side, level = sides[first.alternative], f"{alpha:g}"
    passed = int((numbers.holm <= alpha).sum())
    p = np.array([result.p_value for result in numbers.results])
    shown = zip(numbers.tests, chosen, numbers.low, numbers.high, numbers.holm, strict=True)
    parts = [
        f"<h1>Association tests on {name}</h1>",
        f"<p>{passed} of {len(chosen)} tests are significant at {level} after Holm's correction "
        f"({first.measure}, {first.statistic}; p-values exact or proven bounds, {side}). A positive effect size says "
        "that the first words lean to the first attributes. The interval resamples the words: where it holds zero, "
        "other words of the same kind might lean the other way. A word test measures the vectors, not the world.</p>",
        _table(
            f"The tests, {first.measure} and {first.statistic}",
            ("test", "effect size", "95 % interval", "raw sum", "p", "p, Holm", f"≤ {level}", "words X, Y, A, B"),
            [
                (
                    _title(test), f"{r.effect_size:.2f}", f"{low:.2f} to {high:.2f}", f"{r.raw_sum:.3g}",
                    f"{r.p_value:.2g}", f"{q:.2g}", "yes" if q <= alpha else "no", ", ".join(map(str, r.sizes)),
                )
                for test, r, low, high, q in shown
            ],
        ),
        f"<h2>All measures and statistics</h2><p>Of {n} combinations {int((p <= alpha).sum())} are at or below "
        f"{level} alone, {int((numbers.fdr_all <= alpha).sum())} after Benjamini and Hochberg's correction, and "
        f"{int((numbers.holm_all <= alpha).sum())} after Holm's (marked *). With no bias at all one would expect "
        f"{alpha * n:.0f} alone. Mahalanobis distance rests on a shrunk covariance of the attribute words.</p>",
        _every(numbers),
        "<h2>Words</h2>",
        _words(numbers, chosen),
    ]  # fmt: skip
    title, body = f"<title>Association tests on {name}</title>", "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">{title}<style>{_STYLE}</style></head>\n'
        f"<body>{body}</body></html>\n"
    )


def _every(numbers: BatteryReport) -> str:
    """One row a test, one column a combination: effect sizes, with a star after Holm's correction of all."""
    columns = list(dict.fromkeys((r.measure, r.statistic) for r in numbers.results))
    adjusted = zip(numbers.results, numbers.holm_all, strict=True)
    marked = [f"{result.effect_size:.2f}{'*' if q <= numbers.alpha else ''}" for result, q in adjusted]
    rows = [(_title(test), *marked[i * len(columns) : (i + 1) * len(columns)]) for i, test in enumerate(numbers.tests)]
    return _table("Signed effect sizes", ("test", *(f"{m}, {s}" for m, s in columns)), rows)


def _words(numbers: BatteryReport, chosen: Sequence[WeatResult]) -> str:
    lines = [f"{title} was left out. {why}" for title, why in numbers.left_out.items()]
    for test, result in zip(numbers.tests, chosen, strict=True):
        for what, sets in (("without a vector", result.missing), ("built from n-grams", result.built)):
            lines += [f"{_title(test)}, set {name}: {what}: {', '.join(words)}" for name, words in sets.items()]
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else "<p>All words of all tests have a vector.</p>"


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<div class="scroll"><table><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
