"""SummaryWriter in processes that die, fork, or meet a full disk; and the liveness check beside it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from summaries import SummaryWriter, WriterState, writer_state
from summaries.records import frame
from summaries.schema.summary_pb2 import Event

PRELUDE = """
import os, resource, signal, sys, time
from summaries import SummaryWriter
folder = sys.argv[1]
def say(*words):
    print(*words, flush=True)
"""


@pytest.fixture
def start(tmp_path):
    """Start a script in a process of its own; `tmp_path` is its first argument."""
    started = []

    def start(script: str) -> subprocess.Popen:
        command = [sys.executable, "-c", PRELUDE + script, str(tmp_path)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def finish(process: subprocess.Popen) -> tuple[str, str]:
    return process.communicate(timeout=30)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*_MS"))


WRITE_FOR_EVER = """
writer = SummaryWriter(folder, flush_secs=0.01)
step = 0
while True:
    for _ in range(200):
        writer.add_scalar("x", step, step)
        step += 1
    writer.flush()
    say(step)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_writer_leaves_all_that_was_flushed(start, tmp_path, drain, number):
    process = start(WRITE_FOR_EVER)
    for _ in range(5):
        flushed = int(process.stdout.readline())
    (path,) = files(tmp_path)
    assert writer_state(path) is WriterState.WRITING
    process.send_signal(number)
    rest, _ = finish(process)
    flushed = int(rest.splitlines()[-1]) if rest.splitlines() else flushed
    assert writer_state(path) is WriterState.ABANDONED
    drained = drain(path)
    assert drained.steps[:flushed] == list(range(flushed))
    assert drained.steps == list(range(len(drained.steps)))
    assert drained.damages == []


@pytest.mark.parametrize("end", ["", "raise RuntimeError('boom')", "sys.exit(3)"])
def test_a_writer_left_open_is_closed_when_python_exits(start, tmp_path, drain, end):
    process = start(f"writer = SummaryWriter(folder, flush_secs=3600)\nwriter.add_scalar('x', 1, 1)\n{end}")
    finish(process)
    (path,) = files(tmp_path)
    assert drain(path).steps == [1]
    assert writer_state(path) is WriterState.CLOSED


def test_a_forked_process_writes_into_a_file_of_its_own(start, tmp_path, drain):
    process = start("""
writer = SummaryWriter(folder, flush_secs=3600)
writer.add_scalar("parent", 1, 1)
child = os.fork()
who = "parent" if child else "child"
for step in range(2, 50):
    writer.add_scalar(who, step, step)
if child:
    os.waitpid(child, 0)
    writer.add_scalar("parent", 50, 50)
""")
    finish(process)
    assert process.returncode == 0
    contents = {}
    pids = set()
    for path in files(tmp_path):
        drained = drain(path)
        assert drained.damages == []
        assert writer_state(path) is WriterState.CLOSED
        contents[drained.points[0][0]] = (set(drained.counts()), drained.steps)
        pids.add(drained.last.writer.pid)
    assert contents["parent"] == ({"parent"}, list(range(1, 51)))
    assert contents["child"] == ({"child"}, list(range(2, 50)))
    assert len(pids) == 2


def test_a_forked_process_that_records_nothing_makes_no_file(start, tmp_path):
    process = start("""
writer = SummaryWriter(folder)
if os.fork() == 0:
    writer.flush()
    say(writer.path)
else:
    os.wait()
""")
    out, _ = finish(process)
    assert out == "None\n"
    assert len(files(tmp_path)) == 1


def test_a_multiprocessing_worker_s_file_is_closed(start, tmp_path, drain):
    process = start("""
import multiprocessing
writer = SummaryWriter(folder, flush_secs=3600)
def work():
    writer.add_scalar("worker", 1, 1)
worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
worker.join()
""")
    finish(process)
    assert [writer_state(path) for path in files(tmp_path)] == [WriterState.CLOSED] * 2
    assert sorted(len(drain(path).points) for path in files(tmp_path)) == [0, 1]


def test_a_child_that_outlives_its_parent_does_not_keep_the_parent_s_lock(start, tmp_path):
    process = start("""
writer = SummaryWriter(folder)
writer.flush()
if os.fork() == 0:
    say("forked")
    sys.stdin.read()
    os._exit(0)
time.sleep(60)
""")
    process.stdout.readline()
    (path,) = files(tmp_path)
    assert writer_state(path) is WriterState.WRITING
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    assert writer_state(path) is WriterState.ABANDONED


