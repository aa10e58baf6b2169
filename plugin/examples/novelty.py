"""Trains on what is new: the samples whose embeddings are farthest from what came before them in the stream.

    selection: {type: plugin, use: "novelty.py:Novelty", with: {samples: 5000}, over: new}

What came before is summarised by a few centers, to which the embeddings of the newest model are added as they come (an online
k-means). The novelty of a sample is its distance to the nearest of them. Memory holds the centers and the samples that are
chosen so far, however many candidates there are.
"""
import numpy

from tidemill import plugin

# Centers move after this many candidates, wherever the blocks of candidates begin and end.
STEP = 1024


class Novelty(plugin.Selection):
    """Chooses the samples that are least like those before them."""

    version = "1.0"
    samples = plugin.Integer(1000, min=1, doc="Samples to choose.")
    centers = plugin.Integer(32, min=1, max=1024, doc="Points that stand for what came before.")

    def __init__(self):
        self.waiting = None
        self.places = None
        self.counts = None
        self.seen = 0
        self.rows = numpy.empty(0, numpy.int64)
        self.novelties = numpy.empty(0)

    def looks_at(self):
        return ["embeddings"]

    def add(self, block):
        came = block["embeddings"].astype(float)
        points = came if self.waiting is None else numpy.concatenate([self.waiting, came])
        whole = len(points) - len(points) % STEP
        for begin in range(0, whole, STEP):
            self.look(points[begin:begin + STEP])
        self.waiting = points[whole:]

    def look(self, points):
        """Notes the novelty of the next samples, and then learns from them."""
        if self.places is None:
            # Nothing came before: the first samples stand for themselves.
            self.places = points[:self.centers].copy()
            self.counts = numpy.ones(len(self.places))
        # |p - c|^2 = |p|^2 - 2 p c + |c|^2
        squares = (self.places**2).sum(axis=1) - 2 * points @ self.places.T
        nearest = squares.argmin(axis=1)
        self.keep(squares[numpy.arange(len(points)), nearest] + (points**2).sum(axis=1))
        sums = numpy.zeros_like(self.places)
        numpy.add.at(sums, nearest, points)
        counts = numpy.bincount(nearest, minlength=len(self.places))
        self.counts += counts
        self.places += (sums - counts[:, None] * self.places) / self.counts[:, None]

    def keep(self, novelties):
        """Keeps the rows with the greatest novelties so far, in their order. They are squares of distances."""
        rows = numpy.concatenate([self.rows, numpy.arange(self.seen, self.seen + len(novelties))])
        novelties = numpy.concatenate([self.novelties, novelties])
        self.seen += len(novelties) - len(self.novelties)
        best = numpy.sort(numpy.argsort(-novelties, kind="stable")[:self.samples])
        self.rows, self.novelties = rows[best], novelties[best]

    def choose(self, num_candidates):
        if len(self.waiting) > 0:
            self.look(self.waiting)
        return self.rows
