"""The user's own policies, named by their file or module."""

from __future__ import annotations

from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floorline import Entry


def entry_of(name: str) -> Entry:
    """Return a policy's entry: from the catalogue, a plug-in, `FILE.py:NAME` or `MODULE:NAME`.

    Only for the command line: a name that comes over the network must not run files.
    """
    from floorline import Entry
    from floorline.policies import find_entry

    if ":" not in name:
        return find_entry(name)
    entry = object_of(name)
    if not isinstance(entry, Entry):
        raise ValueError(f"policy: {name} is not a floorline.Entry")
    return entry


def object_of(name: str) -> Any:
    """Return what `FILE.py:NAME` or `MODULE:NAME` names."""
    where, _, attribute = name.rpartition(":")
    module = _module(where)
    if not hasattr(module, attribute):
        raise ValueError(f"policy: {where} has no {attribute}")
    return getattr(module, attribute)


def _module(where: str) -> ModuleType:
    try:
        if not where.endswith(".py"):
            return import_module(where)
        spec = spec_from_file_location(Path(where).stem, where)
        if spec is None or spec.loader is None:
            raise ImportError(f"{where} is not a Python file")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as error:  # the file can raise anything
        raise ValueError(f"policy: cannot load {where}: {type(error).__name__}: {error}") from None
    return module
