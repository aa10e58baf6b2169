"""A network that Lightning trains."""
import lightning
import torch

from tidemill import plugin
from tidemill.training import Training


class Epochs:
    """Each pass over it is the next epoch. It has a length, so that Lightning does not read ahead."""

    def __init__(self, training: Training) -> None:
        self.training = training

    def __len__(self) -> int:
        return self.training.num_batches

    def __iter__(self):
        for batch in self.training.epoch():
            yield torch.from_numpy(batch.input), torch.from_numpy(batch.targets)


class Network(lightning.LightningModule):
    """Two layers, and how they learn."""

    def __init__(self, training: Training, rate: float) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, training.outputs))
        self.training_of_tidemill = training
        self.rate = rate

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return self.layers(input)

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], index: int) -> torch.Tensor:
        loss = torch.nn.functional.cross_entropy(self(batch[0]), batch[1])
        self.training_of_tidemill.report(loss=loss)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        optimizer = torch.optim.Adam(self.parameters(), lr=self.rate)
        self.training_of_tidemill.keep(network=self.layers, optimizer=optimizer)
        return optimizer


def main(training: Training, rate: float = plugin.Number(5e-3, min=0, doc="The learning rate.")) -> torch.nn.Module:
    """Lets Lightning do the epochs that are left. It may write no files, so that Tidemill keeps the checkpoints."""
    network = Network(training, rate)
    trainer = lightning.Trainer(max_epochs=training.epochs_left, accelerator="cpu", devices=1, logger=False, barebones=True)
    trainer.fit(network, Epochs(training))
    return network.layers
