"""A host of programs: it trains by asking its owner for batches, and predicts with what the program has returned."""
import textwrap
import unittest

import numpy
from host_case import HostCase
from host_process import HostProcess

FACTS = {"epochs": 2, "batch_size": 4, "trigger": 1, "outputs": 2, "is_of_classes": True, "classes": ["dry", "wet"],
         "answers_probabilities": True, "num_threads": 1}

LOGISTIC = '''
import numpy as np
from tidemill import plugin

class Model:
    def __init__(self, weights):
        self.weights = weights

    def predict(self, batch):
        wet = 1 / (1 + np.exp(-batch.input @ self.weights))
        return np.stack([1 - wet, wet], axis=1)

def main(training, rate=plugin.Number(0.5, min=0), name="mine"):
    """Fits a logistic regression."""
    weights = np.zeros(3)
    training.keep(weights=weights)
    for batch in training.batches():
        wet = 1 / (1 + np.exp(-batch.input @ weights))
        weights -= rate * batch.input.T @ (wet - batch.targets) / len(batch)
        training.report(loss=np.mean((wet - batch.targets) ** 2), accuracy=np.mean((wet > .5) == batch.targets))
    return Model(weights)
'''


class Owner:
    """What a training process says to a host: `num_batches` batches of an epoch, each of four rows."""

    def __init__(self, host, num_batches=3, epochs=2):
        self.host = host
        self.num_batches, self.num_epochs = num_batches, epochs
        self.delivered = 0
        self.reports, self.checkpoints = [], []
        self.save_before = ()

    def batch(self, number):
        draws = numpy.random.default_rng(number)
        rows = draws.normal(size=(4, 3)).astype(numpy.float32)
        return {"key": numpy.arange(4) + 4 * number, "ordinal": numpy.arange(4) + 4 * number, "input": rows,
                "target": (rows[:, 0] > 0).astype(numpy.int64)}

    def train(self, **columns):
        """Asks `run` and continues until there is a model, or a fault. Returns the last answer."""
        request = self.host.columns({name: [value] for name, value in columns.items()})[0] if columns else {}
        answer = self.host.ask("run", previous_form="pickle", num_batches=self.num_batches, num_samples=self.num_batches * 4,
                               **request)
        while answer["ok"] and answer["want"] != "model":
            self.reports += answer["reports"]
            answer = self.host.ask("continue", num_batches=self.num_batches, num_samples=self.num_batches * 4,
                                   **self.reply(answer))
        if answer["ok"]:
            self.reports += answer["reports"]
        return answer

    def reply(self, answer):
        if answer["want"] == "checkpoint":
            self.checkpoints.append((self.delivered, self.host.values(answer)["state"][0]))
            self.save_before = ()
            return {}
        if answer["want"] == "report":
            return {}
        if self.delivered in self.save_before and answer["checkpoint"]:
            return {"save": True}
        if self.delivered == self.num_batches * self.num_epochs:
            return {"end": True}
        number = self.delivered
        self.delivered += 1
        return {"epoch": number // self.num_batches, "index": number % self.num_batches, "num_skipped": 0, "num_filtered": 0,
                **self.host.columns(self.batch(number))[0]}


