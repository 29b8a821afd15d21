"""Compares the algebra of layouts with a model that knows layouts only as lists of values.

    layout_model_test.py path/to/kernels_layout_table [unittest arguments]

The model enumerates layouts and the results that an operation may have: where the C++ code returns a layout, its values are
those of the definition, and where it rejects the arguments, no layout with these values exists. The second part distinguishes
a correct rejection from one that is merely cautious.
"""
import itertools
import re
import subprocess
import sys
import unittest
from math import prod

TABLE = sys.argv.pop(1)


def evaluate(queries):
    """Returns the answers of the C++ program to queries such as ("coalesce", layout)."""
    lines = ["|".join(text(part) for part in query) for query in queries]
    done = subprocess.run([TABLE], input="\n".join(lines) + "\n", check=True, capture_output=True, text=True)
    answers = done.stdout.splitlines()
    assert len(answers) == len(queries), (len(answers), len(queries))
    return answers


def text(part):
    """Writes a layout (pair of nested tuples) or a plain value."""
    if isinstance(part, tuple):
        return f"{nest(part[0])}:{nest(part[1])}"
    return str(part)


def nest(t):
    return f"({','.join(map(nest, t))})" if isinstance(t, tuple) else str(t)


def parse(answer):
    """Reads "((2,3),4):((1,2),6)" as a pair of nested tuples; None where the arguments were rejected."""
    if answer.startswith("invalid: "):
        return None
    shape, stride = answer.split(":")
    # (2) is a tuple of one mode, which Python writes (2,).
    read = lambda s: eval(s.replace(")", ",)"), {"__builtins__": {}})  # noqa: E731, S307
    return read(shape), read(stride)


def leaves(t):
    return [leaf for mode in t for leaf in leaves(mode)] if isinstance(t, tuple) else [t]


def values(layout):
    """Returns the values at all indices: the first coordinate varies fastest."""
    shape, stride = (leaves(t) for t in layout)
    points = itertools.product(*(range(n) for n in reversed(shape)))
    return [sum(c * d for c, d in zip(reversed(point), stride)) for point in points]


def mode(layout, k):
    return layout[0][k], layout[1][k]


def flat(rank, extents, strides):
    """Yields all layouts of `rank` integers."""
    for shape in itertools.product(range(1, extents + 1), repeat=rank):
        for stride in itertools.product(range(strides + 1), repeat=rank):
            yield (shape, stride) if rank > 1 else (shape[0], stride[0])


def is_a_layout(f):
    """Returns whether the list f is the list of values of some layout: split off the longest linear run, repeatedly."""
    if f[0] != 0 or any(v < 0 for v in f):
        return False
    if len(f) == 1:
        return True
    run = next((i for i in range(1, len(f)) if f[i] != i * f[1]), len(f))
    if len(f) % run != 0:
        return False
    rows = [f[i:i + run] for i in range(0, len(f), run)]
    if any(row[i] - row[0] != i * f[1] for row in rows for i in range(run)):
        return False
    return run == len(f) or is_a_layout([row[0] for row in rows])


def composable(outer, right):
    """Returns whether some layout with the modes of `right` has the values outer[right(i)]."""
    inner = values(right)
    if max(inner) >= len(outer):
        return False
    shape, stride = (leaves(t) for t in right)
    per_leaf = [[outer[c * d] for c in range(n)] for n, d in zip(shape, stride)]
    points = itertools.product(*(range(n) for n in reversed(shape)))
    sums = [sum(f[c] for f, c in zip(per_leaf, reversed(point))) for point in points]
    return sums == [outer[i] for i in inner] and all(is_a_layout(f) for f in per_leaf)


