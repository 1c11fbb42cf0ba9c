"""Reads the options of engines that pass them as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _native

# Settings that `read_warc` takes, by their names; it reads their texts.
SETTINGS = tuple(one["name"] for one in _native.settings() if one["part"] != "output" and one["name"] != "jobs") + ("markdown",)
# In lower case, as engines give them.
OTHERS = ("path", "paths", "config", "jobs", "batchsize", "reports", "onerror", "filterpushdown")


class Options:
    """Options of a reader, whatever the case of their names. Raises ValueError for unknown options and invalid values."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.given = {name.lower(): value for name, value in given.items()}
        known = (*SETTINGS, *OTHERS)
        for name in self.given:
            if name not in known:
                raise ValueError(f"unknown option {name!r}, expected one of {', '.join(known)}")
        self.choices: dict[str, Any] = {name: self.given[name] for name in SETTINGS if name in self.given}
        _native.check_choices(**self.choices)
        config = self.given.get("config")
        self.config: dict[str, Any] | str | None = config
        if config and config.lstrip().startswith("{"):
            self.config = json.loads(config)
        self.jobs = self.number("jobs", 1)
        self.batch_size = self.number("batchsize", 1024)
        self.reports = self.given.get("reports")
        self.on_error = self.given.get("onerror", "report")
        if self.on_error not in ("report", "fail"):
            raise ValueError(f"onError: unknown value {self.on_error!r}, expected report, fail")

    def number(self, name: str, usual: int) -> int:
        value = self.given.get(name, usual)
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            raise ValueError(f"{name}: {value!r} is no number from 1 on")
        return number

    def flag(self, name: str) -> bool:
        value = self.given.get(name, "false").lower()
        if value not in ("true", "false"):
            raise ValueError(f"{name}: {value!r}, expected true, false")
        return value == "true"

    def paths(self) -> list[str]:
        """The paths as they were given."""
        if "paths" in self.given:
            return [str(path) for path in json.loads(self.given["paths"])]
        if "path" not in self.given:
            raise ValueError("no path: name archives with load(...)")
        return [self.given["path"]]
