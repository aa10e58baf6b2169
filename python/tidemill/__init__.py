"""Tidemill for Python. The module `tidemill.plugin` is what users' own trigger policies and measures are written with."""
