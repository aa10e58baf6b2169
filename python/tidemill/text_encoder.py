"""A text encoder of the BERT family as a network of a pipeline, with the weights of a folder in the layout of hubs of models.

    import torch
    import tidemill
    from tidemill.text_encoder import TextEncoder

    encoder = TextEncoder.load("all-MiniLM-L6-v2", outputs=40)
    tidemill.export(encoder, torch.ones(2, 128, dtype=torch.int64), "encoder.pt")

The folder holds `config.json` and `model.safetensors`. The arrays of the network have the names of the file; `output` is
new. The op `word_pieces` makes its input with the folder's `vocab.txt`. This module needs torch and safetensors.
"""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["TextEncoder"]


class TextEncoder(nn.Module):
    """Token ids [rows, length], padded with 0, to [rows, outputs]: the mean over the encoded tokens, and a linear layer."""

    def __init__(self, config: dict[str, Any], outputs: int) -> None:
        """`config`: what config.json holds. Raises ValueError for a model that is computed in another way."""
        super().__init__()
        if config.get("hidden_act", "gelu") != "gelu" or config.get("position_embedding_type", "absolute") != "absolute":
            raise ValueError("only encoders with gelu and absolute positions are known here, as BERT and MiniLM have them")
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)
        self.output = nn.Linear(config["hidden_size"], outputs)

    @classmethod
    def load(cls, folder: str | Path, outputs: int) -> TextEncoder:
        """The encoder of a folder with its weights. The last layer is new. Raises ValueError where weights are missing."""
        from safetensors.torch import load_file

        config = json.loads((Path(folder) / "config.json").read_text())
        made = cls(config, outputs)
        weights = {name.removeprefix("bert."): weight for name, weight in load_file(Path(folder) / "model.safetensors").items()}
        missing, _ = made.load_state_dict(weights, strict=False)
        if lost := [name for name in missing if not name.startswith("output.")]:
            raise ValueError(f"{folder}/model.safetensors lacks {len(lost)} arrays of the encoder: {', '.join(lost[:3])}")
        return made

    def forward(self, input: Tensor) -> Tensor:
        return self.output(self.embed(input))

    @torch.jit.export
    def embed(self, input: Tensor) -> Tensor:
        """The mean over the encoded tokens of each row, [rows, width]."""
        present = input.ne(0)
        x = self.encoder(self.embeddings(input), present[:, None, None, :])
        weight = present.unsqueeze(2).to(x.dtype)
        return (x * weight).sum(1) / weight.sum(1).clamp_min(1.0)


class _Embeddings(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        width = config["hidden_size"]
        self.word_embeddings = nn.Embedding(config["vocab_size"], width)
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], width)
        self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], width)
        self.LayerNorm = nn.LayerNorm(width, eps=config["layer_norm_eps"])
        self.dropout = nn.Dropout(config["hidden_dropout_prob"])

    def forward(self, tokens: Tensor) -> Tensor:
        places = self.position_embeddings.weight[: tokens.size(1)]
        x = self.word_embeddings(tokens) + places + self.token_type_embeddings.weight[0]
        return self.dropout(self.LayerNorm(x))


class _Layers(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(config["num_hidden_layers"]))

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        for layer in self.layer:
            x = layer(x, present)
        return x


class _Layer(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.attention = _Attention(config)
        self.intermediate = _Dense(config["hidden_size"], config["intermediate_size"])
        self.output = _Residual(config["intermediate_size"], config)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        x = self.attention(x, present)
        return self.output(nn.functional.gelu(self.intermediate(x)), x)


class _Attention(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.self = _SelfAttention(config)
        self.output = _Residual(config["hidden_size"], config)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        return self.output(self.self(x, present), x)


class _SelfAttention(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        width = config["hidden_size"]
        self.heads: int = config["num_attention_heads"]
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.dropout = nn.Dropout(config["attention_probs_dropout_prob"])

    def divided(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        query = self.divided(self.query(x))
        scores = query.matmul(self.divided(self.key(x)).transpose(2, 3)) / float(query.size(3)) ** 0.5
        # No infinity: a row that is all padding would become NaN.
        shares = self.dropout(scores.masked_fill(present.logical_not(), -1e30).softmax(-1))
        return shares.matmul(self.divided(self.value(x))).transpose(1, 2).flatten(2)


class _Dense(nn.Module):
    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.dense(x)


class _Residual(nn.Module):
    def __init__(self, width: int, config: dict[str, Any]) -> None:
        super().__init__()
        self.dense = nn.Linear(width, config["hidden_size"])
        self.LayerNorm = nn.LayerNorm(config["hidden_size"], eps=config["layer_norm_eps"])
        self.dropout = nn.Dropout(config["hidden_dropout_prob"])

    def forward(self, x: Tensor, around: Tensor) -> Tensor:
        return self.LayerNorm(self.dropout(self.dense(x)) + around)
