"""Limits of the sizes of source files and functions, for tools/check-layers.

No source in C++, CUDA, Python or bash has more than MOST_LINES lines, unless a program writes it (GENERATED). No function in
C++, CUDA or Python has more than MOST_FUNCTION_LINES, from its first line to its closing brace, with its doc string in Python.
Initialisers of variables, such as tables, are not functions. A brace counter finds the functions in C++: those that macros
open or close are not found.
"""
import ast
import re

from cpp_text import first_branches, without_noise

MOST_LINES = 400
MOST_FUNCTION_LINES = 80
FOLDERS = ("apps", "bench", "examples", "python", "src", "tests", "tools")  # and the files of the top folder
GENERATED = {"python/weft/case.py"}  # by tools/case-types
# The first lines of functions that may be longer, because they are tables.
LONG_FUNCTIONS = {
    ("tests/flow/case_test.cpp", "TEST(Case, NamesTheKeyOfEveryWrongValue) {"),
    ("tests/mesh/bad_meshes.hpp", "inline std::vector<BadCgns> bad_cgns() {"),
}

CPP = {".hpp", ".cpp", ".cu", ".cuh"}
SCRIPT = re.compile(rb"#!.*\b(python|bash)")
TEMPLATE_ARGUMENTS = re.compile(r"<[^<>(){};]*>")
ACCESS = re.compile(r"^\s*(?:public|private|protected)\s*:")
# A declaration, without its template arguments, of what may contain functions.
SCOPE = re.compile(r'\b(?:namespace|class|struct|union|enum)\b(?:\s+alignas\([^()]*\))?[^()]*$|extern\s+""\s*$')


def language_of(path):
    """Returns "cpp", "python", "bash" or None for other files."""
    if path.suffix in CPP:
        return "cpp"
    if path.suffix in (".py", ".sh"):
        return {".py": "python", ".sh": "bash"}[path.suffix]
    if path.suffix == "":
        with path.open("rb") as file:
            script = SCRIPT.match(file.readline())
        return script.group(1).decode() if script else None
    return None


def cpp_functions(text):
    """Yields the (first, last) lines of the functions in a C++ source, without those inside others."""
    code = first_branches(without_noise(text, keep_strings=False))
    parentheses = 0  # open parentheses outside of functions
    depth = 0  # open braces of a function or an initialiser
    is_function, begin = False, 0  # kind and start of the block of `depth`, or of the last one if it is 0
    header = 0  # where the declaration begins that is being read
    for match in re.finditer(r"[{}();]", code):
        at, token = match.start(), match.group()
        if depth > 0:
            depth += {"{": 1, "}": -1}.get(token, 0)
            if depth > 0 or token != "}":
                continue
            header = at + 1
            # The body of a constructor may follow the braces of a member initialiser.
            rest = re.match(r"\s*[{,]", code[header : header + 200])
            if is_function and rest is None:
                yield code.count("\n", 0, begin) + 1, code.count("\n", 0, at) + 1
        elif token in "()":
            parentheses += 1 if token == "(" else -1
        elif token == "{" and parentheses == 0:
            before = ACCESS.sub("", code[header:at], count=1)
            declaration, removed = before.strip(), 1
            while removed:
                declaration, removed = TEMPLATE_ARGUMENTS.subn("", declaration)
            if SCOPE.search(declaration):
                header = at + 1
                continue
            depth = 1
            if not (is_function and (declaration == "" or declaration.startswith(","))):
                is_function = "(" in declaration or "[" in declaration
                begin = at - len(before.lstrip())
        elif token == "}" and parentheses == 0:
            header = at + 1
        elif token == ";" and parentheses == 0:
            is_function, header = False, at + 1
        elif token == "{":  # in the arguments of a declaration
            parentheses += 1
        elif token == "}":
            parentheses -= 1


