"""VTKHDF files for the tests of the drawing tools."""
import h5py
import numpy as np

LINE, TRIANGLE, QUAD, TETRAHEDRON, HEXAHEDRON, PRISM, PYRAMID = 3, 5, 9, 10, 12, 13, 14


def write(path, points, cells, fields, pieces=1, time=0.25, step=10):
    """cells: list of (VTK type, nodes). Each piece holds its share of the cells, and all points."""
    split = [cells[i::pieces] for i in range(pieces)]
    order = [j for i in range(pieces) for j in range(len(cells))[i::pieces]]
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root["NumberOfPoints"] = [len(points)] * pieces
        root["NumberOfCells"] = [len(piece) for piece in split]
        root["NumberOfConnectivityIds"] = [sum(len(nodes) for _, nodes in piece) for piece in split]
        root["Points"] = np.concatenate([points] * pieces)
        root["Connectivity"] = np.concatenate([nodes for piece in split for _, nodes in piece])
        root["Offsets"] = np.concatenate([np.cumsum([0] + [len(nodes) for _, nodes in piece]) for piece in split])
        root["Types"] = np.array([kind for piece in split for kind, _ in piece], np.uint8)
        for name, values in fields.items():
            root["CellData/" + name] = np.asarray(values)[order]
        root["FieldData/TimeValue"], root["FieldData/Step"] = [time], [step]


def lattice(n, dim):
    """Points of the unit square or cube, and the number of one."""
    x = np.linspace(0, 1, n + 1)
    grid = np.meshgrid(*[x] * dim, indexing="ij")
    points = np.stack([axis.ravel() for axis in grid] + [np.zeros((n + 1) ** dim)] * (3 - dim), axis=1)
    return points, lambda *i: int(np.ravel_multi_index(i, (n + 1,) * dim))


def square(n):
    points, at = lattice(n, 2)
    cells = []
    for i in range(n):
        for j in range(n):
            a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
            cells += [(QUAD, [a, b, c, d])] if (i + j) % 2 else [(TRIANGLE, [a, b, c]), (TRIANGLE, [a, c, d])]
    return points, cells


def cube(kind, n=2):
    points, at = lattice(n, 3)
    points, cells = list(points), []
    for i, j, k in np.ndindex(n, n, n):
        h = [at(i + a, j + b, k + c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
        if kind == HEXAHEDRON:
            cells.append((kind, h))
        elif kind == PRISM:
            cells += [(kind, [h[q] for q in half]) for half in ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))]
        else:
            centre = len(points)
            points.append(np.mean([points[q] for q in h], axis=0))
            for face in ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)):
                q = [h[f] for f in face][::-1]
                if kind == PYRAMID:
                    cells.append((kind, q + [centre]))
                else:
                    cells += [(kind, [q[0], q[1], q[2], centre]), (kind, [q[0], q[2], q[3], centre])]
    return np.array(points), cells


def circle(n):
    """Points and segments of the unit circle about (3, 0)."""
    angle = 2 * np.pi * np.arange(n) / n
    points = np.stack([3 + np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    return points, [(LINE, [i, (i + 1) % n]) for i in range(n)]
