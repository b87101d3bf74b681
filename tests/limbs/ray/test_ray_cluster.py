"""A cluster of two nodes: one is lost, one joins, and what of a suite travels there."""

import asyncio
import json
import os
import textwrap
from pathlib import Path

import pytest

from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.ray.place import RayEngine, Workers, WorkersConfig
from rightcall.limbs.ray.ray import RayOptions
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store
from tests.limbs.ray.stored_runs import asked, goldens, plan_of, stored

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
ROOT = str(Path(__file__).parents[3])
CANARY = "sk-canary-0123456789abcdef"


@pytest.fixture(scope="module")
def cluster():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["OPENAI_API_KEY"] = CANARY
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.add_node(num_cpus=1)
    made.second = made.add_node(num_cpus=1)
    yield made
    made.shutdown()
    del os.environ["OPENAI_API_KEY"]


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A suite with its own agent and metric, a key in .env, and a store next to it."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "ownagent.py").write_text(
        textwrap.dedent(
            """
            from pathlib import Path
            import os

            def agent(golden):
                here = Path.cwd()
                return f"{here.name} {(here / '.env').exists()} {(here / 'results.db').exists()} {here != Path(os.environ['HOME'])}"

            def short(case):
                return len(case.trajectory.output) < 500
            """
        )
    )
    (folder / ".env").write_text(f"OPENAI_API_KEY={CANARY}\n")
    (folder / "results.db").write_text("not for others")
    rows = ({"id": f"g{i}", "input": f"Do {i}", "expected_calls": []} for i in range(10))
    (folder / "goldens.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "ownagent:agent"}, "metrics": ["ownagent:short"]}
    (folder / "suite.json").write_text(json.dumps(suite))
    return folder


@pytest.fixture(scope="module")
def engine(cluster, shipped):
    made = RayEngine(RayOptions(cluster.address, folder=shipped, dataset=shipped / "goldens.jsonl"))
    asyncio.run(made.open())
    yield made
    made.close()


def ran(store, plan, engine, told, **options):
    driver = Driver(engine, WorkerOptions(**options), told.append)
    return asyncio.run(run_plan(plan, store, backend=driver))


def test_a_suites_own_code_runs_on_nodes_and_its_secrets_stay(engine, shipped, tmp_path):
    plan = plan_suite(load_suite(shipped / "suite.json"), shipped)
    with open_store(tmp_path / "results.db") as store:
        outcome = ran(store, plan, engine, [])
        found = [result.trajectory.output for result in store.runs.results(outcome.run.id, trajectories=True)]
    assert outcome.done == 10 and outcome.verdict.word == "PASS"
    assert all(" False False True" in text for text in found), found


def test_a_lost_node_costs_no_result_and_a_new_one_is_used(cluster, engine, tmp_path):
    told = []
    lost = False

    def lose_a_node(progress, batch):
        nonlocal lost
        if progress.done >= 30 and not lost:
            lost = True
            cluster.remove_node(cluster.second, allow_graceful=False)
            cluster.add_node(num_cpus=1)

    plan = plan_of(goldens(300, tmp_path, seconds=0.1), concurrency=8)
    with open_store(tmp_path / "results.db") as store:
        driver = Driver(engine, WorkerOptions(2, paths=(ROOT,)), told.append)
        outcome = asyncio.run(run_plan(plan, store, backend=driver, watch=lose_a_node))
        assert len(stored(store, outcome.run.id)) == 300 == store.runs.get(outcome.run.id).results
    assert any("lost (" in line for line in told), told
    assert sum(asked(tmp_path).values()) - 300 <= 8 + 2 * 200


def test_no_key_is_written_anywhere_in_rays_folder_and_nothing_is_reported(cluster, engine):
    from ray._private.worker import _global_node

    session = Path(cluster.head_node.get_session_dir_path())
    files = [path for path in session.rglob("*") if path.is_file()]
    assert files and _global_node is not None
    assert not [path for path in files if CANARY.encode() in path.read_bytes()]
    assert not list(session.rglob("usage_stats.json"))


def test_what_cannot_be_shared_by_workers_is_refused(shipped, tmp_path):
    from dataclasses import replace

    from rightcall.core.errors import ConfigError
    from rightcall.recording.library import Recordings, RecordSettings

    plan = plan_suite(load_suite(shipped / "suite.json"), shipped)
    recorded = replace(
        plan,
        agent=replace(plan.agent, recordings=Recordings(RecordSettings("auto"), tmp_path), execute="real"),
    )
    config = WorkersConfig(count=2)
    with open_store(tmp_path / "results.db") as store, pytest.raises(ConfigError) as refused:
        Workers(config, folder=shipped, dataset=None).backend(recorded, store, print)
    assert len(refused.value.problems) == 2
