"""Measures, ops, scores, selections and formats in a host of Python plug-ins."""
import base64

import numpy
from host_case import HostCase
from host_process import HostProcess

MEAN = '''
class Mine(plugin.Measure):
    unit = "francs"
    higher_is_better = False
    def contributions(self, block):
        return block["label"] != block["prediction"]
'''
MEASURE = MEAN + '''
    def contributions(self, block):
        return np.column_stack([block["label"] != block["prediction"], np.ones(block.num_rows)])
    def combine(self, sums):
        return sums[:, 0] / sums[:, 1]
'''
OP = '''
class Mine(plugin.Op):
    """Takes the mean away."""
    fits = True
    total, rows = 0.0, 0
    def outputs(self, inputs):
        assert [(c.name, c.type, c.shape) for c in inputs] == [("x", "float32", (2,)), ("text", "binary", ())], inputs
        return [plugin.ColumnType("y", "float32", (2,)), plugin.ColumnType("upper", "binary"), plugin.ColumnType("n", "int32")]
    def fit(self, block):
        self.total += float(block["x"].sum())
        self.rows += block["x"].size
    def fitted(self):
        self.mean = self.total / self.rows
    def apply(self, block):
        texts = [bytes(text) for text in block["text"]]
        return plugin.Made({"y": 1 / (block["x"] - self.mean), "upper": [text.upper() for text in texts],
                            "n": [len(text) for text in texts]}, bad={0: "a reason"})
'''
INPUTS = [{"name": "x", "type": "float32", "shape": [2]}, {"name": "text", "type": "binary", "shape": []}]
SELECTION = '''
class Mine(plugin.Selection):
    unbiased = True
    def __init__(self): self.kept = []
    def looks_at(self): return ["labels", "column:price"]
    def add(self, block): self.kept.append(block["column:price"].copy())
    def choose(self, num_candidates):
        rows = np.flatnonzero(np.concatenate(self.kept) > 1)
        return plugin.Chosen(rows, np.full(len(rows), 0.5))
'''
FORMAT = '''
class Mine(plugin.Format):
    head_bytes = 3
    def read(self, piece):
        data = bytes(piece.bytes)
        ends = [place + 1 for place, byte in enumerate(data) if byte == 10]
        lines = [data[begin:end] for begin, end in zip([0, *ends], ends)]
        print(piece.offset, piece.is_last, bytes(piece.head))
        return plugin.Records([0, *ends[:-1]] if ends else [], ends,
                              labels=[int(line) if len(line) > 1 else None for line in lines],
                              event_times=np.ma.array([5] * len(lines), mask=[len(line) > 2 for line in lines]),
                              bad={len(lines) - 1: "it is the last"})
'''


def keys(count):
    return numpy.arange(count, dtype=numpy.int64)


