"""Which of the endpoints serves a path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class PathTable(Generic[T]):
    """Endpoints by the templates of their paths.

    >>> table = PathTable([("/v1/campaigns", "list"), ("/v1/campaigns/{name}/decisions", "decide")])
    >>> table.find("/v1/campaigns/page/decisions")
    ('decide', {'name': 'page'})
    >>> table.find("/v1/campaigns"), table.find("/v1/campaigns/page")
    (('list', {}), None)
    """

    def __init__(self, endpoints: Iterable[tuple[str, T]]) -> None:
        """Take the endpoints with their templates, in which parts in braces are parameters."""
        self._root: _Node[T] = _Node()
        for template, endpoint in endpoints:
            node, names = self._root, []
            for part in template.split("/"):
                if part.startswith("{"):
                    names.append(part[1:-1])
                    node.parameter = node.parameter or _Node()
                    node = node.parameter
                else:
                    node = node.children.setdefault(part, _Node())
            node.end = endpoint, names

    def find(self, path: str) -> tuple[T, dict[str, str]] | None:
        """Return the endpoint of a path, and its parameters."""
        node, values = self._root, []
        for part in path.split("/"):
            child = node.children.get(part)
            if child is None:
                child = node.parameter
                if child is None or not part:
                    return None
                values.append(part)
            node = child
        if node.end is None:
            return None
        endpoint, names = node.end
        return endpoint, dict(zip(names, values, strict=True))


class _Node(Generic[T]):
    """The beginning that some templates have in common."""

    def __init__(self) -> None:
        self.children: dict[str, _Node[T]] = {}
        self.parameter: _Node[T] | None = None
        self.end: tuple[T, list[str]] | None = None
        """Of the template that ends here: its endpoint and the names of its parameters."""
