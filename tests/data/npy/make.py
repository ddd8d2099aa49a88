"""Writes the files of this folder: inputs, and the results of numpy.clip.

    python make.py

README.md names the version of NumPy that wrote the files in the repository.
"""

import pathlib
import shutil

import numpy as np

HERE = pathlib.Path(__file__).parent
DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def elements(dtype):
    """120 edge values and random bits, the same in every run."""
    dtype = np.dtype(dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    width = 8 * dtype.itemsize
    ones = (1 << width) - 1
    edges = [0, 1, 2, ones, ones - 1, ones >> 1, (ones >> 1) + 1, (ones >> 1) + 2, 0x55, 0x7E]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        numbers = [0.0, -0.0, 1.5, -1.5, 1.0, -1.0, np.inf, -np.inf, info.max, info.min, info.tiny, info.smallest_subnormal]
        edges += [int(x) for x in np.array(numbers, dtype).view(bits)]
        infinity = int(np.array(np.inf, dtype).view(bits)[()])
        sign = 1 << (width - 1)
        # Quiet and signalling NaNs, with payloads, of both signs.
        quiet = 1 << (info.nmant - 1)
        edges += [infinity | quiet, infinity | 1, infinity | quiet | 5, sign | infinity | quiet, sign | infinity | 3]
    if width == 64:
        # Integers that no f64 equals.
        edges += [2**53 + 1, 2**63 - 2, 2**64 - 2, 2**64 - 2**53 - 1]
    random = np.random.default_rng(20260101).integers(0, ones, 120 - len(edges), np.uint64, endpoint=True)
    if dtype.kind == "f":
        # Half of the random elements lie near the bounds, where random bits seldom are.
        near = np.linspace(-3, 3, len(random) // 2).astype(dtype).view(bits)
        random[: len(near)] = near
    return np.concatenate([np.array(edges, np.uint64), random]).astype(bits).view(dtype)


def bounds(dtype):
    """The bounds of a dtype's cases, as text and as scalars of the dtype."""
    texts = {
        "i1": ("-100", "85"),
        "i2": ("-20000", "4660"),
        "i4": ("-16777217", "16777217"),
        "i8": ("-9007199254740993", "9007199254740993"),
        "u1": ("3", "200"),
        "u2": ("3", "65534"),
        "u4": ("16777217", "4294967293"),
        "u8": ("9007199254740993", "18446744073709551613"),
        "f2": ("-1.1", "2.3"),
        "f4": ("-1.1", "2.3"),
        "f8": ("-1.1", "2.3"),
    }[dtype]
    if dtype[0] == "f":
        return texts, [np.dtype(dtype).type(text) for text in texts]
    return texts, [np.dtype(dtype).type(int(text)) for text in texts]


def save(name, array, version=None):
    with open(HERE / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def main():
    for old in HERE.glob("*.npy"):
        old.unlink()
    lines = []

    def case(name, x, options, y, version=None):
        save(f"{name}.npy", x, version)
        # NumPy gives the result in the machine's byte order; the example keeps the file's byte order.
        y = np.asarray(y).astype(x.dtype)
        save(f"{name}.out.npy", np.asfortranarray(y) if x.flags.fnc else y)
        lines.append("\t".join([name, " ".join(options)]))

    def clip(name, x, texts, values, version=None):
        y = np.clip(x, values[0], values[1])
        case(name, x, [f"--min={texts[0]}", f"--max={texts[1]}"], y, version)

    for dtype in DTYPES:
        x = elements(dtype)
        texts, values = bounds(dtype)
        little = x.astype(x.dtype.newbyteorder("<"))
        clip(f"{dtype}_c", little.reshape(4, 5, 6), texts, values)
        clip(f"{dtype}_fortran", np.asfortranarray(little.reshape(4, 5, 6)), texts, values)
        clip(f"{dtype}_2.0", little, texts, values, (2, 0))
        clip(f"{dtype}_3.0", little[:8], texts, values, (3, 0))
        if x.dtype.itemsize > 1:
            clip(f"{dtype}_big", x.astype(x.dtype.newbyteorder(">")).reshape(8, 15), texts, values)
        clip(f"{dtype}_scalar", np.array(little[3]), texts, values)
        clip(f"{dtype}_empty", little[:0].reshape(3, 0, 2), texts, values)

    # One bound, and zeros of both signs.
    x = elements("f4").astype("<f4")
    case("one_min", x, ["--min=0.5"], np.maximum(x, np.float32(0.5)))
    case("one_max", x, ["--max=-0.5"], np.minimum(x, np.float32(-0.5)))
    clip("zeros", x, ("-0.0", "0.0"), (np.float32(-0.0), np.float32(0.0)))

    # The longest and the shortest padding of a header that NumPy writes: 20 blanks for the extent that may grow, plus
    # 64 or 1 for the alignment.
    for name, blanks in [("padding_longest", 84), ("padding_shortest", 21)]:
        for shape in [(1,) * rank + (last,) for rank in range(1, 32) for last in (1, 10, 100)]:
            x = np.zeros(shape, "u1")
            save(f"{name}.npy", x)
            header = (HERE / f"{name}.npy").read_bytes()[: -x.size - 1]
            if len(header) - len(header.rstrip()) == blanks:
                break
        clip(name, x, ("3", "200"), (3, 200))

    # A header that other programs write: other blanks, another order of keys, and no alignment.
    data = np.arange(6, dtype="<i2")
    header = b"{\"shape\":( 2,3 ) , 'fortran_order':False,'descr':'<i2'}"
    (HERE / "odd_header.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data.tobytes())
    save("odd_header.out.npy", np.clip(data, 1, 4).reshape(2, 3))
    lines.append("odd_header\t--min=1 --max=4")

    # Files that the example refuses.
    save("refused_bool.npy", np.array([True, False]))
    save("refused_complex.npy", np.array([1 + 2j]))
    save("refused_longdouble.npy", np.zeros(1, np.longdouble))
    save("refused_string.npy", np.array(["a", "bc"]))
    save("refused_bytes.npy", np.array([b"a", b"bc"]))
    save("refused_date.npy", np.array(["2001-02-03"], "M8[D]"))
    save("refused_duration.npy", np.array([5], "m8[s]"))
    save("refused_raw.npy", np.zeros(2, "V2"))
    save("refused_structure.npy", np.zeros(2, [("x", "<f4"), ("y", "<i4", (2,)), (("title", "z"), [("w", "u1")])]))
    with open(HERE / "refused_object.npy", "wb") as file:
        np.save(file, np.array([None, "a"], object), allow_pickle=True)
    with open(HERE / "refused_two_arrays.npy", "wb") as file:
        np.save(file, np.arange(3, dtype="<i4"))
        np.save(file, np.arange(3, dtype="<i4"))
    np.savez(HERE / "refused_archive.npy.npz", np.arange(3))
    shutil.move(HERE / "refused_archive.npy.npz", HERE / "refused_archive.npy")

    (HERE / "cases.tsv").write_text("\n".join(lines) + "\n")
    print(f"NumPy {np.__version__}: {len(lines)} cases")


main()
