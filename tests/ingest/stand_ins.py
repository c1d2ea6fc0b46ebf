"""Steps and extractors that misbehave on purpose."""

from __future__ import annotations

import os
import time
from pathlib import Path

from memory import sql
from memory.ingest.errors import Unavailable
from memory.ingest.extractors import TagProposal
from memory.ingest.pace import between_pieces
from memory.models import Record


class PoisonExtractor:
    """Fails on texts with the word POISON, tags the others."""

    name = "poison"

    def extract(self, text, context):
        if "POISON" in text:
            raise ValueError("cannot read this text")
        return [TagProposal("seen", "yes")]


class PoisonTags:
    name = "poison_tags"

    def run(self, batch):
        from memory.ingest.steps import Tags

        class Mine(Tags):
            def extractors(self):
                return [PoisonExtractor()]

        return Mine().run(batch)


class WholeBatch:
    """Fails for the whole batch when one of its texts holds the word TOXIC; counts its runs."""

    name = "whole_batch"
    runs: list[int] = []

    def run(self, batch):
        self.runs.append(len(batch.items))
        if any("TOXIC" in item.text for item in batch.items):
            raise RuntimeError("the model crashed")
        return lambda items: None


class Away:
    """An endpoint that is away until `here`."""

    name = "away"
    here = False
    runs: list[int] = []

    def run(self, batch):
        self.runs.append(len(batch.items))
        if not self.here:
            raise Unavailable("the endpoint does not answer")
        return lambda items: None


class BrokenStatement:
    """Asks the database for something that is not there, while storing."""

    name = "broken_statement"
    runs: list[int] = []

    def run(self, batch):
        def store(items):
            self.runs.append(len(items))
            sql.execute("select * from a_table_of_the_next_migration")

        return store


class Meddler:
    """Somebody who does something to the records while they are worked on, once."""

    name = "meddler"
    deed = None

    def run(self, batch):
        deed, type(self).deed = type(self).deed, None
        if deed:
            deed([Record.everything.get(pk=item.record_id) for item in batch.items])
        return lambda items: None


class Stuck:
    """Tells that it has begun by making a file, and hangs: in the work or inside the storing transaction."""

    name = "stuck"

    def run(self, batch):
        if os.environ["STUCK_IN"] == "run":
            self.hang()

        def store(items):
            if os.environ["STUCK_IN"] == "store":
                self.hang()

        return store

    @staticmethod
    def hang():
        Path(os.environ["STUCK_FILE"]).write_text("stuck")
        time.sleep(600)


class Slow:
    """Reads the text SLOW in pieces that take a while, and any other at once; `meanwhile` is called in between."""

    name = "slow"
    PIECES = 8
    tries = 0
    meanwhile = None

    def extract(self, text, context):
        if "SLOW" in text:
            type(self).tries += 1
            for number in range(self.PIECES):
                time.sleep(0.15)
                if type(self).meanwhile:
                    type(self).meanwhile(number)
                between_pieces()
        return [TagProposal("seen", "yes")]


class SlowTags:
    name = "slow_tags"

    def run(self, batch):
        from memory.ingest.steps import Tags

        class Mine(Tags):
            def extractors(self):
                return [Slow()]

        return Mine().run(batch)


class EndlessTags:
    """Never comes to an end of a text, looking up as it should."""

    name = "endless_tags"

    def run(self, batch):
        Path(os.environ["STUCK_FILE"]).with_name("endless").write_text("begun")
        while True:
            time.sleep(0.05)
            between_pieces()
