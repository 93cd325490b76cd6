"""What the table says of real runs, against the records of their files as they stand there."""

from __future__ import annotations

import json
import math
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from mindinsight.environment import Environment
from mindinsight.ingest.follower import Follower
from mindinsight.runs.models import Run
from summaries.schema.lineage_pb2 import LineageEvent
from summaries.schema.tensorboard_hparams_pb2 import HParamsPluginData
from summaries.schema.tensorboard_pb2 import Event
from tests.mindinsight.ingest.conftest import read_all
from tests.mindinsight.lineage.tables import table

LENET = (
    *("adam_lr001_b32", "adam_lr01_b64", "mom_lr001_b32", "mom_lr01_b32"),
    *("mom_lr05_b64", "rms_lr001_b128", "sgd_lr05_b32", "sgd_lr1_b64"),
)
TENSORBOARD = ("adam_lr0.001", "sgd_lr0.1", "sgd_lr5_diverges")


@pytest.fixture
def runs(
    environment: Environment, transactional_db: None, real_files: Path, client: Client
) -> dict[str, dict[str, Any]]:
    """What the table says of each run, by its name and the columns' names."""
    for folder, names in (("mindspore/lenet", LENET), ("tensorboard", TENSORBOARD)):
        for name in names:
            # Event files alone, and not the largest: what lineage says stands in the small ones.
            kept = environment.base_directory / name
            shutil.copytree(real_files / folder / name, kept, copy_function=shutil.copyfile, ignore=_no_summaries)
    follower = Follower(environment)
    read_all(follower)
    found = table(client)
    names = dict(Run.objects.values_list("pk", "name"))
    return {
        names[number]: {column: values[at] for column, values in found.values.items() if values[at] is not None}
        for at, number in enumerate(found.values["number"])
    }


def _no_summaries(_: str, names: list[str]) -> list[str]:
    return [name for name in names if name.endswith("_MS") or name == "00138"]


def payloads(path: Path) -> Iterator[bytes]:
    """Records, taken apart by hand: length, its check sum, the payload, its check sum."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        yield data[at + 12 : at + 12 + length]
        at += 16 + length


def single(value: float) -> float:
    """The number that a float of 32 bits holds."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def noted_in(folder: Path) -> dict[str, Any]:
    """Every value of the lineage records of a run, in the words of the table."""
    noted: dict[str, Any] = {}
    for path in sorted(folder.glob("*_lineage")):
        for payload in payloads(path):
            event = LineageEvent.FromString(payload)
            training = event.train_lineage
            for part in (training.hyper_parameters, training.train_dataset, training.algorithm):
                noted |= {f"params.{field.name}": value for field, value in part.ListFields() if value != ""}
            for field, value in event.evaluation_lineage.valid_dataset.ListFields():
                noted[f"params.{field.name}"] = value
            if event.evaluation_lineage.metric:
                found = json.loads(event.evaluation_lineage.metric)
                noted |= {f"metrics.{name}": value for name, value in found.items()}
            if training.model.size:
                noted["params.model_size"] = training.model.size
            for user in event.user_defined_info.user_info:
                for entries in (user.map_int32, user.map_double, user.map_str):
                    noted |= {f"params.{name}": value for name, value in entries.items()}
    if "params.loss" in noted:
        noted["metrics.loss"] = noted.pop("params.loss")
    return noted


SINGLE = {"params.learning_rate", "metrics.loss"}


def test_real_runs(runs: dict[str, dict[str, Any]], real_files: Path) -> None:
    for name in LENET:
        expected = noted_in(real_files / "mindspore" / "lenet" / name)
        # The table has the shortest number that is the same in 32 bits: 0.001 and not 0.0010000000474974513.
        said = {key: single(value) if key in SINGLE else value for key, value in runs[name].items()}
        assert expected.keys() >= {"params.optimizer", "params.learning_rate", "params.batch_size", "metrics.Accuracy"}
        assert {key: said[key] for key in expected} == expected, name
        more = said.keys() - expected.keys() - {"number", "opened", "duration", "last_step", "state"}
        assert more <= {"params.dataset_operations", "params.model_path"}, name
    assert runs["adam_lr001_b32"]["params.lr"] == runs["adam_lr001_b32"]["params.learning_rate"] == 0.001


def test_real_hparams(runs: dict[str, dict[str, Any]], real_files: Path) -> None:
    for name in TENSORBOARD:
        (path,) = (real_files / "tensorboard" / name).glob("*/events*")
        expected: dict[str, Any] = {}
        for payload in payloads(path):
            for value in Event.FromString(payload).summary.value:
                data = HParamsPluginData.FromString(value.metadata.plugin_data.content)
                for key, hparam in data.session_start_info.hparams.items():
                    expected[f"params.{key}"] = getattr(hparam, str(hparam.WhichOneof("kind")))
                if value.WhichOneof("value") == "simple_value":
                    expected[f"last({value.tag})"] = value.simple_value
        assert len(expected) > 3
        for key, value in expected.items():
            same = math.isnan(value) and math.isnan(runs[name][key]) if value != value else runs[name][key] == value
            assert same, (name, key)
