"""The example of an op that uses tokenizers of PyPI."""
import importlib.util
import pathlib
from typing import Any

import numpy
import pytest

from tidemill import plugin

EXAMPLE = pathlib.Path(__file__).parents[2] / "plugin/examples/tokens.py"
TEXTS = ["the tide turns the mill", "the mill turns", "", "tide tide tide tide tide tide tide"]


def tokens_of(file: pathlib.Path, **settings: Any) -> numpy.ndarray[Any, Any]:
    spec = importlib.util.spec_from_file_location("tokens_example", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    op = plugin.create(module.Tokens, {"file": str(file), "length": 6, **settings})
    op.outputs([plugin.ColumnType("title", "binary")])
    encoded = [text.encode() for text in TEXTS]
    ends = numpy.cumsum([0, *map(len, encoded)])
    column = plugin.ByteStrings(numpy.frombuffer(b"".join(encoded), numpy.uint8), ends)
    made: numpy.ndarray[Any, Any] = op.apply(plugin.Block(len(TEXTS), {"title": column}))["input"]
    assert made.dtype == numpy.int64 and made.shape == (len(TEXTS), 6)
    assert len(op.seal()) < 1000, "the tokenizer is not part of what is remembered"
    return made


def test_byte_pairs_of_a_tokenizer_file(tmp_path: pathlib.Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(TEXTS * 20, vocab_size=300, show_progress=False)
    trained.save(str(tmp_path / "tokenizer.json"))
    rows = tokens_of(tmp_path / "tokenizer.json", shift=1)
    expected = trained.encode(TEXTS[1]).ids
    assert rows[1, :len(expected)].tolist() == [token + 1 for token in expected] and not rows[1, len(expected):].any()
    assert not rows[2].any() and rows[3].all()


def test_pieces_of_a_sentencepiece_model(tmp_path: pathlib.Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS * 20))
    sentencepiece.SentencePieceTrainer.train(input=str(tmp_path / "texts.txt"), model_prefix=str(tmp_path / "spm"),
                                             vocab_size=18, minloglevel=2)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "spm.model"))
    rows = tokens_of(tmp_path / "spm.model", padding=7)
    expected = pieces.encode(TEXTS[1])[:6]
    assert rows[1, :len(expected)].tolist() == expected
    assert rows[2].tolist() == [7] * 6
