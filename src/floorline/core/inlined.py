"""A numba compiler for kernels that only other kernels call, which inline them.

numba optimises each function and compiles it to machine code, and then does both again in every
caller that inlines it. Here an inlined kernel is only translated for its callers; everything is
optimised once, in the outermost kernel. That halves the compilation time and changes no result. It
relies on how numba links its code libraries, which its documentation does not guarantee.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numba import _dynfunc, njit  # type: ignore[attr-defined]
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.errors import UnsupportedBytecodeError
from numba.core.typed_passes import NativeLowering

from floorline.core.kernel import Function


def compiled_for_callers(function: Function, options: Mapping[str, Any]) -> Any:
    """Return `function` compiled for inlining; Python itself cannot call it."""
    dispatcher = njit(pipeline_class=InlinedCompiler, **options)(function)
    template = dispatcher.get_call_template
    kernel = f"kernel {function.__qualname__}"

    def get_call_template(arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        # Otherwise numba compiles `f(0)` separately from `f(arm)`.
        plain = [types.unliteral(argument) for argument in arguments]
        try:
            found = template(plain, keywords)
        except UnsupportedBytecodeError as error:  # does not say which kernel, as others do
            imports = "IMPORT_NAME" in str(error)
            cause = "it imports a module; do so at the top of its file" if imports else error
            raise ValueError(f"{kernel}: cannot be compiled: {cause}") from None
        returned = [signature.return_type for signature in dispatcher.nopython_signatures]
        if any(isinstance(one, types.Optional) for one in returned):
            raise ValueError(f"{kernel}: must return a value on every path, but some return None")
        return found

    dispatcher.get_call_template = get_call_template
    return dispatcher


class InlinedLibrary(JITCodeLibrary):
    """Code that is linked into callers, and never run on its own."""

    def finalize(self) -> None:
        """Link the kernels that this one calls, without optimisation or machine code."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=False)
class OfferToCallers(LoweringPass):
    """A compiler pass that registers a kernel as compiled, though it is only translated to LLVM."""

    _name = "offer_to_callers"

    def __init__(self) -> None:  # abstract in numba
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Register an entry point for the kernel, so that numba can find its code; return True."""
        result = state.cr
        name = result.fndesc.qualname
        entry = _dynfunc.make_function(
            result.fndesc.lookup_module(), name, name, 0, result.env, (state.library,)
        )
        state.targetctx.insert_user_function(entry, result.fndesc, [state.library])
        state.cr = result._replace(cfunc=entry)
        return True


class InlinedCompiler(CompilerBase):
    """numba's compiler up to the translation for LLVM."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's own passes, and after lowering the registration."""
        state = self.state
        state.flags.no_compile = True
        state.library = InlinedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.add_pass_after(OfferToCallers, NativeLowering)
        passes.finalize()
        return [passes]