class MeasuresTest(HostCase):
    def block(self):
        return self.host.columns({"label": numpy.array([1, 2, 3]), "prediction": numpy.array([1, 0, 0])})[0]

    def sums(self, *rows):
        return self.host.columns({"sums": numpy.array(rows, float)})[0]

    def test_the_mean_of_one_number_for_each_sample_is_the_simple_measure(self):
        self.load(MEAN, kind="measure")
        self.assertEqual(self.create(), {"ok": True, "needs": "predictions", "of": "classes", "value": "mean",
                                         "unit": "francs", "higher_is_better": False})
        contributions = self.host.values(self.ask("measure", **self.block()))["contributions"]
        self.assertEqual(contributions.dtype, numpy.float64)
        self.assertEqual(contributions.tolist(), [0, 1, 1])
        self.assertIn("its value is the mean", self.fault("combine", **self.sums([1, 2]))["what"])

    def test_a_measure_combines_many_sums_at_once(self):
        self.load(MEASURE, kind="measure")
        self.assertEqual(self.create()["value"], "combined")
        contributions = self.host.values(self.ask("measure", **self.block()))["contributions"]
        self.assertEqual(contributions.tolist(), [[0, 1], [1, 1], [1, 1]])
        values = self.host.values(self.ask("combine", **self.sums([2, 3], [0, 0], [1, 4])))["value"]
        numpy.testing.assert_array_equal(values, [2 / 3, numpy.nan, 0.25])

    def test_no_value_may_be_said_in_several_ways(self):
        for returned in ("np.ma.masked_less([3.0, 0.5], 1)", "[3, None]", "(3.0, float('nan'))", "np.array([3, np.nan])"):
            self.load(MEASURE.replace("return sums", f"return {returned}; sums"), kind="measure")
            self.create()
            values = self.host.values(self.ask("combine", **self.sums([2, 3], [0, 0])))["value"]
            numpy.testing.assert_array_equal(values, [3, numpy.nan], returned)

    def test_what_a_measure_needs_may_follow_from_settings(self):
        self.load(MEASURE + '''
    soft = plugin.Boolean(True)
    @property
    def needs(self): return "probabilities" if self.soft else "predictions"
''', kind="measure")
        self.assertEqual(self.create()["needs"], "probabilities")
        self.assertEqual(self.create({"soft": False})["needs"], "predictions")

    def test_wrong_contributions_and_values_are_faults(self):
        for returned, what in (("3", "an array [3] as the contributions, and returned one []"),
                               ("'ab'", "an array of numbers as the contributions"),
                               ("[1, float('nan'), 2]", "finite numbers as the contributions, and returned nan in row 1"),
                               ("[[1], [2], [1, 2]]", "rows of different lengths"),
                               ("np.zeros((3, 65))", "1 to 64 numbers of each sample, and returned 65"),
                               ("np.zeros((3, 0))", "1 to 64 numbers of each sample, and returned 0"),
                               ("[1, 2]", "an array [3] as the contributions, and returned one [2]")):
            self.load(MEASURE.replace("return np.column", f"return {returned}; np.column"), kind="measure")
            self.create()
            self.assertIn(what, self.fault("measure", **self.block())["what"])
        for returned, what in (("3", "an array [2] as the values"), ("[1, 'a']", "an array of numbers as the values")):
            self.load(MEASURE.replace("return sums", f"return {returned}; sums"), kind="measure")
            self.create()
            self.assertIn(what, self.fault("combine", **self.sums([2, 3], [0, 0]))["what"])
        self.load(MEASURE.replace("needs", "x").replace('"francs"', "3"), kind="measure")
        self.assertEqual(self.fault("create", settings={}, seed=1)["what"], "unit of Mine has to be a text, and is 3 (int)")

    def test_a_mean_is_of_one_number(self):
        self.load(MEAN.replace("return block", "return np.zeros((3, 2)); block"), kind="measure")
        self.create()
        self.assertIn("an array [3] as the contributions, and returned one [3, 2]",
                      self.fault("measure", **self.block())["what"])


class OpsTest(HostCase):
    def rows(self, count):
        numbers = numpy.arange(2 * count, dtype=numpy.float32).reshape(count, 2)
        return self.host.columns({"x": numbers, "text": [b"ab" * row for row in range(count)]})[0]

    def test_an_op_fits_and_makes_columns(self):
        self.load(OP, kind="op")
        self.assertEqual(self.create(inputs=INPUTS), {"ok": True, "fits": True, "outputs": [
            {"name": "y", "type": "float32", "shape": [2]}, {"name": "upper", "type": "binary", "shape": []},
            {"name": "n", "type": "int32", "shape": []}]})
        self.ask("fit", **self.rows(2))
        between = self.ask("fit", **self.rows(3))["state"]
        self.create(inputs=INPUTS)
        self.ask("restore", state=between)
        state = self.ask("fitted")["state"]
        answer = self.ask("apply", **self.rows(3))
        self.create(inputs=INPUTS)
        self.ask("restore", state=state)
        self.assertEqual(self.ask("apply", **self.rows(3)), answer)
        values = self.host.values(answer)
        self.assertEqual(values["upper"], [b"", b"AB", b"ABAB"])
        self.assertEqual(values["n"].tolist(), [0, 2, 4])
        self.assertEqual(values["y"].dtype, numpy.float32)
        numpy.testing.assert_allclose(values["y"][2], 1 / (numpy.array([4, 5]) - 2.1), rtol=1e-6)
        self.assertEqual(answer["bad"], [{"row": 0, "why": "a reason"}])

    def test_a_row_of_numbers_that_are_not_finite_is_bad(self):
        self.load(OP.replace("self.mean = ", "self.mean = 3 #"), kind="op")
        self.create(inputs=INPUTS)
        self.ask("fitted")
        self.assertEqual(self.ask("apply", **self.rows(2))["bad"], [
            {"row": 0, "why": "a reason"}, {"row": 1, "why": "column y holds inf, which is not a finite number"}])

    def test_wrong_columns_are_faults(self):
        made = {
  "y" : "np.zeros((3, 2))", "upper" : "[b''] * 3", "n" : "[1, 2, 3]"}
        for changed, what in (({"y": "np.zeros(3)"}, "an array [3, 2] as y, and returned one [3]"),
                              ({"y": "np.zeros((4, 2))"}, "an array [3, 2] as y, and returned one [4, 2]"),
                              ({"y": "[[1, 2], [3]]"}, "rows of different lengths"),
                              ({"y": "[['a', 'b']] * 3"}, "an array of numbers as y"),
                              ({"n": "[1.5, 2, 3]"}, "an array of int32 as n, and returned one of float64"),
                              ({"n": "[2**40, 2, 3]"}, "numbers from -2147483648 to 2147483647 as n"),
                              ({"upper": "b'abc'"}, "a list of bytes as upper"),
                              ({"upper": "[b'', b'']"}, "3 rows as upper, and returned 2"),
                              ({"upper": "[b'', 1, b'']"}, "1 (int) in row 1"),
                              ({"z": "1"}, "the columns y, upper, n, each once")):
            columns = ", ".join(f"'{name}': {text}" for name, text in {**made, **changed}.items())
            self.load(OP.replace("texts = [", f"return {{{columns}}}; ["), kind="op")
            self.create(inputs=INPUTS)
            fault = self.fault("apply", **self.rows(3))
            self.assertIn(what, fault["what"])
            self.assertTrue(fault["where"].endswith(" in apply"), fault)
        self.load(OP.replace("bad={0:", "bad={3:").replace("self.mean = ", "self.mean = 3 #"), kind="op")
        self.create(inputs=INPUTS)
        self.ask("fitted")
        self.assertIn("rows from 0 to 2 as bad", self.fault("apply", **self.rows(3))["what"])

    def test_an_answer_has_to_fit_into_the_memory(self):
        small = HostProcess(memory=4096)
        self.addCleanup(small.end)
        small.load("from tidemill import plugin\n" + OP.replace("self.mean = ", "self.mean = 3 #"), "Mine", "op")
        small.ask("create", settings={}, seed=1, inputs=INPUTS)
        small.ask("fitted")
        block = small.columns({"x": numpy.zeros((250, 2), numpy.float32), "text": [b""] * 250})
        self.assertIn("the memory for it has 4096", small.ask("apply", **block[0])["fault"]["what"])


