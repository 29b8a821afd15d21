"""Templates end by their own criterion: each that generates its mesh, as it is, on two ranks.

    templates_test.py path/to/weft [unittest arguments]
"""
import re
import unittest

from weft_support import PATIENCE, InFolder, ranks

# These read a mesh that is not part of the project; docs/notes/2026-11-templates.md has their runs.
WITH_MESH_OF_A_FILE = {"from_file", "naca0012_file", "onera_m6", "sphere_file", "vortex_file", "wedge_file"}
# The verdict on each other template.
VERDICTS = {
    "dye": "complete: the flow time is reached",
    "forward_step": "complete: the flow time is reached",
    "naca0012": "converged: the forces have settled",
    "sod": "complete: the flow time is reached",
    "vortex": "complete: the flow time is reached",
    "wedge": "converged: the residual has fallen",
}


class Templates(InFolder):
    def test_each_is_known_here(self):
        names = re.findall(r"^(\w+) ", self.weft("new", "--list"), re.M)
        self.assertEqual(set(names), WITH_MESH_OF_A_FILE | set(VERDICTS))

    def test_each_ends_by_its_own_criterion(self):
        for name, verdict in VERDICTS.items():
            with self.subTest(name):
                self.weft("new", name, f"{name}.toml")
                self.assertIn(f"verdict: {verdict}\n", self.weft("run", f"{name}.toml", "--strict", *ranks(2), patience=10 * PATIENCE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
