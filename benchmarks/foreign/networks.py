"""Networks of MindSpore's model zoo: how each is built from its own sources, and what it takes.

The expressions are those that a program's own `train.py` has, with less data; the worker evaluates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.foreign.families import CLASSES, STEPS
from benchmarks.foreign.settings import FASTER_RCNN, SWIN, YOLO_V5


@dataclass(frozen=True)
class Network:
    """How a network is built and trained.

    The expressions see the names of the module, `ms`, `nn`, `np`, `load(name)`, which imports a module of the program,
    `settings(**values)`, an object with these attributes, and `draw`, a generator of random numbers.

    Attributes:
        folder: of the published model, below the checkout.
        module: that defines it.
        expression: that builds it.
        side: of the pictures.
        channels: of the pictures.
        batch: how many pictures.
        steps: of training.
        inputs: an expression of the arrays that a step takes; pictures and labels unless given.
        step: an expression of the Cell that does a step with `network` and returns the loss, perhaps with more;
            `Momentum` on a loss of the benchmark's unless given.
        before: an expression that is evaluated before the module is imported.
        arguments: of the command line, which a program reads when it is imported.
        configuration: the program's file `config.yaml`, where a checkout has none.
    """

    folder: str
    module: str
    expression: str
    side: int = 64
    channels: int = 3
    batch: int = 2
    steps: int = STEPS
    inputs: str = ""
    step: str = ""
    before: str = ""
    arguments: tuple[str, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict)


_VGG: Final = (
    "vgg16(10, type('Arguments', (), {'initialize_mode': 'XavierUniform', 'padding': 0, 'pad_mode': 'same', "
    "'has_bias': False, 'batch_norm': True, 'has_dropout': False}))"
)
_MOMENTUM: Final = "nn.Momentum(network.trainable_params(), {rate}, 0.9)"
_SCALE: Final = "nn.DynamicLossScaleUpdateCell(2**10, 2, 1000)"
_WORDS: Final = "vocab_size=200, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128"
_BERT: Final = f"BertConfig(seq_length=16, {_WORDS}, compute_type=ms.float16)"
_BERT_INPUTS: Final = (
    "(draw.randint(0, 200, (2, 16)), np.ones((2, 16)), draw.randint(0, 2, (2, 16)), np.array([[0], [1]]), "
    "draw.randint(0, 16, (2, 4)), draw.randint(0, 200, (2, 4)), np.ones((2, 4)))"
)
_BERT_STEP: Final = (
    f"BertTrainOneStepWithLossScaleCell(network, {_MOMENTUM.format(rate=0.01)}, scale_update_cell={_SCALE})"
)
#: The loss scale of the zoo of 1.0 reads registers that only an Ascend NPU has.
_PLAIN_BERT_STEP: Final = f"BertTrainOneStepCell(network, {_MOMENTUM.format(rate=0.01)})"
_PLAIN_TRANSFORMER_STEP: Final = "TransformerTrainOneStepCell(network, nn.Adam(network.trainable_params(), 1e-3))"
_TRANSFORMER: Final = (
    "TransformerNetworkWithLoss(load('src.transformer_model').TransformerConfig("
    f"batch_size=2, seq_length=16, {_WORDS}, compute_type=ms.float16), True)"
)
_TRANSFORMER_INPUTS: Final = (
    "(draw.randint(0, 200, (2, 16)), np.ones((2, 16)), draw.randint(0, 200, (2, 16)), np.ones((2, 16)), "
    "draw.randint(0, 200, (2, 16)), np.ones((2, 16)))"
)
_TRANSFORMER_STEP: Final = (
    "TransformerTrainOneStepWithLossScaleCell(network, nn.Adam(network.trainable_params(), 1e-3), "
    f"scale_update_cell={_SCALE})"
)
_YOLO_INPUTS: Final = (
    "({pictures}, np.float32(draw.rand(2, 2, 2, 3, 85)), np.float32(draw.rand(2, 4, 4, 3, 85)), "
    "np.float32(draw.rand(2, 8, 8, 3, 85)), *(np.float32(draw.rand(2, 50, 4)) for _ in range(3)), "
    "np.float32([64, 64]))"
)
_ONE_HOT: Final = "np.eye({classes}, dtype=np.float32)[draw.randint(0, {classes}, {shape})]"
_CLICKS: Final = (
    "(draw.randint(0, 500, (16, 39)), np.float32(draw.rand(16, 39)), np.float32(draw.randint(0, 2, (16, 1))))"
)
#: The network takes pictures of this size alone, because of how it crops what it passes on.
_UNET_INPUTS: Final = (
    "(np.float32(draw.rand(1, 1, 572, 572)), "
    "np.eye(2, dtype=np.float32)[draw.randint(0, 2, (1, 388, 388))].transpose(0, 3, 1, 2))"
)
_UNET_STEP: Final = (
    "nn.TrainOneStepCell(nn.WithLossCell(network, load('src.loss').CrossEntropyWithLogits()), "
    "nn.Adam(network.trainable_params(), 3e-4))"
)
_GCN_STEP: Final = (
    "load('src.metrics').TrainNetWrapper(network, " + _ONE_HOT.format(classes=7, shape=40) + ", "
    "np.float32(np.arange(40) < 20), load('src.config').ConfigGCN())"
)
_WIDE_AND_DEEP: Final = (
    "settings(batch_size=16, host_device_mix=0, parameter_server=0, sparse=False, field_size=39, emb_dim=8, "
    "weight_bias_init=['normal', 'normal'], deep_layer_dim=[64, 32, 32, 16], emb_init='normal', "
    "init_args=[-0.01, 0.01], deep_layer_act='relu', dropout_flag=False, vocab_size=500, vocab_cache_size=0, "
    "field_slice=False, full_batch=False, manual_shape=None, deep_table_slice_mode='column_slice', use_sp=True, "
    "l2_coef=8e-5)"
)
_DEEP_FM: Final = (
    "settings(batch_size=16, data_field_size=39, data_vocab_size=500, data_emb_dim=8, "
    "deep_layer_args=[[64, 32, 32, 16], 'relu'], init_args=[-0.01, 0.01], weight_bias_init=['normal', 'normal'], "
    "keep_prob=0.9, convert_dtype=True)"
)

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
    Network("official/cv/unet", "src.unet.unet_model", "UNet(1, 2)", steps=2, inputs=_UNET_INPUTS, step=_UNET_STEP),
    Network("official/cv/inceptionv3", "src.inception_v3", "InceptionV3(10)", 299),
    Network("official/cv/deeplabv3", "src.nets.deeplab_v3.deeplab_v3", "DeepLabV3('train', 21, 16, False)", 65),
    Network(
        "official/cv/Unet",
        "src.unet_medical.unet_model",
        "UNetMedical(1, 2)",
        steps=2,
        inputs=_UNET_INPUTS,
        step=_UNET_STEP,
    ),
    Network(
        "official/cv/ResNet",
        "src.resnet",
        "resnet50(10)",
        arguments=("--config_path", "config.yaml"),
        configuration={"net_name": "resnet50", "optimizer": "Momentum"},
    ),
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
    Network(
        "official/cv/yolov3_darknet53",
        "src.yolo",
        "YoloWithLossCell(YOLOV3DarkNet53(True))",
        inputs=_YOLO_INPUTS.format(pictures="np.float32(draw.rand(2, 3, 64, 64))"),
        step=f"TrainingWrapper(network, {_MOMENTUM.format(rate=1e-4)})",
    ),
    Network(
        "official/cv/ssd",
        "src.ssd",
        "SSDWithLossCell(SSD300(ssd_mobilenet_v2(), load('src.config').config), load('src.config').config)",
        inputs="(np.float32(draw.rand(1, 3, 300, 300)), np.float32(draw.rand(1, 1917, 4)), "
        "draw.randint(0, 81, (1, 1917)), np.array([1900]))",
        step=f"TrainingWrapper(network, {_MOMENTUM.format(rate=1e-3)})",
    ),
    Network(
        "official/nlp/bert",
        "src.bert_for_pre_training",
        f"BertNetworkWithLoss(load('src.bert_model').{_BERT}, True)",
        inputs=_BERT_INPUTS,
        step=_PLAIN_BERT_STEP,
    ),
    Network(
        "official/nlp/transformer",
        "src.transformer_for_train",
        _TRANSFORMER,
        inputs=_TRANSFORMER_INPUTS,
        step=_PLAIN_TRANSFORMER_STEP,
    ),
    Network(
        "official/nlp/lstm",
        "src.lstm",
        "SentimentNet(100, 16, 16, 2, True, 2, ms.Tensor(np.random.randn(100, 16).astype(np.float32)), 2)",
        inputs="(draw.randint(0, 100, (2, 500)), np.array([0, 1]))",
    ),
    Network(
        "official/gnn/gcn",
        "src.gcn",
        "GCN(load('src.config').ConfigGCN(), np.float32(np.random.rand(40, 40)), "
        "np.float32(np.random.rand(40, 30)), 7)",
        inputs="()",
        step=_GCN_STEP,
    ),
    Network(
        "official/gnn/gat",
        "src.gat",
        "GAT(np.float32(np.random.rand(1, 40, 30)), np.float32(np.random.rand(1, 40, 40)), 30, 7, 40, [8], [8, 1], "
        "0.6, 0.6)",
        inputs="()",
        step="load('src.utils').TrainGAT(network, 7, "
        + _ONE_HOT.format(classes=7, shape="(1, 40)")
        + ", np.float32(np.arange(40) < 20)[None], 0.005, 0.0005)",
    ),
    Network(
        "official/nlp/Bert",
        "src.bert_for_pre_training",
        f"BertNetworkWithLoss(load('src.bert_model').{_BERT}, True)",
        inputs=_BERT_INPUTS,
        step=_BERT_STEP,
    ),
    Network(
        "official/nlp/Transformer",
        "src.transformer_for_train",
        _TRANSFORMER,
        inputs=_TRANSFORMER_INPUTS,
        step=_TRANSFORMER_STEP,
    ),
    Network(
        "official/nlp/LSTM",
        "src.lstm",
        "SentimentNet(100, 16, 16, 2, True, 2, ms.Tensor(np.random.randn(100, 16).astype(np.float32)), 2)",
        inputs="(draw.randint(0, 100, (2, 500)), np.array([0, 1]))",
    ),
    Network(
        "official/cv/SwinTransformer",
        "src.models.swintransformer.get_swin",
        "swin_tiny_patch4_window7_224(load('src.args').args)",
        224,
        before="load('src.args').parse_arguments()",
        arguments=("--swin_config", "config.yaml"),
        configuration=SWIN,
    ),
    Network(
        "official/cv/VIT",
        "src.vit",
        "get_network('vit_base_patch16', settings(train_image_size=64, class_num=10, vit_config_path=''))",
    ),
    Network(
        "official/cv/YOLOv5",
        "src.yolo",
        "YoloWithLossCell(YOLOV5(True))",
        inputs=_YOLO_INPUTS.format(pictures="np.float32(draw.randint(0, 256, (2, 64, 64, 3)))"),
        step=f"nn.TrainOneStepCell(network, {_MOMENTUM.format(rate=1e-4)})",
        arguments=("--config_path", "config.yaml"),
        configuration=YOLO_V5,
    ),
    Network(
        "official/cv/WGAN",
        "src.cell",
        "DisWithLossCell(load('src.dcgan_model').DcganG(32, 20, 3, 16), load('src.dcgan_model').DcganD(32, 20, 3, 16))",
        inputs="(np.float32(draw.randn(2, 3, 32, 32)), np.float32(draw.randn(2, 20, 1, 1)))",
        step="DisTrainOneStepCell(network.netG, network.netD, nn.RMSProp(network.netD.trainable_params(), 5e-5))",
    ),
    Network(
        "official/cv/FasterRCNN",
        "src.FasterRcnn.faster_rcnn",
        "Faster_Rcnn(default_cfg)",
        inputs="(np.float32(draw.randn(1, 3, 256, 256)), np.float32([[256, 256, 1, 1]]), "
        "np.float32([[[16, 16, 96, 128], [100, 60, 220, 240], *[[0, 0, 0, 0]] * 14]]), "
        "np.array([[3, 7, *[0] * 14]]), np.array([[True, True, *[False] * 14]]))",
        step="load('src.network_define').TrainOneStepCell(load('src.network_define').WithLossCell(network, "
        "load('src.network_define').LossNet()), nn.SGD(network.trainable_params(), 1e-3, 0.9), 256)",
        arguments=("--config_path", "config.yaml"),
        configuration=FASTER_RCNN,
    ),
    Network(
        "official/recommend/Wide_and_Deep",
        "src.wide_and_deep",
        f"NetWithLossClass(WideDeepModel({_WIDE_AND_DEEP}), {_WIDE_AND_DEEP})",
        inputs=_CLICKS,
        step="TrainStepWrap(network)",
    ),
    Network(
        "official/recommend/DeepFM",
        "src.deepfm",
        f"NetWithLossClass(DeepFMModel({_DEEP_FM}))",
        inputs=_CLICKS,
        step="TrainStepWrap(network, 5e-4, 5e-8)",
    ),
    Network(
        "official/gnn/GCN",
        "src.gcn",
        "GCN(load('src.config').ConfigGCN(), 30, 7)",
        inputs="(np.float32(draw.rand(40, 40)), np.float32(draw.rand(40, 30)))",
        step=_GCN_STEP,
    ),
    Network(
        "official/cv/CRNN",
        "src.crnn",
        "nn.WithLossCell(crnn(settings(batch_size=2, input_size=512, hidden_size=32, class_num=37, num_step=24, "
        "model_version='V2', use_dropout=False), True), load('src.loss').CTCLoss(24, 23, 2))",
        inputs="(np.float32(draw.randn(2, 3, 32, 100)), draw.randint(0, 36, (2, 23)))",
        step="load('src.crnn_for_train').TrainOneStepCellWithGradClip(network, nn.SGD(network.trainable_params(), "
        "0.02, 0.95, nesterov=True)).set_train()",
    ),
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
                "batch": one.batch,
                "classes": CLASSES,
                "steps": one.steps,
                "side": one.side,
                "channels": one.channels,
                "inputs": one.inputs,
                "step": one.step,
                "before": one.before,
                "arguments": list(one.arguments),
                "configuration": dict(one.configuration),
            }
            yield one.folder, asked