class ProgramTest(HostCase):
    def program(self, source=LOGISTIC, requirements=(), settings=None, **facts):
        answer = self.load_program(source, requirements)
        self.assertTrue(answer["ok"], answer)
        if settings is None:
            settings = {setting["name"]: setting["default"] for setting in answer["plugin"]["settings"]}
        self.create(settings, seed=5, training={**FACTS, **facts})
        return Owner(self.host)

    def load_program(self, source, requirements=(), name="main"):
        self.host.load(source, "nothing", "program", file="train.py")
        return self.host.ask("load", file="train.py", name=name, kind="program", files=[], requirements=list(requirements))

    def trained(self, body, **facts):
        """Trains a program whose main begins in line 6."""
        source = "import numpy as np\nclass Model:\n    def __init__(self, answers=.5): self.answers = answers\n" \
                 "    def predict(self, batch): return np.full((len(batch), 2), self.answers)\ndef main(training):\n" + \
                 textwrap.indent(textwrap.dedent(body).strip(), "    ")
        return self.program(source, **facts).train()

    def fault_of(self, body, **facts):
        answer = self.trained(body, **facts)
        self.assertFalse(answer["ok"], answer)
        return answer["fault"]

    def predict(self, number, rows):
        return self.host.values(self.ask("predict", number=number, **self.host.columns({"input": rows})[0]))["outputs"]

    def opened(self, answer, number=1):
        model = self.host.values(answer)["model"][0]
        self.ask("open", number=number, **self.host.columns({"model": [model]})[0])
        return model

    def test_a_program_describes_its_settings(self):
        described = self.load_program(LOGISTIC)["plugin"]
        self.assertEqual((described["kind"], described["name"], described["doc"]),
                         ("program", "main", "Fits a logistic regression."))
        self.assertEqual([(one["name"], one["type"], one["default"]) for one in described["settings"]],
                         [("rate", "number", .5), ("name", "text", "mine")])

    def test_a_program_trains_and_its_model_predicts(self):
        owner = self.program()
        answer = owner.train()
        self.assertEqual((answer["want"], answer["form"]), ("model", "pickle"))
        self.assertEqual(owner.delivered, 6)
        self.assertEqual(len(owner.reports), 6)
        self.assertEqual(owner.reports[0]["loss"], .25)
        self.opened(answer)
        outputs = self.predict(1, numpy.array([[3, 0, 0], [-3, 0, 0]], numpy.float32))
        self.assertEqual(outputs.shape, (2, 2))
        self.assertGreater(outputs[0, 1], .5)
        self.assertLess(outputs[1, 1], .5)

    def test_a_program_that_is_resumed_ends_with_the_same_model(self):
        owner = self.program()
        owner.save_before = (4,)
        whole = self.host.values(owner.train())["model"][0]
        ((delivered, state),) = owner.checkpoints
        self.assertEqual(delivered, 4)
        later = self.program()
        later.delivered = delivered
        self.assertEqual(self.host.values(later.train(checkpoint=state))["model"][0], whole)
        self.assertEqual(later.delivered, 6)

    def test_random_numbers_continue_after_a_checkpoint(self):
        source = '''
import random
import numpy as np
class Model:
    def __init__(self, drawn): self.drawn = drawn
    def predict(self, batch): return np.full((len(batch), 2), .5)
def main(training):
    drawn = list(training.checkpoint or ())
    for batch in training.batches():
        drawn += [random.random(), np.random.rand(), training.random().random()]
        if training.checkpoint_due:
            training.save_checkpoint(drawn)
    return Model(drawn)
'''
        owner = self.program(source)
        owner.save_before = (2,)
        whole = self.host.values(owner.train())["model"][0]
        ((delivered, state),) = owner.checkpoints
        self.assertEqual(delivered, 3)  # The batch after it was due.
        later = self.program(source)
        later.delivered = delivered
        self.assertEqual(self.host.values(later.train(checkpoint=state))["model"][0], whole)

    def test_a_program_starts_from_the_model_before(self):
        model = self.host.values(self.program().train())["model"][0]
        owner = self.program(LOGISTIC.replace("weights = np.zeros(3)", "weights = training.previous.weights"))
        owner.train(previous=model)
        self.assertLess(owner.reports[0]["loss"], .2)

    def test_epochs_and_whole_epochs_are_there(self):
        answer = self.trained("""
            first = training.whole()
            assert first.input.shape == (12, 3) and first.ordinals.tolist() == list(range(12)), first
            assert training.epochs_left == 1
            assert [batch.index for batch in training.epoch()] == [0, 1, 2]
            assert training.epochs_left == 0 and list(training.epoch()) == []
            return Model()""")
        self.assertTrue(answer["ok"], answer)

    def test_batches_may_be_kept_and_written_to(self):
        answer = self.trained("""
            seen = list(training.batches())
            seen[0].input[:] = 0
            assert sum(batch.keys.sum() for batch in seen) == sum(range(24))
            return Model()""")
        self.assertTrue(answer["ok"], answer)

    def test_an_exception_tells_its_place(self):
        fault = self.fault_of("for batch in training.batches():\n    batch.input @ np.zeros(7)")
        self.assertIn("ValueError: matmul", fault["what"])
        self.assertEqual(fault["where"], "train.py:7 in main")
        self.assertTrue(self.trained("next(training.batches()); return Model()")["ok"])

    def test_what_main_returns_is_looked_at(self):
        for body, what in (("", "main has to return a module of PyTorch, or an object with predict(batch), and returned None"),
                           ("return b'onnx'", "and returned bytes. To answer by an ONNX file"),
                           ("return 3", "and returned 3 (int)"),
                           ("m = Model(); m.f = lambda: 3; return m", "the model that main has returned cannot be kept: "),
                           ("m = Model(); m.predict = lambda batch: np.zeros((len(batch), 3)); return m",
                            "an array [4, 2] as the answers, and returned one [4, 3]"),
                           ("return Model(np.nan)", "finite numbers as the answers, and returned nan in row 0"),
                           ("return Model(.7)", "probabilities that add up to 1, and returned 1.4"),
                           ("return Model(-2.)", "probabilities from 0 to 1, and returned -2 in row 0; write `answers: logits`")):
            self.assertIn(what, self.fault_of(f"next(training.batches())\n{body}")["what"])
        self.assertIn("main has returned before it took a batch", self.fault_of("return Model()")["what"])
        self.assertTrue(self.trained("next(training.batches()); return Model(-2.)", answers_probabilities=False)["ok"])

    def test_a_model_that_cannot_be_loaded_is_a_fault_of_the_training(self):
        fault = self.fault_of("""
            next(training.batches())
            class Odd(Model):
                def __reduce__(self): return (int, ("x",))
            return Odd()""")
        self.assertIn("the model cannot be loaded: ValueError: invalid literal", fault["what"])

    def test_a_program_may_not_start_processes_or_use_the_network(self):
        for body in ("import os; os.fork()", "import socket; socket.create_connection(('127.0.0.1', 1))"):
            self.assertIn("a plug-in may not ", self.fault_of(body)["what"])

    def test_the_null_device_can_be_opened(self):
        answer = self.trained("""
            import contextlib, os, pathlib
            for mode in ("r+b", "wb", "a"):
                with open(os.devnull, mode) as nothing:
                    nothing.write(b"x" if "b" in mode else "x")
            with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
                print("nobody sees this")
            assert pathlib.Path(os.devnull).read_bytes() == b""
            next(training.batches())
            return Model()""")
        self.assertTrue(answer["ok"], answer)

    def test_what_a_program_reports_and_keeps_is_looked_at(self):
        for body, what in (("training.report(loss=float('nan'))", "loss is nan: the training does not converge"),
                           ("training.keep(rule=len)", "rule cannot be kept: builtin_function_or_method has no state_dict()"),
                           ("for _ in range(9): list(training.batches())\ntraining.whole()", "there are no batches left")):
            self.assertIn(what, self.fault_of(body)["what"])

    def test_missing_packages_are_a_fault_with_the_command_that_installs_them(self):
        answer = self.load_program("import nothing_of_the_sort", ["numpy>=1.20", "nothing-of-the-sort>=2"])
        self.assertIn("nothing-of-the-sort is not installed. Install what is missing: ", answer["fault"]["what"])
        self.assertTrue(answer["fault"]["what"].endswith("-m pip install 'nothing-of-the-sort>=2'"), answer)
        for requirement, what in (("numpy>=1000", " is installed, and numpy>=1000 is required"),
                                  ("numpy==1.*,<1.1", "is required"), ("numpy @ https://x", "cannot be read")):
            self.assertIn(what, self.load_program(LOGISTIC, [requirement])["fault"]["what"])
        for requirement in ("numpy", "numpy>1,!=1.0,<1000", "numpy[extra]>=1.0"):
            self.assertTrue(self.load_program(LOGISTIC, [requirement])["ok"])

    def test_a_function_that_is_no_program_is_a_fault(self):
        for source, name, what in (("x = 1", "main", "train.py has no function main; it has none"),
                                   ("def train(t): pass", "main", "train.py has no function main; it has train"),
                                   ("def main(): pass", "main", "main has to take the training as its first argument"),
                                   ("def main(t, rate): pass", "main", "the parameter rate of main is a setting and needs a default"),
                                   ("def main(t, **all): pass", "main", "main cannot take *all"),
                                   ("def main(t, seed=3): pass", "main", "a setting cannot be called seed")):
            self.assertIn(what, self.load_program(source, name=name)["fault"]["what"])

    def test_a_program_ends_with_its_owner(self):
        own = HostProcess()
        own.load(LOGISTIC, "main", "program", file="train.py")
        own.ask("create", settings={"rate": 1., "name": "x"}, seed=1, training=FACTS)
        self.assertEqual(own.ask("run", num_batches=3, num_samples=12)["want"], "batch")
        self.assertEqual(own.end(), 0)
