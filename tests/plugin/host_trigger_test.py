"""Triggers, settings and states in a host of Python plug-ins."""
import base64
import pathlib
import statistics
import sys
import time

import numpy
from host_case import AT, HostCase
from host_process import HostProcess

SURPRISE = '''
class Surprise(plugin.Trigger):
    """Fires when mistakes come as a surprise.

    More of it."""

    version = "1.2"
    threshold = plugin.Number(0.2, min=0, max=1, doc="Share of mistakes at which it fires.")

    def __init__(self):
        self.seen = 0

    def points(self):
        return plugin.EverySamples(250)

    def looks_at(self):
        return {"errors": plugin.Errors(since="decision"), "samples": plugin.Samples(newest=3),
                "x": plugin.Columns("a", "b", since="training", most_rows=9)}

    def observe(self, evidence):
        self.seen += len(evidence["errors"])
        rows = evidence["samples"]
        return {"share": evidence["errors"].mean(), "seen": self.seen, "missing": evidence.missing("errors"),
                "last": rows.event_times[-1] - rows.keys[-1], "b": evidence["x"][1, 1], "new": evidence.num_new,
                "model": evidence.has_model, "at": evidence.at.event_time + evidence.at.key}

    def judge(self, seen):
        return plugin.Verdict.at_least("the share of mistakes", seen["share"], self.threshold, "of all")
'''
TABLES = {"errors": {"values": numpy.array([0., 1, 1, 0])},
          "samples": {"key": numpy.array([1, 2, 3]), "event_time": numpy.array([10, 20, 33])},
          "x": {"values": numpy.array([[1., 2], [3, 4]])}}
PLAIN = '''
class Mine(plugin.Trigger):
    def points(self): return plugin.EverySamples(1)
    def judge(self, seen): return plugin.Verdict(False, "No.")
'''


