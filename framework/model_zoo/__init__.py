"""Well-known networks as Cells: `from framework import model_zoo`. Imports `framework.nn` and packages below it."""

from framework.model_zoo.alexnet import AlexNet
from framework.model_zoo.bert import Bert, BertClassifier, bert_base
from framework.model_zoo.gpt import GPT, GPTWithLoss, gpt2_small
from framework.model_zoo.lenet import LeNet5
from framework.model_zoo.resnet import ResNet, resnet18, resnet50
from framework.model_zoo.text_classifier import LSTMClassifier
from framework.model_zoo.transformers import TransformerConfig

__all__ = [
    "GPT",
    "AlexNet",
    "Bert",
    "BertClassifier",
    "GPTWithLoss",
    "LSTMClassifier",
    "LeNet5",
    "ResNet",
    "TransformerConfig",
    "bert_base",
    "gpt2_small",
    "resnet18",
    "resnet50",
]
