"""Policies of the user's own, named by where they are."""

from __future__ import annotations

from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floorline import Entry


def entry_of(name: str) -> Entry:
    """Return a policy's entry: of the catalogue, a plug-in, or `FILE.py:NAME`, `MODULE:NAME`.

    For the command line alone: a name that comes over the network must not run files.
    """
    from floorline import Entry
    from floorline.policies import find_entry

    where, colon, attribute = name.rpartition(":")
    if not colon:
        return find_entry(name)
    entry = getattr(_module(where), attribute, None)
    if not isinstance(entry, Entry):
        raise ValueError(f"policy: {name} is not a floorline.Entry")
    return entry


def _module(where: str) -> ModuleType:
    try:
        if not where.endswith(".py"):
            return import_module(where)
        spec = spec_from_file_location(Path(where).stem, where)
        if spec is None or spec.loader is None:
            raise ImportError(f"{where} is not a Python file")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the file does wrong
        raise ValueError(f"policy: cannot load {where}: {type(error).__name__}: {error}") from None
    return module
