"""The life of a worker process: it gets a task once, then blocks of inputs, and sends back their results."""

from __future__ import annotations

import os
import pickle
import random
import socket
import sys
import traceback
from typing import Any, NamedTuple, NoReturn

import cloudpickle
import numpy as np

from framework.dataset.runtime.failures import Part
from framework.dataset.runtime.processes.memory import Channel, SharedMemory
from framework.dataset.runtime.rows import Pass
from framework.dataset.runtime.task import OperationError, Task

__all__ = ["Refused", "work"]


class Refused(NamedTuple):
    """In place of a result: the part that failed, its error, and where, as text."""

    part: str | Part
    error: Exception
    where: str


def work(connection: int, inputs: int, results: int) -> NoReturn:
    """Compute until the program closes the socket; never returns to the fork server.

    Args:
        connection: descriptor of the socket.
        inputs: descriptor of the memory for inputs.
        results: descriptor of the memory for results; its number is that of the row in work, within the block.
    """
    try:
        channel = Channel(socket.socket(fileno=connection))
        channel.send(str(os.getpid()).encode())
        given = channel.receive()
        if given is not None:
            folder, path, main = pickle.loads(given)  # noqa: S301 - from our own program
            os.chdir(folder)
            sys.path[:] = path
            _answer(channel, SharedMemory(inputs), SharedMemory(results), main)
    except OSError:
        # The program has ended.
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _answer(channel: Channel, inputs: SharedMemory, results: SharedMemory, pickled: bytes) -> None:
    task: Task | Exception
    try:
        task = cloudpickle.loads(pickled)
    except Exception as error:
        task = error
    while (message := channel.receive()) is not None:
        this, first, raised, items = inputs.load(message)
        answers: list[Any] = []
        if isinstance(task, Exception):
            answers = [_refused(OperationError("the functions for worker processes", task))]
        else:
            function = task.function(this)
            for place, item in enumerate(items):
                results.number = place
                _seed(this, task.number, first + place)
                try:
                    answers.append(function(first + place, item))
                except OperationError as error:
                    answers.append(_refused(error))
                    if raised:
                        break
        channel.send(_dumped(results, answers))


def _seed(this: Pass, operator: int, row: int) -> None:
    """Seed what functions of the user may draw from, by row, so that any number of processes draws the same."""
    state = np.random.SeedSequence((this.seed, *this.path, operator, row)).generate_state(1)[0]
    random.seed(int(state))
    np.random.seed(state)


def _refused(error: OperationError) -> Refused:
    where = "".join(traceback.format_exception(error.cause))
    try:
        pickle.loads(pickle.dumps(error.cause))  # noqa: S301 - our own
    except Exception:
        return Refused(error.part, RuntimeError(f"{type(error.cause).__name__}: {error.cause}"), where)
    return Refused(error.part, error.cause, where)


def _dumped(results: SharedMemory, answers: list[Any]) -> bytes:
    try:
        return results.dump(answers)
    except Exception:
        return results.dump([_sendable(answer) for answer in answers])


def _sendable(answer: Any) -> Any:
    """The answer, or the reason for which it cannot be sent."""
    try:
        pickle.dumps(answer, protocol=5)
    except Exception as error:
        return _refused(OperationError("the result cannot leave the worker process", error))
    return answer
