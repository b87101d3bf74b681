"""What all tests share."""

import compileall
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.authorities import trust_one_authority
from tests.support.memory_folder import keep_temporary_files_in_memory

pytest.register_assert_rewrite("tests.limbs.adapters.contract")

# Sessions that tests start would load every plugin that is installed, which takes them seconds. The first three are for
# tests/api/test_other_plugins.py alone.
OTHER_PLUGINS = "-p no:randomly -p no:asyncio -p no:rerunfailures -p no:langsmith_plugin -p no:hypothesispytest -p no:anyio"

keep_temporary_files_in_memory()
trust_one_authority()

# Where the environment forbids bytecode, every program that tests start would compile the package again, which takes it
# seconds, and every session would rewrite all tests' assertions.
sys.dont_write_bytecode = False

# A shell starts background commands with Ctrl-C ignored, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Collecting makes millions of objects and no garbage to speak of.
gc.disable()

# Machines that run tests are shared and noisy: how long an example takes says nothing. `make nightly` tries more examples.
settings.register_profile("rightcall", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("nightly", settings.get_profile("rightcall"), max_examples=100)
settings.load_profile("rightcall")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once for all workers and all programs that tests start."""
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(Path(__file__).parents[1] / "src", quiet=2)


def pytest_collection_finish() -> None:
    """Before the first test, but after workers of this session have started, which need Hypothesis' plugin.

    Thousands of tests and the packages they import stay: the garbage collector need not look at them again. Modules that
    tests write and change within a second are not compiled to files, which would look up to date.
    """
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["PYTEST_ADDOPTS"] = f"{os.environ.get('PYTEST_ADDOPTS', '')} {OTHER_PLUGINS}"
    gc.collect()
    gc.freeze()
    gc.collect()  # of nothing: from now on the collector compares new garbage with what is not frozen
    gc.enable()
    gc.set_threshold(20_000, 20, 5)


@pytest.fixture(autouse=True, scope="session")
def trusted_temporary_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user who trusts the folders that tests write suites to."""
    from rightcall.run.trust import trust_folder

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("user")))
        trust_folder(Path(tempfile.gettempdir()))
        yield


@pytest.fixture(autouse=True, scope="session")
def one_look_at_this_repository() -> Iterator[None]:
    """Every run notes whether the working folder was edited. Git would read all of this repository for each of them."""
    from rightcall.files import revision

    ask = revision.git_dirty
    repository = Path(__file__).parents[1]
    answers: list[bool] = []

    def git_dirty(folder: Path) -> bool:
        if folder != repository:
            return ask(folder)
        if not answers:
            answers.append(ask(folder))
        return answers[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(revision, "git_dirty", git_dirty)
        yield
