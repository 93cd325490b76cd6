"""One transform of each class, for the tests of their JSON."""

from pathlib import Path
from typing import Any

import numpy as np

from framework.dataset import text as X  # noqa: N812
from framework.dataset import transforms as T  # noqa: N812
from framework.dataset import vision as V  # noqa: N812

__all__ = ["every_operation"]

BOX = [[0, 0], [0, 5], [5, 5], [5, 0]]
VOCAB = X.Vocab.from_list(["a", "b", "[UNK]"])


def every_operation(folder: Path) -> list[Any]:
    """The transforms; files that some need are written into a folder."""
    return [*_general(), *_images(), *_random_images(), *_boxes_and_policies(), *_texts(folder)]


def _general() -> list[Any]:
    return [
        T.Compose([T.TypeCast("int8"), V.RandomCrop(3)]), T.Concatenate(0, prepend=[1]), T.Duplicate(), T.Fill(2),
        T.Mask(T.Relational.GT, 3), T.OneHot(5, 0.1), T.PadEnd([3, None], 1), T.RandomApply([T.Fill(1)], 0.25),
        T.RandomChoice([T.Fill(1), T.Fill(2)]), T.RandomOrder([T.Fill(1)]), T.Slice(1, slice(0, 4, 2), [1, 2]),
        T.TypeCast("float16"), T.Unique(),
    ]  # fmt: skip


def _images() -> list[Any]:
    return [
        V.AdjustBrightness(1.5), V.AdjustContrast(0.5), V.AdjustGamma(0.7, 2), V.AdjustHue(0.1), V.AdjustSaturation(2),
        V.AdjustSharpness(3), V.Affine(10, [0.1, 0.2], 1.5, [3, 4], V.Inter.NEAREST, (1, 2, 3)), V.AutoContrast(1, [3]),
        V.CenterCrop((3, 4)), V.ConvertColor(V.ConvertMode.COLOR_RGB2GRAY), V.Crop((1, 2), 3), V.CutOut(4, 2),
        V.Decode(), V.Decode(True), V.DecodeVideo(), V.Equalize(), V.Erase(0, 0, 3, 4, (1, 2, 3)), V.FiveCrop(4),
        V.GaussianBlur(3), V.GaussianBlur([3, 5], [1, 2]), V.Grayscale(3), V.HWC2CHW(), V.HorizontalFlip(),
        V.HsvToRgb(), V.Invert(), V.LinearTransformation(np.eye(3), np.zeros(3)), V.Normalize([1, 2], [3, 4]),
        V.NormalizePad([1, 2, 3], [4, 5, 6], "float16"), V.Pad((1, 2), (1, 2, 3), V.Border.EDGE), V.PadToSize(9, 2),
        V.Perspective(BOX, BOX[::-1]), V.Posterize(3), V.Rescale(0.5, 1), V.Resize(5, V.Inter.NEAREST),
        V.Resize((5, 6)), V.ResizedCrop(0, 1, 2, 3, 4), V.RgbToHsv(True), V.Rotate(20, center=(1, 2)),
        V.SlicePatches(2, 3, V.SliceMode.DROP), V.Solarize((10, 20)),
        V.TenCrop((4, 5), True), V.ToNumpy(), V.ToPIL(), V.ToTensor("float64"),
        V.ToType("int16"), V.VerticalFlip(),
    ]  # fmt: skip


def _random_images() -> list[Any]:
    return [
        V.RandomAdjustSharpness(2), V.RandomAffine(15, (-0.1, 0.1), (0.9, 1.1), 5), V.RandomAutoContrast(1, 2, 0.3),
        V.RandomColor((0.5, 1.5)), V.RandomColorAdjust(0.5, (0.5, 1), hue=0.25), V.RandomCrop(3, 2, True, 4),
        V.RandomCropDecodeResize((4, 5), (0.5, 1)), V.RandomEqualize(0.2), V.RandomErasing(0.25, value=(1, 2, 3)),
        V.RandomErasing(value="random"), V.RandomGrayscale(0.3), V.RandomHorizontalFlip(0.25), V.RandomInvert(),
        V.RandomLighting(0.1), V.RandomPerspective(0.4), V.RandomPosterize((2, 5)), V.RandomResize(4),
        V.RandomResizedCrop(4, (0.5, 1), interpolation=V.Inter.CUBIC), V.RandomRotation((-5, 5), expand=True),
        V.RandomSharpness(), V.RandomSolarize((3, 9)), V.RandomVerticalFlip(0.75),
    ]  # fmt: skip


def _boxes_and_policies() -> list[Any]:
    return [
        V.AutoAugment(V.AutoAugmentPolicy.CIFAR10, V.Inter.BILINEAR, 3), V.BoundingBoxAugment(V.RandomCrop(3), 0.5),
        V.CutMixBatch(V.ImageBatchFormat.NHWC, 0.5), V.MixUp(4, 0.2), V.MixUpBatch(0.9), V.RandAugment(3, 5),
        V.RandomCropWithBBox(3, (1, 2)), V.RandomHorizontalFlipWithBBox(), V.RandomResizeWithBBox((3, 4)),
        V.RandomResizedCropWithBBox(3), V.RandomSelectSubpolicy([[(V.Invert(), 0.5), (V.RandomCrop(2), 1)]]),
        V.RandomVerticalFlipWithBBox(0.1), V.ResizeWithBBox(4), V.TrivialAugmentWide(11),
        V.UniformAugment([V.Invert(), V.VerticalFlip()], 1),
    ]  # fmt: skip


def _texts(folder: Path) -> list[Any]:
    words, model, lines = folder / "words", folder / "model", folder / "lines.txt"
    words.write_text("a 3 n\nb 2 n\n")
    moves = "0 0 0 0\n" * 4
    model.write_text(f"# start\n0 0 0 0\n# moves\n{moves}" + "# characters\na:-1.0,b:-1.0\n" * 4)
    lines.write_text("the cat sat\nthe rat\n" * 3)
    vectors = folder / "vectors.txt"
    vectors.write_text("a 1 2\nb 3 4\n")
    pieces = X.SentencePieceVocab.from_file([lines], 11, 0.9995, X.SentencePieceModel.CHAR)
    X.SentencePieceVocab.save_model(pieces, folder, "pieces.model")
    return [
        X.AddToken("a", False), X.BasicTokenizer(True, normalization_form=X.NormalizeForm.NFC), X.CaseFold(),
        X.BertTokenizer(VOCAB), X.FilterWikipediaXML(), X.JiebaTokenizer(model, words), X.Lookup(VOCAB, "[UNK]"),
        X.Ngram([1, 2], ("_", 1)), X.NormalizeUTF8(), X.RegexReplace("a", "b"), X.RegexTokenizer("a", "b"),
        X.SentencePieceTokenizer(str(folder / "pieces.model")), X.SlidingWindow(2), X.ToNumber("int8"),
        X.ToVectors(X.Vectors.from_file(vectors)), X.Truncate(3), X.TruncateSequencePair(4), X.UnicodeCharTokenizer(),
        X.UnicodeScriptTokenizer(), X.WhitespaceTokenizer(True), X.WordpieceTokenizer(VOCAB),
    ]  # fmt: skip
