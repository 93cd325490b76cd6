"""Vocabularies, vectors, changes of texts, and sequences of words and numbers."""

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import framework as ms
import framework.dataset as ds
from framework.dataset import text as T  # noqa: N812
from framework.dataset.transforms.operation import operation_from_json

WORDS = ["welcome", "to", "the", "show"]


def test_vocabularies_number_words() -> None:
    vocab = T.Vocab.from_list(WORDS, ["<unk>", "<pad>"])
    assert vocab.vocab() == {"<unk>": 0, "<pad>": 1, "welcome": 2, "to": 3, "the": 4, "show": 5}
    last = T.Vocab.from_list(WORDS, ["<unk>"], special_first=False)
    assert last.tokens_to_ids("<unk>") == 4
    assert vocab.tokens_to_ids(["to", "nowhere"]) == [3, -1]
    assert vocab.ids_to_tokens([5, 99]) == ["show", ""]
    assert vocab.ids_to_tokens(2) == "welcome"
    assert T.Vocab.from_dict({"a": 7}).ids_to_tokens(np.array([7])) == ["a"]
    for wrong, says in (
        (lambda: T.Vocab.from_list(["a", "a"]), "word_list contains duplicate word: a"),
        (lambda: T.Vocab.from_list(["a"], ["a"]), "special_tokens and word_list contain duplicate word: a"),
        (lambda: T.Vocab.from_list(["a"], ["b", "b"]), "special_tokens contains duplicate word: b"),
        (lambda: T.Vocab.from_dict({"a": -1}), "word_id is not within"),
        (lambda: vocab.ids_to_tokens(-1), "ids is not within"),
    ):
        with pytest.raises(ValueError, match=says):
            wrong()
    with pytest.raises(TypeError, match="Argument tokens with value 3 is not of type"):
        vocab.tokens_to_ids(3)