FULL = """
import logging
path = None
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
limit(4001)
writer = SummaryWriter(folder, flush_secs=0.01)
for step in range(1000):
    writer.add_scalar("x", step, step)
say("refused", writer.flush(), writer.flush())
"""


def test_training_goes_on_when_the_disk_is_full_and_nothing_is_lost(start, tmp_path, drain):
    process = start(
        FULL
        + """
say(os.path.getsize(writer.path))
limit(resource.RLIM_INFINITY)
say("written", writer.flush())
writer.add_scalar("x", 1000, 1000)
"""
    )
    out, errors = finish(process)
    assert out.splitlines() == ["refused False False", "4001", "written True"]
    (path,) = files(tmp_path)
    drained = drain(path)
    assert drained.steps == list(range(1001))
    assert drained.damages == []
    assert errors.count("Cannot write") == 1
    assert f"Cannot write {path}: [Errno 27]" in errors
    assert "can be written again" in errors


def test_a_full_queue_on_a_full_disk_does_not_stop_the_training(start, tmp_path, drain):
    process = start(
        FULL.replace("flush_secs=0.01", "flush_secs=0.01, max_queue=20").replace("range(1000)", "range(150)")
        + """
limit(resource.RLIM_INFINITY)
"""
    )
    out, _ = finish(process)
    assert out.splitlines() == ["refused False False"]
    (path,) = files(tmp_path)
    assert drain(path).steps == list(range(150))


def test_closing_on_a_full_disk_leaves_whole_records_and_says_what_is_lost(start, tmp_path, drain):
    process = start(FULL.replace("say(", "writer.close()\nsay("))
    _, errors = finish(process)
    assert "without its last" in errors
    (path,) = files(tmp_path)
    drained = drain(path)
    assert drained.reader.tail() is None
    assert drained.damages == []
    assert 3900 < path.stat().st_size <= 4001
    assert drained.steps == list(range(len(drained.steps)))
    assert writer_state(path) is WriterState.CLOSED


@pytest.mark.parametrize(
    "content", [b"", b"noise", frame(b"noise"), frame(Event(wall_time=1, version="x").SerializeToString())]
)
def test_files_of_others_are_unknown_while_they_may_be_written(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert writer_state(path) is WriterState.UNKNOWN
    path.chmod(0o400)
    assert writer_state(path) is WriterState.CLOSED


def test_a_writer_on_another_machine_is_unknown(tmp_path):
    event = Event(wall_time=1, version="MindSpore.Event:1")
    event.writer.host = "elsewhere.example.org"
    path = tmp_path / "file"
    path.write_bytes(frame(event.SerializeToString()))
    assert writer_state(path) is WriterState.UNKNOWN


def test_a_file_that_is_gone_is_unknown(tmp_path):
    assert writer_state(tmp_path / "nothing") is WriterState.UNKNOWN
    assert writer_state(tmp_path) is WriterState.UNKNOWN


def test_looking_does_not_disturb_the_writer(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.flush()
        assert {writer_state(writer.path) for _ in range(50)} == {WriterState.WRITING}


@pytest.mark.parametrize("wait", ["while True: time.sleep(60)", "while True: writer.flush()", "while True: pass"])
def test_sigterm_loses_nothing_that_was_recorded(start, tmp_path, drain, wait):
    process = start(f"""
writer = SummaryWriter(folder, flush_secs=3600)
writer.add_hparams({{"lr": 0.1}})
for step in range(5000):
    writer.add_scalar("x", step, step)
    writer.add_histogram("h", [1.0], step) if step % 100 == 0 else None
say("recorded")
{wait}
""")
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    finish(process)
    assert process.returncode == -signal.SIGTERM
    (path,) = files(tmp_path)
    drained = drain(path)
    assert drained.steps == list(range(5000))
    assert drained.notices == {"environment": 1, "histogram": 50}
    assert writer_state(path) is WriterState.ABANDONED
    (lineage,) = tmp_path.glob("*_lineage")
    assert lineage.stat().st_size > 0


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ("signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))", "", 5),
        ("", "signal.signal(signal.SIGTERM, lambda *_: sys.exit(6))", 6),
        ("signal.signal(signal.SIGTERM, signal.SIG_IGN)", "", 0),
    ],
)
def test_what_the_training_does_with_sigterm_is_left_alone(start, tmp_path, drain, before, after, outcome):
    process = start(f"""
{before}
writer = SummaryWriter(folder, flush_secs=3600)
{after}
writer.add_scalar("x", 1, 1)
os.kill(os.getpid(), signal.SIGTERM)
""")
    finish(process)
    assert process.returncode == outcome
    (path,) = files(tmp_path)
    assert drain(path).steps == [1]
    assert writer_state(path) is WriterState.CLOSED


