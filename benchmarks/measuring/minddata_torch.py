"""One measurement of `benchmarks/minddata.py` with PyTorch's DataLoader, in a process of its own.

    python minddata_torch.py CASE ARGUMENTS

The arguments and the result are those of `minddata_engine.py`. Processor time includes the workers' processes.
"""

import json
import resource
import struct
import sys
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class Digits(Dataset):
    """The files of MNIST, which torchvision reads only from a folder of its own layout."""

    def __init__(self, folder, transform):
        pixels = Path(folder, "train-images-idx3-ubyte").read_bytes()
        count, rows, columns = struct.unpack(">III", pixels[4:16])
        self.images = torch.frombuffer(bytearray(pixels[16:]), dtype=torch.uint8).reshape(count, 1, rows, columns)
        labels = bytearray(Path(folder, "train-labels-idx1-ubyte").read_bytes()[8:])
        self.labels = torch.frombuffer(labels, dtype=torch.uint8).to(torch.int64)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]), self.labels[index]


def images(folder, workers):
    """Pipeline A."""
    steps = [
        transforms.Resize(256),
        transforms.RandomCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ]
    data = datasets.ImageFolder(folder, transforms.Compose(steps))
    return DataLoader(data, 32, shuffle=True, num_workers=workers, drop_last=True, persistent_workers=workers > 0)


def mnist(folder, workers):
    """Pipeline B."""
    steps = [
        transforms.Resize(32, antialias=False),
        transforms.ConvertImageDtype(torch.float32),
        transforms.Normalize([0.1307], [0.3081]),
    ]
    data = Digits(folder, transforms.Compose(steps))
    return DataLoader(data, 32, shuffle=True, num_workers=workers, drop_last=True, persistent_workers=workers > 0)


def processor_seconds():
    """Of this process and its ended children."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


def read(data, epochs):
    """As in `minddata_engine.py`; processor time is that of all epochs, since children count when they ended."""
    start, used = time.perf_counter(), processor_seconds()
    first = None
    rates, gaps, total = [], [], 0
    for epoch in range(epochs + 1):
        items, begun, gap = 0, time.perf_counter(), None
        for _, labels in data:
            if gap is None:
                gap = time.perf_counter() - begun
            if first is None:
                first = time.perf_counter() - start
            items += len(labels)
        total += items
        if epoch:
            rates.append(items / (time.perf_counter() - begun))
            gaps.append(gap)
    data._iterator = None
    return {"rate": max(rates), "cpu": (processor_seconds() - used) / total, "first": first, "gap": max(gaps)}


def overlap(data, seconds, steps):
    """As in `minddata_engine.py`."""
    matrix = torch.full((256, 256), 0.5)

    def work(count):
        made = matrix
        for _ in range(count):
            made = torch.tanh(made @ made)

    work(3)
    begun = time.perf_counter()
    work(50)
    count = max(1, round(50 * seconds / (time.perf_counter() - begun)))
    waited = stepped = 0.0
    number = 0
    asked = time.perf_counter()
    for _ in data:
        waited += time.perf_counter() - asked if number else 0.0
        begun = time.perf_counter()
        work(count)
        stepped += time.perf_counter() - begun
        number += 1
        if number == steps:
            break
        asked = time.perf_counter()
    return {"wait": waited / (waited + stepped), "step": stepped / number}


if __name__ == "__main__":
    torch.set_num_threads(1)
    given = json.loads(sys.argv[2])
    loader = {"images": images, "mnist": mnist}[given["pipeline"]](*given["arguments"])
    print(json.dumps({"read": read, "overlap": overlap}[sys.argv[1]](loader, *given["how"])), flush=True)
