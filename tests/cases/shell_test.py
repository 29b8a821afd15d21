"""What the program does for shells: completion, the manual page, output that cannot be written. The help of the scripts.

    shell_test.py path/to/weft [unittest arguments]

Completion of zsh and fish is tried where these shells are.
"""
import json
import os
import re
import shutil
import subprocess
import unittest

from weft_support import CASES, COARSE, DONE, FAILED, PATIENCE, SOURCE, USAGE, WEFT, InFolder, environment, h5py, ranks

COMMANDS = ("info", "mesh", "check", "plan")

# Prints what bash would offer for the command line $1, one word a line.
ASK_BASH = r"""
source completion.bash
COMP_LINE=$1 COMP_POINT=${#1}
read -ra COMP_WORDS <<<"$1"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_weft
printf '%s\n' "${COMPREPLY[@]}"
"""
# Types a line into a zsh of its own, and prints what it lists.
ASK_ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -d $PWD/dump; zstyle ':completion:*' list-colors; LISTMAX=0; COLUMNS=200"
zpty -w shell "print -r READY"
while zpty -r shell line; do [[ $line == READY* ]] && break; done
zpty -n -w shell "$1"$'\t\t'
sleep 1
while zpty -r -t shell line; do print -r -- "$line"; done
zpty -d shell
"""


class Completion(InFolder):
    def setUp(self):
        super().setUp()
        for file in ("flow.toml", "mesh.su2", "mesh.h5", "notes.txt"):
            (self.folder / file).write_text("")
        (self.folder / "results").mkdir()

    def printed(self, shell, file):
        (self.folder / file).write_text(self.weft("completion", shell))

    def ask(self, *command):
        done = subprocess.run([*map(str, command)], cwd=self.folder, env=environment() | {"PATH": f"{WEFT.parent}:{os.environ['PATH']}"},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def bash(self, line):
        return self.ask("bash", "-c", ASK_BASH, "bash", line).split()

    def test_bash(self):
        self.printed("bash", "completion.bash")
        commands = [line.split()[0] for line in self.weft("--help").partition("Subcommands:\n")[2].splitlines()
                    if line.startswith("  ") and line[2] != " "]
        commands = commands[:commands.index("man") + 1]  # examples follow
        self.assertIn("run", commands)
        self.assertEqual(self.bash("weft "), commands)
        self.assertEqual(self.bash("weft re"), ["report", "reference"])
        self.assertEqual(self.bash("weft run --over"), ["--overwrite", "--oversubscribe"])
        self.assertEqual(self.bash("weft mesh i"), ["info"])
        self.assertEqual(self.bash("weft mesh info --balance "), ["cells", "cost"])
        self.assertEqual(self.bash("weft mesh info --balance=co"), ["cost"])
        self.assertEqual(self.bash("weft new "), sorted(COARSE))
        self.assertEqual(self.bash("weft bench kernels --only s"), [
            "sum", "segmented_sum", "segmented_reduce", "segmented_exclusive_scan", "segmented_inclusive_scan", "scan_by_offsets", "sort",
            "stable_sort_by_key", "segmented_sort", "segmented_stable_sort_by_key", "select", "scatter", "soa_to_aos", "stencil", "star_stencil",
            "stable_order", "sort_unique"])
        self.assertEqual(self.bash("weft new na"), ["naca0012", "naca0012_file"])
        self.assertIn("forward_step", self.bash("weft mesh generate "))
        self.assertEqual(self.bash("weft run "), ["results", "flow.toml"])
        self.assertEqual(self.bash("weft run -n 4 --resume fl"), ["flow.toml"])
        self.assertEqual(self.bash("weft mesh info m"), ["mesh.su2", "mesh.h5"])
        self.assertEqual(self.bash("weft report "), ["results"])
        self.assertEqual(self.bash("weft run flow.toml --set numerics.cfl"), ["numerics.cfl=", "numerics.cfl_ramp_steps=", "numerics.cfl_start="])
        self.assertEqual(self.bash("weft run flow.toml --set numerics.cfl=0."), [])
        self.assertEqual(self.bash("weft run flow.toml --sweep free_stream.al"), ["free_stream.alpha="])
        self.assertEqual(self.bash("weft run flow.toml --watchdog "), [])
        self.assertEqual(self.bash("weft completion "), ["bash", "zsh", "fish"])
        self.assertEqual(self.bash("/somewhere/bin/weft inf"), ["info"])

    def test_bash_offers_every_option_of_the_help(self):
        self.printed("bash", "completion.bash")
        for command in (["run"], ["check"], ["new"], ["mesh"], ["mesh", "convert"], ["mesh", "partition"], ["plan"], ["info"], ["bench", "kernels"]):
            options = [word.strip(",") for line in self.weft(*command, "--help").splitlines() if line.startswith("  -")
                       for word in line.split()[0].split(",")]
            self.assertEqual(sorted(self.bash(f"weft {' '.join(command)} -")), sorted(options))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed (Debian: fish)")
    def test_fish(self):
        self.printed("fish", "weft.fish")
        def fish(line):
            return [word.partition("\t")[0] for word in
                    self.ask("fish", "--no-config", "-c", "source weft.fish; complete -C $argv[1]", line).splitlines()]
        self.assertEqual(fish("weft re"), ["reference", "report"])
        self.assertEqual(fish("weft mesh i"), ["info"])
        self.assertEqual(fish("weft mesh info --balance "), ["cells", "cost"])
        self.assertEqual(fish("weft new na"), ["naca0012", "naca0012_file"])
        self.assertIn("--resume", fish("weft run --re"))
        self.assertNotIn("--resume", fish("weft check --re"))
        self.assertIn("flow.toml", fish("weft run f"))
        self.assertIn("numerics.cfl=", fish("weft run flow.toml --set numerics.cfl"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed (Debian: zsh)")
    def test_zsh(self):
        self.printed("zsh", "_weft")
        for line, words in (("weft re", ("report", "reference")), ("weft mesh info --balance ", ("cells", "cost")),
                            ("weft new na", ("naca0012", "naca0012_file")), ("weft run --res", ("--resume",)),
                            ("weft run flow.toml --set numerics.cfl", ("numerics.cfl_start",))):
            listed = self.ask("zsh", "-f", "-c", ASK_ZSH, "zsh", line)
            for word in words:
                self.assertIn(word, listed, line)

    def test_refuses_other_shells(self):
        self.assertIn("bash,zsh,fish", self.weft("completion", "csh", code=USAGE).replace(" ", ""))


class Manual(InFolder):
    def test_has_every_command_and_option(self):
        page = self.weft("man").replace("\\-", "-")
        for command in ("run", "check", "new", "mesh info", "mesh generate", "plan", "report", "bench kernels", "completion"):
            self.assertIn(f"weft {command}", page)
        for word in ("--accept-changes", "--oversubscribe", "--cell-rate", "weft run case.toml -n 4", ".SH EXIT STATUS", ".B 130"):
            self.assertIn(word, page)

    @unittest.skipUnless(shutil.which("man"), "man is not installed (Debian: man-db)")
    def test_is_good_roff(self):
        (self.folder / "weft.1").write_text(self.weft("man"))
        done = subprocess.run(["man", "--warnings", "-l", "weft.1"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              env=environment() | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        if "This system has been minimized" in done.stdout:
            self.skipTest("this man prints no pages, because the system is minimized (Ubuntu: unminimize)")
        self.assertIn("weft mesh convert", done.stdout)

    def test_examples_in_every_help(self):
        for command in ([], ["run"], ["check"], ["new"], ["mesh", "info"], ["mesh", "generate"], ["mesh", "convert"], ["mesh", "refine"],
                        ["mesh", "partition"], ["plan"], ["info"], ["bench"], ["bench", "kernels"], ["reference"], ["completion"], ["man"]):
            self.assertIn("Examples:\n  weft ", self.weft(*command, "--help"))

    @unittest.skipIf(h5py is None, "this Python has no h5py (Debian: python3-h5py), which weft report needs")
    def test_examples_in_the_help_of_a_drawing_tool(self):
        self.assertIn("Examples:\n  weft ", self.weft("report", "--help"))


class Documents(InFolder):
    """One JSON document on standard output, and nothing else there."""

    def json(self, *arguments, code=DONE):
        done = subprocess.run([WEFT, *map(str, arguments), "--json"], cwd=self.folder, env=environment(), timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        document = json.loads(done.stdout, parse_constant=self.fail)
        self.assertEqual((document["format"], document["command"]), (1, " ".join(word for word in arguments[:2] if word in COMMANDS)))
        return document, done.stderr

    def documented(self, command, document):
        """Every member, of members too, is in the table of the guide."""
        row = re.search(rf"^\| `{command}` \| (.*) \|$", (SOURCE / "docs" / "guide" / "command_line.md").read_text().partition("## JSON")[2], re.M).group(1)
        names = set(re.findall(r"`(\w+)`", row)) | {"format", "version", "command", "mesh"}
        for name, value in document.items():
            self.assertIn(name, names)
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, dict) and name not in ("cells_of_type", "mesh"):
                    self.assertLessEqual(set(part), names | {"value", "place"}, name)

    def test_info(self):
        for launch in ([], ranks(2)):
            document, said = self.json("info", *launch)
            self.assertEqual((document["ranks"], said), (2 if launch else 1, ""))
            self.assertIn("Open MPI", document["mpi"]["library"])
            self.documented("info", document)

    def test_mesh_info(self):
        self.weft("mesh", "generate", "wedge", "w.su2", "-p", "nx=6", "-p", "ny=4")
        for launch in ([], ranks(2)):
            document, _ = self.json("mesh", "info", "w.su2", *launch)
            self.assertEqual((document["cells"], document["dim"], document["cells_of_type"]), (24, 2, {"quad": 24}))
            self.assertEqual([zone["name"] for zone in document["zones"] if zone["dim"] == 1], ["inlet", "outlet", "wall", "upper"])
            self.documented("mesh info", document)

    def test_check(self):
        document, said = self.json("check", *self.coarse("wedge"))
        self.assertEqual((document["good"], document["errors"], said), (True, [], ""))
        self.assertEqual((document["mesh"]["cells"], document["steps"]["estimate"]), (96, 5))
        self.assertAlmostEqual(document["states"][0]["mach"], 2, 12)
        self.documented("check", document)
        wrong, said = self.json("check", *self.coarse("wedge", "numerics.cfll=3", "gas.gamma=-1"), code=FAILED)
        self.assertFalse(wrong["good"])
        self.assertEqual({error["where"]["key"] for error in wrong["errors"]}, {"numerics.cfll", "gas.gamma"})
        self.assertEqual({error["kind"] for error in wrong["errors"]}, {"input"})
        self.assertIn('did you mean "cfl"?', said)
        self.documented("check", wrong)

    def test_plan(self):
        document, _ = self.json("plan", *[CASES / "wedge.toml", "--set", "mesh.nx=24", "--set", "mesh.ny=16"], "--ranks", "1,2,8")
        self.assertEqual([each["ranks"] for each in document["estimates"]], [1, 2, 8])
        self.assertEqual(sum(document["estimates"][0][k] for k in ("most_cells", "messages", "bytes")), document["cells"])
        self.documented("plan", document)

    def test_no_document_without_a_mesh(self):
        done = subprocess.run([WEFT, "mesh", "info", "none.msh", "--json"], cwd=self.folder, env=environment(), capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (FAILED, ""))
        self.assertIn("none.msh: the mesh file does not exist", done.stderr)


class LostOutput(InFolder):
    """Standard output that cannot be written is an error on standard error; results are written nevertheless."""

    def lost(self, *arguments, closed=False):
        reading, writing = os.pipe()
        os.close(reading)
        with open("/dev/full", "w") as full:
            done = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, env=environment(), timeout=PATIENCE,
                                  stdin=subprocess.DEVNULL, stdout=writing if closed else full, stderr=subprocess.PIPE, text=True)
        os.close(writing)
        return done.returncode, done.stderr

    def test_of_every_command(self):
        for arguments in (["info"], ["info", *ranks(2)], ["--help"], ["--version"], ["reference"], ["new"], ["man"], ["completion", "bash"],
                          ["mesh", "generate"], ["check", *self.coarse("wedge")], ["run", *self.coarse("wedge"), "--overwrite"],
                          ["run", *self.coarse("wedge"), "--overwrite", *ranks(2)]):
            for closed, why in ((False, "No space left on device"), (True, "Broken pipe")):
                with self.subTest(arguments=arguments, why=why):
                    code, said = self.lost(*arguments, closed=closed)
                    self.assertEqual((code, said), (FAILED, f"weft: error: standard output: cannot be written ({why}); what was printed is not complete\n"))
        self.assertEqual(len(self.rows("wedge/residuals.csv")), 1)
        self.assertIn("verdict:", (self.folder / "wedge" / "run.log").read_text())

    def test_of_a_run_that_fails(self):
        code, said = self.lost("run", "nofile.toml")
        self.assertEqual(code, FAILED)
        self.assertIn("nofile.toml: no such file", said)

    def test_standard_error_may_be_full(self):
        for arguments, code in ((["run", "nofile.toml"], FAILED), (["fly"], USAGE), (["run", *self.coarse("wedge")], DONE)):
            with open("/dev/full", "w") as full:
                done = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, env=environment(), timeout=PATIENCE,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=full)
            self.assertEqual(done.returncode, code, arguments)


class Scripts(InFolder):
    def test_print_their_help_in_any_folder(self):
        scripts = [SOURCE / "quickstart", SOURCE / "run-tests", *sorted((SOURCE / "tools").iterdir())]
        scripts = [script for script in scripts if script.is_file() and "print_header" in script.read_text()]
        self.assertGreater(len(scripts), 5)
        for script in scripts:
            header = script.read_text().splitlines()[1].removeprefix("# ")
            for place, name in ((self.folder, os.path.relpath(script, self.folder.resolve())), (script.parent, f"./{script.name}")):
                with self.subTest(script=script.name, place=place):
                    done = subprocess.run([name, "--help"], cwd=place, capture_output=True, text=True, timeout=PATIENCE)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(done.stdout.splitlines()[0], header)


if __name__ == "__main__":
    unittest.main()