def test_sigterm_is_given_back_when_the_last_writer_closes(start, tmp_path):
    process = start("""
first, second = SummaryWriter(folder), SummaryWriter(folder)
first.close()
say(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
second.close()
say(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
third = SummaryWriter(folder, flush_on_sigterm=False)
say(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
""")
    out, _ = finish(process)
    assert out.split() == ["False", "True", "True"]


def test_sigterm_on_a_full_disk_ends_the_process_all_the_same(start, tmp_path):
    process = start(FULL + "say(1)\ntime.sleep(60)")
    process.stdout.readline()
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    assert process.returncode == -signal.SIGTERM


def test_a_writer_that_nobody_holds_is_closed_at_the_end(start, tmp_path, drain):
    process = start("""
import gc
SummaryWriter(folder, flush_secs=3600).add_scalar("x", 1, 1)
gc.collect()
""")
    finish(process)
    (path,) = files(tmp_path)
    assert drain(path).steps == [1]
    assert writer_state(path) is WriterState.CLOSED


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_writer_of_a_multiprocessing_worker_s_own_is_closed(start, tmp_path, drain, method):
    script = tmp_path / "workers.py"
    script.write_text(f"""
import multiprocessing, sys
from summaries import SummaryWriter

def work(folder):
    writer = SummaryWriter(folder, flush_secs=3600)
    writer.add_scalar("x", 1, 1)
    writer.add_hparams({{"lr": 0.1}})

if __name__ == "__main__":
    worker = multiprocessing.get_context("{method}").Process(target=work, args=(sys.argv[1],))
    worker.start()
    worker.join()
""")
    command = [sys.executable, str(script), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    subprocess.run(command, check=True, timeout=60, env=environment)
    (path,) = files(tmp_path)
    assert drain(path).steps == [1]
    assert writer_state(path) is WriterState.CLOSED
    assert len(list(tmp_path.glob("*_lineage"))) == 1


def test_a_forked_process_has_arrays_and_lineage_of_its_own(start, tmp_path, drain):
    process = start("""
writer = SummaryWriter(folder, flush_secs=3600)
array = [float(number) for number in range(100_000)]
def record():
    for step in range(5):
        writer.add_histogram("h", array, step)
        writer.add_text("t", str(os.getpid()), step)
    writer.add_hparams({"pid": os.getpid()})
record()
child = os.fork()
record()
if child:
    os.waitpid(child, 0)
""")
    _, errors = finish(process)
    assert process.returncode == 0, errors
    notices = sorted((drain(path).notices for path in files(tmp_path)), key=lambda found: found["text"])
    assert notices == [{"histogram": 5, "text": 5}, {"environment": 1, "histogram": 10, "text": 10}]
    assert len(list(tmp_path.glob("*_lineage"))) == 2


def test_arrays_on_a_full_disk_are_kept_encoded_and_come_later(start, tmp_path, drain):
    process = start(
        FULL
        + """
import numpy
for step in range(300):
    writer.add_histogram("h", numpy.ones(1 << 18, numpy.float32), step)
writer.flush()
# 256 MiB may wait, 64 MiB are kept for the next arrays, and Python needs some.
# Not getrusage: its ru_maxrss begins with what the process weighed that started this one.
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
say(int(peak) < 460_000)
limit(resource.RLIM_INFINITY)
"""
    )
    out, errors = finish(process)
    assert out.splitlines() == ["refused False False", "True"]
    (path,) = files(tmp_path)
    assert drain(path).notices == {"environment": 1, "histogram": 300}
    assert drain(path).steps == list(range(1000))
    assert "nothing was lost" in errors or "written again" not in errors


def test_what_is_too_much_for_the_memory_is_dropped_and_said(start, tmp_path, drain):
    process = start(
        FULL
        + """
import numpy, summaries.writing.recorder
summaries.writing.recorder._MAX_KEPT_BYTES = 1 << 20
for step in range(10):
    writer.add_tensor("t", numpy.ones(1 << 17, numpy.float32), step)
    writer.add_scalar("y", step, step)
writer.flush()
limit(resource.RLIM_INFINITY)
"""
    )
    _, errors = finish(process)
    (path,) = files(tmp_path)
    drained = drain(path)
    assert drained.counts() == {"x": 1000, "y": 10}
    assert 2 <= drained.notices["tensor"] < 10
    assert f"{10 - drained.notices['tensor']} large values were lost" in errors
