"""What plug-ins are written with: trigger policies, measures and other parts of a pipeline that are your own.

A plug-in is a class in a file of yours, and the pipeline names both: `use: surprise.py:Surprise`.

    from tidemill import plugin

    class Surprise(plugin.Trigger):
        \"\"\"Fires when mistakes come as a surprise.\"\"\"

        threshold = plugin.Number(0.2, min=0, max=1, doc="The share of mistakes at which it fires.")

        def points(self):
            return plugin.EverySamples(250)

        def looks_at(self):
            return {"errors": plugin.Errors(since="decision")}

        def observe(self, evidence):
            errors = evidence["errors"]
            return {"share": errors.mean() if len(errors) else 0.0}

        def judge(self, seen):
            return plugin.Verdict.at_least("the share of mistakes", seen["share"], self.threshold)

There is a class for each kind of plug-in: `Trigger`, `Measure`, `Op`, `Score`, `Selection` and `Format`. The docstring of a
class says which methods it wants. `create` makes an instance for a test of your own.

A plug-in is pure. Its settings, a seed, numbers and columns go in. Numbers, columns and a state come out. It runs in its own
process, and may not use the network or start processes. An exception that it raises is a fault: the run shows it with the place
in your file.
"""
from tidemill.plugin.base import Plugin, create
from tidemill.plugin.block import Block, ByteStrings
from tidemill.plugin.data_files import files
from tidemill.plugin.evidence import (Columns, Cut, Embeddings, Errors, Evidence, Labels, Predictions, SampleRows, Samples,
                                      Table, evidence_for)
from tidemill.plugin.format import Format, Piece, Records
from tidemill.plugin.measure import Measure
from tidemill.plugin.op import ColumnType, Made, Op
from tidemill.plugin.score import Score
from tidemill.plugin.selection import Chosen, Selection
from tidemill.plugin.settings import Boolean, Integer, Number, Numbers, Setting, Text, Texts
from tidemill.plugin.trigger import Comparison, EachCalendar, EveryPeriod, EverySamples, Trigger, Verdict

__all__ = [
    "Block", "Boolean", "ByteStrings", "Chosen", "ColumnType", "Columns", "Comparison", "Cut", "EachCalendar", "Embeddings",
    "Errors", "EveryPeriod", "EverySamples", "Evidence", "Format", "Integer", "Labels", "Made", "Measure", "Number",
    "Numbers", "Op", "Piece", "Plugin", "Predictions", "Records", "SampleRows", "Samples", "Score", "Selection", "Setting",
    "Table", "Text", "Texts", "Trigger", "Verdict", "create", "evidence_for", "files",
]
