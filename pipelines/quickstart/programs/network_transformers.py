"""A network that the Trainer of Hugging Face trains."""
import torch
import transformers

from tidemill import plugin
from tidemill.training import Training


class Batches(torch.utils.data.IterableDataset):
    """The batches of all epochs, each as one item: the Trainer must not cut the rows into batches again."""

    def __init__(self, training: Training) -> None:
        self.training = training

    def __iter__(self):
        for batch in self.training.batches():
            yield {"input": torch.from_numpy(batch.input), "labels": torch.from_numpy(batch.targets)}


class Network(torch.nn.Module):
    """Two layers. It answers a dict with a loss to the Trainer."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, outputs))

    def forward(self, input: torch.Tensor, labels: torch.Tensor | None = None) -> dict[str, torch.Tensor]:
        logits = self.layers(input)
        answers = {"logits": logits}
        if labels is not None:
            answers["loss"] = torch.nn.functional.cross_entropy(logits, labels)
        return answers


class Reports(transformers.TrainerCallback):
    """Passes on what the Trainer logs."""

    def __init__(self, training: Training) -> None:
        self.training = training

    def on_log(self, args, state, control, logs=None, **kwargs) -> None:
        if logs and "loss" in logs:
            self.training.report(loss=logs["loss"])


def main(training: Training, rate: float = plugin.Number(5e-3, min=0, doc="The learning rate.")) -> torch.nn.Module:
    """Lets the Trainer make all steps. It may write no files, and starts from the beginning when it is killed."""
    network = Network(training.outputs)
    arguments = transformers.TrainingArguments(
        output_dir="/tmp", per_device_train_batch_size=1, learning_rate=rate, use_cpu=True,
        max_steps=training.epochs * max(1, training.num_batches or 1), save_strategy="no", report_to="none", logging_steps=20,
        disable_tqdm=True, seed=training.seed % 2**31, dataloader_num_workers=0)
    trainer = transformers.Trainer(model=network, args=arguments, train_dataset=Batches(training),
                                   data_collator=lambda items: items[0], callbacks=[Reports(training)])
    trainer.train()
    return network.layers
