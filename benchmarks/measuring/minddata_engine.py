"""One measurement of `benchmarks/minddata.py`, in a process of its own: the same program for MindSpore and this core.

    python minddata_engine.py PACKAGE CASE ARGUMENTS

PACKAGE is `mindspore` or `framework`, ARGUMENTS a JSON object. The last line of the output is a JSON object.
"""

import gc
import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

ds = importlib.import_module(f"{sys.argv[1]}.dataset")
vision = importlib.import_module(f"{sys.argv[1]}.dataset.vision")
transforms = importlib.import_module(f"{sys.argv[1]}.dataset.transforms")
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def images(folder, workers):
    """Pipeline A: photographs for ImageNet."""
    operations = [
        vision.Decode(),
        vision.Resize(256),
        vision.RandomCrop(224),
        vision.RandomHorizontalFlip(),
        vision.Normalize(MEAN, STD),
        vision.HWC2CHW(),
    ]
    data = ds.ImageFolderDataset(folder, num_parallel_workers=workers, shuffle=True)
    return data.map(operations, "image", num_parallel_workers=workers).batch(32, drop_remainder=True)


def mnist(folder, workers):
    """Pipeline B: digits."""
    operations = [vision.Resize(32), vision.Rescale(1 / 255, 0.0), vision.Rescale(1 / 0.3081, -0.1307 / 0.3081)]
    operations.append(vision.HWC2CHW())
    data = ds.MnistDataset(folder, "train", num_parallel_workers=workers, shuffle=False)
    data = data.map(operations, "image", num_parallel_workers=workers)
    number = importlib.import_module(f"{sys.argv[1]}.common.dtype").int32
    data = data.map(transforms.TypeCast(number), "label", num_parallel_workers=workers)
    return data.shuffle(10_000).batch(32, drop_remainder=True)


def records(path, shuffle, batch, workers):
    """Rows of a MindRecord or a TFRecord file; `batch` 0 for one by one."""
    kind = ds.MindDataset if path.endswith(".mindrecord") else ds.TFRecordDataset
    given = path if kind is ds.MindDataset else [path]
    data = kind(given, num_parallel_workers=workers, shuffle=shuffle)
    return data.batch(batch) if batch else data


PIPELINES = {"images": images, "mnist": mnist, "records": records}


def read(data, epochs):
    """Items a second and processor seconds per item of the epochs after the first one, and the first batch."""
    start = time.perf_counter()
    iterator = data.create_dict_iterator(num_epochs=epochs + 1, output_numpy=True)
    first = None
    found = []
    for epoch in range(epochs + 1):
        items, begun, used = 0, time.perf_counter(), time.process_time()
        gap = None
        for row in iterator:
            if gap is None:
                gap = time.perf_counter() - begun
            if first is None:
                first = time.perf_counter() - start
            items += len(row["label"]) if row["label"].ndim else 1
        if epoch:
            found.append((items / (time.perf_counter() - begun), (time.process_time() - used) / items, gap))
    rates, costs, gaps = zip(*found, strict=True)
    return {"rate": max(rates), "cpu": min(costs), "first": first, "gap": max(gaps)}


def work(count):
    """A step of a training: arithmetic on one thread."""
    matrix = np.full((256, 256), 0.5, np.float32)
    for _ in range(count):
        matrix = np.tanh(matrix @ matrix)
    return matrix


def overlap(data, seconds, steps):
    """The share of the time of steps that waits for data, and the time of a step."""
    work(3)
    begun = time.perf_counter()
    work(50)
    count = max(1, round(50 * seconds / (time.perf_counter() - begun)))
    waited = stepped = 0.0
    number, asked = 0, time.perf_counter()
    for _ in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        # The first batch is a figure of its own.
        waited += time.perf_counter() - asked if number else 0.0
        begun = time.perf_counter()
        work(count)
        stepped += time.perf_counter() - begun
        number += 1
        if number == steps:
            break
        asked = time.perf_counter()
    return {"wait": waited / (waited + stepped), "step": stepped / number}


def opening(data, times):
    """What is left after opening, half reading and closing an iterator many times."""
    before = (threading.active_count(), len(list(Path("/proc/self/fd").iterdir())))
    longest = 0.0
    for _ in range(times):
        iterator = data.create_dict_iterator(num_epochs=2, output_numpy=True)
        next(iterator)
        begun = time.perf_counter()
        iterator.stop() if hasattr(iterator, "stop") else iterator.close()
        del iterator
        longest = max(longest, time.perf_counter() - begun)
    gc.collect()
    after = (threading.active_count(), len(list(Path("/proc/self/fd").iterdir())))
    return {"left": max(after[0] - before[0], 0) + max(after[1] - before[1], 0), "close": longest}


def main():
    """Measure what the command line asks for."""
    given = json.loads(sys.argv[3])
    ds.config.set_seed(1)
    data = PIPELINES[given["pipeline"]](*given["arguments"])
    measured = {"read": read, "overlap": overlap, "opening": opening}[sys.argv[2]](data, *given["how"])
    print(json.dumps(measured), flush=True)
    # MindSpore does not always end by itself.
    os._exit(0)


if __name__ == "__main__":
    main()
