"""Photographs that consist of flat squares, as JPEG, without a library: each square of 8 x 8 pixels has one coefficient."""
import random
import struct

ZIGZAG_OF_ONES = bytes([1] * 64)
# The codes of Annex K for the number of bits of a difference, and one code for "nothing follows".
DC_LENGTHS = bytes([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
DC_VALUES = bytes(range(12))
AC_LENGTHS = bytes([1] + [0] * 15)
AC_VALUES = bytes([0])


def dc_codes():
    codes, code, values = {}, 0, iter(DC_VALUES)
    for length, count in enumerate(DC_LENGTHS, start=1):
        for _ in range(count):
            codes[next(values)] = format(code, f"0{length}b")
            code += 1
        code <<= 1
    return codes


def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content


def scan(squares):
    """The bits of the squares' grey values, from -1024 to 1023, as bytes."""
    codes, bits, before = dc_codes(), [], 0
    for value in squares:
        difference, before = value - before, value
        size = abs(difference).bit_length()
        bits.append(codes[size])
        if size:
            bits.append(format(difference if difference > 0 else difference + (1 << size) - 1, f"0{size}b"))
        bits.append("0")
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    whole = int(text, 2).to_bytes(len(text) // 8, "big")
    return whole.replace(b"\xff", b"\xff\x00")


def jpeg(squares, columns, rows):
    """A grey photograph of columns x rows squares."""
    frame = struct.pack(">BHHB3B", 8, rows * 8, columns * 8, 1, 1, 0x11, 0)
    return b"".join([
        b"\xff\xd8",
        segment(0xDB, b"\x00" + ZIGZAG_OF_ONES),
        segment(0xC0, frame),
        segment(0xC4, b"\x00" + DC_LENGTHS + DC_VALUES),
        segment(0xC4, b"\x10" + AC_LENGTHS + AC_VALUES),
        segment(0xDA, bytes([1, 1, 0x00, 0, 63, 0])),
        scan(squares),
        b"\xff\xd9",
    ])


def write(folder, count, columns=20, rows=15):
    """Photographs 0000.jpg, ... and beside each, in 0000.number, its class: 0 or 1 by turns. The first are brighter."""
    folder.mkdir(parents=True)
    chance = random.Random(11)
    for number in range(count):
        bright = 150 if number % 2 == 0 else -150
        squares = [bright + chance.randrange(-600, 600) for _ in range(columns * rows)]
        (folder / f"{number:04}.jpg").write_bytes(jpeg(squares, columns, rows))
        (folder / f"{number:04}.number").write_text(f"{number % 2}\n")