def python_functions(text):
    """Yields the (first, last) lines of the functions in a Python source, with those inside others."""
    statements = list(ast.parse(text).body)
    while statements:
        statement = statements.pop()
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            statements.extend(getattr(statement, part, ()))
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield statement.lineno, statement.end_lineno


def check_sizes(path, name):
    """Yields (line, rule, message) for the source `path`; `name` is its path relative to the top folder, with slashes."""
    language = language_of(path)
    if language is None or name in GENERATED:
        return
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > MOST_LINES:
        yield MOST_LINES + 1, "file-size", f"the file has {lines} lines, more than {MOST_LINES}: divide it by topic"
    if lines <= MOST_FUNCTION_LINES or language == "bash":
        return
    for first, last in (cpp_functions if language == "cpp" else python_functions)(text):
        length = last - first + 1
        if length > MOST_FUNCTION_LINES and (name, text.split("\n")[first - 1].strip()) not in LONG_FUNCTIONS:
            yield first, "function-size", f"the function has {length} lines, more than {MOST_FUNCTION_LINES}: divide it"


def sources_of(root):
    """Yields the files of FOLDERS and of the folder `root` itself."""
    yield from (path for path in sorted(root.iterdir()) if path.is_file())
    for folder in FOLDERS:
        yield from (path for path in sorted((root / folder).rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def findings(root):
    """Returns the (line, rule) of all findings below `root`."""
    return [found[:2] for path in sources_of(root) for found in check_sizes(path, path.relative_to(root).as_posix())]


def _lines(count, line="  f();\n"):
    return count * line


# file, its text, the (line, rule) that must be found (empty: must pass)
CASES = [
    ("src/a.cpp", _lines(401, "int x;\n"), [(401, "file-size")]),
    ("src/a.cpp", _lines(400, "int x;\n"), []),
    ("tools/a", "#!/usr/bin/env bash\n" + _lines(400, "true\n"), [(401, "file-size")]),
    ("run", "#!/usr/bin/env python3\n" + _lines(400, "f()\n"), [(401, "file-size")]),
    ("tools/a", "a list\n" + _lines(400), []),
    ("python/weft/case.py", _lines(500, "x = 1\n"), []),
    ("docs/a.py", _lines(500, "x = 1\n"), []),
    ("src/a.cpp", "// f\nvoid f(int x) {\n" + _lines(79) + "}\n", [(2, "function-size")]),
    ("src/a.cpp", "// f\nvoid f(int x) {\n" + _lines(78) + "}\nvoid g() {\n" + _lines(78) + "}\n", []),
    (
        "src/a.hpp",
        "namespace a {\nstruct B : C<int> {\n public:\n  B() : x{1}, y{2} {\n" + _lines(79) + "}\n};\n}\n",
        [(4, "function-size")],
    ),
    ("src/a.hpp", "template <class T>\n  requires(good<T>)\nclass B {\n" + _lines(90, "  void f() { g(); }\n") + "};\n", []),
    (
        "src/a.cu",
        "template <class T, int N = f(1)>\n__global__ void k(S s = {}) {\n" + _lines(79) + "}\n",
        [(1, "function-size")],
    ),
    ("src/a.cpp", "const std::array<Row<int>, 2> kRows{\n" + _lines(90, "    Row{f(), '{', \"{\"},\n") + "};\n", []),
    (
        "tests/a.cpp",
        "TEST(A, B) {\n#if X\n  if (x) {\n#else\n  if (y) {\n#endif\n" + _lines(74) + "  }\n}\n",
        [(1, "function-size")],
    ),
    ("tests/flow/case_test.cpp", "TEST(Case, NamesTheKeyOfEveryWrongValue) {\n" + _lines(99) + "}\n", []),
    ("python/a.py", "class A:\n    def f(self):\n" + _lines(80, "        x = 1\n"), [(2, "function-size")]),
    ("python/a.py", "class A:\n    def f(self):\n" + _lines(79, "        x = 1\n"), []),
]
