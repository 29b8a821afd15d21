"""What a run shows on a terminal: a bar that fits its width, whatever that is.

    terminal_test.py path/to/weft [unittest arguments]
"""
import fcntl
import os
import pty
import re
import struct
import termios
import unittest

from weft_support import WEFT, InFolder, environment, ranks

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal(InFolder):
    def capture(self, columns, *arguments):
        """Returns what a command writes to a terminal that is so wide; it must succeed."""
        process, terminal = pty.fork()
        if process == 0:  # waits for the width
            os.chdir(self.folder)
            os.read(0, 1)
            os.execve(str(WEFT), [str(WEFT), *map(str, arguments)], environment() | {"TERM": "xterm"})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.write(terminal, b"\n")
        output = b""
        while True:
            try:
                some = os.read(terminal, 65536)
            except OSError:  # raised by Linux when the other end is closed
                break
            if not some:
                break
            output += some
        os.close(terminal)
        _, status = os.waitpid(process, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, output.decode())
        return ESCAPES.sub("", output.decode())

    def test_no_line_of_progress_is_wider_than_the_terminal(self):
        case = self.coarse("naca0012", "output.history_steps=10", steps=1500)
        for columns in (40, 80, 120):
            for launch in ([], ranks(2)):
                with self.subTest(columns=columns, launch=launch):
                    shown = self.capture(columns, "run", *case, "--overwrite", *launch)
                    bars = [bar for line in shown.replace("\r\n", "\n").split("\n") for bar in line.split("\r") if " %  step" in bar]
                    self.assertGreater(len(bars), 1, shown)
                    self.assertLess(max(map(len, bars)), columns, shown)
                    self.assertRegex(bars[-1], r"100 %  step 1500\b")
                    if columns >= 80:
                        self.assertIn("  Cd 0.", bars[-1])
                        self.assertRegex(bars[0], r"^\[=* +\]")
                    self.assertNotIn("wrote results", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
