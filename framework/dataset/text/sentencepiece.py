"""Divides texts into the pieces of a SentencePiece model, and learns such models (Kudo & Richardson 2018).

The files are those of Google's library: a message of protocol buffers with the pieces and their scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from framework.dataset.text.choices import SentencePieceModel, SPieceTokenizerLoadType, SPieceTokenizerOutType
from framework.dataset.text.piece_files import Pieces, read_pieces, write_pieces
from framework.dataset.text.piece_learning import learned
from framework.dataset.text.texts import one_text
from framework.dataset.text.vocab import Rows
from framework.dataset.transforms.checks import INT32, check_interval, check_list, check_type
from framework.dataset.transforms.operation import TensorOperation

__all__ = ["SentencePieceTokenizer", "SentencePieceVocab"]

Random = np.random.Generator
Place = str | PathLike[str]


class SentencePieceVocab:
    """A model of SentencePiece, learned by `from_dataset` or `from_file`."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces

    @classmethod
    def from_dataset(
        cls,
        dataset: Rows,
        col_names: Sequence[str],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn a model from the texts of a data set.

        Args:
            dataset: the data set.
            col_names: its columns with texts; empty for all.
            vocab_size: number of pieces, with those for unknown parts, beginnings and ends.
            character_coverage: share of the characters of the texts that are pieces, above 0.
            model_type: kind of the model.
            params: further arguments of the library, of which none is supported; None for none.

        Raises:
            TypeError: an argument has another type.
            ValueError: an argument is out of range, or the texts have too few parts for as many pieces.
        """
        check_list(list(col_names), (str,), "col_names")
        texts = [
            str(text)
            for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
            for name, value in row.items()
            if (name in col_names or not col_names) and value.dtype.kind == "U"
            for text in np.ravel(value)
        ]
        return cls._learned(texts, vocab_size, character_coverage, model_type, params)

    @classmethod
    def from_file(
        cls,
        file_path: Sequence[Place],
        vocab_size: int,
        character_coverage: float,
        model_type: SentencePieceModel,
        params: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn a model from the lines of files.

        Args:
            file_path: the paths of the files.
            vocab_size: number of pieces, with those for unknown parts, beginnings and ends.
            character_coverage: share of the characters of the texts that are pieces, above 0.
            model_type: kind of the model.
            params: further arguments of the library, of which none is supported; None for none.

        Raises:
            TypeError: an argument has another type.
            ValueError: an argument is out of range, or the texts have too few parts for as many pieces.
            OSError: a file cannot be read.
        """
        check_type(file_path, (list, tuple), "file_path")
        texts = [line for path in file_path for line in Path(path).read_text("utf-8").splitlines()]
        return cls._learned(texts, vocab_size, character_coverage, model_type, params)

    @classmethod
    def _learned(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        coverage: float,
        model_type: SentencePieceModel,
        params: Mapping[str, Any] | None,
    ) -> Self:
        check_type(vocab_size, (int,), "vocab_size")
        check_interval(vocab_size, (1, INT32), "vocab_size")
        check_type(coverage, (float, int), "character_coverage")
        check_interval(coverage, (0, 1), "character_coverage", left_open=True)
        check_type(model_type, (SentencePieceModel,), "model_type")
        if params:
            raise ValueError(f"params is not supported: {', '.join(params)}")
        return cls(learned(texts, vocab_size, coverage, model_type))

    @classmethod
    def save_model(cls, vocab: Self, path: Place, filename: str) -> None:
        """Write a model to a file, which the library reads, too.

        Args:
            vocab: the model.
            path: the folder.
            filename: the name of the file in it.

        Raises:
            TypeError: the model is none.
            OSError: the file cannot be written.
        """
        check_type(vocab, (SentencePieceVocab,), "vocab")
        Path(path, filename).write_bytes(write_pieces(vocab.pieces))


class SentencePieceTokenizer(TensorOperation):
    """Divides a text into the pieces of a model.

    Args:
        mode: the model: a `SentencePieceVocab`, or the path of its file.
        out_type: STRING returns the pieces, INT their Int32 numbers.
    """

    def __init__(
        self, mode: SentencePieceVocab | Place, out_type: SPieceTokenizerOutType = SPieceTokenizerOutType.STRING
    ) -> None:
        check_type(mode, (str, PathLike, SentencePieceVocab), "mode")
        check_type(out_type, (SPieceTokenizerOutType,), "out_type")
        self.out_type = out_type
        if isinstance(mode, SentencePieceVocab):
            self.load_type, self.pieces = SPieceTokenizerLoadType.MODEL, mode.pieces
        else:
            self.load_type, self.pieces = SPieceTokenizerLoadType.FILE, read_pieces(mode)
        super().__init__(mode=None if isinstance(mode, SentencePieceVocab) else str(mode), out_type=int(out_type))

    @classmethod
    def from_json(cls, parameters: Mapping[str, Any]) -> Self:
        """Create the transform from its parameters in JSON, which name the model's file.

        Raises:
            NotImplementedError: the model was in no file.
        """
        if parameters["mode"] is None:
            raise NotImplementedError("a SentencePieceVocab is not in the JSON; save it, and give the file's path")
        return cls(parameters["mode"], SPieceTokenizerOutType(parameters["out_type"]))

    def apply(self, rng: Random | None, *values: Any) -> Any:
        """Divide a text."""
        found = self.pieces.divided(one_text("SentencePieceTokenizer", values[0]))
        if self.out_type is SPieceTokenizerOutType.STRING:
            return np.array(found, np.str_)
        return np.array([self.pieces.number(piece) for piece in found], np.int32)
