"""`trustnlp explain`, `errors` and `plant`: a classifier of one's own, its words, its errors and its decoys."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import REPORT, Reads, Writes, module_file

if TYPE_CHECKING:
    import pandas as pd

    from trustnlp.error_analysis.readable_features import FeatureTable

_TRUTH = {"true": "1", "false": "0", "yes": "1", "no": "0"}
_MOST_VALUES = 50


def explain(
    texts: Annotated[Path, typer.Argument(metavar="TEXTS.txt", help="One text per line, in UTF-8."), Reads()],
    model: Annotated[
        str,
        typer.Argument(metavar="MODULE:FUNCTION", help="A file or module; texts → probabilities (n, classes)."),
        Reads(module_file),
    ],
    method: Annotated[str, typer.Option(help="Of the built-in explainers, or of an installed one.")] = "occlusion",
    label: Annotated[int | None, typer.Option(min=0, help="Class to explain; else each text's likeliest.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of what the explainer draws.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the scores as .json or .html."), REPORT
    ] = None,
) -> None:
    """Which words of a text does a classifier's label hang on?"""
    import numpy as np
    from tqdm import tqdm

    from trustnlp.attribution.explainer_registry import explain as explained
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.cli_privacy import named_callable
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import read_lines, tell_skipped

    lines, classifier = read_lines(texts), named_callable(model)
    rng = np.random.default_rng(seed)
    attributions, numbers, skipped = [], [], []
    for number, text in enumerate(tqdm(lines, desc=method, unit="text", disable=None, leave=False), start=1):
        try:
            attributions += explained(method, classifier, [text], label=label, rng=rng)
            numbers.append(number)
        except Exception as error:  # of the user's own classifier, too
            hint = "" if len(text.split()) > 1 else "; without its one word it is empty: let the classifier answer ''"
            told = " ".join(str(error).split())
            skipped.append(f"text {number}: {model}, {method}: {type(error).__name__}: {told:.300}{hint}")
    if not attributions:
        raise UserError(f"no text of {len(lines):,} could be explained. {skipped[-1]}")
    tell_skipped(skipped, texts)
    for number, each in zip(numbers, attributions, strict=True):
        words = ", ".join(f"{word} {score:+.3f}" for word, score in each.ranked()[:5])
        print(f"{number}: {each.label_name} ({each.quantity} {each.value:.3f}): {words}")
    if out is not None:
        rows = [
            {
                "text": number,
                "label": each.label,
                "value": each.value,
                "words": list(each.words),
                "scores": each.scores.tolist(),
            }
            for number, each in zip(numbers, attributions, strict=True)
        ]
        facts = {"model": model, "method": method, "texts": len(attributions), "seed": seed}
        shown = "\n".join(each._repr_html_() for each in attributions) if out.suffix == ".html" else ""
        tables: dict[str, list[dict[str, Any]]] = (
            {} if out.suffix == ".html" else {"explanations": rows, "skipped": [{"text": each} for each in skipped]}
        )
        write_report(out, f"Words behind the labels of {texts.name}", facts, tables, shown)
        print(f"wrote {out}")


def errors(
    predictions: Annotated[
        Path,
        typer.Argument(metavar="PREDICTIONS.csv", help="One row per text that the classifier was not trained on."),
        Reads(),
    ],
    text: Annotated[str, typer.Option(help="Column of the texts.")] = "text",
    truth: Annotated[str, typer.Option(help="Column of the true labels.")] = "truth",
    predicted: Annotated[str, typer.Option(help="Column of the predicted labels.")] = "predicted",
    learner: Annotated[str, typer.Option(help="Of the error classifier, such as random_forest.")] = "random_forest",
    feature: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A feature of your own, repeatable; else the paper's.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="All labels, each with --label, where two look alike.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of folds and shuffles.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as .json or .html."), REPORT
    ] = None,
) -> None:
    """Characterise a classifier's errors: where they are, how sure that is, and which to look at."""
    import numpy as np

    from trustnlp.error_analysis.error_reports import characterise
    from trustnlp.error_analysis.report_pages import report_page
    from trustnlp.reproduce.project import UserError, write_atomic
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import read_table

    table = read_table(predictions, [text, truth, predicted, *(feature or [])], "one row per text")
    _complete(table, predictions, [text, truth, predicted])
    try:
        report = characterise(
            table[text].tolist(), table[truth].tolist(), table[predicted].tolist(),
            features=_own_features(table, predictions, feature) if feature else None,
            labels=label, learner=learner,  # type: ignore[arg-type]
            rng=np.random.default_rng(seed),
        )  # fmt: skip
    except (ImportError, TypeError, ValueError) as error:
        raise UserError(f"{predictions}: {error}") from None
    for note in report.notes:
        print(f"Note: {note}", file=sys.stderr)
    sure = "more than chance gives" if report.area > report.area_by_chance else "no more than chance gives"
    print(f"{report.errors:,} errors in {report.texts:,} texts; area under the ROC curve {report.area:.3f}, {sure}")
    for each in report.features[:10]:
        print(f"{each.name:<30} importance {each.importance:+.4f}, {'more' if each.direction > 0 else 'fewer'} errors")
    if out is None:
        return
    if out.suffix == ".html":
        write_atomic(out, report_page(report))
    else:
        tables = {
            "features": [asdict(each) for each in report.features], "notes": [{"note": note} for note in report.notes],
        }  # fmt: skip
        facts = {"texts": report.texts, "errors": report.errors, "area": report.area, "chance": report.area_by_chance}
        counts = {name: values.tolist() for name, values in report.counts.items()}
        write_report(out, "Errors", {**facts, "ks": report.ks, "first_k": counts}, tables)
    print(f"wrote {out}")