def test_vocabularies_of_files(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("one,1\ntwo,2\nthree,3\n", "utf-8")
    assert T.Vocab.from_file(path, ",", 2, ["<unk>"]).vocab() == {"<unk>": 0, "one": 1, "two": 2}
    assert list(T.Vocab.from_file(path).vocab()) == ["one,1", "two,2", "three,3"]
    with pytest.raises(ValueError, match="vocab_size is not within"):
        T.Vocab.from_file(path, vocab_size=0)


def test_vocabularies_of_data_sets() -> None:
    rows = [(np.array(["b", "a", "c"]), np.int32(1)), (np.array(["a", "b", "a"]), np.int32(2))]
    data = ds.GeneratorDataset(rows, ["words", "label"], shuffle=False)
    assert T.Vocab.from_dataset(data).vocab() == {"a": 0, "b": 1, "c": 2}
    assert list(T.Vocab.from_dataset(data, "words", top_k=2, special_tokens=["!"]).vocab()) == ["!", "a", "b"]
    assert list(T.Vocab.from_dataset(data, ["words"], freq_range=(2, None)).vocab()) == ["a", "b"]
    assert list(T.Vocab.from_dataset(data, freq_range=(None, 2)).vocab()) == ["b", "c"]
    with pytest.raises(ValueError, match="no column 'sentences'"):
        T.Vocab.from_dataset(data, "sentences")
    with pytest.raises(ValueError, match="frequency range"):
        T.Vocab.from_dataset(data, freq_range=(3, 2))
    with pytest.raises(RuntimeError, match="'label' holds int32"):
        T.Vocab.from_dataset(data, "label")


def test_words_are_looked_up() -> None:
    vocab = T.Vocab.from_list(WORDS, ["<unk>"])
    made = T.Lookup(vocab, "<unk>", ms.int64)(np.array([["to", "show"], ["me", "the"]]))
    assert (made.dtype, made.tolist()) == (np.int64, [[2, 4], [0, 3]])
    assert T.Lookup(vocab)("to").tolist() == 2
    with pytest.raises(RuntimeError, match='token: "me" doesn\'t exist in vocab'):
        T.Lookup(vocab)(np.array(["me"]))
    with pytest.raises(ValueError, match=r"unknown_token: \[me\], doesn't exist in vocab"):
        T.Lookup(vocab, "me")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "glove.3.txt"
    path.write_text("2 3\ncat 1 2 3\nok 0.5 -1 2e1\ncat 9 9 9\n", "utf-8")
    return path


def test_words_become_vectors(vectors: Path) -> None:
    made = T.ToVectors(T.GloVe.from_file(vectors))(np.array(["ok", "dog", "cat"]))
    assert (made.dtype, made.tolist()) == (np.float32, [[0.5, -1, 20], [0, 0, 0], [1, 2, 3]])
    known = T.Vectors.from_file(vectors, 1)
    assert list(known.vectors) == ["cat"]
    assert T.ToVectors(known, [7, 7, 7], lower_case_backup=True)(np.array(["CAT", "ok"])).tolist() == [
        [1, 2, 3],
        [7] * 3,
    ]
    with pytest.raises(ValueError, match="unk_init must be of 3 numbers"):
        T.ToVectors(known, [1])
    with pytest.raises(RuntimeError, match=r"can not find file '\*\*.vec'"):
        T.FastText.from_file(vectors)
    fast = vectors.with_name("some.vec")
    fast.write_text("a 1 2\nb 1\n", "utf-8")
    with pytest.raises(RuntimeError, match="got dim 1 while expecting 2, for vector 2"):
        T.FastText.from_file(fast)
    fast.write_text("a 1 x\n", "utf-8")
    with pytest.raises(RuntimeError, match="vector 1, of 'a', holds something other than numbers"):
        T.FastText.from_file(fast)
    fast.write_text("", "utf-8")
    with pytest.raises(RuntimeError, match="is empty"):
        T.FastText.from_file(fast)


def test_vectors_of_sequences_of_characters(tmp_path: Path) -> None:
    path = tmp_path / "charNgram.txt"
    path.write_text("2gram-#BEGIN#a 1 0\n2gram-ab 0 1\n3gram-ab#END# 4 4\n", "utf-8")
    model = T.CharNGram.from_file(path)
    made = T.ToVectors(model, [9, 9])(np.array(["ab", "zz", "AB"]))
    np.testing.assert_allclose(made, np.array([[5 / 3, 5 / 3], [9, 9], [9, 9]]))
    np.testing.assert_allclose(T.ToVectors(model, lower_case_backup=True)("AB"), [5 / 3, 5 / 3])


def test_texts_change() -> None:
    shout = np.array([["Straße", "ﬁN"], ["Ａ\u00adB", "ÅNGSTRÖM"]])  # noqa: RUF001 - wide letters
    assert T.CaseFold()(shout).tolist() == [["strasse", "fin"], ["ab", "ångström"]]
    for form in T.NormalizeForm:
        made = T.NormalizeUTF8(form)(np.array("Åﬁ²"))
        assert str(made) == ("Åﬁ²" if form is T.NormalizeForm.NONE else unicodedata.normalize(form.name, "Åﬁ²"))  # type: ignore[arg-type]
    assert str(T.RegexReplace(r"(\p{Lu})(\d)", "$2-$1")("aB3, C4")) == "a3-B, 4-C"
    assert str(T.RegexReplace("a", r"\$", replace_all=False)("banana")) == "b$nana"
    page = "<b>In [[Paris|the city]]</b>\n&amp; 2 [http://x.y sites] {{cite}} Ready"
    assert str(T.FilterWikipediaXML()(page)).split()[-1] == "ready"
    assert str(T.FilterWikipediaXML()("#REDIRECT [[x]]")) == ""
    assert str(T.FilterWikipediaXML()("Welcome    to    China 2")) == "welcome to china two"
    with pytest.raises(RuntimeError, match="should be of type string, but got: int64"):
        T.CaseFold()(np.array([1]))
    for wrong, says in (
        ("(", "is not a regular expression"),
        (r"\p{Greek}", "property 'Greek'"),
        ("[a&&b]", "on classes"),
    ):
        with pytest.raises(ValueError, match=says):
            T.RegexReplace(wrong, "")


@pytest.mark.parametrize(
    ("pattern", "text", "wanted"),
    [
        (r"[\p{L}&]+", "né & 1", "X 1"),
        (r"\P{L}", "a1-b", "aXXb"),
        (r"[[:digit:]]", "a1", "aX"),
        (r"[a[bc]]", "ab", None),
        (r"[:digit:]+", "a12", "aX"),
        (r"\x{62}", "abc", "aXc"),
        (r"\Qa.b\E", "a.b axb", "X axb"),
        (r"\h+", "a \t b", "aXb"),
        (r"[]]", "a]", "aX"),
    ],
)
def test_patterns_of_icu(pattern: str, text: str, wanted: str | None) -> None:
    if wanted is None:
        with pytest.raises(ValueError, match="class within a class"):
            T.RegexReplace(pattern, "X")
        return
    made = T.RegexReplace(pattern, "X")(text)
    assert str(made).replace("X X", "X") == wanted.replace("X X", "X")


def test_sequences() -> None:
    words = np.array(WORDS)
    assert T.AddToken("[SEP]", begin=False)(words).tolist() == [*WORDS, "[SEP]"]
    assert T.AddToken("[CLS]")(np.array([["a"], ["b"]])).tolist() == [["[CLS]", "a"], ["[CLS]", "b"]]
    assert T.Ngram([2, 5])(words).tolist() == ["welcome to", "to the", "the show", ""]
    assert T.Ngram(2, ("<", 5), (">", 1), "")(words[:1]).tolist() == ["<welcome", "welcome>"]
    assert T.SlidingWindow(2)(np.arange(4)).tolist() == [[0, 1], [1, 2], [2, 3]]
    assert T.SlidingWindow(5)(np.arange(4)).shape == (0, 5)
    assert T.Truncate(2)(words).tolist() == WORDS[:2]
    assert T.Truncate(2)(np.arange(6).reshape(2, 3)).tolist() == [[0, 1], [3, 4]]
    first, second = T.TruncateSequencePair(5)(np.arange(7), np.arange(2))
    assert (first.tolist(), second.tolist()) == ([0, 1, 2], [0, 1])
    assert T.PythonTokenizer(lambda text: text.split("-"))("a-b").tolist() == ["a", "b"]
    wrong: list[tuple[Any, str]] = [([], "non-empty"), (1, "left_pad needs to be a tuple"), (2, "positive")]
    for (n, says), pad in zip(wrong, [("a", 0), ("a",), ("a", -1)], strict=True):
        with pytest.raises(ValueError, match=says):
            T.Ngram(n, pad)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="1D input only"):
        T.SlidingWindow(1)(np.zeros((2, 2)))
    with pytest.raises(RuntimeError, match="not a 1-D data"):
        T.Ngram(1)(np.array("a"))
    with pytest.raises(TypeError, match="not a callable"):
        T.PythonTokenizer(3)  # type: ignore[arg-type]


