"""Names of quantities as people write them, and their units."""

WORDS = {"mach": "Mach number", "cp": "Cp", "cd": "Cd", "cl": "Cl", "cmx": "Cm x", "cmy": "Cm y", "cmz": "Cm z", "cm": "Cm", "mx": "moment x", "my": "moment y", "mz": "moment z", "dt": "time step",
         "fx": "force x", "fy": "force y", "fz": "force z", "schlieren": "density gradient"}
UNITS = {"density": "kg/m³", "velocity": "m/s", "pressure": "Pa", "total_pressure": "Pa", "temperature": "K", "total_temperature": "K",
         "entropy": "J/(kg K)", "vorticity": "1/s", "schlieren": "kg/m⁴", "x": "m", "y": "m", "z": "m", "time": "s", "dt": "s", "fx": "N",
         "fy": "N", "fz": "N", "mx": "N m", "my": "N m", "mz": "N m", "mass_flow": "kg/s"}
PREFIXES = {"exact_": "exact ", "error_": "error of "}


def is_si(case):
    """Returns whether a case has units, which are then SI: where the gas constant is 10 or more, as in weft check."""
    return case.get("gas", {}).get("gas_constant", 1.0) >= 10


def label(name):
    """Returns a name as people write it: airfoil_cd is airfoil Cd."""
    for prefix, words in PREFIXES.items():
        if name.startswith(prefix):
            return words + label(name[len(prefix):])
    return " ".join(WORDS.get(word, word) for word in name.split("_"))


def unit_of(name):
    """Returns the SI unit of a quantity; empty for those without one and those not known."""
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    base, _, last = name.rpartition("_")
    return UNITS.get(name) or (UNITS.get(base, "") if last in ("x", "y", "z") else "")


def axis_label(name, si):
    """Returns what stands at an axis or a colour bar: Density (kg/m³), without the unit where the case has none."""
    words, unit = label(name), unit_of(name) if si else ""
    if len(name) > 1:  # x, y and z stay small
        words = words[:1].upper() + words[1:]
    return f"{words} ({unit})" if unit else words
