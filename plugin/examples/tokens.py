"""Texts as the tokens of a tokenizer that somebody has trained: BPE, Unigram (SentencePiece) or WordPiece.

    preprocess:
      graph:
        - parse_csv: {columns: [title], dtype: string}
        - plugin: {use: "tokens.py:Tokens", files: [tokenizer.json], columns: [title],
                   with: {file: tokenizer.json, length: 64, shift: 1}}
        - label: {into: target}

A `.json` file is one of the library tokenizers of Hugging Face, a `.model` file one of SentencePiece. The Python of plug-ins
(`cluster.plugins.python`) needs the package of that library: `pip install tokenizers` or `pip install sentencepiece`. The plug-in
runs in the sandbox of plug-ins, so a file from elsewhere can do no harm there.
"""
import functools

import numpy

from tidemill import plugin


@functools.cache
def tokenizer(path):
    """A function from a list of texts to a list of lists of numbers, and the number of tokens. Kept out of the op's state."""
    if path.endswith(".model"):
        import sentencepiece

        pieces = sentencepiece.SentencePieceProcessor(model_file=path)
        return pieces.encode, pieces.vocab_size()
    import tokenizers

    whole = tokenizers.Tokenizer.from_file(path)
    whole.no_padding()
    whole.no_truncation()
    return lambda texts: [made.ids for made in whole.encode_batch(texts)], whole.get_vocab_size()


class Tokens(plugin.Op):
    """Makes int64 rows of `length` numbers of a column of texts; they end with free places where a text has fewer tokens."""

    version = "1.0"
    file = plugin.Text(doc="The tokenizer, as `files` names it.")
    length = plugin.Integer(128, min=1, max=65536, doc="Numbers in a row. Tokens beyond are cut off.")
    shift = plugin.Integer(0, min=0, max=1,
                           doc="Added to each token. With 1, no token is 0, the free place of Tidemill's networks for texts.")
    padding = plugin.Integer(0, min=0, doc="The number of a free place.")
    into = plugin.Text("input", doc="The column to make.")

    def outputs(self, inputs):
        if len(inputs) != 1 or inputs[0].type != "binary":
            raise ValueError("Tokens takes one column of texts")
        self.column = inputs[0].name
        tokenizer(plugin.files[self.file])  # A file that is not a tokenizer is a problem now.
        return [plugin.ColumnType(self.into, "int64", (self.length,))]

    def apply(self, block):
        encode, _ = tokenizer(plugin.files[self.file])
        texts = [bytes(text).decode("utf-8", "replace") for text in block[self.column]]
        rows = numpy.full((len(texts), self.length), self.padding, numpy.int64)
        for row, tokens in zip(rows, encode(texts)):
            row[:len(tokens)] = numpy.array(tokens[:self.length], numpy.int64) + self.shift
        return {self.into: rows}
