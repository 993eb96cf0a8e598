"""Addresses in arrays that are not contiguous, as numba writes them for a GPU; no GPU is needed."""

import llvmlite.ir as ir
import pytest
from numba.cuda import cgutils

from floorline.simulation.engines.cuda.pointers import followed_pointers


def address_of_an_item() -> str:
    """Return the code for the address of item 3 of a lane's part of an array."""
    double, word = ir.DoubleType(), ir.IntType(64)
    signature = ir.FunctionType(double.as_pointer(), [double.as_pointer()])
    function = ir.Function(ir.Module(), signature, "address")
    builder = ir.IRBuilder(function.append_basic_block())
    item = cgutils.get_item_pointer2(
        None, builder, function.args[0], [word(5)], [word(1024)], "A", [word(3)]
    )
    builder.ret(item)
    return str(function)


def test_an_address_is_added_to_its_pointer_while_asked_for():
    assert "inttoptr" in address_of_an_item()  # numba's own; or else this file can go
    with followed_pointers():
        code = address_of_an_item()
    assert "inttoptr" not in code and "getelementptr i8" in code
    assert "inttoptr" in address_of_an_item()


def test_numba_has_its_own_again_after_an_error():
    own = cgutils.pointer_add
    with pytest.raises(ValueError, match="kernel"), followed_pointers():
        raise ValueError("kernel: cannot be compiled")
    assert cgutils.pointer_add is own