class TriggersTest(HostCase):
    def test_a_host_says_hello_and_its_versions(self):
        self.assertEqual(self.host.hello, {"hello": 1, "language": "python", "versions": {
            "python": sys.version.split()[0], "numpy": numpy.__version__}})

    def test_a_plug_in_is_described(self):
        self.assertEqual(self.load(SURPRISE, "Surprise"), {
            "kind": "trigger", "name": "Surprise", "doc": "Fires when mistakes come as a surprise.\n\nMore of it.",
            "version": "1.2", "settings": [{"name": "threshold", "type": "number", "default": 0.2, "min": 0, "max": 1,
                                            "doc": "Share of mistakes at which it fires."}]})

    def test_tables_tell_the_samples_of_their_rows(self):
        self.load("""
from tidemill import plugin
class Pairs(plugin.Trigger):
    def points(self): return plugin.EverySamples(1)
    def looks_at(self): return {"errors": plugin.Errors(), "x": plugin.Columns("a")}
    def observe(self, evidence):
        errors, x = evidence.aligned("errors", "x")
        return {"rows": len(evidence["x"]), "pairs": len(errors), "product": float((errors * x[:, 0]).sum()),
                "last": int(evidence.sample_keys("errors")[-1])}
    def judge(self, seen): return plugin.Verdict(False, "No.")
""", "Pairs")
        self.create()
        answer = self.observe(errors={"key": numpy.array([3, 5, 9]), "values": numpy.array([1., 2, 4])},
                              x={"key": numpy.array([3, 4, 9]), "values": numpy.array([[10.], [7], [100]])})
        self.assertEqual(answer["observed"], {"rows": 3, "pairs": 2, "product": 410, "last": 9})

    def test_tests_make_their_own_evidence(self):
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
        from tidemill import plugin
        looks_at = {"errors": plugin.Errors(), "samples": plugin.Samples(), "x": plugin.Columns("a", "b")}
        evidence = plugin.evidence_for(looks_at, errors=[0, 1], samples=([4, 5], [7, 8]), num_new=3, keys={"errors": [2, 9]})
        self.assertEqual((evidence["errors"].tolist(), evidence.sample_keys("errors").tolist()), ([0, 1], [2, 9]))
        self.assertEqual((evidence["samples"].event_times.tolist(), evidence.num_new, len(evidence["x"])), ([7, 8], 3, 0))
        with self.assertRaisesRegex(TypeError, "looks_at has no error; it has errors"):
            plugin.evidence_for(looks_at, error=[1])

    def test_a_trigger_observes_and_judges(self):
        self.load(SURPRISE, "Surprise")
        self.assertEqual(self.create(), {"ok": True, "points": {"samples": 250}, "looks_at": [
            {"name": "errors", "kind": "errors", "since": "decision", "newest": 0, "most_rows": 0, "columns": []},
            {"name": "samples", "kind": "samples", "since": "decision", "newest": 3, "most_rows": 0, "columns": []},
            {"name": "x", "kind": "columns", "since": "training", "newest": 0, "most_rows": 9, "columns": ["a", "b"]}]})
        answer = self.observe(missing=5, **TABLES)
        self.assertEqual(answer["observed"], {"share": .5, "seen": 4, "missing": 5, "last": 30, "b": 4, "new": 10, "model": 1,
                                              "at": 1_000_007})
        self.assertEqual(self.ask("judge", observed=answer["observed"]), {
            "ok": True, "fired": True, "because": "the share of mistakes is 0.5 of all, at least 0.2 of all",
            "comparison": {"quantity": "the share of mistakes", "value": .5, "threshold": .2, "unit": "of all"}})
        self.assertFalse(self.ask("judge", observed={"share": .1})["fired"])

    def test_a_trigger_goes_on_from_a_state(self):
        self.load(SURPRISE, "Surprise")
        self.create()
        state = self.observe(**TABLES)["state"]
        after = self.observe(**TABLES)
        self.assertEqual(after["state"], self.ask("seal")["state"])
        self.create()
        self.ask("restore", state=state)
        again = self.observe(**TABLES)
        self.assertEqual(again["observed"], after["observed"])
        self.assertEqual(again["observed"]["seen"], 8)

    def test_a_state_of_the_users_own_class_and_random_numbers_is_kept(self):
        self.load(PLAIN + '''
    def __init__(self): self.window = Window()
    def observe(self, evidence):
        self.window.total += self.random().random()
        return {
  "total" : self.window.total, "keyed" : self.random(evidence.at.key).random(), "seed" : self.seed}
class Window:
    total = 0.0
''')
        self.create(seed=2**63 - 1)
        state = self.observe()["state"]
        observed = self.observe()["observed"]
        other = HostProcess()
        self.addCleanup(other.end)
        other.load(("from tidemill import plugin\nclass Window: pass\n" + PLAIN + '''
    def observe(self, evidence):
        self.window.total += self.random().random()
        return {
  "total" : self.window.total, "keyed" : self.random(7).random(), "seed" : self.seed}
'''), "Mine", "trigger", file="renamed.py")
        other.ask("create", settings={}, seed=2**63 - 1)
        other.ask("restore", state=state)
        self.assertEqual(other.ask("observe", at=AT, num_new=1, has_model=False, events=[], tables={})["observed"], observed)

    def test_a_state_of_its_own_is_kept(self):
        self.load(PLAIN + '''
    count = 3
    def observe(self, evidence): return {"count": self.count}
    def seal(self): return bytes([self.count])
    def restore(self, state): self.count = state[0] + 1
''')
        self.create()
        self.assertEqual(self.observe()["state"], base64.b64encode(b"\3").decode())
        self.ask("restore", state=base64.b64encode(b"\7").decode())
        self.assertEqual(self.observe()["observed"], {"count": 8})

    def test_events_come_before_the_evidence_in_their_order(self):
        self.load(PLAIN + '''
    def __init__(self): self.told = []
    def trained(self, at): self.told.append(at.key)
    def cost(self, num_samples, seconds): self.told.append(num_samples * seconds)
    def no_model(self): self.told.append(-1)
    def observe(self, evidence): return {str(place): value for place, value in enumerate(self.told)}
''')
        self.create()
        observed = self.observe(events=[{"cost": {"samples": 4, "seconds": .5}}, {"trained": AT}, {"no_model": True}])
        self.assertEqual(list(observed["observed"].items()), [("0", 2), ("1", 7), ("2", -1)])

    def test_a_trigger_decides_at_points_of_each_kind(self):
        for points, told in (("EveryPeriod(hours=1, minutes=1, seconds=0.5)", {"seconds": 3660.5}),
                             ("EveryPeriod(days=2)", {"seconds": 172800}), ("EachCalendar('day')", {"calendar": "day"})):
            self.load(PLAIN.replace("EverySamples(1)", points) + "    def observe(self, evidence): return {}\n")
            self.assertEqual(self.create(), {"ok": True, "points": told, "looks_at": []})

    def test_every_kind_of_evidence_has_its_shape(self):
        self.load(PLAIN + '''
    def looks_at(self):
        return {kind.kind: kind() for kind in (plugin.Errors, plugin.Labels, plugin.Predictions, plugin.Embeddings)}
    def observe(self, evidence):
        return {f"{name} {array.shape}": array.sum() for name, array in evidence.items()}
''')
        self.create()
        column = numpy.array([1., 2])
        for shaped, width in ((column, 1), (column.reshape(2, 1), 1), (numpy.ones((2, 3)), 3)):
            tables = {"errors": column.reshape(2, 1), "labels": column, "predictions": shaped, "embeddings": shaped}
            observed = self.observe(**{
name : { "values" : values } for
    name, values in tables.items()})["observed"]
            self.assertEqual(list(observed), ["errors (2,)", "labels (2,)", f"predictions (2, {width})",
                                              f"embeddings (2, {width})"])
        none = numpy.empty((0, 3))
        tables = {"errors": none[:, 0], "labels": none[:, 0], "predictions": none, "embeddings": none}
        observed = self.observe(**{
name : { "values" : values } for
    name, values in tables.items()})["observed"]
        self.assertEqual(list(observed), ["errors (0,)", "labels (0,)", "predictions (0, 3)", "embeddings (0, 3)"])

    def test_settings_are_plain_values(self):
        described = self.load(PLAIN + '''
    n = plugin.Number(max=3)
    i = plugin.Integer(4, min=1)
    b = plugin.Boolean(False)
    t = plugin.Text("x", choices=["x", "y"], doc="One of two.")
    ns = plugin.Numbers([1, 2], min=0)
    ts = plugin.Texts([])
    def observe(self, evidence):
        assert (self.n, self.i, self.b, self.t, self.ns, self.ts) == (2.0, 5, True, "y", (1.0, 2.0), ("p", "q")), vars(self)
        assert type(self.n) is float and type(self.i) is int and type(self.ns[0]) is float
        return {}
''')
        self.assertEqual([setting["type"] for setting in described["settings"]],
                         ["number", "integer", "boolean", "text", "numbers", "texts"])
        self.assertNotIn("default", described["settings"][0])
        self.assertEqual(described["settings"][3]["choices"], ["x", "y"])
        self.assertEqual(described["settings"][4]["default"], [1, 2])
        self.create({"n": 2, "i": 5, "b": True, "t": "y", "ts": ["p", "q"]})
        self.observe()
        for settings, what in (({}, "needs the setting n"), ({"n": 4}, "at most 3"), ({"n": "2"}, "has to be a number"),
                               ({"n": 1, "i": 2.5}, "a whole number"), ({"n": 1, "b": 1}, "true or false"),
                               ({"n": 1, "t": "z"}, "one of x, y"), ({"n": 1, "ns": [1, -1]}, "at least 0"),
                               ({"n": 1, "ts": "ab"}, "a list of texts"), ({"n": 1, "m": 1}, "has no setting m; it has: n, i")):
            self.assertIn(what, self.fault("create", settings=settings, seed=1)["what"])

    def test_a_decision_costs_less_than_its_deadline(self):
        self.load(SURPRISE, "Surprise")
        self.create()
        took = []
        for _ in range(200):
            begin = time.perf_counter()
            observed = self.observe(**TABLES)["observed"]
            self.ask("judge", observed=observed)
            took.append(1000 * (time.perf_counter() - begin))
        print(f"a decision takes {statistics.median(took):.2f} ms, {max(took):.2f} at most")