class ScoresTest(HostCase):
    def test_a_score_gives_a_number_for_each_row(self):
        source = '''
class Mine(plugin.Score):
    keep = "in_proportion"
    def looks_at(self): return ["losses", "event_times"]
    def score(self, block): return block["losses"] * (block["key"] + 1)
'''
        self.load(source, kind="score")
        self.assertEqual(self.create(), {"ok": True, "looks_at": ["losses", "event_times"], "keep": "in_proportion"})
        for losses, what in (([1, 2, 3], None), ([1, -2, 3], "not negative, and returned -4.0 in row 1"),
                             ([1, 2, numpy.nan], "finite numbers as the scores, and returned nan in row 2")):
            block = self.host.columns({"key": keys(3), "losses": numpy.array(losses, numpy.float32), "event_times": keys(3)})[0]
            if what:
                self.assertIn(what, self.fault("score", **block)["what"])
            else:
                self.assertEqual(self.host.values(self.ask("score", **block))["score"].tolist(), [1, 4, 9])
        self.load(source.replace("return block[", "return [1]; block["), kind="score")
        self.create()
        self.assertIn("an array [3] as the scores, and returned one [1]", self.fault("score", **block)["what"])
        self.load(source.replace('"losses", ', '"loses", '), kind="score")
        self.assertIn("a list of losses, probabilities", self.fault("create", settings={}, seed=1)["what"])


