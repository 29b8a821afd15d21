"""The drawing tools behind `weft plot` and `weft report`. One module for each thing: reading, cutting, drawing, the page."""