def test_numbers_are_read() -> None:
    made = T.ToNumber(ms.float32)(np.array(["1.5", "-2e3"]))
    assert (made.dtype, made.tolist()) == (np.float32, [1.5, -2000.0])
    assert T.ToNumber("uint8")(np.array([["255"]])).tolist() == [[255]]
    for text, kind in (("256", "uint8"), ("-1", "uint8"), ("1e39", "float32")):
        with pytest.raises(RuntimeError, match=rf"string input {text} will be out of bounds if cast to {kind}"):
            T.ToNumber(kind)(np.array([text]))
    with pytest.raises(RuntimeError, match="invalid to convert 'x' to a number"):
        T.ToNumber("int32")(np.array(["x"]))
    with pytest.raises(TypeError, match="not numeric"):
        T.ToNumber("str")


def test_bytes_and_texts() -> None:
    texts = np.array(["é", "b"])
    assert T.to_bytes(texts).tolist() == ["é".encode(), b"b"]
    assert T.to_str(T.to_bytes(texts)).tolist() == texts.tolist()
    assert T.to_str(texts) is texts
    for wrong in (T.to_bytes, T.to_str):
        with pytest.raises(ValueError, match="NumPy array of"):
            wrong(np.arange(2))
    assert T.CaseFold()(np.array([b"AB"])).tolist() == ["ab"]


VOCAB = T.Vocab.from_list(["a", "[UNK]"])


@pytest.mark.parametrize(
    "operation",
    [
        T.AddToken("a"), T.BasicTokenizer(True, normalization_form=T.NormalizeForm.NFC), T.BertTokenizer(VOCAB),
        T.CaseFold(), T.FilterWikipediaXML(), T.Lookup(VOCAB, "a"), T.Ngram(2, ("x", 1)), T.NormalizeUTF8(),
        T.RegexReplace("a", "b"), T.RegexTokenizer("a"), T.SlidingWindow(2), T.ToNumber("int8"), T.Truncate(3),
        T.TruncateSequencePair(3), T.UnicodeCharTokenizer(True), T.UnicodeScriptTokenizer(), T.WhitespaceTokenizer(),
        T.WordpieceTokenizer(VOCAB),
    ],
)  # fmt: skip
def test_transforms_come_back_from_json(operation: Any) -> None:
    made = operation.to_json()
    assert operation_from_json(made) == operation


def test_texts_in_a_pipeline() -> None:
    source = ds.NumpySlicesDataset({"text": ["Aa b", "c D"]}, shuffle=False)
    data = source.map([T.CaseFold(), T.WhitespaceTokenizer(with_offsets=True)], "text", ["words", "starts", "ends"])
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [row["words"].tolist() for row in rows] == [["aa", "b"], ["c", "d"]]
    assert [row["ends"].tolist() for row in rows] == [[2, 4], [1, 3]]
