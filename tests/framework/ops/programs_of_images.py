"""One differentiable call per row, as in `programs`: what resizes, pads, cuts and moves, and bent activations."""

from typing import Any

import numpy as np

from framework.common.tensor import Tensor
from framework.ops import operations as P  # noqa: N812
from tests.framework.ops.programs import Program, numbers, of_numbers

PIXELS = numbers(1, 2, 4, 5)
#: Points of a grid inside of an image and on all sides of it, none on a line between pixels.
POINTS = numbers(1, 3, 4, 2, low=-2.3, high=2.4, seed=5)
#: Image, left, top, right and bottom: within, across edges, and outside in part.
REGIONS = np.array([[1, 0.4, 1, 4, 3.2], [0, -3, -2, 5, 1], [1, 2, 3, 9, 9]])
VOLUMES = numbers(1, 2, 3, 4, 3)
#: Weights of two and of one channel for each group.
CUBES = numbers(2, 2, 2, 3, 2, seed=3)
GROUPED_CUBES = numbers(2, 1, 2, 3, 2, seed=3)
CUBE: dict[str, Any] = {"out_channel": 2, "kernel_size": (2, 3, 2)}

PROGRAMS: list[Program] = [
    *[of_numbers(name) for name in ("CeLU", "SeLU", "Mish", "HShrink", "SoftShrink")],
    Program("PReLU", P.PReLU(), [numbers(2, 3, 2), numbers(3, seed=1)]),
    Program("PReLU-one", P.PReLU(), [numbers(4), np.array([0.3])]),
    *[Program(f"ResizeBilinearV2-{corners}-{centers}",
              lambda x, a=corners, b=centers: P.ResizeBilinearV2(a, b)(x, (3, 7)), [PIXELS])
      for corners, centers in ((False, False), (True, False), (False, True))],
    Program("ResizeBilinear", P.ResizeBilinear((6, 2)), [PIXELS]),
    Program("ResizeBilinearGrad", lambda d: P.ResizeBilinearGrad()(d, (1, 2, 4, 5)), [numbers(1, 2, 3, 7)]),
    Program("ResizeNearestNeighborV2", lambda x: P.ResizeNearestNeighborV2(False, True)(x, (3, 7)), [PIXELS]),
    Program("ResizeNearestNeighbor", P.ResizeNearestNeighbor((6, 2), True), [PIXELS]),
    Program("ResizeNearestNeighborGrad",
            lambda d: P.ResizeNearestNeighborGrad()(d, (1, 2, 4, 5)), [numbers(1, 2, 3, 7)]),
    *[Program(f"Resample-{mode}-{corners}",
              lambda x, m=mode, c=corners, s=scale: P.Resample(m, c)(x, (3, 4), s), [numbers(2, 4, 3)])
      for mode, corners, scale in (
          ("nearest", False, None), ("nearest-exact", False, (0.8, 1.5)), ("linear", True, None),
          ("linear", False, (0.8, 1.5)), ("cubic", False, None), ("cubic", True, None))],
    *[Program(f"ResampleGrad-{mode}", lambda d, m=mode: P.ResampleGrad(m)(d, (2, 5), None), [numbers(2, 4, 3)])
      for mode in ("nearest", "cubic")],
    Program("AdaptiveAvgPool2D", P.AdaptiveAvgPool2D((3, None)), [PIXELS]),
    Program("AdaptiveAvgPool2DGrad", lambda d: P.AdaptiveAvgPool2DGrad((3, 2))(d, (1, 2, 4, 5)), [numbers(1, 2, 3, 2)]),
    Program("AdaptiveMaxPool2D", lambda x: P.AdaptiveMaxPool2D((3, 2))(x)[0], [PIXELS]),
    Program("MaxPoolWithArgmax", lambda x: P.MaxPoolWithArgmax((3, 2), 2, "same")(x)[0], [PIXELS]),
    Program("MaxPoolWithArgmaxV2", lambda x: P.MaxPoolWithArgmaxV2((3, 2), 2, 1, (1, 2), True)(x)[0], [PIXELS]),
    *[Program(f"GridSampler2D-{mode}-{padding}-{corners}", P.GridSampler2D(mode, padding, corners), [PIXELS, POINTS])
      for mode, padding, corners in (
          ("bilinear", "zeros", False), ("bilinear", "border", True), ("bilinear", "reflection", False),
          ("bilinear", "reflection", True), ("nearest", "zeros", False))],
    Program("GridCorners", lambda grid: P.GridCorners(4, 5)(grid)[0] * P.GridCorners(4, 5)(grid)[1], [POINTS]),
    Program("Conv2DTranspose", lambda x, w: P.Conv2DTranspose(3, (3, 2))(x, w, (1, 2, 4, 5)),
            [numbers(1, 3, 2, 4), numbers(3, 2, 3, 2, seed=3)]),
    *[Program(f"Conv3D-{mode}", P.Conv3D(**CUBE, pad_mode=mode, pad=pad, stride=stride, dilation=dilation),
              [VOLUMES, CUBES])
      for mode, pad, stride, dilation in (
          ("valid", 0, 1, 1), ("same", 0, 2, 1), ("pad", (1, 0, 2, 1, 0, 1), (1, 2, 2), (2, 1, 3)))],
    Program("Conv3D-groups", P.Conv3D(**CUBE, group=2), [VOLUMES, GROUPED_CUBES]),
    Program("Conv3DBackpropInput", lambda d, w: P.Conv3DBackpropInput(**CUBE)(d, w, VOLUMES.shape),
            [numbers(1, 2, 2, 2, 2), CUBES]),
    Program("Conv3DBackpropFilter", lambda d, x: P.Conv3DBackpropFilter(**CUBE)(d, x, CUBES.shape),
            [numbers(1, 2, 2, 2, 2), VOLUMES]),
    *[Program(f"ROIAlign-{samples}-{end}",
              lambda x, s=samples, e=end: P.ROIAlign(2, 3, 0.8, s, e)(x, Tensor(REGIONS)), [numbers(2, 2, 4, 5)])
      for samples, end in ((2, 1), (0, 0))],
    Program("ROIAlignGrad", lambda d: P.ROIAlignGrad(2, 3, 0.8)(d, Tensor(REGIONS), (2, 2, 4, 5)),
            [numbers(3, 2, 2, 3)]),
    *[Program(f"PadV3-{mode}", lambda x, m=mode: P.PadV3(m)(x, (2, 1, 0, 1), 0.5), [numbers(2, 3, 4)])
      for mode in ("constant", "reflect", "symmetric", "edge", "circular")],
    Program("PadV3-cut", lambda x: P.PadV3("constant", False)(x, (-1, 1, 1, -2), 0), [numbers(2, 3, 4)]),
    Program("PadV3Grad", lambda d: P.PadV3Grad("reflect")(d, (2, 1), (2, 4)), [numbers(2, 7)]),
    Program("MirrorPad", lambda x: P.MirrorPad("SYMMETRIC")(x, ((1, 0), (2, 1))), [numbers(2, 3)]),
    Program("MirrorPadGrad", lambda d: P.MirrorPadGrad("REFLECT")(d, ((1, 0), (2, 1)), (2, 3)), [numbers(3, 6)]),
    Program("SpaceToDepth", P.SpaceToDepth(2), [numbers(1, 2, 4, 6)]),
    Program("DepthToSpace", P.DepthToSpace(2), [numbers(1, 8, 2, 3)]),
    Program("SpaceToBatchND", P.SpaceToBatchND((2, 3), ((1, 1), (0, 2))), [numbers(1, 2, 4, 4)]),
    Program("BatchToSpaceND", P.BatchToSpaceND((2, 2), ((0, 1), (1, 0))), [numbers(4, 2, 2, 3)]),
    Program("ReverseSequence", lambda x: P.ReverseSequence(1)(x, Tensor([2, 3])), [numbers(2, 4)]),
]  # fmt: skip
