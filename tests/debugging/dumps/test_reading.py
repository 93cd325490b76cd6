"""Dumps are read: names, damages, hostile files. The numbers are those of the builder, counted by hand."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from debugging.dumps import Dump, DumpError, find_fault, open_dump
from debugging.dumps.damages import Damage, Damages
from debugging.dumps.dump import UnreadableTensorError
from debugging.dumps.formats.file_names import NameTable, parse_name
from debugging.dumps.formats.torch_files import open_torch
from debugging.dumps.replay import recording_of
from debugging.tensors.tensor_names import TensorName
from tests.debugging.dumps.builder import (
    LOG,
    MATMUL,
    SOFTMAX,
    SUM,
    UPDATE,
    outputs,
    write_mindspore,
    write_msprobe,
    write_torch,
)

ITERATION = "rank_0/net/0/0"


def damages(dump: Dump) -> str:
    return "\n".join(map(str, dump.damages))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_mindspore(tmp_path / "dump")


def file_of(folder: Path, start: str) -> Path:
    return next(path for path in sorted(folder.iterdir()) if path.name.startswith(start) and ".output." in path.name)


def test_a_name_with_dots_is_read_from_the_right() -> None:
    found = parse_name("Mul.Default_net.v2.1_Mul-op0.12.3.1795524607291974.input.1.NCHW.BFloat16.npy")
    assert found == ("Mul", "Default_net.v2.1_Mul-op0", 12, 3, 1795524607291974, True, 1, "NCHW", "BFloat16")
    old = parse_name("Parameter.conv1.weight.0.0.1.output.0.DefaultFormat.npy")
    assert old is not None
    assert (old.name, old.format, old.dtype) == ("conv1.weight", "DefaultFormat", "")
    assert parse_name("Mul.npy") is None


def test_names_that_are_written_alike_are_told() -> None:
    table = NameTable(["a/b_c", "a_b/c", "d"])
    assert table.ambiguous() == [["a/b_c", "a_b/c"]]
    # `Add-op0` of the files can only be the graph's `Add-op1`; of two left over, neither is guessed.
    assert NameTable(["x/Add-op1"]).match(["x_Add-op0"]) == ({"x_Add-op0": "x/Add-op1"},) * 2
    both = {"x_Add-op2": "x/Add-op10", "x_Add-op1": "x/Add-op9"}
    assert NameTable(["x/Add-op10", "x/Add-op9"]).match(both) == (both, both)
    assert NameTable(["x/Add-op1", "x/Add-op2"]).match(["x_Add-op0"]) == ({}, {})


def test_a_dump_has_its_ranks_iterations_nodes_and_values(root: Path) -> None:
    dump = open_dump(root)
    rank = dump.ranks[0]
    assert (dump.kind, rank.numbers, dump.settings["ms_version"]) == ("mindspore", [0, 1], "2.10.0")
    # 7 nodes, of which 11 inputs were dumped, and 4 parameters.
    assert [len(item.files) for item in rank.iterations[0].values()] == [22, 22]
    program = rank.programs[0]
    assert (program.inputs, program.trained) == ({"inputs0", "learning_rate"}, {"fc.weight"})
    assert program.changed == {"fc.weight", "moments.fc.weight"}
    iteration = rank.iterations[0][1]
    assert np.array_equal(dump.open(iteration, iteration.files[LOG, False, 0, 0]), outputs(1)[LOG])
    assert dump.nbytes == sum(path.stat().st_size for path in root.rglob("*.npy"))
    dump.check()
    assert not list(dump.damages)


@pytest.mark.parametrize("with_inputs", [True, False])
def test_the_fault_is_found(tmp_path: Path, with_inputs: bool) -> None:
    fault = find_fault(open_dump(write_mindspore(tmp_path / "dump", with_inputs=with_inputs)))
    assert fault is not None
    assert (fault.rank, fault.iteration, fault.operator, fault.cause.verdict) == (0, 1, LOG, "log_of_zero")
    assert [item.tensor.full_name for item in fault.cause.producer.inputs] == [SOFTMAX]
    assert fault.cause.facts["zeros"] == "2"
    assert str(fault.line) == "In file /home/user/net.py:22, def construct(self, x): return self.log(x)"


@pytest.mark.parametrize("missing", ["Softmax", "MatMul", "ReduceSum", "Parameter"])
def test_the_fault_is_found_where_outputs_are_missing(root: Path, missing: str) -> None:
    for path in root.rglob(f"{missing}.*.output.*.npy"):
        path.unlink()
    fault = find_fault(open_dump(root))
    assert fault is not None
    assert (fault.iteration, fault.operator, fault.cause.verdict) == (1, LOG, "log_of_zero")


def test_an_optimizer_gives_its_weights_and_not_the_unset_memory_of_its_output(root: Path) -> None:
    for iteration in (0, 1):
        unset = file_of(root / f"rank_0/net/0/{iteration}", "ApplyMomentum")
        unset.unlink()
        np.save(unset, np.full((2, 2), np.nan, np.float32))
    dump = open_dump(root)
    rank = dump.ranks[0]
    recording = recording_of(dump, rank, 0, rank.iterations[0][0])
    executed = recording.executed(TensorName(UPDATE))
    assert executed is not None
    # Of the step before, nothing was dumped; the files of the inputs have the weights after the update.
    assert [name and name.full_name for name, _ in executed.inputs] == ["learning_rate", MATMUL]
    fault = find_fault(dump)
    assert fault is not None
    assert (fault.iteration, fault.operator) == (1, LOG)


def test_operators_that_the_files_number_anew_are_told_apart_by_time(tmp_path: Path) -> None:
    dump = open_dump(write_mindspore(tmp_path / "dump", renumber=True))
    iteration = dump.ranks[0].iterations[0][0]
    assert dump.open(iteration, iteration.files[SUM, False, 0, 0]) == outputs(0)[SUM]
    assert "it is Expand/_SumExt/ReduceSum-op0 there" in "\n".join(map(str, dump.notes))
    fault = find_fault(dump)
    assert fault is not None
    assert fault.operator == LOG


def test_without_a_graph_inputs_tell_the_cause(root: Path) -> None:
    (root / "rank_0/graphs/ms_output_trace_code_graph_0.pb").unlink()
    dump = open_dump(root)
    assert "graph_0.pb: the graph is missing" in damages(dump)
    fault = find_fault(dump)
    assert fault is not None
    assert (fault.iteration, fault.cause.producer.type) == (1, "Log")


def test_what_is_damaged_is_named_and_the_rest_is_shown(root: Path, tmp_path: Path) -> None:
    folder = root / ITERATION
    half = file_of(folder, "Log")
    os.truncate(half, half.stat().st_size - 3)
    file_of(folder, "Neg").write_bytes(b"not numpy")
    objects = file_of(folder, "Softmax")
    objects.unlink()
    np.save(objects, np.array([{}], object), allow_pickle=True)
    (tmp_path / "secret.npy").write_bytes(b"secret")
    (folder / "Add.x.0.0.1.output.0.DefaultFormat.Float32.npy").symlink_to(tmp_path / "secret.npy")
    (folder / "stray.txt").touch()
    (root / "rank_0/graphs/ms_output_trace_code_graph_0.pb").write_bytes(b"\xff" * 9)
    os.mkfifo(folder / "Add.y.0.0.1.output.0.DefaultFormat.Float32.npy")
    dump = open_dump(root)
    dump.check()
    told = damages(dump)
    for text in (
        f"{half.name}: it breaks off: 141 bytes of 144",
        "it is no .npy file",
        "it holds Python objects",
        "Add.x.0.0.1.output.0.DefaultFormat.Float32.npy: it is a link; links are not followed",
        "stray.txt: its name is not that of a dumped tensor",
        "graph_0.pb: the graph cannot be read",
        "Add.y.0.0.1.output.0.DefaultFormat.Float32.npy: its name is not",
    ):
        assert text in told
    readable = dump.ranks[0].iterations[0][1]
    assert all(dump.values(readable, file) is not None for file in readable.files.values())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of another user")
def test_a_file_of_another_user_is_named() -> None:
    # pytest's own folders are closed to other users.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        root = write_mindspore(Path(folder) / "dump")
        path = file_of(root / ITERATION, "Log")
        path.chmod(0o400)
        os.seteuid(65533)
        try:
            dump = open_dump(root)
            dump.check()
        finally:
            os.seteuid(0)
        assert [str(item) for item in dump.damages] == [
            f"{ITERATION}/{path.name}: your account may not read it (chmod u+r, or ask its owner)"
        ]


def test_missing_ranks_and_iterations_are_named(tmp_path: Path) -> None:
    root = write_mindspore(tmp_path / "dump", ranks=(0, 2))
    for path in (root / "rank_2/net/0/1").iterdir():
        path.unlink()
    (root / "rank_2/net/0/1").rmdir()
    told = damages(open_dump(root))
    assert "rank_1: the rank is missing" in told
    assert "rank_2, graph 0, iteration 1: the iteration was run and should have been dumped" in told


def test_an_index_opens_no_file_and_takes_two_seconds_for_a_hundred_thousand(tmp_path: Path) -> None:
    files = 100_000 if os.environ.get("MINDINSIGHT_TEST_COUNTS") == "long" else 2_000
    folder = tmp_path / "rank_0/net/0/0"
    folder.mkdir(parents=True)
    for number in range(files):
        (folder / f"Add.net_Add-op{number}.0.0.{number}.output.0.DefaultFormat.Float32.npy").touch(0o000)
    began = time.process_time()
    dump = open_dump(tmp_path)
    took = time.process_time() - began
    assert len(dump.ranks[0].iterations[0][0].files) == files
    assert took < 0.2 + 2 * files / 100_000
    dump.check()
    assert f"{files - 20} further places" in damages(dump)


def test_a_folder_that_is_no_dump_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DumpError, match="neither a folder rank_N"):
        open_dump(tmp_path)


def test_columns_of_statistics_may_be_missing_and_in_any_order(root: Path) -> None:
    name = LOG.replace("/", "_")
    (root / ITERATION / "statistic.csv").write_text(
        "IO,Slot,Op Name,Op Type,NaN Count,Max Value,Colour\n"
        f"output,0,{name},Log,3,1.5,red\noutput,x,{name},Log,1,1,red\n"
    )
    dump = open_dump(root)
    (row,) = dump.ranks[0].iterations[0][0].statistics
    assert (row.op_name, row.nan_count, row.max_value, row.min_value, row.is_finite) == (LOG, 3, 1.5, None, False)
    told = damages(dump)
    assert "column 'Colour': a column of a statistic.csv is not known" in told
    assert "line 3: a row of a statistic.csv cannot be read" in told


def test_a_dump_of_msprobe_is_read(tmp_path: Path) -> None:
    dump = open_dump(write_msprobe(tmp_path / "dump", factor=1000))
    iteration = dump.ranks[0].iterations[0][0]
    log = iteration.files["Torch.log.0.forward", False, 0, 0]
    assert np.array_equal(dump.open(iteration, log), outputs(1)[LOG])
    fault = find_fault(dump)
    assert fault is not None
    assert (fault.operator, fault.cause.verdict) == ("Torch.log.0.forward", "log_of_zero")
    assert str(fault.line) == "In file /home/user/net.py:6, return x.log()"
    assert not list(dump.damages)
    assert find_fault(open_dump(write_msprobe(tmp_path / "well"))) is None


def test_a_missing_json_file_of_msprobe_is_named(tmp_path: Path) -> None:
    root = write_msprobe(tmp_path / "dump")
    (root / "step0/rank0/stack.json").unlink()
    (root / "step0/rank0/construct.json").write_text("{")
    (root / "step0/rank0/dump_tensor_data/Torch.log.0.forward.output.0.pt").unlink()
    told = damages(open_dump(root))
    assert "stack.json: it is missing" in told
    assert "construct.json: it cannot be read" in told
    assert "Torch.log.0.forward.output.0.pt: the tensor's file is missing" in told


@pytest.mark.parametrize("call", ["os\nsystem", "builtins\neval", "torch\nload", "torch._utils\n_rebuild_xla_tensor"])
def test_a_hostile_pickle_is_refused(tmp_path: Path, call: str) -> None:
    write_torch(tmp_path / "a.pt", np.ones(3, np.float32), call)
    with pytest.raises(UnreadableTensorError, match="which is no part of a tensor: refused"):
        open_torch(tmp_path, "a.pt")


def test_a_tensor_beyond_its_storage_is_refused(tmp_path: Path) -> None:
    write_torch(tmp_path / "a.pt", np.broadcast_to(np.float32(1), (2, 2)))
    assert np.array_equal(open_torch(tmp_path, "a.pt"), np.ones((2, 2)))
    data = (tmp_path / "a.pt").read_bytes()
    (tmp_path / "a.pt").write_bytes(data[: len(data) // 2])
    with pytest.raises(UnreadableTensorError, match="breaks off"):
        open_torch(tmp_path, "a.pt")


def test_a_damage_that_is_met_twice_counts_once() -> None:
    found = Damages()
    for _ in range(2):
        for place in range(25):
            found.add("it breaks off", f"file {place}")
    assert len(found) == 25
    assert list(found)[-1] == Damage("it breaks off", "5 further places")
