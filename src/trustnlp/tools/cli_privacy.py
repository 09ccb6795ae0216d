"""`trustnlp audit`: hold a mechanism of your own to what it claims, with every audit that can be tried."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import REPORT, Reads, module_file

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from trustnlp.privacy.accounting.guarantee import Guarantee
    from trustnlp.privacy.audits.auditing import BlackBox
    from trustnlp.privacy.audits.examination import AuditFinding, Subject

_LAWS = {"l1": "laplace", "l2": "multivariate_laplace"}


def audit(
    target: Annotated[
        str,
        typer.Argument(metavar="MODULE:FUNCTION", help="A file or module; (n, d) tensor → (n, m) tensor."),
        Reads(module_file),
    ],
    dim: Annotated[int, typer.Option(min=1, help="d, the dimension of its inputs.")],
    epsilon: Annotated[float, typer.Option(help="The ε that it claims.")],
    delta: Annotated[float, typer.Option(help="The δ that it claims.")] = 0.0,
    norm: Annotated[str, typer.Option(help="Norm of the guarantee: l1 or l2.")] = "l2",
    relation: Annotated[
        str, typer.Option(help="metric (ε per unit of distance) or local (ε for any two inputs).")
    ] = "metric",
    low: Annotated[
        float | None, typer.Option(help="Least value of a coordinate of its inputs; local needs it.")
    ] = None,
    high: Annotated[float | None, typer.Option(help="Largest value of a coordinate; local needs it.")] = None,
    pair: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Two inputs to compare as well: .npy (2, d), or two lines of numbers."),
        Reads(),
    ] = None,
    distance: Annotated[
        float | None,
        typer.Option(help="Between the inputs compared; else 1/ε for metric, and as far as they go for local."),
    ] = None,
    scale: Annotated[
        float | None, typer.Option(help="Stated scale of its noise; without it, half of the audits are not tried.")
    ] = None,
    law: Annotated[
        str | None, typer.Option(help="laplace, multivariate_laplace or gaussian; else the Laplace law of the norm.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="Of the inputs: float32 or float64.")] = "float32",
    draws: Annotated[int, typer.Option(min=40, help="Releases that each audit takes of an input.")] = 20_000,
    alpha: Annotated[float, typer.Option(help="Probability of convicting an innocent, all audits together.")] = 0.05,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the findings as .json or .html."),
        REPORT,
    ] = None,
) -> None:
    """Audit a mechanism of your own: exit status 1 if an audit convicts it, 2 if it cannot be audited."""
    import torch
    from tqdm import tqdm

    from trustnlp.privacy.audits.domain_search import search
    from trustnlp.privacy.audits.examination import Subject
    from trustnlp.privacy.audits.noise_law import NoiseLaw
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.report_files import write_report

    if not 0 < alpha < 1:
        raise UserError(f"--alpha is a probability between 0 and 1, got {alpha}")
    if dtype not in ("float32", "float64"):
        raise UserError(f"--dtype is float32 or float64, got {dtype}")
    if law is not None and scale is None:
        raise UserError(f"--law {law} needs --scale, the scale of that noise")
    if (low is None) != (high is None) or (
        low is not None and high is not None and not -math.inf < low < high < math.inf
    ):
        got = " and ".join(f"--{end} {at:g}" for end, at in (("low", low), ("high", high)) if at is not None)
        raise UserError(f"--low and --high are given together, finite, --low the smaller one, got {got}")
    if relation == "local" and low is None and pair is None:
        raise UserError(
            "--relation local is a claim for any two inputs, so say which there are: --low 0 --high 1 for coordinates "
            "from 0 to 1, or --pair FILE with two of them"
        )
    try:
        inputs = None if pair is None else _read_pair(pair, getattr(torch, dtype))
        if relation == "local" and distance is None:
            step = torch.full((dim,), high - low) if low is not None and high is not None else inputs[1] - inputs[0]  # type: ignore[index]
            distance = float(torch.linalg.vector_norm(step.double(), ord=1 if norm == "l1" else 2))
        guarantee, apart = _claim(epsilon, delta, norm, relation, distance, getattr(torch, dtype))
        stated = None if scale is None else NoiseLaw(law or _LAWS[norm], scale)  # type: ignore[arg-type]
        asked = _releases_asked(dim, draws, with_law=stated is not None)
        bounds = {} if low is None or high is None else {"low": low, "high": high}
        with tqdm(total=asked, desc="audit", unit="release", unit_scale=True, disable=None, leave=False) as bar:
            mechanism = _guarded(target, named_callable(target), bar.update)
            subject = Subject(mechanism, guarantee, dim, apart, stated, getattr(torch, dtype), **bounds)
            findings, left = search(subject, given=inputs, draws=draws, alpha=alpha)
    except (TypeError, ValueError) as error:
        raise UserError(str(error)) from None
    if all(finding.convicts is None for finding in findings):
        raise UserError(f"no audit could be tried: {findings[0].text}")
    _report(findings, subject, alpha, left)
    convicted = any(finding.convicts for finding in findings)
    if out is not None:
        facts = {
            "target": target, "claim": f"{guarantee}, for all pairs of inputs", "dim": dim, "low": low, "high": high,
            "distance": apart, "draws": draws, "alpha": alpha, "convicted": convicted, "not searched": left,
        }  # fmt: skip
        write_report(out, f"Audit of {target}", facts, {"audits": [asdict(finding) for finding in findings]})
        print(f"wrote {out}")
    if convicted:
        raise typer.Exit(1)


def _claim(
    epsilon: float, delta: float, norm: str, relation: str, distance: float | None, dtype: torch.dtype
) -> tuple[Guarantee, float]:
    """The guarantee in question, and how far apart two inputs are to be compared."""
    import torch

    from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, L2Sensitivity, Relation, check_epsilon
    from trustnlp.reproduce.project import UserError

    kinds = {"l1": L1Sensitivity, "l2": L2Sensitivity}
    if norm not in kinds:
        raise UserError(f"--norm is l1 or l2, got {norm}")
    relations = {"metric": Relation.METRIC, "local": Relation.LOCAL}
    if relation not in relations:
        raise UserError(f"--relation is metric or local, got {relation}")
    default = 1 / check_epsilon(epsilon) if relation == "metric" else 1.0
    apart = default if distance is None else distance
    if not 0 < apart < float("inf"):
        hint = f"; 1 / ε overflows for ε = {epsilon:g}, give --distance" if distance is None else ""
        raise UserError(f"--distance is positive and finite, got {apart}{hint}")
    most = torch.finfo(dtype).max ** 0.5
    if apart > most:
        raise UserError(f"--distance is at most {most:.3g} in {str(dtype).removeprefix('torch.')}, got {apart:g}")
    value = 1.0 if relation == "metric" else apart
    return Guarantee(epsilon, delta, kinds[norm](value, relations[relation])), apart


def _releases_asked(dim: int, draws: int, *, with_law: bool) -> int:
    """How many releases `search` takes in all, about: what the time left is told from."""
    from trustnlp.privacy.audits.auditing import LEAST_DRAWS
    from trustnlp.privacy.audits.domain_search import CHOSEN_AXES, PAIRS_OF_DIRECTIONS
    from trustnlp.privacy.audits.examination import MOST_REPEAT_ROWS

    of_law = 2 * draws + min(draws, MOST_REPEAT_ROWS) if with_law else 0
    pairs = 2 + 2 * PAIRS_OF_DIRECTIONS + CHOSEN_AXES
    return 2 * pairs * draws + 2 * dim * max(LEAST_DRAWS, draws // dim) + of_law


def _read_pair(path: Path, dtype: Any) -> tuple[Tensor, Tensor]:
    """Two inputs `(d,)` from an array or from lines of numbers."""
    import numpy as np
    import torch

    from trustnlp.files.user_text import read_text
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.user_files import read_array

    try:
        rows = (
            read_array(path)
            if path.suffix == ".npy"
            else np.array(
                [line.replace(",", " ").split() for line in read_text(path).splitlines() if line.strip()], float
            )
        )
        pair = torch.from_numpy(np.asarray(rows, dtype=np.float64)).to(dtype)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
    except (TypeError, ValueError) as error:
        raise UserError(
            f"{path}: not two inputs of as many numbers each: {' '.join(str(error).split()):.120}"
        ) from None
    if pair.ndim != 2 or len(pair) != 2 or not bool(torch.isfinite(pair).all()):
        raise UserError(f"{path}: expected two inputs (2, d), all numbers finite, got {tuple(pair.shape)}")
    return pair[0], pair[1]


def named_callable(target: str) -> Callable[..., Any]:
    """The callable that `FILE.py:name` or `package.module:name` names."""
    from trustnlp.reproduce.project import UserError, nearest

    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise UserError(f"{target!r}: expected MODULE:FUNCTION, such as mine.py:release or package.module:release")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except UserError:
        raise
    except ModuleNotFoundError as error:
        itself = f"{place}.".startswith(f"{error.name}.")  # or a package above it
        hint = "give a path that ends in .py, or an installed module" if itself else f"{place} imports it: install it"
        raise UserError(f"{place}: {error}; {hint}") from None
    except (Exception, SystemExit) as error:
        raise UserError(f"{place} cannot be imported: {type(error).__name__}: {error}") from None
    named = getattr(module, name, None)
    if named is None:
        public = [known for known, value in vars(module).items() if callable(value) and not known.startswith("_")]
        raise UserError(f"{place} has no {name!r}{nearest(name, public)}")
    if not callable(named) or inspect.isclass(named):
        what = (
            "a class; make an instance of it in the module and name that" if inspect.isclass(named) else "no function"
        )
        raise UserError(f"{target} is {what}")
    return named  # type: ignore[no-any-return]


def _from_file(path: Path) -> Any:
    from trustnlp.reproduce.project import UserError

    if not path.is_file():
        raise UserError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path}: Python cannot load it")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # as an import would: dataclasses look their module up there
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent.resolve()))
    return module


def _guarded(target: str, call: Callable[..., Any], count: Callable[[int], Any]) -> BlackBox:
    """The mechanism with its own randomness, its releases counted, and its errors told as those of the user's code."""
    import torch

    from trustnlp.reproduce.project import UserError

    try:
        takes_generator = "generator" in inspect.signature(call).parameters
    except (TypeError, ValueError):  # a builtin may have no signature
        takes_generator = False
    options = {"generator": None} if takes_generator else {}

    widths: dict[int, int] = {}

    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        try:
            released = call(vectors, **options)
        except (Exception, SystemExit) as error:
            told = " ".join(f"{type(error).__name__}: {error}".split())
            raise UserError(f"{target} failed on vectors of shape {tuple(vectors.shape)}: {told}") from error
        if not isinstance(released, torch.Tensor):
            raise UserError(f"{target} returned {type(released).__name__}; expected a torch.Tensor (n, m)")
        if released.layout != torch.strided:
            raise UserError(f"{target} returned a tensor that is not dense; give its to_dense()")
        if released.is_complex() or released.ndim != 2 or released.shape[1] == 0:
            got = f"{released.dtype} of shape {tuple(released.shape)}"
            raise UserError(f"{target} returned {got}; expected real numbers (n, m), m at least 1")
        if released.shape[1] != widths.setdefault(vectors.shape[1], released.shape[1]):
            raise UserError(
                f"{target} releases {widths[vectors.shape[1]]} numbers of a vector, and now {released.shape[1]}"
            )
        count(len(vectors))
        return released

    return release


def _report(findings: list[AuditFinding], subject: Subject, alpha: float, left: list[str]) -> None:
    marks = {True: "CONVICTED", False: "passed", None: "not tried"}
    print(f"claim: {subject.guarantee}, for all pairs of inputs; compared at distance {subject.distance:.4g}")
    for finding in findings:
        text = finding.text.removeprefix("not tried: ")
        print(f"{marks[finding.convicts]:<10} {finding.audit:<21} {text}")
    convicting = [finding.audit for finding in findings if finding.convicts]
    if convicting:
        share = f"{len(convicting)} of {len(findings)} audits"
        print(f"convicted by {share}; an innocent mechanism is, with probability {alpha:g} at most")
    else:
        print("no audit convicts; that is no proof of privacy")
    for each in left:
        print(f"not searched: {each}")
