"""A network and a loop of plain PyTorch."""
import torch

from tidemill import plugin
from tidemill.training import Training


class Network(torch.nn.Module):
    """Two layers over a row of numbers."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(inputs, hidden)
        self.drop = torch.nn.Dropout(0.1)
        self.last = torch.nn.Linear(hidden, outputs)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return self.last(self.drop(torch.relu(self.hidden(input))))


def main(training: Training, hidden: int = plugin.Integer(32, min=1, doc="The width of the hidden layer."),
         rate: float = plugin.Number(5e-3, min=0, doc="The learning rate.")) -> Network:
    """Trains by Adam, from the network of the trigger before."""
    network = Network(4, hidden, training.outputs)
    if training.previous is not None:
        network.load_state_dict(training.previous.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    training.keep(network=network, optimizer=optimizer)
    for batch in training.batches():
        loss = torch.nn.functional.cross_entropy(network(torch.from_numpy(batch.input)), torch.from_numpy(batch.targets))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        training.report(loss=loss)
    return network
