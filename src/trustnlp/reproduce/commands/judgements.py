"""`trustnlp verdicts` and `trustnlp verify`: what the committed records say of the claims, and whether they repeat."""

import json
import sys
import time
from typing import Annotated

import typer

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.kept_answers import at_once
from trustnlp.reproduce.terminal import Workers, console, fail


@at_once()
def verdicts(
    as_json: Annotated[bool, typer.Option("--json", help="Print every judgement as JSON.")] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Fail when a verdict is not the one its ledger expects, or a ledger is at fault."),
    ] = False,
    readme: Annotated[bool, typer.Option("--readme", help="Rewrite the README's table.")] = False,
) -> None:
    """Judge every claim by the committed records."""
    from trustnlp.reproduce.checks.standing import standings
    from trustnlp.reproduce.claims.ledger_lints import lints
    from trustnlp.reproduce.claims.tallies import tally, with_total
    from trustnlp.reproduce.claims.verdicts import judge_all, unexpected
    from trustnlp.reproduce.pages.dashboard import readme_table, replace_between_markers
    from trustnlp.reproduce.project import chapters, project_root, write_atomic

    judgements = judge_all()
    surprises = [judgement for judgement in judgements if not judgement.as_expected]
    if as_json:
        print(json.dumps([judgement.to_json() for judgement in judgements], indent=1, ensure_ascii=False))
    if readme:
        path = project_root() / "README.md"
        text = read_text(path)
        renewed = replace_between_markers(text, readme_table(judgements))
        if renewed != text:
            write_atomic(path, renewed)
        print(f"README.md: the table {'was rewritten' if renewed != text else 'is up to date'}", file=sys.stderr)
    if not as_json and not readme:
        for slug in dict.fromkeys(judgement.chapter for judgement in judgements):
            print(slug)
            for group, numbers in tally(j for j in judgements if j.chapter == slug).items():
                print(f"  {group}: {with_total(numbers)}")
    for judgement in surprises:
        claim = judgement.claim
        print(f"{claim.chapter} {claim.id}: {judgement.fault or unexpected(judgement)}", file=sys.stderr)
    if check:
        faults = [line for slug in chapters() for line in lints(slug)]
        doubtful = standings()
        for line in (*faults, *(f"{name}: {'; '.join(why)}" for name, why in doubtful.items())):
            print(line, file=sys.stderr)
        if surprises:
            fail(f"{len(surprises)} of {len(judgements)} verdicts are not what the ledgers expect", 1)
        if faults:
            fail(f"{len(faults)} faults within the ledgers", 1)
        if doubtful:
            fail(
                f"{len(doubtful)} records are no evidence for what stands here: "
                "run `trustnlp verify --stamp`, or the notebooks",
                1,
            )
        print(f"All {len(judgements)} verdicts are as the ledgers expect, and every record stands", file=sys.stderr)


def verify(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHAPTER[/NOTEBOOK]]...", help="These; else what changed and a quarter."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything that params.yaml marks.")] = False,
    quarter: Annotated[int | None, typer.Option(min=0, max=3, help="Which quarter beside what changed.")] = None,
    stamp: Annotated[
        bool, typer.Option("--stamp", help="Let records that agree stand for today's code from now on.")
    ] = False,
    at_least: Annotated[int, typer.Option(help="Fail where fewer notebooks than these can be verified here.")] = 0,
    workers: Workers = 2,
) -> None:
    """Re-run the quick part of the paper profile and compare with the committed records."""
    from trustnlp.reproduce.checks import verification
    from trustnlp.reproduce.runs.progress import reporter

    started = time.perf_counter()
    checks = verification.planned(targets or [], everything=everything, quarter=quarter)
    for name, reason in ({} if targets else verification.passed_over()).items():
        print(f"{name}: not verified, as {reason}")
    if len(checks) < at_least:
        fail(f"too little can be verified here: {len(checks)} notebooks, not {at_least}", 2)
    with reporter(len(checks), console()) as tell:
        done = verification.verify(checks, workers=workers, stamp=stamp, on_event=tell)
    wrong = 0
    for notebook in done:
        wrong += len(notebook.differences)
        verdict = f"{len(notebook.differences)} differ" if notebook.differences else "all agree"
        stamped = ", record stamped" if notebook.stamped else ""
        print(f"{notebook.name}: {notebook.compared} metrics, {verdict} ({notebook.seconds:.1f} s){stamped}")
        for difference in notebook.differences:
            print(f"  {difference}")
    print(f"verify: {len(done)} notebooks, {time.perf_counter() - started:.1f} s")
    if wrong:
        fail(f"{wrong} differences from the committed records", 1)
