"""What tools/weft-plot and tools/weft-report are made of. One module for each thing: reading, cutting, drawing, the page."""
