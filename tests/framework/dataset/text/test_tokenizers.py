"""Divisions of texts: by characters, scripts, patterns, dictionaries and learned pieces."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework.dataset as ds
from framework.dataset import text as T  # noqa: N812
from framework.dataset.text.scripts import script_of

TEXT = "Café 北京, don't [MASK]  ok"


@pytest.mark.parametrize(
    "tokenizer",
    [
        T.WhitespaceTokenizer(True),
        T.UnicodeCharTokenizer(True),
        T.UnicodeScriptTokenizer(True, True),
        T.UnicodeScriptTokenizer(with_offsets=True),
        T.RegexTokenizer(r"\s+|\p{P}", r"\p{P}", True),
        T.BasicTokenizer(with_offsets=True),
        T.BasicTokenizer(keep_whitespace=True, with_offsets=True),
    ],
)
def test_offsets_are_places_in_bytes(tokenizer: Any) -> None:
    parts, starts, ends = tokenizer(TEXT)
    assert starts.dtype == ends.dtype == np.uint32
    data = TEXT.encode()
    assert [data[start:end].decode() for start, end in zip(starts, ends, strict=True)] == parts.tolist()
    empty = tokenizer("")
    assert [column.tolist() for column in empty] == [[""], [0], [0]]
    with pytest.raises(RuntimeError, match="should be a scalar"):
        tokenizer(np.array(["a"]))


def test_parts() -> None:
    assert T.WhitespaceTokenizer()(TEXT).tolist() == ["Café", "北京,", "don't", "[MASK]", "ok"]
    assert T.UnicodeScriptTokenizer()("abcДε१ok").tolist() == ["abc", "Д", "ε", "१", "ok"]
    assert T.RegexTokenizer(",")("a,b,,c").tolist() == ["a", "b", "c"]
    assert T.RegexTokenizer(",|;", ";")("a,b;c").tolist() == ["a", "b", ";", "c"]
    assert T.BasicTokenizer()(TEXT).tolist() == ["Café", "北", "京", ",", "don", "'", "t", "[MASK]", "ok"]
    plain = T.BasicTokenizer(True, preserve_unused_token=False)(TEXT)
    assert plain.tolist() == ["cafe", "北", "京", ",", "don", "'", "t", "[", "mask", "]", "ok"]
    assert T.BasicTokenizer(True)("[CLS] ÉA[unused7]\u200b").tolist() == ["[CLS]", "ea", "[unused7]"]


@pytest.mark.parametrize(
    ("character", "script"), [("a", "Latn"), ("Ж", "Cyrl"), ("字", "Hani"), ("1", "Zyyy"), ("\u0301", "Zinh")]
)
def test_scripts(character: str, script: str) -> None:
    assert script_of(character) == script


VOCAB = T.Vocab.from_list(["un", "##aff", "##able", "[UNK]", "bé", "##t"])


def test_pieces_of_words() -> None:
    pieces = T.WordpieceTokenizer(VOCAB, with_offsets=True)
    words, starts, ends = pieces(np.array(["unaffable", "bét", "x"]))
    assert words.tolist() == ["un", "##aff", "##able", "bé", "##t", "[UNK]"]
    assert starts.tolist() == [0, 2, 5, 0, 3, 0]
    assert ends.tolist() == [2, 5, 9, 3, 4, 1]
    assert T.WordpieceTokenizer(VOCAB, unknown_token="")(np.array(["unx"])).tolist() == ["unx"]
    assert T.WordpieceTokenizer(VOCAB, max_bytes_per_token=3)("unaff").tolist() == ["[UNK]"]
    words, starts, ends = T.BertTokenizer(VOCAB, lower_case=True, with_offsets=True)("UNAFF x")
    assert (words.tolist(), starts.tolist(), ends.tolist()) == (["un", "##aff", "[UNK]"], [0, 2, 6], [2, 5, 7])
    with pytest.raises(ValueError, match="doesn't exist in vocab"):
        T.BertTokenizer(VOCAB, unknown_token="?")


@pytest.fixture
def jieba(tmp_path: Path) -> tuple[Path, Path]:
    """Files of a small dictionary, and of a model in which words have two characters where they can."""
    words = tmp_path / "jieba.dict.utf8"
    words.write_text(
        "今天 100 t\n天气 80 n\n太好了 60 l\n我们 90 r\n去 50 v\n外面 40 f\n玩吧 30 v\n今 2 x\n天 2 x\n", "utf-8"
    )
    model = tmp_path / "hmm_model.utf8"
    flat = ",".join(f"{character}:-1.0" for character in "今天气太好了我们去外面玩吧")
    moves = "-9e9 -0.2 -1.9 -9e9\n-9e9 -1.5 -0.3 -9e9\n-0.5 -9e9 -9e9 -1.0\n-0.7 -9e9 -9e9 -0.7"
    model.write_text(f"# start\n-0.2 -9e9 -9e9 -1.5\n# moves\n{moves}\n" + f"# characters\n{flat}\n" * 4, "utf-8")
    return model, words


def test_chinese_words(jieba: tuple[Path, Path]) -> None:
    text = "今天天气太好了我们去外面玩吧"
    wanted = ["今天", "天气", "太好了", "我们", "去", "外面", "玩吧"]
    assert T.JiebaTokenizer(*jieba, T.JiebaMode.MP)(text).tolist() == wanted
    mixed = T.JiebaTokenizer(*jieba, with_offsets=True)
    words, starts, ends = mixed(f"{text}。OK 气面")
    assert words.tolist()[: len(wanted)] == wanted
    assert "".join(words.tolist()) == f"{text}。OK 气面"
    assert words.tolist()[-1] == "气面", "characters that are no words are left to the model"
    data = f"{text}。OK 气面".encode()
    assert [data[start:end].decode() for start, end in zip(starts, ends, strict=True)] == words.tolist()
    by_model = T.JiebaTokenizer(*jieba, T.JiebaMode.HMM)("abc1 今天天气3.5").tolist()
    assert by_model == ["abc1", " ", "今天", "天气", "3.5"]


def test_words_of_the_user(jieba: tuple[Path, Path], tmp_path: Path) -> None:
    tokenizer = T.JiebaTokenizer(*jieba, T.JiebaMode.MP)
    tokenizer.add_word("男默女泪", 10)
    assert tokenizer("男默女泪").tolist() == ["男默女泪"]
    tokenizer.add_dict({"默女": 100000})
    assert tokenizer("男默女").tolist() == ["男", "默女"]
    own = tmp_path / "own.txt"
    own.write_text("大数据 9\n云\n", "utf-8")
    tokenizer.add_dict(own)
    assert tokenizer("大数据云").tolist() == ["大数据", "云"]
    own.write_text("a b c\n", "utf-8")
    with pytest.raises(ValueError, match=r"line 1 of .*own.txt is no word with a frequency"):
        tokenizer.add_dict(own)
    with pytest.raises(ValueError, match="is not exist"):
        T.JiebaTokenizer("missing", jieba[1])
    with pytest.raises(RuntimeError, match="no model of jieba's"):
        T.JiebaTokenizer(jieba[1], jieba[1])
    with pytest.raises(RuntimeError, match=r"line 1 of .* is no word with its frequency"):
        T.JiebaTokenizer(jieba[0], jieba[0])
    again = T.JiebaTokenizer.from_json(tokenizer.to_json()["tensor_op_params"])
    assert again == tokenizer


LINES = ["the cat sat on the mat", "the cat ate the rat", "a rat sat on a hat", "that is the hat of the cat"] * 3


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(LINES), "utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (T.SentencePieceModel.UNIGRAM, 30),
        (T.SentencePieceModel.BPE, 30),
        (T.SentencePieceModel.CHAR, 12),
        (T.SentencePieceModel.WORD, 12),
    ],
)
def test_pieces_are_learned_and_kept(kind: T.SentencePieceModel, size: int, lines: Path, tmp_path: Path) -> None:
    vocab = T.SentencePieceVocab.from_file([lines], size, 0.9995, kind)
    assert len(vocab.pieces.pieces) == size
    T.SentencePieceVocab.save_model(vocab, tmp_path, "pieces.model")
    path = str(tmp_path / "pieces.model")
    from_file, from_model = T.SentencePieceTokenizer(path), T.SentencePieceTokenizer(vocab)
    assert from_file.load_type is T.SPieceTokenizerLoadType.FILE
    for line in LINES[:4]:
        parts = from_file(line).tolist()
        assert "".join(parts).replace("\u2581", " ").strip() == line
        assert from_model(line).tolist() == parts
        numbers = T.SentencePieceTokenizer(path, T.SPieceTokenizerOutType.INT)(line)
        assert numbers.dtype == np.int32
        known = vocab.pieces.pieces
        assert [known[number].text for number in numbers if number] == [
            part for part in parts if vocab.pieces.number(part)
        ]
    again = T.SentencePieceTokenizer.from_json(from_file.to_json()["tensor_op_params"])
    assert again == from_file


def test_frequent_words_are_pieces(lines: Path) -> None:
    for kind in (T.SentencePieceModel.UNIGRAM, T.SentencePieceModel.BPE):
        vocab = T.SentencePieceVocab.from_file([lines], 30, 1.0, kind)
        parts = T.SentencePieceTokenizer(vocab)("the cat").tolist()
        assert parts == ["\u2581the", "\u2581cat"]
        assert T.SentencePieceTokenizer(vocab)("the zz").tolist()[-1].endswith("zz"), "unknown characters are one piece"
        assert T.SentencePieceTokenizer(vocab, T.SPieceTokenizerOutType.INT)("zz").tolist()[-1] == 0


def test_pieces_of_data_sets_and_wrong_arguments(lines: Path, tmp_path: Path) -> None:
    data = ds.NumpySlicesDataset({"text": LINES}, shuffle=False)
    vocab = T.SentencePieceVocab.from_dataset(data, ["text"], 30, 1.0, T.SentencePieceModel.BPE)
    same = T.SentencePieceVocab.from_file([lines], 30, 1.0, T.SentencePieceModel.BPE)
    assert vocab.pieces == same.pieces
    with pytest.raises(ValueError, match="vocab_size 5 is too small"):
        T.SentencePieceVocab.from_file([lines], 5, 1.0, T.SentencePieceModel.UNIGRAM)
    with pytest.raises(ValueError, match="vocab_size 500 is too large"):
        T.SentencePieceVocab.from_file([lines], 500, 1.0, T.SentencePieceModel.WORD)
    with pytest.raises(ValueError, match="params is not supported: seed"):
        T.SentencePieceVocab.from_file([lines], 30, 1.0, T.SentencePieceModel.BPE, {"seed": 1})
    with pytest.raises(ValueError, match="character_coverage"):
        T.SentencePieceVocab.from_file([lines], 30, 0, T.SentencePieceModel.BPE)
    (tmp_path / "no.model").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="is not a SentencePiece model"):
        T.SentencePieceTokenizer(str(tmp_path / "no.model"))
    with pytest.raises(NotImplementedError, match="save it"):
        T.SentencePieceTokenizer.from_json(T.SentencePieceTokenizer(vocab).to_json()["tensor_op_params"])