class Model(unittest.TestCase):
    def check(self, queries, expected):
        """Checks that the answer to each query has the values expected(query), which are None where it must be rejected."""
        valid = rejected = 0
        for query, answer in zip(queries, evaluate(queries)):
            result, wanted = parse(answer), expected(query)
            if wanted is None:
                self.assertIsNone(result, f"{query} gives {answer}")
                rejected += 1
            else:
                self.assertIsNotNone(result, f"{query}: {answer}")
                self.assertEqual(values(result), wanted, f"{query} gives {answer}")
                valid += 1
        return valid, rejected

    def test_values_and_coalesce(self):
        layouts = [l for rank in (1, 2, 3) for l in flat(rank, 3, 4)]
        layouts += [(((2, 3), (2, 2)), ((7, 1), (0, 30))), ((2, (2, 3)), (1, (9, 2)))]
        for l, answer in zip(layouts, evaluate([("values", l) for l in layouts])):
            self.assertEqual([int(v) for v in answer.split()], values(l), l)
        queries = [("coalesce", l) for l in layouts]
        self.check(queries, lambda q: values(q[1]))
        for (_, l), answer in zip(queries, evaluate(queries)):  # no layout with the same values has fewer leaves
            f, fewest = values(l), 1
            while len(f) > 1 and (run := next((i for i in range(1, len(f)) if f[i] != i * f[1]), len(f))) < len(f):
                f, fewest = f[::run], fewest + 1
            self.assertEqual(len(leaves(parse(answer)[0])), fewest, l)

    def test_composition_is_rejected_exactly_where_there_is_none(self):
        lefts = [l for rank in (1, 2) for l in flat(rank, 4, 3)] + [((2, 3, 2), d) for d in itertools.permutations((1, 2, 6))]
        rights = [l for rank in (1, 2) for l in flat(rank, 4, 4)]
        queries = [("composition", a, b) for a in lefts for b in rights]
        outer, inner = {a: values(a) for a in lefts}, {
b: values(b) for b in rights
}

        def expected(query):
            _, a, b = query
            return [outer[a][i] for i in inner[b]] if composable(outer[a], b) else None

        valid = rejected = 0
        cautious = []
        for query, answer in zip(queries, evaluate(queries)):
            result, wanted = parse(answer), expected(query)
            if result is None:
                rejected += 1
                cautious += [query] if wanted is not None else []
            else:
                self.assertEqual(values(result), wanted, f"{query} gives {answer}")
                valid += 1
        print(f"composition: {valid} valid, {rejected} rejected, of which {len(cautious)} have a result")
        self.assertGreater(min(valid, rejected), 20_000)
        # Multiples of 3 carry in both first extents of this layout, and the changes -4 + 1 and -3 + 6 of the value cancel.
        self.assertEqual({left for _, left, _ in cautious}, {((2, 3, 2), (2, 1, 6))})

    def test_complement(self):
        def expected(query):
            _, l, extent = query
            repeated = (tuple(n if d else 1 for n, d in zip(*map(leaves, l))), tuple(leaves(l[1])))
            if len(set(values(repeated))) < len(values(repeated)):
                return None
            image = set(values(l))
            rest = []  # the smallest index that no copy has is where the next copy begins
            filled = set()
            while len(filled) < extent:
                first = min(set(range(extent)) - filled)
                copy = {first + i for i in image}
                if copy & filled or max(copy) >= extent:
                    return None
                filled |= copy
                rest.append(first)
            return rest if is_a_layout(rest) else None

        queries = [("complement", l, n) for rank in (1, 2) for l in flat(rank, 3, 6) for n in (1, 2, 3, 4, 6, 8, 12, 18, 24)]
        valid, rejected = self.check(queries, expected)
        self.assertGreater(min(valid, rejected), 500)

    def test_inverses(self):
        layouts = [l for rank in (1, 2, 3) for l in flat(rank, 3, 6)]
        for l, answer in zip(layouts, evaluate([("is_bijective", l) for l in layouts])):
            self.assertEqual(answer == "1", sorted(values(l)) == list(range(len(values(l)))), l)
        for l, answer in zip(layouts, evaluate([("right_inverse", l) for l in layouts])):
            f, inverse = values(l), values(parse(answer))
            self.assertEqual([f[i] for i in inverse], list(range(len(inverse))), l)
        inverses = 0
        for l, answer in zip(layouts, evaluate([("left_inverse", l) for l in layouts])):
            f, inverse = values(l), parse(answer)
            if inverse is None:
                self.assertNotEqual(sorted(f), list(range(len(f))), l)
                continue
            g = values(inverse)
            self.assertEqual([g[i] for i in f], list(range(len(f))), l)
            inverses += 1
        self.assertGreater(inverses, 500)

    def test_divisions(self):
        layouts = [(12, 1), ((4, 3), (3, 1)), ((2, 6), (7, 1)), ((4, 6), (6, 1)), ((2, 2, 3), (6, 1, 2))]
        queries = [("logical_divide", l, t) for l in layouts for rank in (1, 2) for t in flat(rank, 4, 6)]
        divided = 0
        for (_, l, tiler), answer in zip(queries, evaluate(queries)):
            result = parse(answer)
            if result is None:
                continue
            divided += 1
            outer = values(l)
            self.assertEqual(values(mode(result, 0)), [outer[i] for i in values(tiler)], (l, tiler))
            copies, tile = values(mode(result, 1)), set(values(tiler))
            self.assertEqual(len(copies) * len(tile), len(outer), (l, tiler))
            self.assertEqual({a + b for a in copies for b in values(mode(result, 0))}, set(outer), (l, tiler))
        self.assertGreater(divided, 100)
        for rows, columns, m, n in itertools.product((4, 6), (3, 8), (1, 2, 3, 4), (1, 2, 3, 4)):
            tiler = f"({m},{n}):(1@0,1@1)"
            (answer,) = evaluate([("zipped_divide", ((rows, columns), (columns, 1)), tiler)])
            if rows % m or columns % n:
                self.assertIsNone(parse(answer))
                continue
            tiles = itertools.product(range(columns // n), range(rows // m), range(n), range(m))
            self.assertEqual(values(parse(answer)), [(i * m + k) * columns + j * n + c for j, i, c, k in tiles])

    def test_products(self):
        blocks = [((2, 2), d) for d in itertools.permutations((1, 2))] + [((2, 3), (3, 1)), ((2, 2), (1, 4)), ((3, 1), (1, 0))]
        tilers = [((2, 3), (3, 1)), ((2, 2), (1, 2)), ((3, 2), (1, 4)), ((1, 2), (0, 1))]
        for block, tiler in itertools.product(blocks, tilers):
            blocked, raked = (parse(a) for a in evaluate([(name, block, tiler) for name in ("blocked_product", "raked_product")]))
            image = set(values(block))
            starts, taken = [], set()  # copies at the first free places
            while len(starts) <= max(values(tiler)):
                first = next(i for i in itertools.count() if all(i + v not in taken for v in image) and i not in taken)
                starts.append(first)
                taken |= {first + v for v in image}
            self.assertEqual(blocked is None, raked is None)
            if blocked is None:
                self.assertFalse(composable(starts, tiler), (block, tiler))
                continue
            (bm, bn), (tm, tn) = block[0], tiler[0]
            in_block, copies = values(block), values(tiler)
            for i, j in itertools.product(range(bm * tm), range(bn * tn)):
                at = in_block[i % bm + j % bn * bm] + starts[copies[i // bm + j // bn * tm]]
                self.assertEqual(values(blocked)[i + j * bm * tm], at, (block, tiler))
                at = in_block[i // tm + j // tn * bm] + starts[copies[i % tm + j % tn * tm]]
                self.assertEqual(values(raked)[i + j * bm * tm], at, (block, tiler))

    def test_thread_values(self):
        arrangements = [((2, 4), (4, 1)), ((4, 2), (1, 4)), ((8, 1), (1, 0))]
        for threads, own in itertools.product(arrangements, [((1, 4), (4, 1)), ((2, 2), (1, 2)), ((2, 2), (2, 1))]):
            (answer,) = evaluate([("thread_values", threads, own)])
            (tm, tn), (vm, vn) = threads[0], own[0]
            numbers, order = values(threads), values(own)
            # One coordinate at a time: strides on the other axis are 0.
            row, column = (
                values(parse(re.sub(rf"\d+@{other}", "0", answer).replace(f"@{axis}", ""))) for axis, other in ((0, 1), (1, 0))
            )
            for i, j in itertools.product(range(tm * vm), range(tn * vn)):
                thread, value = numbers[i // vm + j // vn * tm], order[i % vm + j % vn * vm]
                self.assertEqual((row[thread + 8 * value], column[thread + 8 * value]), (i, j), (threads, own))

    def test_bank_conflicts(self):
        strides = list(itertools.product(range(0, 70, 3), (0, 1, 4, 32, 33)))
        queries = [("wavefronts", ((8, 4), d), size, size) for d in strides for size in (2, 4, 8, 16)]
        for (_, l, size, _), answer in zip(queries, evaluate(queries)):
            group = min(32, 128 // size)
            accesses, wavefronts = values(l), 0
            for first in range(0, 32, group):
                words = {(size * i + byte) // 4 for i in accesses[first:first + group] for byte in range(size)}
                wavefronts += max(sum(word % 32 == bank for word in words) for bank in range(32))
            self.assertEqual(int(answer), wavefronts, (l, size))

    def test_sizes_are_checked(self):
        self.assertIsNone(parse(evaluate([("values", "(2,0):(1,1)")])[0]))
        self.assertIsNone(parse(evaluate([("composition", "(2,2):(1,10)", "(2,2):(1,1)")])[0]))
        self.assertEqual(prod(leaves(parse(evaluate([("coalesce", "(2,(1,6)):(1,(6,2))")])[0])[0])), 12)


if __name__ == "__main__":
    unittest.main(verbosity=2)
