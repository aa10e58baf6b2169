"""The host of Python plug-ins, as a process, asked everything that the protocol has, and whatever can go wrong.

usage: plugin_python_test.py [-v] [TEST...]
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from block_test import *  # noqa: F401,F403,E402
from guide_test import *  # noqa: F401,F403,E402
from host_faults_test import *  # noqa: F401,F403,E402
from host_kinds_test import *  # noqa: F401,F403,E402
from host_program_test import *  # noqa: F401,F403,E402
from host_trigger_test import *  # noqa: F401,F403,E402

if __name__ == "__main__":
    unittest.main()
