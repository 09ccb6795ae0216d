"""Names of functions and methods of Python and of other libraries that only compute; whatever is not named may do more.

Some can write their result into an argument (`out`): they count only with fewer arguments than come before that one.
"""

from __future__ import annotations

import ast
import builtins

from trustnlp.reproduce.code.definitions import words

_ANY = 99
_ERRORS = frozenset(n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))
BUILTINS = _ERRORS | words(
    "abs all any bool bytes chr complex dict display divmod enumerate filter float format frozenset hash hex int "
    "isinstance issubclass len list map max min ord pow print range repr reversed round set slice sorted str sum tuple "
    "type zip"
)
# What these make is new, and belongs to the name that it is bound to.
NEW = words("dict frozenset list set sorted str tuple")
# What these give is used up as it is read.
LAZY = words("chain combinations cycle enumerate filter finditer islice iterrows itertuples map pairwise permutations "
             "product repeat reversed zip zip_longest")  # fmt: skip
# These call what they are given first, and everything calls what it is given as `key`.
CALLING = words("agg aggregate apply filter groupby map pipe reduce sub transform")
# Methods that change a list, a set or a dictionary, and nothing else.
OWN_CHANGES = words(
    "add append appendleft clear difference_update discard extend extendleft insert intersection_update pop popitem "
    "popleft remove reverse setdefault sort symmetric_difference_update update"
)
# Arguments that say where the result goes, and the one that keeps what is handed over as it is.
_WRITING = words("copy file inplace out")
# Libraries that draw: what they do concerns only the figure.
DRAWING = ("matplotlib.", "seaborn.", "IPython.display.")

_NUMPY = (  # with at most one argument in its place, two, or any number
    "abs all any argmax argmin ceil exp floor isfinite isinf isnan log log10 log1p log2 max min sign sqrt square",
    "clip concatenate cumsum diff dot hypot isclose maximum mean median minimum outer percentile quantile round stack "
    "std",
    "allclose arange argsort array array_equal asarray bool_ column_stack digitize empty eye flatnonzero float32 "
    "float64 full full_like geomspace histogram int64 interp isin linalg.norm linspace nonzero ones "
    "ones_like repeat reshape searchsorted sort tile transpose tril triu unique where zeros zeros_like",
)
_FUNCTIONS = {
    "collections": "Counter",
    "functools": "reduce",
    "html": "escape",
    "itertools": "chain combinations cycle islice pairwise permutations product repeat zip_longest",
    "json": "dumps loads",
    "math": "ceil comb cos erf exp floor fsum gcd hypot inf isclose isfinite isinf isnan log log10 log1p log2 nan "
    "perm pi pow prod sin sqrt tanh",
    "pandas": "Categorical DataFrame DataFrame.from_dict Index MultiIndex.from_product RangeIndex "
    "Series concat crosstab cut isna merge notna qcut to_numeric",
    "pathlib": "Path",
    "re": "compile escape findall finditer fullmatch match search split",
    "statistics": "fmean mean median stdev",
    "textwrap": "dedent fill shorten wrap",
    "torch": "arange as_tensor cat eye from_numpy full isfinite isnan no_grad ones stack tensor where zeros",
    "typing": "cast",
}
# Functions of other libraries by their full names, with how many arguments they may have in their places.
FUNCTIONS = {f"{module}.{name}": _ANY for module, text in _FUNCTIONS.items() for name in text.split()}
FUNCTIONS |= {f"numpy.{n}": most for most, text in zip((1, 2, _ANY), _NUMPY, strict=True) for n in text.split()}

_METHODS = (
    # of texts and paths
    "casefold count encode endswith exists find format index isalpha isdigit islower isupper join ljust lower lstrip "
    "read_text removeprefix removesuffix replace rjust rpartition rsplit rstrip split splitlines startswith "
    "strip title upper zfill findall fullmatch match search "
    # of collections
    "_asdict copy difference fromkeys get intersection isdisjoint issubset issuperset items keys most_common union "
    "series values "
    # of tables
    "abs add_prefix add_suffix agg aggregate apply assign astype between corr describe diff div drop drop_duplicates "
    "droplevel dropna duplicated explode ffill fillna filter first ge get_level_values groupby gt head idxmax idxmin "
    "isin isna iterrows itertuples last le lt map melt mul ne nlargest notna nsmallest nunique pipe pivot pivot_table "
    "quantile rank reindex rename rename_axis reorder_levels reset_index rolling set_axis set_index shift size "
    "sort_index sort_values stack sub swaplevel tail to_dict to_frame to_html to_numpy to_string transform "
    "transpose unstack value_counts xs "
    # of arrays and tensors
    "argsort detach flatten item norm numel numpy ravel reshape tolist"
)
_REDUCING = "all any argmax argmin cumsum max mean median min prod round std sum var"
# Methods that change nothing, whatever they are called on.
METHODS = dict.fromkeys(_METHODS.split(), _ANY) | dict.fromkeys(_REDUCING.split(), 1)


def writes(call: ast.Call) -> bool:
    """Whether a call says that its result goes into what it is handed, or that this may be overwritten."""
    return any(
        (_is_off(keyword.value) if keyword.arg == "copy" else not _is_off(keyword.value))
        for keyword in call.keywords
        if keyword.arg in _WRITING or (keyword.arg or "").startswith("overwrite")
    )


def _is_off(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value
