"""Modules of PyTorch as networks of pipelines."""
import pathlib
from typing import TYPE_CHECKING, Any

import pytest

from tidemill.network_export import ExportError, export

torch: Any = pytest.importorskip("torch")
nn: Any = torch.nn
if TYPE_CHECKING:
    Tensor = Any
else:
    Tensor = torch.Tensor

pytestmark = pytest.mark.filterwarnings("ignore:there is no program tidemill-export")


class Convnet(nn.Module):  # type: ignore[misc]
    """Layers that behave otherwise in training."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dropout(0.5))
        self.output = nn.Linear(4 * 6 * 6, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.output(self.embed(x))

    def embed(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Dynamic(Convnet):
    """The same in code that torch cannot compile."""

    def embed(self, x: Tensor) -> Tensor:
        for layer in [*self.layers]:
            x = layer(*(each for each in [x]))
        return x


IMAGES = torch.randn(5, 1, 8, 8)


@pytest.mark.parametrize(("module", "how"), [(Convnet(), "script"), (Dynamic(), "trace")])
def test_a_network_comes_back_as_it_was(tmp_path: pathlib.Path, module: Any, how: str) -> None:
    module.eval()
    exported = export(module, IMAGES, tmp_path / "network.pt")
    assert exported.how == how and exported.outputs == 3 and not module.training
    assert exported.model == {"type": "torchscript", "file": "network.pt", "outputs": 3}
    loaded = torch.jit.load(str(tmp_path / "network.pt"))
    loaded.eval()
    assert torch.allclose(loaded(IMAGES), module(IMAGES), atol=1e-6)
    assert torch.allclose(loaded.embed(IMAGES), module.embed(IMAGES), atol=1e-6)
    loaded.train()
    assert not torch.equal(loaded(IMAGES), loaded(IMAGES)), "its dropout drops"
    before = getattr(loaded.layers, "1").running_mean.clone()
    loaded(IMAGES + 1)
    assert not torch.equal(getattr(loaded.layers, "1").running_mean, before), "its normalisation learns"


def test_columns_are_given_by_name(tmp_path: pathlib.Path) -> None:
    class Two(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(7, 4)
            self.linear = nn.Linear(4 + 2, 1)

        def forward(self, input: Tensor, input_ids: Tensor) -> Tensor:
            return self.linear(torch.cat([input, self.embedding(input_ids).sum(1)], 1))

    example = {"input_ids": torch.randint(7, (4, 3)), "input": torch.randn(4, 2)}
    assert export(Two(), example, tmp_path / "two.pt").outputs == 1


class Function(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.linear(*(each for each in [x])), 0.5, self.training)


class Noise(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x) + torch.rand(2)


class OverBatch(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x - x.mean(0))


class Flat(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).squeeze(1)


class WithoutGradients(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x.detach()).detach() + 0 * self.linear.bias.detach()


class RowsOfTheExample(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        rows = [*(row for row in x)]
        return torch.stack([self.linear(row) for row in rows])


@pytest.mark.parametrize(("module", "message"), [
    (Function(), "dropout is called as a function"),
    (Noise(), "draws random numbers where it does not train"),
    (OverBatch(), "must not depend on its batch"),
    (Flat(), r"must return a tensor \[samples, outputs\], but returns \(3,\)"),
    (WithoutGradients(), "gradient"),
    (RowsOfTheExample(), "holds for the batch of the example only"),
    (torch.nn.Identity(), "no parameter of the module needs gradients"),
])
def test_what_cannot_be_trained_is_refused(tmp_path: pathlib.Path, module: Any, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        export(module, torch.randn(3, 4), tmp_path / "network.pt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("example", "message"), [
    (torch.zeros(1, 4), "two or more"), (torch.zeros(3, 4).double(), "float64"), ("rows", "must be a tensor")])
def test_an_example_that_is_none_is_refused(tmp_path: pathlib.Path, example: Any, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        export(nn.Linear(4, 2), example, tmp_path / "network.pt")
