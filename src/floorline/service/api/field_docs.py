"""The docstrings of fields, which Python itself does not keep."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from typing import Any, get_args, get_type_hints


def field_docs(kinds: Iterable[Any]) -> dict[str, dict[str, str]]:
    """Return the docstrings of fields, by class and field, of these classes and those in them.

    >>> from floorline.service.api.campaign_requests import FinishBody
    >>> field_docs([FinishBody])
    {'FinishBody': {'arm': 'The arm that everybody gets from now on.'}}
    """
    docs: dict[str, dict[str, str]] = {}
    todo = list(kinds)
    while todo:
        kind = todo.pop()
        todo += get_args(kind)
        if not _has_fields(kind) or kind.__name__ in docs:
            continue
        docs[kind.__name__] = {}
        for base in reversed(kind.__mro__):
            if _has_fields(base):
                docs[kind.__name__].update(_own_docs(base))
        todo += get_type_hints(kind).values()
    return docs


def _has_fields(kind: Any) -> bool:
    return isinstance(kind, type) and kind.__module__.startswith("floorline.")


def _own_docs(kind: type) -> dict[str, str]:
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    docs = {}
    for field, after in zip(definition.body, definition.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            docs[field.target.id] = " ".join(str(after.value.value).split())
    return docs
