"""Calls of a stack: what `import tidemill` loads when it is first used."""
