"""Blocks of columns as Arrow libraries take them."""
import ctypes
import gc
import pathlib
import sys
import unittest
import weakref

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from tidemill.plugin import Block, ByteStrings, arrow  # noqa: E402

capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def taken(capsule, name, kind):
    """What a consumer does: it moves the structure out of its capsule."""
    source = kind.from_address(capsule_pointer(capsule, name))
    copy = kind()
    ctypes.memmove(ctypes.byref(copy), ctypes.byref(source), ctypes.sizeof(kind))
    ctypes.memset(ctypes.addressof(source) + kind.release.offset, 0, ctypes.sizeof(ctypes.c_void_p))
    return copy


class BlocksTest(unittest.TestCase):
    def setUp(self):
        self.memory = numpy.arange(4096, dtype=numpy.uint8)
        self.memory.flags.writeable = False
        self.block = Block(3, {"a": self.memory[0:24].view(numpy.int64),
                               "m": self.memory[64:112].view(numpy.float32).reshape(3, 2, 2),
                               "t": ByteStrings(self.memory[200:210], numpy.array([0, 2, 2, 5])), "v": self.memory[128:131]},
                           {"v": numpy.array([0b101], numpy.uint8)})

    def test_columns_are_views(self):
        self.assertIs(self.block["a"].base, self.memory)
        self.assertEqual([bytes(text) for text in self.block["t"]], [b"\xc8\xc9", b"", b"\xca\xcb\xcc"])
        self.assertEqual([bytes(text) for text in self.block["t"][1:]], [b"", b"\xca\xcb\xcc"])
        self.assertEqual(bytes(self.block["t"][-1]), b"\xca\xcb\xcc")
        self.assertTrue(self.block["t"][0].readonly)
        self.assertEqual(self.block.valid("v").tolist(), [True, False, True])
        self.assertEqual(self.block.valid("a").tolist(), [True] * 3)
        with self.assertRaisesRegex(KeyError, "no column b; there are a, m, t, v"):
            self.block["b"]

    def test_arrow_gets_the_columns_without_a_copy_and_keeps_their_memory(self):
        schema_capsule, array_capsule = self.block.__arrow_c_array__()
        schema = taken(schema_capsule, b"arrow_schema", arrow._Schema)
        array = taken(array_capsule, b"arrow_array", arrow._Array)
        addresses = [self.block["a"].ctypes.data, self.block["m"].ctypes.data, self.block["t"].data.ctypes.data]
        lives = weakref.ref(self.memory)
        del schema_capsule, array_capsule, self.block, self.memory
        gc.collect()
        self.assertIsNotNone(lives())
        children = [schema.children[place].contents for place in range(schema.n_children)]
        self.assertEqual((schema.format, [child.format for child in children]), (b"+s", [b"l", b"+w:4", b"Z", b"C"]))
        self.assertEqual([child.flags for child in children], [0, 0, 0, 2])
        columns = [array.children[place].contents for place in range(array.n_children)]
        self.assertEqual([(column.length, column.null_count) for column in columns], [(3, 0), (3, 0), (3, 0), (3, -1)])
        self.assertEqual([columns[0].buffers[1], columns[1].children[0].contents.buffers[1], columns[2].buffers[2]], addresses)
        schema.release(ctypes.byref(schema))
        array.release(ctypes.byref(array))
        self.assertFalse(array.release)
        del columns, children
        gc.collect()
        self.assertIsNone(lives())
        self.assertEqual(arrow._kept, {})

    def test_capsules_that_nobody_takes_leave_nothing(self):
        for _ in range(100):
            self.block.__arrow_c_array__()
            self.block.__arrow_c_schema__()
        gc.collect()
        self.assertEqual(arrow._kept, {})

    def test_arrow_libraries_take_a_block(self):
        try:
            import pyarrow
        except ImportError:
            return
        batch = pyarrow.record_batch(self.block)
        batch.validate(full=True)
        self.assertEqual(batch.column(0).buffers()[1].address, self.block["a"].ctypes.data)
        self.assertEqual(batch.to_pydict()["t"], [b"\xc8\xc9", b"", b"\xca\xcb\xcc"])
        self.assertEqual(batch.to_pydict()["v"], [128, None, 130])
        del batch
        gc.collect()
        self.assertEqual(arrow._kept, {})
