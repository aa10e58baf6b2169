"""What the tests of the host share: one process for all tests of a class."""
import textwrap
import unittest

from host_process import HostProcess

AT = {"event_time": 1_000_000, "key": 7}


class HostCase(unittest.TestCase):
    """Tests that ask one host. Each test loads its own file."""

    host = None

    @classmethod
    def setUpClass(cls):
        if HostCase.host is None:
            HostCase.host = HostProcess()
            unittest.addModuleCleanup(cls._end_host)

    @staticmethod
    def _end_host():
        status = HostCase.host.end()
        HostCase.host = None
        assert status == 0, status

    def load(self, source, name="Mine", kind="trigger", data=None):
        answer = self.host.load("from tidemill import plugin\nimport numpy as np\n" + textwrap.dedent(source), name, kind,
                                data=data)
        self.assertTrue(answer["ok"], answer)
        return answer["plugin"]

    def ask(self, call, **request):
        answer = self.host.ask(call, **request)
        self.assertTrue(answer["ok"], answer)
        return answer

    def create(self, settings=None, seed=1, **request):
        return self.ask("create", settings=settings or {}, seed=seed, **request)

    def fault(self, call, **request):
        answer = self.host.ask(call, **request)
        self.assertFalse(answer["ok"], answer)
        return answer["fault"]

    def observe(self, ask=None, num_new=10, has_model=True, events=(), missing=0, **tables):
        described = self.host.columns(*tables.values())
        return (ask or self.ask)("observe", at=AT, num_new=num_new, has_model=has_model, events=list(events), tables={
            name: {**block, "missing": missing} for name, block in zip(tables, described)})
