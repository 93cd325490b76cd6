"""Captures graphs of PyTorch models with random weights: `python torch_graphs.py FOLDER NAME ...`; a run for each.

Runs in the environment of the adapters' tests. A model has its usual depth; widths and inputs are small.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn
from torch.nn import functional

import mindinsight.torch as mi

__all__ = ["MODELS"]

SEEN: Final = 3
"""Steps of each training: the graph is that of the second."""
VISION: Final = (
    "resnet18", "resnet50", "resnext50_32x4d", "mnasnet1_0", "densenet121", "googlenet", "mobilenet_v2",
    "mobilenet_v3_large", "efficientnet_b0", "convnext_tiny", "swin_t", "vit_b_16", "regnet_y_400mf",
    "shufflenet_v2_x1_0",
)  # fmt: skip
TIMM: Final = (
    "resmlp_12_224", "mixer_s16_224", "deit_tiny_patch16_224", "poolformer_s12", "ghostnet_100", "repvgg_a0",
    "cait_xxs24_224", "gmlp_s16_224", "rexnet_100", "edgenext_small", "xcit_nano_12_p16_224",
    "beit_base_patch16_224",
)  # fmt: skip
SIZES: Final = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 12, "num_attention_heads": 4}
WIDE: Final = {**SIZES, "intermediate_size": 64}
#: The class of a model, the class of its configuration, and the sizes.
TRANSFORMERS: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "bert": ("BertForMaskedLM", "BertConfig", WIDE),
    "roberta": ("RobertaForMaskedLM", "RobertaConfig", WIDE),
    "electra": ("ElectraForMaskedLM", "ElectraConfig", {**WIDE, "embedding_size": 32}),
    "albert": ("AlbertForMaskedLM", "AlbertConfig", {**WIDE, "embedding_size": 16}),
    "distilbert": (
        "DistilBertForMaskedLM", "DistilBertConfig", {"vocab_size": 100, "dim": 32, "n_heads": 4, "hidden_dim": 64},
    ),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", {"vocab_size": 100, "n_embd": 32, "n_head": 4, "n_layer": 12}),
    "gpt_neox": ("GPTNeoXForCausalLM", "GPTNeoXConfig", WIDE),
    "opt": ("OPTForCausalLM", "OPTConfig", {**SIZES, "ffn_dim": 64, "word_embed_proj_dim": 32}),
    "llama": ("LlamaForCausalLM", "LlamaConfig", {**WIDE, "num_key_value_heads": 2}),
    "mistral": ("MistralForCausalLM", "MistralConfig", {**WIDE, "num_key_value_heads": 2}),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", {**WIDE, "num_key_value_heads": 2}),
    "phi": ("PhiForCausalLM", "PhiConfig", WIDE),
    "t5": (
        "T5ForConditionalGeneration", "T5Config",
        {"vocab_size": 100, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 6, "num_heads": 4,
         "decoder_start_token_id": 0, "pad_token_id": 0},
    ),
    "vit": (
        "ViTForImageClassification", "ViTConfig",
        {**WIDE, "image_size": 32},
    ),
}  # fmt: skip
Step = Callable[[], torch.Tensor]


def of_pictures(model: nn.Module, size: int) -> tuple[nn.Module, Step]:
    """A model of pictures, and its loss."""
    pictures, labels = torch.randn(2, 3, size, size), torch.tensor([0, 1])

    def loss() -> torch.Tensor:
        found = model(pictures)
        return functional.cross_entropy(getattr(found, "logits", found), labels)

    return model, loss


def vision(name: str) -> tuple[nn.Module, Step]:
    """A model of torchvision."""
    import torchvision

    more = {"aux_logits": False, "init_weights": False} if name == "googlenet" else {}
    if name == "vit_b_16":
        more = {"image_size": 64}
    return of_pictures(torchvision.models.get_model(name, num_classes=10, **more), 64)


def timm_model(name: str) -> tuple[nn.Module, Step]:
    """A model of timm."""
    import timm

    fixed = name.endswith("_224") and not name.startswith("xcit")
    more = {"img_size": 64} if fixed else {}
    return of_pictures(timm.create_model(name, num_classes=10, **more), 64)


def transformer(name: str) -> tuple[nn.Module, Step]:
    """A model of transformers."""
    import transformers

    kind, configuration, sizes = TRANSFORMERS[name]
    model = getattr(transformers, kind)(getattr(transformers, configuration)(**sizes, num_labels=10))
    if name == "vit":
        return of_pictures(model, 32)
    words = torch.randint(5, 90, (2, 12))
    return model, lambda: model(input_ids=words, labels=words).loss


MODELS: Final[dict[str, Callable[[str], tuple[nn.Module, Step]]]] = {
    **dict.fromkeys(VISION, vision),
    **dict.fromkeys(TIMM, timm_model),
    **dict.fromkeys(TRANSFORMERS, transformer),
}


def capture(name: str, folder: Path) -> None:
    """Train a model for a few steps, and record its graph."""
    torch.manual_seed(0)
    model, loss = MODELS[name](name)
    model.train()
    if name in TRANSFORMERS or name in ("deit_tiny_patch16_224", "swin_t"):
        optimizer: torch.optim.Optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    with mi.watch(model, optimizer, folder, histograms=0):
        for _ in range(SEEN):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    for wanted in sys.argv[2:]:
        try:
            capture(wanted, Path(sys.argv[1]) / wanted)
        except Exception as error:
            sys.stderr.write(f"{wanted}: {type(error).__name__}: {error}\n")
