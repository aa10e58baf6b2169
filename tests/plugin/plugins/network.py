"""A small network of PyTorch, and its loop."""
import torch


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(3, 8)
        self.drop = torch.nn.Dropout(0.1)
        self.last = torch.nn.Linear(8, 2)

    def forward(self, input):
        return self.last(self.drop(torch.relu(self.hidden(input))))


def main(training, rate=0.02):
    network = Network()
    if training.previous is not None:
        network.load_state_dict(training.previous.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    training.keep(network=network, optimizer=optimizer)
    for batch in training.batches():
        losses = torch.nn.functional.cross_entropy(network(torch.from_numpy(batch.input)), torch.from_numpy(batch.targets),
                                                   reduction="none")
        loss = (losses * torch.from_numpy(batch.weights)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        training.report(loss=loss)
    return network