class SelectionsTest(HostCase):
    def add(self, ask=None, prices=(0, 1, 2, 3)):
        block = self.host.columns({"key": keys(len(prices)), "labels": keys(len(prices)),
                                   "column:price": numpy.array(prices, float)})[0]
        return (ask or self.ask)("add", **block)

    def choose(self, num_candidates, most_rows):
        rows, weights = [], []
        while True:
            answer = self.ask("choose", num_candidates=num_candidates, most_rows=most_rows)
            values = self.host.values(answer)
            self.assertLessEqual(answer["rows"], most_rows)
            rows += values["row"].tolist()
            weights += values["weight"].tolist() if "weight" in values else []
            if answer["done"]:
                return rows, weights

    def test_a_selection_chooses_in_answers_of_any_length(self):
        self.load(SELECTION, kind="selection")
        for most_rows in (1, 2, 3, 4, 5, 100):
            self.assertEqual(self.create(), {"ok": True, "looks_at": ["labels", "column:price"], "unbiased": True})
            self.assertEqual(self.add(), {"ok": True})
            self.add()
            self.assertEqual(self.choose(8, most_rows), ([2, 3, 6, 7], [.5] * 4))

    def test_a_selection_may_choose_as_it_sees_and_yield_the_rest(self):
        self.load(SELECTION.replace("def add", "def add(self, block): return [0]\n    def _").replace(
            "rows = ", "yield plugin.Chosen([1, 2]); yield plugin.Chosen([5]); return\n        #"), kind="selection")
        self.create()
        answer = self.add()
        self.assertEqual(self.host.values(answer)["row"].tolist(), [0])
        self.assertEqual(self.choose(6, 2), ([1, 2, 5], []))

    def test_a_selection_goes_on_from_a_state(self):
        self.load(SELECTION, kind="selection")
        self.create()
        self.add()
        state = self.ask("seal")["state"]
        self.create()
        self.ask("restore", state=state)
        self.add()
        self.assertEqual(self.choose(8, 100)[0], [2, 3, 6, 7])

    def test_wrong_choices_are_faults(self):
        for chosen, what in (("[2, 1]", "ascending rows, each once, and returned 1 after 2"), ("[1, 1]", "1 after 1"),
                             ("[-1]", "-1 after -1"), ("[4]", "rows below 4, and returned 4"), ("[0.5]", "an array of int64"),
                             ("'all'", "rows, or plugin.Chosen"), ("plugin.Chosen([1], [np.nan])", "finite numbers as the weights"),
                             ("plugin.Chosen([1], [-1])", "weights that are not negative"),
                             ("plugin.Chosen([1, 2], [1])", "an array [2] as the weights, and returned one [1]"),
                             ("range(10**6)", "rows below 4")):
            self.load(SELECTION.replace("rows = ", f"return {chosen}; "), kind="selection")
            self.create()
            self.add()
            self.assertIn(what, self.fault("choose", num_candidates=4, most_rows=10)["what"])

    def test_candidates_that_are_kept_without_a_copy_are_a_fault(self):
        self.load(SELECTION.replace(".copy()", ""), kind="selection")
        self.create()
        self.assertIn("keeps columns that it was shown", self.add(self.fault)["what"])


    def test_a_selection_draws_the_lots_of_its_trigger(self):
        source = '''
class Mine(plugin.Selection):
    def add(self, block):
        self.drawn = self.lots(block["key"]).tolist()
    def choose(self, num_candidates):
        print(self.drawn, self.target)
        return range(self.target or 0)
'''
#As docs / formats / plugin_protocol.md has them.
        lots = {0: 492590714772723832, 1: 11001153361712022001, -1: 14365155419271258671, 2**44: 18011953828040605416,
                2**44 + 1: 2181685361372179853}
        self.load(source, kind="selection")
        self.create(lots={"times": 1410816788072644587, "flip": 16675432863047865701, "plus": 16972011292405891003})
        self.ask("add", **self.host.columns({"key": numpy.array(list(lots), numpy.int64)})[0])
        self.assertEqual(self.ask("choose", num_candidates=5, most_rows=10, target=3)["rows"], 3)
        self.assertIn(f"{list(lots.values())} 3", self.host.output())


class FormatsTest(HostCase):
    def test_a_format_says_where_records_lie_and_what_they_say(self):
        self.load(FORMAT, kind="format")
        self.assertEqual(self.create(), {"ok": True, "head_bytes": 3})
        columns = self.host.columns({"bytes": [b"1\n\n23\n4\n5"], "head": [b"abc"]})[0]
        answer = self.ask("read", offset=100, is_last=False, **columns)
        values = self.host.values(answer)
        self.assertEqual((values["begin"].tolist(), values["end"].tolist()), ([0, 2, 3, 6], [2, 3, 6, 8]))
        self.assertEqual((answer["consumed"], answer["bad"]), (8, [{"row": 3, "why": "it is the last"}]))
        labels, has_label = values["label"]
        times, has_time = values["event_time"]
        self.assertEqual((labels.dtype, labels[has_label].tolist()), (numpy.int64, [1, 23]))
        self.assertEqual((times[has_time].tolist(), has_time.tolist()), ([5, 5], [True, True, False, False]))
        self.assertIn("100 False b'abc'", self.host.output())

    def test_wrong_answers_are_faults(self):
        for records, what in (("[0, 1], [2, 3]", "one after another"), ("[0], [9]", "0 to 4"), ("[2], [2]", "have bytes"),
                              ("[0], [4], 3", "then consumed"), ("[0], []", "1 ends, as there are begins"),
                              ("[0], [4], labels=[1, 2]", "an array [1] as label"), ("[], [], -1", "then consumed"),
                              ("[0], [4], labels=[float('inf')]", "finite numbers as label"),
                              ("[0], [4], event_times=[0.5]", "an array of int64 as event_time"),
                              ("[0], [4], bad={1: 'no'}", "rows from 0 to 0 as bad")):
            self.load(FORMAT.replace("data = ", f"return plugin.Records({records}); "), kind="format")
            self.create()
            block = self.host.columns({"bytes": [b"1\n2\n"]})[0]
            self.assertIn(what, self.fault("read", offset=0, is_last=True, **block)["what"], records)

    def test_a_state_is_base64(self):
        self.load(FORMAT, kind="format")
        self.create()
        self.assertIsInstance(base64.b64decode(self.ask("seal")["state"]), bytes)
        self.assertIn("not base64", self.fault("restore", state="?")["what"])
