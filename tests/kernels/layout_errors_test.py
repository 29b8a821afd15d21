"""Checks that invalid layouts are errors of the compiler, whose output states the problem, and that valid ones compile.

    layout_errors_test.py COMPILER path/to/src [unittest arguments]

COMPILER: a C++ compiler or nvcc.
"""
import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILER, SOURCES = sys.argv.pop(1), sys.argv.pop(1)
IS_NVCC = os.path.basename(COMPILER).startswith("nvcc")

PROGRAM = """
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/copy.hpp"
using namespace weft::kernels::layout;
{body}
"""

# invalid program, valid program, words that the compiler prints for the first
CASES = [
    ("constexpr Layout k({2, 0}, {1, 2});", "constexpr Layout k({2, 1}, {1, 2});", "extent {0} of a shape is not positive"),
    ("constexpr Layout k({2, {2, 2}}, {1, 2});", "constexpr Layout k({2, {2, 2}}, {1, {2, 4}});", "different parentheses"),
    (
        "constexpr Layout k = composition(Layout({4, 4}, {1, 10}), Layout(6, 1));",
        "constexpr Layout k = composition(Layout({4, 4}, {1, 10}), Layout(8, 1));",
        "crosses an extent",
    ),
    (
        "constexpr Layout k = composition(Layout({2, 2}, {1, 10}), Layout({2, 2}, {1, 1}));",
        "constexpr Layout k = composition(Layout({2, 2}, {1, 10}), Layout({2, 2}, {1, 2}));",
        "right modes overlap",
    ),
    (
        "constexpr Layout k = composition(Layout(8, 1), Layout(4, 3));",
        "constexpr Layout k = composition(Layout(8, 1), Layout(4, 2));",
        "the right layout reaches index",
    ),
    (
        "constexpr Layout k = complement(Layout(4, 1), 10);",
        "constexpr Layout k = complement(Layout(4, 1), 12);",
        "do not fill the extent",
    ),
    (
        "constexpr Layout k = zipped_divide(row_major({64, 60}), identity({16, 16}));",
        "constexpr Layout k = zipped_divide(row_major({64, 64}), identity({16, 16}));",
        "do not fill the extent",
    ),
    ("constexpr Swizzle k(3, 2, 2);", "constexpr Swizzle k(3, 2, 3);", "is less than bits"),
    (
        "constexpr Layout k = thread_values(Layout({2, 2}, {1, 1}), Layout(2, 1));",
        "constexpr Layout k = thread_values(Layout({2, 2}, {1, 2}), Layout(2, 1));",
        "threads are not a permutation",
    ),
    (
        "constexpr auto k = bank_conflicts(Layout(32, 1), 4, 16);",
        "constexpr auto k = bank_conflicts(Layout(32, 4), 4, 16);",
        "align accesses to their size",
    ),
    (
        "float f(float* p) { return local_tile<identity({3, 4})>(tensor(p, StaticLayout<row_major({8, 8})>{}), 0, 0)(0, 0); }",
        "float f(float* p) { return local_tile<identity({2, 4})>(tensor(p, StaticLayout<row_major({8, 8})>{}), 0, 0)(0, 0); }",
        "do not fill the extent",
    ),
    (
        "int f() { return StaticLayout<row_major({2, 2, 2})>{}(1, 1); }",
        "int f() { return StaticLayout<row_major({2, 2, 2})>{}(1, 1, 1); }",
        "one index, or one for each of its modes",
    ),
    (
        "void f(float* a, float* b) { copy(tensor(a, StaticLayout<Layout(8, 1)>{}), tensor(b, StaticLayout<Layout(6, 1)>{})); }",
        "void f(float* a, float* b) { copy(tensor(a, StaticLayout<Layout(8, 1)>{}), tensor(b, StaticLayout<Layout(8, 2)>{})); }",
        "both tensors have the same number of elements",
    ),
    (
        "using L = StaticLayout<Layout(8, 2)>; void f(float* a, float* b) { copy_words<4>(tensor(a, L{}), tensor(b, L{})); }",
        "using L = StaticLayout<Layout(8, 1)>; void f(float* a, float* b) { copy_words<4>(tensor(a, L{}), tensor(b, L{})); }",
        "the source has no words of this width",
    ),
]


def compiled(body):
    """Returns the exit code and the output of the compiler."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.cu" if IS_NVCC else "program.cpp")
        source.write_text(PROGRAM.replace("{body}", body), encoding="utf-8")
        options = ["--expt-relaxed-constexpr", "-c", "-o", os.devnull] if IS_NVCC else ["-fsyntax-only"]
        command = [COMPILER, "-std=c++20", *options, f"-I{SOURCES}", source]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class Errors(unittest.TestCase):
    def test_invalid_layouts_are_errors_that_state_the_problem(self):
        with ThreadPoolExecutor(2) as pool:
            for (body, _, words), (code, output) in zip(CASES, pool.map(lambda case: compiled(case[0]), CASES)):
                with self.subTest(body):
                    self.assertNotEqual(code, 0)
                    self.assertIn(words, output)

    def test_valid_layouts_compile(self):
        code, output = compiled("\n".join(f"namespace case_{k} {{ {valid} }}" for k, (_, valid, _) in enumerate(CASES)))
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
