"""A logistic regression of two classes, and everything that a program can do wrong."""
import numpy as np

from tidemill import plugin


class Model:
    def __init__(self, weights):
        self.weights = weights

    def predict(self, batch):
        up = 1 / (1 + np.exp(-with_ones(batch.input) @ self.weights))
        return np.stack([1 - up, up], axis=1)


class Wide(Model):
    def predict(self, batch):
        return np.zeros((len(batch), 7))


class Unloadable(Model):
    def __reduce__(self):
        return int, ("no number",)


def with_ones(rows):
    return np.hstack([rows, np.ones((len(rows), 1), rows.dtype)])


def main(training, rate=plugin.Number(0.5, min=0), fails=plugin.Text("never", doc="How it fails, at its second trigger.")):
    """Fits by steps that draw random numbers, so that a training that continues elsewhere must draw the same."""
    weights = np.zeros(4)
    training.keep(weights=weights)
    if training.previous is not None and not training.is_resumed:
        weights[...] = training.previous.weights
    for batch in training.batches():
        up = 1 / (1 + np.exp(-with_ones(batch.input) @ weights))
        noise = np.random.normal(size=4) * 1e-3 + training.random().normal(size=4) * 1e-3
        weights -= rate * with_ones(batch.input).T @ ((up - batch.targets) * batch.weights) / len(batch) + noise
        training.report(loss=np.mean((up - batch.targets) ** 2), accuracy=np.mean((up > .5) == batch.targets))
        if training.trigger == 2 and batch.index == 3 and fails in FAULTS:
            FAULTS[fails]()
        if fails == "once" and batch.epoch == 2 and not training.is_resumed:
            die()
    if training.trigger == 2 and fails in MODELS:
        return MODELS[fails](weights)
    return Model(weights)


def raise_an_error():
    raise ValueError("the sky fell down")


def hang():
    while True:
        pass


def take_memory():
    return np.ones(100 << 30, np.uint8)


def print_much():
    line = "x" * 10_000
    for _ in range(100_000):
        print(line)


def fork():
    import os
    os.fork()


def connect():
    import socket
    socket.create_connection(("127.0.0.1", 80))


def write():
    with open("/tmp/file", "w") as file:
        file.write("x")


def die():
    import os
    os._exit(7)


FAULTS = {"error": raise_an_error, "hang": hang, "memory": take_memory, "fork": fork, "network": connect, "write": write, "die": die,
          "print": print_much}
MODELS = {"wide": Wide, "unloadable": Unloadable, "none": lambda weights: None}
