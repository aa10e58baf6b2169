"""Whatever can go wrong in a Python plug-in is a fault that says what and where, and the host continues."""
import os
import pathlib
import signal
import struct
import sys
import tempfile
import textwrap
import time
import unittest

import numpy
from host_case import AT, HostCase
from host_process import HostProcess

TRIGGER = '''
from tidemill import plugin
import numpy as np
class Other(plugin.Measure):
    def contributions(self, block): return []
    def combine(self, sums): return None
class Mine(plugin.Trigger):
    def points(self): return plugin.EverySamples(1)
    def looks_at(self): return {"errors": plugin.Errors()}
    def observe(self, evidence):
        BODY
    def judge(self, seen):
        return VERDICT
class Half(plugin.Trigger):
    def points(self): return None
number = 3
'''
ERRORS = {"errors": {"values": numpy.array([1., 2, 3])}}


class FaultsTest(HostCase):
    def trigger(self, body="return {}", verdict="plugin.Verdict(False, 'No.')"):
        """Loads a trigger whose `observe` begins in line 11."""
        source = TRIGGER.replace("BODY", textwrap.indent(textwrap.dedent(body), " " * 8).strip()).replace("VERDICT", verdict)
        answer = self.host.load(source, "Mine", "trigger")
        self.assertTrue(answer["ok"], answer)
        self.create()

    def observed_fault(self, body):
        self.trigger(body)
        return self.observe(self.fault, **ERRORS)

    def tearDown(self):
        self.trigger("return {'sum': evidence['errors'].sum()}")
        self.assertEqual(self.observe(**ERRORS)["observed"], {"sum": 6})

    def test_an_exception_tells_what_and_where(self):
        fault = self.observed_fault("return {'x': 1 // 0}")
        self.assertEqual((fault["what"], fault["where"]),
                         ("ZeroDivisionError: integer division or modulo by zero", "surprise.py:11 in observe"))
        lines = fault["traceback"].splitlines()
        self.assertEqual(lines[:3], ["Traceback (most recent call last):", '  File "surprise.py", line 11, in observe',
                                     "    return {'x': 1 // 0}"])
        self.assertEqual(lines[-1], fault["what"])

    def test_the_deepest_frame_in_the_users_file_is_the_place(self):
        fault = self.observed_fault("np.linalg.inv(np.zeros((2, 2)))")
        self.assertEqual((fault["what"], fault["where"]), ("LinAlgError: Singular matrix", "surprise.py:11 in observe"))
        self.assertIn("in inv", fault["traceback"])

    def test_a_fault_tells_its_cause(self):
        fault = self.observed_fault("try: int('x')\nexcept ValueError as error: raise RuntimeError('no number') from error")
        self.assertEqual((fault["what"], fault["where"]), ("RuntimeError: no number", "surprise.py:12 in observe"))
        self.assertIn("ValueError: invalid literal", fault["traceback"])

    def test_whatever_is_raised_is_a_fault(self):
        for body, what in (("import sys; sys.exit(3)", "SystemExit: 3"), ("raise KeyboardInterrupt", "KeyboardInterrupt"),
                           ("raise MemoryError", "MemoryError"), ("bytearray(2**60)", "MemoryError"),
                           ("raise GeneratorExit", "GeneratorExit"), ("def f(): f()\nf()", "RecursionError: "),
                           ("(f := lambda: f())()", "RecursionError: "), ("assert False", "AssertionError"),
                           ("class Odd(Exception):\n    def __str__(self): 1 / 0\nraise Odd", "Odd: (its message"),
                           ("raise ExceptionGroup('two', [ValueError(1), ValueError(2)])", "ExceptionGroup: two"),
                           ("raise ValueError('\\ud800')", "ValueError: ?"),
                           ("evidence['error']", "KeyError: 'looks_at has no error; it has errors'"),
                           ("self.threshold", "AttributeError")):
            fault = self.observed_fault(body)
            self.assertTrue(fault["what"].startswith(what), fault)
            self.assertTrue(fault["where"].startswith("surprise.py:1"), fault)

    def test_a_long_traceback_is_cut(self):
        fault = self.observed_fault("raise ValueError('x' * 10**6)")
        self.assertLessEqual(len(fault["traceback"]), 32 * 1024)
        self.assertTrue(fault["traceback"].startswith("Traceback"))
        self.assertLessEqual(len(fault["what"]), 4 * 1024)

    def test_what_observe_returns_is_looked_at(self):
        for body, what in (("return None", "a dict of names and numbers, and returned None"),
                           ("return [1]", "a dict of names and numbers, and returned [1] (list)"),
                           ("return {'share': float('nan')}", "a finite number as share, and returned nan (float)"),
                           ("return {'share': np.float64('inf')}", "a finite number as share, and returned np.float64(inf)"),
                           ("return {'share': 10**400}", "a finite number as share"),
                           ("return {'share': '1'}", "a number as share, and returned '1' (str)"),
                           ("return {'share': 1j}", "a number as share"), ("return {3: 1}", "the name of a number"),
                           ("return {'share': np.ones(3)}", "a number as share, and returned array([1., 1., 1.]) (ndarray)")):
            fault = self.observed_fault(body)
            self.assertIn(what.replace("np.float64(inf)", repr(numpy.float64("inf"))), fault["what"])
            self.assertEqual(fault["where"], "surprise.py:10 in observe")

    def test_what_judge_returns_is_looked_at(self):
        for verdict, what in (("None", "judge has to return a plugin.Verdict, and returned None"),
                              ("plugin.Verdict(1, 'x')", "True or False as fired, and returned 1 (int)"),
                              ("plugin.Verdict(True, '')", "a text as because"),
                              ("plugin.Verdict(True, 'x', comparison=3)", "a plugin.Comparison as comparison"),
                              ("plugin.Verdict.at_least('x', np.nan, 1)", "a finite number as the value"),
                              ("plugin.Verdict.at_most('x', 1, 1, unit=2)", "a text as the unit")):
            self.trigger(verdict=verdict)
            self.assertIn(what, self.fault("judge", observed={})["what"])

    def test_what_a_trigger_says_of_itself_is_looked_at(self):
        for old, new, what in (("plugin.EverySamples(1)", "3", "EverySamples, EveryPeriod or EachCalendar, and returned 3"),
                               ("plugin.EverySamples(1)", "plugin.EverySamples(0)", "ValueError: EverySamples needs"),
                               ("plugin.Errors()", "'errors'", "as errors, and returned 'errors' (str)"),
                               ("plugin.Errors()", "plugin.Errors(since='ever')", "ValueError: since has to be"),
                               ("plugin.Errors()", "plugin.Errors(newest=-1)", "ValueError: newest has to be"),
                               ("plugin.Errors()", "plugin.Columns()", "ValueError: Columns needs names")):
            self.host.load(TRIGGER.replace("BODY", "pass").replace(old, new), "Mine", "trigger")
            self.assertIn(what, self.fault("create", settings={}, seed=1)["what"])

    def test_inputs_cannot_be_written(self):
        for body in ("evidence['errors'][0] = 1", "evidence['errors'].sort()", "evidence['errors'].flags.writeable = True"):
            fault = self.observed_fault(body)
            self.assertTrue(fault["what"].startswith("ValueError: "), fault)

    def test_settings_cannot_be_written(self):
        self.host.load(TRIGGER.replace("BODY", "self.t = 1").replace("    def points", "    t = plugin.Number(2)\n    def points", 1),
                       "Mine", "trigger")
        self.create()
        self.assertIn("the setting t cannot be changed", self.observe(self.fault, **ERRORS)["what"])

    def test_inputs_that_are_kept_are_a_fault(self):
        for kept in ("evidence['errors']", "evidence['errors'][1:]", "evidence", "memoryview(evidence['errors'])",
                     "evidence.block('errors').__arrow_c_array__"):
            fault = self.observed_fault(f"Mine.kept = {kept}\nreturn {{}}")
            self.assertIn("keeps columns that it was shown", fault["what"])
