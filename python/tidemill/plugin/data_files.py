"""Data files that travel with the pipeline: what `files:` beside `use:` names."""
from __future__ import annotations

from collections.abc import Iterator, Mapping


class DataFiles(Mapping[str, str]):
    """The path of each file, by the name that the pipeline has for it. The files are read-only.

    Outside of a run, in a test of your own, any name is its own path.
    """

    def __init__(self) -> None:
        self._paths: dict[str, str] | None = None

    def _hold(self, paths: Mapping[str, str]) -> None:
        """The host says where the files are."""
        self._paths = dict(paths)

    def __getitem__(self, name: str) -> str:
        if self._paths is None:
            return name
        if name in self._paths:
            return self._paths[name]
        raise FileNotFoundError(f"the pipeline names no file {name!r} for this plug-in; write files: [{name}] beside use")

    def __contains__(self, name: object) -> bool:
        return self._paths is not None and name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths or ())

    def __len__(self) -> int:
        return len(self._paths or ())


files = DataFiles()
