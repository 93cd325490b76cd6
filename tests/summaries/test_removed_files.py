"""SummaryWriter when its files are removed or renamed while it writes."""

import logging
import os
import shutil

import pytest

from summaries import SummaryWriter, WriterState, writer_state
from summaries.kinds import Kind
from summaries.naming import parse_name


def paths(folder):
    return sorted(folder.glob("*_MS"))


def test_what_follows_the_removal_of_the_directory_goes_into_a_new_file(tmp_path, drain, caplog):
    run = tmp_path / "run"
    with SummaryWriter(run, flush_secs=60) as writer:
        writer.add_scalar("x", 0.0, 0)
        assert writer.flush()
        removed = writer.path
        shutil.rmtree(run)
        for step in range(1, 1000):
            writer.add_scalar("x", float(step), step)
        assert writer.flush()
        (path,) = paths(run)
        assert writer.path == path
        assert parse_name(path.name) is not None
        assert writer_state(path) is WriterState.WRITING
        for step in range(1000, 1010):
            writer.add_scalar("x", float(step), step)
    drained = drain(path)
    assert drained.steps == list(range(1, 1010))
    assert drained.damages == []
    assert writer_state(path) is WriterState.CLOSED
    (warning,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert str(removed) in warning.getMessage()
    assert str(path) in warning.getMessage()


def test_the_new_file_says_what_the_run_is_made_with(tmp_path, drain):
    run = tmp_path / "run"
    with SummaryWriter(run) as writer:
        writer.flush()
        shutil.rmtree(run)
        writer.add_scalar("x", 1.0, 1)
    (path,) = paths(run)
    assert [kind for _, kind, _ in drain(path).places] == [Kind.ENVIRONMENT]


def test_hyper_parameters_go_on_in_a_new_file_too(tmp_path):
    run = tmp_path / "run"
    with SummaryWriter(run) as writer:
        writer.add_hparams({"lr": 0.1})
        writer.flush()
        shutil.rmtree(run)
        writer.add_hparams({"lr": 0.2})
    (path,) = run.glob("*_lineage")
    assert path == writer.lineage_path
    assert path.stat().st_size > 0


def test_every_removal_is_survived(tmp_path, drain):
    run = tmp_path / "run"
    with SummaryWriter(run, flush_secs=60) as writer:
        for step in range(5):
            shutil.rmtree(run)
            writer.add_scalar("x", float(step), step)
            assert writer.flush()
            (path,) = paths(run)
            assert drain(path).steps == [step]


def test_a_relative_directory_is_made_anew_where_it_was(tmp_path, monkeypatch, drain):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with SummaryWriter("run") as writer:
        monkeypatch.chdir(tmp_path / "elsewhere")
        shutil.rmtree(tmp_path / "run")
        writer.add_scalar("x", 1.0, 1)
    (path,) = paths(tmp_path / "run")
    assert drain(path).steps == [1]


def test_a_directory_that_cannot_be_made_anew_is_tried_again(tmp_path, drain, caplog):
    run = tmp_path / "run"
    with SummaryWriter(run, flush_secs=60) as writer:
        shutil.rmtree(run)
        run.touch()
        writer.add_scalar("x", 1.0, 1)
        assert not writer.flush()
        assert "Cannot write" in caplog.text
        run.unlink()
        writer.add_scalar("x", 2.0, 2)
        assert writer.flush()
    (path,) = paths(run)
    assert drain(path).steps == [1, 2]


def test_a_renamed_directory_is_followed(tmp_path, drain):
    run = tmp_path / "run"
    with SummaryWriter(run, flush_secs=60) as writer:
        writer.add_scalar("x", 0.0, 0)
        assert writer.flush()
        run.rename(tmp_path / "moved")
        run.mkdir()
        writer.add_scalar("x", 1.0, 1)
    assert paths(run) == []
    (path,) = paths(tmp_path / "moved")
    assert drain(path).steps == [0, 1]


def test_nothing_is_made_for_a_writer_that_has_nothing_more_to_say(tmp_path):
    run = tmp_path / "run"
    with SummaryWriter(run) as writer:
        writer.flush()
        shutil.rmtree(run)
    assert not run.exists()


@pytest.mark.parametrize("values", [1, 10_000])
def test_the_file_is_looked_at_once_for_each_flush(tmp_path, monkeypatch, values):
    looked = []
    real = os.fstat
    with SummaryWriter(tmp_path, flush_secs=60, environment=False) as writer:
        writer.flush()
        monkeypatch.setattr(os, "fstat", lambda descriptor: looked.append(descriptor) or real(descriptor))
        for step in range(values):
            writer.add_scalar("x", 1.0, step)
        assert writer.flush()
        monkeypatch.undo()
    assert len(looked) == 1