# Objects in a cycle are not kept, and neither are copies.
        self.trigger("circle = [evidence]; circle.append(circle); self.kept = evidence['errors'].copy()\nreturn {}")
        self.observe(**ERRORS)

    def test_a_state_has_to_be_one_that_can_be_kept(self):
        fault = self.observed_fault("self.count, self.rule = 3, lambda: 3\nreturn {}")
        self.assertIn("TypeError: the attribute rule cannot be kept: ", fault["what"].replace("the host cannot answer: ", ""))
        self.assertIn("remembers 12000", self.observed_fault("self.much = bytes(12_000_000)\nreturn {}")["what"])
        self.trigger("type(self).seal = lambda self: 'text'\nreturn {}")
        self.assertIn("bytes, and returned 'text'", self.observe(self.fault, **ERRORS)["what"])

    def test_an_answer_has_to_fit_into_a_message(self):
        self.trigger(verdict="plugin.Verdict(True, 'x' * 2**24)")
        self.assertIn("16777216 is the most", self.fault("judge", observed={})["what"])

    def test_a_plug_in_that_is_not_there_is_a_fault_with_those_that_are(self):
        inventory = "It has Other (measure), Mine (trigger) and Half (trigger)"
        for name, kind, what in (("Mime", "trigger", "surprise.py has no Mime; did you mean Mine? " + inventory),
                                 ("Zebra", "trigger", "surprise.py has no Zebra. " + inventory),
                                 ("number", "trigger", "number in surprise.py is not a class that derives from tidemill.plugin."
                                                       "Trigger. " + inventory),
                                 ("Other", "trigger", "Other in surprise.py is a plug-in of the kind measure, and a trigger is "
                                                      "wanted. " + inventory),
                                 ("Half", "trigger", "Half in surprise.py lacks judge() and observe(), which a trigger has to have"),
                                 ("Mine", "policy", "no plug-in is a policy; there are trigger, measure, op, score, selection, "
                                                    "format")):
            answer = self.host.load(TRIGGER.replace("BODY", "pass"), name, kind)
            self.assertEqual(answer["fault"]["what"], what)
        self.assertIn("It has no plug-in", self.host.load("x = 1", "Mine", "trigger")["fault"]["what"])

    def test_a_file_that_does_not_run_is_a_fault(self):
        for source, what, where in ((b"x = = 3", "SyntaxError: invalid syntax", "surprise.py:1"),
                                    (b"\n  x", "IndentationError: unexpected indent", "surprise.py:2"),
                                    (b"\n\nimport nothing_of_the_sort", "ModuleNotFoundError: ", "surprise.py:3"),
                                    (b"x = '\xff'", "SyntaxError: ", "surprise.py:1"), (b"raise SystemExit", "SystemExit", "surprise.py:1"),
                                    (b"def f():\n  1 / 0\nf()", "ZeroDivisionError: ", "surprise.py:2 in f"),
                                    (b"from tidemill import plugin\nclass A(plugin.Trigger):\n  seed = plugin.Integer(1)",
                                     "TypeError: A: a setting cannot be called seed", "surprise.py:2"),
                                    (b"from tidemill import plugin\nclass A(plugin.Trigger):\n  cost = plugin.Integer(1)",
                                     "TypeError: A: a setting cannot be called cost, because Trigger has something",
                                     "surprise.py:2"),
                                    (b"from tidemill import plugin\nclass A(plugin.Trigger):\n  t = plugin.Number(2, max=1)",
                                     "", "surprise.py:2")):
            fault = self.host.load(source, "Mine", "trigger")["fault"]
            self.assertIn(what, fault["what"])
            self.assertEqual(fault["where"], where)

    def test_an_init_with_arguments_is_a_fault(self):
        self.host.load(TRIGGER.replace("BODY", "pass").replace("    def points", "    def __init__(self, x): pass\n    def points", 1),
                       "Mine", "trigger")
        self.assertIn("__init__", self.fault("create", settings={}, seed=1)["what"])

    def test_a_debugger_has_no_terminal(self):
        self.assertIn("a plug-in has no terminal for a debugger", self.observed_fault("breakpoint()")["what"])

    def test_a_kind_is_told_how_it_keeps_a_copy(self):
        self.host.load("""
from tidemill import plugin
class Keeps(plugin.Format):
    def read(self, piece):
        self.kept = piece.bytes
        return plugin.Records([], [])
""", "Keeps", "format")
        self.create()
        fault = self.fault("read", offset=0, is_last=True, **self.host.columns({"bytes": [b"ab"]})[0])
        self.assertIn("Keep a copy: bytes(piece.bytes)", fault["what"])

    def test_no_program_takes_its_place_though_code_goes_past_python(self):
        for call, arguments in ((322, '-100, b"/bin/true", None, None, 0'), (59, 'b"/bin/true", None, None')):
            if os.uname().machine != "x86_64":
                continue
            fault = self.observed_fault(f"""
                import ctypes
                system = ctypes.CDLL(None, use_errno=True)
                done = system.syscall({call}, {arguments})
                raise ValueError(f"{{done}}, errno {{ctypes.get_errno()}}")""")
            self.assertEqual(fault["what"], "ValueError: -1, errno 1")

    def test_processes_and_network_are_refused(self):
        for body in ("import os; os.fork()", "import os; os.system('true')", "import subprocess; subprocess.run(['true'])",
                     "import socket; socket.socket()", "import socket; socket.create_connection(('localhost', 1))",
                     "import socket; socket.getaddrinfo('localhost', 1)",
                     "import socket; socket.socket(socket.AF_UNIX).connect('/tmp/x')", "import os; os.kill(os.getppid(), 9)",
                     "import multiprocessing as m; m.Process(target=print).start()",
                     "import urllib.request; urllib.request.urlopen('http://127.0.0.1:1')"):
            fault = self.observed_fault(body)
            self.assertIn("a plug-in may not ", fault["what"])
            self.assertEqual(fault["where"], "surprise.py:11 in observe")
        self.trigger("import threading, asyncio, platform; platform.processor(); asyncio.run(asyncio.sleep(0))\n"
                     "thread = threading.Thread(target=len, args=('',)); thread.start(); thread.join(); return {}")
        self.observe(**ERRORS)

    def test_what_is_printed_lies_in_the_pipe_before_the_answer(self):
        self.host.output()
        self.trigger("import sys; print('out é', end=''); print('err', file=sys.stderr); return {}")
        self.assertEqual(self.host.output(), "")
        self.observe(**ERRORS)
        self.assertEqual(sorted(self.host.output().replace("out é", "out é\n").split()), ["err", "out", "é"])

    def test_requests_that_make_no_sense_are_faults(self):
        self.trigger()
        for call, request, what in (("dance", {}, "the call 'dance', which this host does not know"), (None, {}, "the call None"),
                                    ("fit", {}, "the call fit of a trigger"), ("created", {}, "'created', which"),
                                    ("observe", {"at": AT, "num_new": 1, "has_model": True}, "the request has no table errors"),
                                    ("observe", {"at": AT, "num_new": 1, "has_model": True, "tables": {"errors": {
                                        "rows": 3, "columns": [{"name": "values", "type": "float64", "at": 1 << 40}]}}},
                                     "outside the memory"),
                                    ("judge", {}, "the host cannot answer: KeyError: 'observed'")):
            self.assertIn(what, self.fault(call, **request)["what"])
        self.host.socket.sendall(struct.pack("<I", 3) + b"{]}")
        self.assertIn("JSONDecodeError", self.host.receive()["fault"]["what"])


