"""Opens the page of `weft report` in Chromium, without a network: it draws, it fits a phone, it is dark where the reader is. Exits with
77 where there is no browser or h5py or matplotlib is missing.

    report_browser_test.py [KEEP]     KEEP: a folder for the screenshots
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import h5py  # noqa: F401
    import matplotlib.image
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; apt-get install python3-h5py python3-numpy python3-matplotlib")
    sys.exit(77)
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
if BROWSER is None:
    print("skipped: no browser; apt-get install chromium")
    sys.exit(77)

sys.dont_write_bytecode = True
MODULES = Path(__file__).resolve().parents[2] / "python"
sys.path[:0] = [str(Path(__file__).resolve().parent / "support")]
import results  # noqa: E402

KEEP = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
# Writes what a reader could see going wrong into the title of the page.
PROBE = """<script>
window.addEventListener("load", () => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let contrast = 21, small = 99;
  for (const element of document.querySelectorAll("h1,h2,h3,p,dt,dd,td,th,a,figcaption,summary,.badge,caption,li,button")) {
    if (!element.textContent.trim() || !element.offsetParent) continue;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(background(element))];
    contrast = Math.min(contrast, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    small = Math.min(small, parseFloat(getComputedStyle(element).fontSize));
  }
  const pictures = [...document.querySelectorAll(".pictures svg")].filter((svg) => svg.closest("details:not([open])") === null);
  document.querySelector("figure button").click();
  const enlarged = document.querySelector("dialog").open && document.querySelector("dialog svg").getBoundingClientRect().width > 0.9 * innerWidth;
  document.querySelector("dialog").close();
  let saved = null;
  const blob = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (file) => { saved = file; return blob(file); };
  let name = "";
  HTMLAnchorElement.prototype.click = function () { name = this.download; };
  [...document.querySelectorAll("figure button")].find((each) => each.textContent === "Save as SVG").click();
  HTMLAnchorElement.prototype.click = click;
  saved.text().then((text) => {
  const file = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = file.documentElement;
  document.title = JSON.stringify({name, svg: svg.nodeName === "svg" && parseFloat(svg.getAttribute("width")) > 100 && !file.querySelector("parsererror")
      && svg.querySelectorAll("path").length > 10, wide: document.documentElement.scrollWidth - innerWidth, contrast, small, enlarged,
    pictures: pictures.length, least: Math.min(...pictures.map((svg) => svg.getBoundingClientRect().width)),
    fetched: performance.getEntriesByType("resource").length});
  });
});
</script></body>"""


class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        results.make(cls.folder / "run")
        subprocess.run([sys.executable, "-B", MODULES / "weft" / "plot", "report", cls.folder / "run"], check=True, stdout=subprocess.DEVNULL)
        cls.page = cls.folder / "run" / "report.html"
        cls.probe = cls.folder / "probe.html"
        cls.probe.write_text(cls.page.read_text().replace("</body>", PROBE))

    def browser(self, *arguments, dark):
        return subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                               f"--user-data-dir={self.folder / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND",
                               f"--blink-settings=preferredColorScheme={0 if dark else 1}", *arguments],
                              check=True, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout

    def test_can_be_read_everywhere(self):
        for width, height in ((1300, 1000), (500, 900)):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    size = f"--window-size={width},{height}"
                    text = self.browser(size, "--virtual-time-budget=5000", "--dump-dom", f"file://{self.probe}", dark=dark)
                    found = json.loads(re.search("<title>(.*?)</title>", text).group(1))
                    self.assertEqual((found["fetched"], found["enlarged"]), (0, True), found)
                    self.assertTrue(found["svg"], found)  # a picture that was saved is one
                    self.assertTrue(re.fullmatch(r"mach-number-from-[0-9a-z.-]+\.svg", found["name"]), found)
                    self.assertLessEqual(found["wide"], 0, found)  # nothing sticks out
                    self.assertGreaterEqual(found["contrast"], 4.5, found)  # WCAG 2.1, 1.4.3
                    self.assertGreaterEqual(found["small"], 13, found)
                    self.assertGreaterEqual(found["pictures"], 9, found)
                    self.assertGreater(found["least"], 300, found)
                    shot = (KEEP or self.folder) / f"report_{width}_{'dark' if dark else 'light'}.png"
                    self.browser(f"--window-size={width},{6000 if KEEP else height}", f"--screenshot={shot}", f"file://{self.page}", dark=dark)
                    pixels = matplotlib.image.imread(shot)[..., :3]
                    self.assertEqual(np.median(pixels) < 0.5, dark)
                    self.assertGreater(pixels.std(), 0.05)


if __name__ == "__main__":
    unittest.main()
