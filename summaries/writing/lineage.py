"""Records of hyper-parameters and results, as in MindSpore's lineage files. Used by `SummaryWriter.add_hparams`."""

import json
from collections.abc import Mapping

from summaries.checks import as_scalar
from summaries.schema.lineage_pb2 import LineageEvent, UserDefinedInfo

_INT32 = range(-(1 << 31), 1 << 31)


def hparams_events(
    wall: float, step: int | None, parameters: Mapping[str, object], metrics: Mapping[str, object]
) -> list[LineageEvent]:
    """Return the records of a run's hyper-parameters and, if there are any, of its results.

    Raises:
        TypeError: a metric is not a number.
    """
    events = [user_event(wall, step, parameters)]
    if metrics:
        events.append(evaluation_event(wall, step, metrics))
    return events


def user_event(wall: float, step: int | None, parameters: Mapping[str, object]) -> LineageEvent:
    """Return the record with the user's hyper-parameters, one entry for each name."""
    event = LineageEvent(wall_time=wall, step=step)
    event.user_defined_info.SetInParent()
    for name, value in parameters.items():
        _add(event.user_defined_info.user_info.add(), name, value)
    return event


def evaluation_event(wall: float, step: int | None, metrics: Mapping[str, object]) -> LineageEvent:
    """Return the record with the run's results.

    Raises:
        TypeError: a metric is not a number.
    """
    numbers = {name: as_scalar(name, value) for name, value in metrics.items()}
    event = LineageEvent(wall_time=wall, step=step)
    event.evaluation_lineage.metric = json.dumps(numbers, ensure_ascii=False)
    return event


def _add(info: UserDefinedInfo, name: str, value: object) -> None:
    """Put `value` into the map of its type; other types are stored as strings."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _add(info.map_dict[name], str(key), inner)
        return
    number = _number(value)
    if isinstance(number, int) and number in _INT32:
        info.map_int32[name] = int(number)  # A bool, too, as MindSpore does.
    elif isinstance(number, float) or (number is not None and number == _rounded(number)):
        info.map_double[name] = float(number)
    else:
        text = value if isinstance(value, str) else str(value)
        info.map_str[name] = text.encode(errors="replace").decode()


def _number(value: object) -> int | float | None:
    """Return the number in `value`, which may be a tensor of one element, or None."""
    item = getattr(value, "item", None)
    if callable(item):
        try:
            value = item()
        except (TypeError, ValueError, RuntimeError):
            return None
    return value if isinstance(value, int | float) else None


def _rounded(number: int) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None
