"""One convolutional network, and three loops that train it: plain PyTorch, Lightning, and the Trainer of Hugging Face."""
import torch

from tidemill.training import Training

RATE = 1e-3


class Network(torch.nn.Module):
    """The network of whole.yaml, written by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(1, 32, 3, padding=1)
        self.second = torch.nn.Conv2d(32, 64, 3, padding=1)
        self.hidden = torch.nn.Linear(64 * 49, 128)
        self.last = torch.nn.Linear(128, 10)
        self.pool = torch.nn.MaxPool2d(2)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        seen = self.pool(torch.relu(self.first(input)))
        seen = self.pool(torch.relu(self.second(seen)))
        return self.last(torch.relu(self.hidden(seen.flatten(1))))


def started(training: Training) -> Network:
    """A network with the weights of the previous trigger's model, if there is one."""
    torch.manual_seed(training.seed % 2**31)
    network = Network()
    if training.previous is not None:
        network.load_state_dict(training.previous.state_dict())
    return network


def plain(training: Training) -> torch.nn.Module:
    """A loop of plain PyTorch. Killed, it continues from the last checkpoint."""
    network = started(training)
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    training.keep(network=network, optimizer=optimizer)
    for batch in training.batches():
        loss = torch.nn.functional.cross_entropy(network(torch.from_numpy(batch.input)), torch.from_numpy(batch.targets))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        training.report(loss=loss)
    return network


def by_lightning(training: Training) -> torch.nn.Module:
    """Lightning does the epochs that are left; Tidemill keeps the checkpoints."""
    import lightning

    class Epochs:
        """Each pass over it is the next epoch. It has a length, so that Lightning does not read ahead."""

        def __len__(self) -> int:
            return training.num_batches

        def __iter__(self):
            for batch in training.epoch():
                yield torch.from_numpy(batch.input), torch.from_numpy(batch.targets)

    class Steps(lightning.LightningModule):
        """What Lightning asks of a network."""

        def __init__(self) -> None:
            super().__init__()
            self.network = started(training)

        def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], index: int) -> torch.Tensor:
            loss = torch.nn.functional.cross_entropy(self.network(batch[0]), batch[1])
            training.report(loss=loss)
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            optimizer = torch.optim.Adam(self.network.parameters(), lr=RATE)
            training.keep(network=self.network, optimizer=optimizer)
            return optimizer

    steps = Steps()
    trainer = lightning.Trainer(max_epochs=training.epochs_left, accelerator="cpu", devices=1, logger=False, barebones=True)
    trainer.fit(steps, Epochs())
    return steps.network


def by_transformers(training: Training) -> torch.nn.Module:
    """The Trainer makes all steps. It keeps no checkpoints, and begins again when it is killed."""
    import transformers

    class Batches(torch.utils.data.IterableDataset):
        """The batches of all epochs, each as one item: the Trainer must not cut the rows into batches again."""

        def __iter__(self):
            for batch in training.batches():
                yield {"input": torch.from_numpy(batch.input), "labels": torch.from_numpy(batch.targets)}

    class WithLoss(torch.nn.Module):
        """Answers the Trainer with a loss."""

        def __init__(self) -> None:
            super().__init__()
            self.network = started(training)

        def forward(self, input: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            logits = self.network(input)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    class Reports(transformers.TrainerCallback):
        """Passes on what the Trainer logs."""

        def on_log(self, args, state, control, logs=None, **kwargs) -> None:
            if logs and "loss" in logs:
                training.report(loss=logs["loss"])

    model = WithLoss()
    arguments = transformers.TrainingArguments(
        output_dir="/tmp", per_device_train_batch_size=1, learning_rate=RATE, lr_scheduler_type="constant",
        max_steps=training.epochs * training.num_batches, save_strategy="no", report_to="none", logging_steps=100, use_cpu=True,
        disable_tqdm=True, seed=training.seed % 2**31, dataloader_num_workers=0)
    transformers.Trainer(model=model, args=arguments, train_dataset=Batches(), data_collator=lambda items: items[0],
                         callbacks=[Reports()]).train()
    return model.network
