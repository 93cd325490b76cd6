"""What is taken from a connector is in the order of tickets, within bounds, and nobody waits for ever."""

import random
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from framework.dataset.runtime.connector import FILL_BINS, Closed, Connector


def started(*targets: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=target, daemon=True) for target in targets]
    for thread in threads:
        thread.start()
    return threads


def ended(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def everything(connector: Connector[int]) -> list[int]:
    taken = []
    while (item := connector.take()) is not None:
        taken.append(item)
    return taken


@pytest.mark.parametrize("seed", range(20))
def test_any_order_of_writing_is_read_in_order(seed: int) -> None:
    choose = random.Random(seed)
    connector: Connector[int] = Connector(choose.randrange(1, 9))
    total, read = choose.randrange(60), 0
    waiting: list[int] = []
    drawn = 0
    while read < total:
        if drawn < min(total, read + connector.size):
            waiting.append(connector.ticket())
            drawn += 1
        if waiting and choose.random() < 0.5:
            number = waiting.pop(choose.randrange(len(waiting)))
            connector.put(number, number * 10)
        while read < drawn and read not in waiting and choose.random() < 0.6:
            assert connector.take() == read * 10
            read += 1
    connector.end(total)
    assert connector.take() is None
    assert connector.take() is None


def test_eight_writers_and_one_reader() -> None:
    connector: Connector[int] = Connector(5)
    most, lock, inside = [0], threading.Lock(), [0]

    def write() -> None:
        with suppress(Closed):
            while (number := connector.ticket()) < 2000:
                with lock:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                connector.put(number, number)
            connector.end(2000)

    threads = started(*[write] * 8)
    taken = []
    while (item := connector.take()) is not None:
        with lock:
            inside[0] -= 1
        taken.append(item)
    assert taken == list(range(2000))
    # One more may be between its taking and our count of it.
    assert most[0] <= connector.size + 1
    connector.close()
    ended(threads)
    counters = connector.counters
    assert counters.puts == counters.takes == sum(counters.fill) == 2000


def test_a_ticket_waits_for_its_slot() -> None:
    connector: Connector[str] = Connector(2)
    assert [connector.ticket(), connector.ticket()] == [0, 1]
    got: list[int] = []
    threads = started(lambda: got.append(connector.ticket()))
    connector.put(1, "b")
    threads[0].join(0.05)
    assert got == []
    connector.put(0, "a")
    assert connector.take() == "a"
    ended(threads)
    assert got == [2]
    assert connector.counters.put_wait > 0.03
    assert connector.take() == "b"


def test_large_items_use_fewer_slots() -> None:
    connector: Connector[int] = Connector(4)
    connector.use(2)
    assert [connector.ticket(), connector.ticket()] == [0, 1]
    got: list[int] = []
    threads = started(lambda: got.append(connector.ticket()))
    threads[0].join(0.05)
    assert got == []
    connector.use(100)
    ended(threads)
    assert got == [2]


def test_close_ends_all_waiting() -> None:
    connector: Connector[int] = Connector(1)
    assert connector.ticket() == 0
    ends: list[str] = []

    def waits(action: Callable[[], object], name: str) -> Callable[[], None]:
        def wait() -> None:
            with pytest.raises(Closed):
                action()
            ends.append(name)

        return wait

    threads = started(*[waits(connector.ticket, "ticket")] * 3, waits(connector.take, "take"))
    connector.close()
    connector.close()
    ended(threads)
    assert sorted(ends) == ["take", "ticket", "ticket", "ticket"]
    with pytest.raises(Closed):
        connector.put(0, 1)


def test_the_lowest_end_counts() -> None:
    connector: Connector[int] = Connector(4)
    for _ in range(3):
        connector.ticket()
    connector.end(3)
    connector.end(1)
    connector.end(2)
    connector.put(0, 7)
    assert everything(connector) == [7]


def test_numbers_that_nobody_drew() -> None:
    connector: Connector[int] = Connector(2)
    with pytest.raises(ValueError, match="not drawn"):
        connector.put(0, 1)
    connector.put(connector.ticket(), 1)
    with pytest.raises(ValueError, match="written before"):
        connector.put(0, 1)
    with pytest.raises(ValueError, match="a slot at least"):
        Connector(0)


def test_fill_is_counted_in_sixteenths() -> None:
    connector: Connector[int] = Connector(4)
    for number in range(4):
        connector.put(connector.ticket(), number)
    assert len(connector.counters.fill) == FILL_BINS
    assert {place: count for place, count in enumerate(connector.counters.fill) if count} == {0: 1, 4: 1, 8: 1, 12: 1}