def plant(
    labelled: Annotated[
        Path, typer.Argument(metavar="LABELLED.csv", help="One row per text, with its class."), Reads()
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT.csv", help="Planted texts, classes, rows they come from."),
        Writes((".csv",), "the table"),
    ],
    decoy: Annotated[str, typer.Option(help="Name of a recipe.")],
    recipes: Annotated[Path | None, typer.Option(metavar="FILE.toml", help="Recipes of your own."), Reads()] = None,
    text: Annotated[str, typer.Option(help="Column of the texts.")] = "text",
    label: Annotated[str, typer.Option(help="Column of the classes: whole numbers from 0.")] = "label",
    seed: Annotated[int, typer.Option(min=0, help="Of what is drawn.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the properties as .json or .html."), REPORT
    ] = None,
) -> None:
    """Plant a decoy in labelled texts, to see whether explanations find it in a classifier trained on them."""
    import numpy as np
    import pandas as pd

    from trustnlp.decoys.decoy_recipes import load_recipes, read_recipes, recipe
    from trustnlp.decoys.planted_properties import decoy_properties
    from trustnlp.reproduce.project import UserError, write_atomic
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import read_table, tell_formulas

    table = read_table(labelled, [text, label], "one row per labelled text")
    _complete(table, labelled, [text, label])
    if wrong := [value for value in table[label] if not (value.isdecimal() and len(value) < 6)]:
        raise UserError(f"{labelled}: the column '{label}' holds {wrong[0]!r:.40}; classes are whole numbers from 0")
    try:
        chosen = recipe(decoy, read_recipes(recipes) if recipes else load_recipes())
        planted = chosen.plant(table[text].tolist(), table[label].astype(int).to_numpy(), np.random.default_rng(seed))
        properties = decoy_properties(planted.carries, planted.labels)
    except (OSError, ValueError) as error:
        raise UserError(str(error)) from None
    columns = {text: planted.texts, label: planted.labels, "row": planted.source, "carries": planted.carried}
    write_atomic(target, pd.DataFrame(columns).to_csv(index=False, lineterminator="\n"))
    facts = {
        "decoy": decoy, "words": list(chosen.words), "texts": len(planted), "carry it": properties.applicability,
        "coverage": properties.coverage, "seed": seed,
    }  # fmt: skip
    print(f"{decoy}: {properties.applicability:,} of {len(planted):,} texts carry it; {chosen.description}")
    print(f"wrote {target}")
    tell_formulas(target, planted.texts)
    if out is not None:
        write_report(out, f"The decoy {decoy} in {labelled.name}", facts, {})
        print(f"wrote {out}")


def _complete(table: pd.DataFrame, path: Path, columns: list[str]) -> None:
    from trustnlp.reproduce.project import UserError

    if table.empty:
        raise UserError(f"{path}: the file has a header and no rows")
    for column in columns:
        if (absent := table.index[table[column].isna()]).size:
            raise UserError(f"{path}: row {absent[0] + 1} has nothing in the column '{column}'")


def _own_features(table: pd.DataFrame, path: Path, columns: list[str]) -> FeatureTable:
    """Numbers as they are, true and false as 1 and 0, a text of few values as one column of 0 and 1 for each."""
    import numpy as np
    import pandas as pd

    from trustnlp.error_analysis.readable_features import FeatureTable
    from trustnlp.reproduce.project import UserError

    found: dict[str, pd.Series] = {}
    for column in columns:
        text = table[column].str.strip()
        numbers = pd.to_numeric(text.str.lower().replace(_TRUTH), errors="coerce")
        wrong = numbers.index[~np.isfinite(numbers)]
        values = sorted(text.dropna().unique())
        if not len(wrong):
            found[column] = numbers
        elif len(wrong) == len(text) and text.notna().all() and len(values) <= _MOST_VALUES:
            found |= {f"{column}={value}": text == value for value in values}
        else:
            row = (text.index[text.isna()] if text.isna().any() else wrong)[0] + 1
            raise UserError(
                f"{path}: row {row} has no number in the column '{column}'; a feature is a number, true or false, or a "
                f"text of at most {_MOST_VALUES} values, in every row"
            )
    rows = pd.DataFrame(found).to_numpy(dtype=np.float64)
    return FeatureTable(tuple(found), rows, ("own",) * len(found))
