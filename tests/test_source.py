"""Rules for the source that no linter knows."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "floorline"
TREES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text())
    for path in sorted(SOURCE.rglob("*.py"))
}
SHARED_WITH_CLIENT = {"RewardReceipt"}
"""The client has messages of its own: docs/decisions/0018-light-client.md."""


def test_class_names_are_unique() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for name, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in SHARED_WITH_CLIENT:
                files[node.name].append(name)
    assert {name: found for name, found in files.items() if len(found) > 1} == {}


def test_exec_is_used_where_its_decision_record_says_and_nowhere_else() -> None:
    found = [
        name
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("exec", "eval")
    ]
    assert found == ["core/packing.py"]


def test_kernels_of_policies_do_not_raise_to_a_constant_power() -> None:
    """numba makes a product of it, and Python does not: last bits would differ."""
    found = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        if not name.startswith("simulation/")
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and any(ast.unparse(one) in ("kernel", "rough") for one in function.decorator_list)
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Pow)
        and isinstance(node.right, ast.Constant)
    ]
    assert found == []