class EndsTest(unittest.TestCase):
    def setUp(self):
        self.own = HostProcess()

    def run_trigger(self, body):
        self.own.load(TRIGGER.replace("BODY", body).replace("VERDICT", "None"), "Mine", "trigger")
        self.own.ask("create", settings={}, seed=1)
        block = self.own.columns(*ERRORS.values())[0]
        self.own.send({"call": "observe", "at": AT, "num_new": 1, "has_model": True, "tables": {"errors": block}})

    def test_requests_come_in_pieces_and_are_long(self):
        self.run_trigger("return {}")
        self.own.receive()
        self.own.send({"call": "judge", "observed": {"x" * 16_000_000: 1}})
        self.assertIn("returned None", self.own.receive()["fault"]["what"])
        data = b'{"call": "seal"}'
        for byte in struct.pack("<I", len(data)) + data:
            self.own.socket.sendall(bytes([byte]))
        self.assertTrue(self.own.receive()["ok"])
        self.assertEqual(self.own.end(), 0)

    def test_calls_before_there_is_an_instance_are_faults(self):
        self.assertIn("before there is an instance", self.own.ask("seal")["fault"]["what"])
        self.assertIn("before a plug-in is loaded", self.own.ask("create", settings={}, seed=1)["fault"]["what"])
        self.assertEqual(self.own.end(), 0)

    def test_a_message_that_is_too_long_ends_the_host(self):
        self.own.socket.sendall(struct.pack("<I", 1 << 30))
        self.assertIn("a message of 1073741824 bytes", self.own.receive()["fault"]["what"])
        self.assertEqual(self.own.end(), 0)

    def test_threads_of_a_plug_in_do_not_keep_the_host(self):
        self.run_trigger("import threading; threading.Thread(target=threading.Event().wait).start(); return {}")
        self.own.receive()
        self.assertEqual(self.own.end(), 0)

    def test_a_host_ends_in_the_middle_of_a_message(self):
        self.own.socket.sendall(b"\x10\0\0\0{")
        self.assertEqual(self.own.end(), 0)

    def test_a_crash_tells_its_place(self):
        self.run_trigger("import ctypes; ctypes.string_at(0)")
        with self.assertRaises((EOFError, ConnectionError)):
            self.own.receive()
        self.assertIn('File "surprise.py", line 11 in observe', self.own.output())
        self.assertEqual(self.own.end(), -signal.SIGSEGV)

    def test_a_loop_tells_its_place_when_it_is_aborted(self):
        self.run_trigger("print('here')\n        while True: pass")
        while "here" not in self.own.output():
            time.sleep(.001)
        os.kill(self.own.process, signal.SIGABRT)
        with self.assertRaises((EOFError, ConnectionError)):
            self.own.receive()
        self.assertIn('File "surprise.py", line 12 in observe', self.own.output())
        self.assertEqual(self.own.end(), -signal.SIGABRT)

    def test_sets_have_the_same_order_in_every_process(self):
        self.run_trigger("return {str(place): len(name) for place, name in enumerate({'a' * n for n in range(1, 30)})}")
        mine = self.own.receive()["observed"]
        self.own.end()
        self.own = HostProcess(environment={"TIDEMILL_PLUGIN_SANDBOX": "bwrap", "PYTHONHASHSEED": "7"})
        self.assertEqual(self.own.hello["sandbox"], "bwrap")
        self.run_trigger("return {str(place): len(name) for place, name in enumerate({'a' * n for n in range(1, 30)})}")
        self.assertEqual(self.own.receive()["observed"], mine)
        self.assertEqual(self.own.end(), 0)

    def test_a_python_without_numpy_says_so(self):
        self.own.end()
        with tempfile.TemporaryDirectory() as folder:
#An environment in which nothing is installed.
            python = pathlib.Path(sys.executable).resolve()
            pathlib.Path(folder, "pyvenv.cfg").write_text(f"home = {python.parent}\ninclude-system-site-packages = false\n")
            pathlib.Path(folder, "bin").mkdir()
            pathlib.Path(folder, "bin/python3").symlink_to(python)
            self.own = HostProcess(interpreter=f"{folder}/bin/python3")
            self.assertEqual(list(self.own.hello["versions"]), ["python"])
            self.assertIn("plug-ins need numpy, and ", self.own.ask("load")["fault"]["what"])
        self.assertEqual(self.own.end(), 0)
