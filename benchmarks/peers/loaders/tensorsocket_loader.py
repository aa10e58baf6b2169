"""TensorSocket: a producer process with a DataLoader, whose tensors come through shared memory."""
import math
import multiprocessing
import socket

TITLE = "TensorSocket"
REQUIREMENTS = "torch"
PACKAGES = ("tensorsocket", "torch", "simplejpeg")
GUIDE = "https://github.com/tensorsocket/tensorsocket"
SETTINGS = {"criteo": [{"workers": 0, "together": 8}],
            "jpeg": [{"workers": 2, "decoder": "turbo", "together": 4}]}
HOW = ("one producer over the vectorised DataLoader, or over the one per sample for photographs; one consumer, a buffer of 10. "
       "Its release 0.0.5 loses the last producer batch of each epoch, so that it is given one more to lose; and it has no tenth, as it delivers whole batches only")


class OneMore:
    """An epoch, and after it the last producer batch, which TensorSocket does not deliver."""

    def __init__(self, loader, together):
        self.loader, self.together = loader, together

    def __len__(self):
        return len(self.loader) + self.together

    def __iter__(self):
        for batch in self.loader:
            yield batch
        for _ in range(self.together):
            yield batch


def free_ports(count):
    sockets = [socket.create_server(("localhost", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


def produce(workload, folder, setting, ports, commands):
    from tensorsocket import TensorProducer

    from loaders import dataloader, dataloader_vectorised
    loader = (dataloader if workload == "jpeg" else dataloader_vectorised).prepare(workload, folder, setting).loader
    together = math.gcd(setting["together"], len(loader))  # It delivers whole producer batches only.
    producer = TensorProducer(OneMore(loader, together), port=ports[0], ack_port=ports[1], heart_ports=tuple(ports[2:]),
                              producer_batch_size=together)
    commands.send("ready")
    while True:
        loader.sampler.seed = commands.recv()  # The producer has begun its next epoch: this is for the one after.
        for _ in producer:
            pass


def prepare(workload, folder, setting):
    from tensorsocket import TensorConsumer
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    ports = free_ports(4)
    process = context.Process(target=produce, args=(workload, folder, setting, ports, theirs))
    process.start()
    ours.recv()
    ours.send(0)  # A consumer waits for the first batches of an epoch before it is there.
    consumer = TensorConsumer(ports[0], ports[1], tuple(ports[2:]), batch_size=32 if workload == "jpeg" else 8192)
    for _ in consumer:
        pass

    def epoch(seed):
        ours.send(seed)
        yield from consumer

    epoch.close = process.terminate
    return epoch
