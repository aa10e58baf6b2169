"""Columns as the Arrow C data interface has them, in PyCapsules, for other libraries to take without a copy.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""
from __future__ import annotations

import ctypes
import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FORMATS = {"int64": "l", "int32": "i", "uint8": "C", "float32": "f", "float64": "g"}
_NULLABLE = 2


@dataclasses.dataclass(frozen=True)
class Column:
    """A column as Arrow sees it. `width`: numbers in a row, None for a plain number."""

    name: str
    format: str
    width: int | None
    num_rows: int
    validity: NDArray[np.uint8] | None
    buffers: tuple[NDArray[Any], ...]


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


_ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))

_Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)), ("release", _ReleaseSchema), ("private_data", ctypes.c_void_p)]
_Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.POINTER(_Array)),
    ("release", _ReleaseArray), ("private_data", ctypes.c_void_p)]

# What each released structure keeps alive, by its private_data. A consumer may move a structure, so its address says
# nothing; a child that it moves out of its parent is released separately.
_kept: dict[int, Any] = {}
_numbers = itertools.count(1)


def _let_go(pointer: Any) -> None:
    structure = pointer.contents
    for child in range(structure.n_children):
        inner = structure.children[child]
        if inner.contents.release:
            inner.contents.release(inner)
    _kept.pop(structure.private_data, None)
    # Zero is the null pointer, which says that it was released; ctypes has no other way to write one.
    ctypes.memset(ctypes.addressof(structure) + type(structure).release.offset, 0, ctypes.sizeof(ctypes.c_void_p))


_release_schema = _ReleaseSchema(_let_go)
_release_array = _ReleaseArray(_let_go)

# Functions of our own: the functions of ctypes.pythonapi are shared by all modules, and so are
# their types of arguments.
_CapsuleDestructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, _CapsuleDestructor)(
    ("PyCapsule_New", ctypes.pythonapi))
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _destructor(kind: type[ctypes.Structure], name: bytes) -> Any:
    """Releases the structure where no consumer has taken it, and lets go of its memory."""
    def destroy(capsule: int) -> None:
        address = _capsule_pointer(capsule, name)
        structure: Any = kind.from_address(address)
        if structure.release:
            structure.release(ctypes.pointer(structure))
        _kept.pop(-address, None)
    return _CapsuleDestructor(destroy)


_destroy_schema = _destructor(_Schema, b"arrow_schema")
_destroy_array = _destructor(_Array, b"arrow_array")


def format_of(dtype: np.dtype[Any]) -> str:
    """The letter of a type of numbers. Raises TypeError where there is none."""
    try:
        return _FORMATS[dtype.name]
    except KeyError:
        raise TypeError(f"a column of {dtype} cannot be given to Arrow") from None


def _schema(format: bytes, name: bytes, nullable: bool, children: Sequence[_Schema] = ()) -> _Schema:
    pointers = (ctypes.POINTER(_Schema) * len(children))(*(ctypes.pointer(child) for child in children))
    number = next(_numbers)
    _kept[number] = (format, name, children, pointers)
    return _Schema(format=format, name=name, metadata=None, flags=_NULLABLE if nullable else 0, n_children=len(children),
                   children=pointers if children else None, dictionary=None, release=_release_schema, private_data=number)


def _array(length: int, buffers: Sequence[int | None], keep: Any, null_count: int = 0,
           children: Sequence[_Array] = ()) -> _Array:
    addresses = (ctypes.c_void_p * len(buffers))(*buffers)
    pointers = (ctypes.POINTER(_Array) * len(children))(*(ctypes.pointer(child) for child in children))
    number = next(_numbers)
    _kept[number] = (addresses, pointers, children, keep)
    return _Array(length=length, null_count=null_count, offset=0, n_buffers=len(buffers), n_children=len(children),
                  buffers=addresses, children=pointers if children else None, dictionary=None, release=_release_array,
                  private_data=number)


def schema_capsule(columns: Sequence[Column]) -> object:
    """A capsule `arrow_schema` of a struct with a child for each column."""
    children = []
    for column in columns:
        name = column.name.encode()
        nullable = column.validity is not None
        if column.width is None or column.format == "Z":
            children.append(_schema(column.format.encode(), name, nullable))
        else:
            item = _schema(column.format.encode(), b"item", False)
            children.append(_schema(f"+w:{column.width}".encode(), name, nullable, [item]))
    return _capsule(_schema(b"+s", b"", False, children), b"arrow_schema", _destroy_schema)


def array_capsule(num_rows: int, columns: Sequence[Column]) -> object:
    """A capsule `arrow_array` of the rows, which keeps the memory of the columns alive."""
    children = []
    for column in columns:
        validity = None if column.validity is None else column.validity.ctypes.data
        nulls = 0 if column.validity is None else -1
        addresses = [values.ctypes.data for values in column.buffers]
        if column.width is None or column.format == "Z":
            children.append(_array(num_rows, [validity, *addresses], column, nulls))
        else:
            item = _array(num_rows * column.width, [None, *addresses], column)
            children.append(_array(num_rows, [validity], column, nulls, [item]))
    return _capsule(_array(num_rows, [None], None, 0, children), b"arrow_array", _destroy_array)


def _capsule(structure: ctypes.Structure, name: bytes, destroy: Any) -> object:
    address = ctypes.addressof(structure)
    _kept[-address] = structure
    capsule: object = _capsule_new(address, name, destroy)
    return capsule
