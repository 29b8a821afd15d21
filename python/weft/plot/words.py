"""Numbers, sizes and names as the page about a run shows them."""


def capital(text):
    return text[:1].upper() + text[1:]


def whole(value):
    return "" if value is None else f"{value:,}"


def short(value):
    return "" if value is None else f"{value:.6g}"


def seconds(value):
    if value is None:
        return ""
    if value < 60:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def memory(size):
    return "" if not size else f"{size / 2**20:,.0f} MiB" if size < 2**30 else f"{size / 2**30:,.1f} GiB"


def place(point):
    return "(" + ", ".join(f"{x:.4g}" for x in point) + ")"


def counted(number, thing):
    many = thing[:-2] + "a" if thing.endswith("hedron") else thing + "s"
    return f"{number:,} {thing if number == 1 else many}"


def rate(value):
    return "" if not value else f"{value / 1e6:.3g} million" if value >= 1e5 else f"{value:,.0f}"


def ranks(call):
    count, machines = call.get("ranks"), call.get("machines", 1)
    return "" if count is None else f"{count}" if machines == 1 else f"{count} on {machines} machines"


def size_of(file):
    try:
        size = file.stat().st_size
    except OSError:
        return ""
    return f"{size:,} B" if size < 1024 else f"{size / 1024:,.1f} KiB" if size < 2**20 else f"{size / 2**20:,.1f} MiB"
