"""Networks of MindSpore's model zoo: how each is built from its own sources, and what pictures it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.foreign.families import CLASSES, STEPS

_VGG: Final = (
    "vgg16(10, type('Arguments', (), {'initialize_mode': 'XavierUniform', 'padding': 0, 'pad_mode': 'same', "
    "'has_bias': False, 'batch_norm': True, 'has_dropout': False}))"
)


@dataclass(frozen=True)
class Network:
    """How a network is built.

    Attributes:
        folder: of the published model, below the checkout.
        module: that defines it.
        expression: that builds it, of names in the module.
        side: of the pictures.
        channels: of the pictures.
    """

    folder: str
    module: str
    expression: str
    side: int = 64
    channels: int = 3


#: Of the zoo of MindSpore 1.0 and of that of 2023; what is in a checkout is run.
NETWORKS: Final = (
    Network("official/cv/lenet", "src.lenet", "LeNet5(10)", 32, 1),
    Network("official/cv/alexnet", "src.alexnet", "AlexNet(10)", 227),
    Network("official/cv/vgg16", "src.vgg", _VGG, 224),
    Network("official/cv/googlenet", "src.googlenet", "GoogleNet(10)", 224),
    Network("official/cv/resnext50", "src.image_classification", "get_network('resnext50', 10)"),
    Network(
        "official/cv/mobilenetv2",
        "src.mobilenetV2",
        "mobilenet_v2(MobileNetV2Backbone(), MobileNetV2Head(num_classes=10))",
    ),
    Network("official/cv/mobilenetv3", "src.mobilenetV3", "mobilenet_v3_small(num_classes=10)"),
    Network("official/cv/shufflenetv2", "src.shufflenetv2", "ShuffleNetV2(n_class=10)", 224),
    Network("official/cv/densenet121", "src.network.densenet", "DenseNet121(10)", 224),
    Network("official/cv/resnet", "src.resnet", "resnet50(10)"),
    Network("official/cv/nasnet", "src.nasnet_a_mobile", "NASNetAMobile(10)", 224),
    Network("official/cv/unet", "src.unet.unet_model", "UNet(1, 2)", 188, 1),
    Network("official/cv/inceptionv3", "src.inception_v3", "InceptionV3(10)", 299),
    Network("official/cv/deeplabv3", "src.nets.deeplab_v3.deeplab_v3", "DeepLabV3('train', 21, 16, False)", 65),
    Network("official/cv/Unet", "src.unet_medical.unet_model", "UNetMedical(1, 2)", 188, 1),
    Network("official/cv/ResNet", "src.resnet", "resnet50(10)"),
    Network("official/cv/ShuffleNet/shufflenetv2", "src.shufflenetv2", "ShuffleNetV2(n_class=10)", 224),
    Network("official/cv/VGG/vgg16", "src.vgg", _VGG, 224),
    Network(
        "official/cv/MobileNet/mobilenetv2",
        "src.mobilenetV2",
        "mobilenet_v2(MobileNetV2Backbone(), MobileNetV2Head(num_classes=10))",
    ),
    Network("official/cv/MobileNet/mobilenetv1", "src.mobilenet_v1", "mobilenet_v1(10)", 224),
    Network("official/cv/Inception/inceptionv3", "src.inception_v3", "InceptionV3(10)", 299),
    Network("official/cv/Efficientnet/efficientnet-b0", "src.efficientnet", "efficientnet_b0(num_classes=10)"),
    Network("official/cv/MobileNet/mobilenetv3", "src.mobilenetV3", "mobilenet_v3_small(num_classes=10)"),
)


def networks_of(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The networks of a checkout, with what the worker is asked about each."""
    for one in NETWORKS:
        if (root / one.folder / Path(*one.module.split("."))).with_suffix(".py").is_file():
            asked = {
                "path": [str(root / one.folder)],
                "module": one.module,
                "model": one.folder.removeprefix("official/"),
                "expression": one.expression,
                "batch": 2,
                "classes": CLASSES,
                "steps": STEPS,
                "side": one.side,
                "channels": one.channels,
            }
            yield one.folder, asked
