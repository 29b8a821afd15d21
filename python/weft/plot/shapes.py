"""Cells by their VTK type."""

# VTK cell type -> tetrahedra that fill it, as positions in its list of nodes.
TETRAHEDRA = {
    10: [(0, 1, 2, 3)],
    14: [(0, 1, 2, 4), (0, 2, 3, 4)],
    13: [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)],
    12: [(0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (3, 4, 6, 7), (1, 4, 5, 6)],
}
FLAT = {5: 3, 9: 4}
LINE = 3  # cells of walls in 2-D
THIN = 20  # a flat mesh as much longer than wide as this is a line
NODES = {LINE: 2, **FLAT, 10: 4, 14: 5, 13: 6, 12: 8}
