"""Data pipelines and environments of runs, name by name."""

from __future__ import annotations

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.ingest.follower import Follower
from mindinsight.lineage.environments import environments_of, pipelines_of
from mindinsight.runs.details import run_details
from mindinsight.runs.models import Run, RunEnvironment
from tests.mindinsight.ingest.conftest import read_all
from tests.mindinsight.lineage.test_pipelines import behind, source, write
from tests.mindinsight.published import answer


@pytest.mark.django_db
def test_environments_are_told_name_by_name(environment: Environment) -> None:
    one, other = Run.objects.create(name="one", opened=2.0), Run.objects.create(name="other", opened=1.0)
    content = {
        "host": "gpu7",
        "command_line": ["python", "train.py"],
        "packages": {"numpy": "2.4.6"},
        "source": {"revision": "8222", "branch": "main", "changed": None},
        "devices": [{"kind": "gpu", "name": "H100", "memory_bytes": 5}],
    }
    RunEnvironment.objects.create(run=one, content=content)
    assert environments_of(run_details([one.pk, other.pk])) == [
        {
            "host": "gpu7",
            "command_line": "python train.py",
            "packages.numpy": "2.4.6",
            "source.revision": "8222",
            "source.branch": "main",
            "devices": ["gpu H100"],
        },
        {},
    ]


def test_pipelines_are_told_argument_by_argument(
    client: Client, environment: Environment, transactional_db: None
) -> None:
    write(environment, "a", behind("Batch", behind("Cache", source("Mnist", 10)), batch_size=8))
    write(environment, "b")
    read_all(Follower(environment))
    found = dict(zip([run["name"] for run in run_details()], pipelines_of(run_details()), strict=True))
    assert found["b"] == {}
    assert found["a"] == {
        "Mnist.dataset_dir": "/data/Mnist",
        "Mnist.sampler.sampler_type": "RandomSampler",
        "Mnist.sampler.num_samples": 10,
        "Cache": True,
        "Batch.batch_size": 8,
    }
    numbers = ",".join(str(run["number"]) for run in run_details())
    sections = {one["name"]: one["rows"] for one in answer(client, f"/api/lineage/compare?runs={numbers}")["sections"]}
    assert list(sections) == ["params", "metrics", "pipeline", "environment"]
    assert sorted(row["name"] for row in sections["pipeline"] if not row["same"]) == sorted(found["a"])
