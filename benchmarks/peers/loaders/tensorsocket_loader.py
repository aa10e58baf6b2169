"""TensorSocket: a producer process with a DataLoader, whose tensors come through shared memory."""
import math
import multiprocessing
import socket
import time

TITLE = "TensorSocket"
REQUIREMENTS = "torch"
PACKAGES = ("tensorsocket", "torch", "simplejpeg")
GUIDE = "https://github.com/tensorsocket/tensorsocket"
SETTINGS = {"criteo": [{"workers": 0, "together": 8}],
            "jpeg": [{"workers": 2, "decoder": "turbo", "together": 4}],
            "two": [{"workers": 2, "decoder": "turbo", "batch": 16, "together": 2}, {"workers": 2, "decoder": "turbo", "batch": 8, "together": 4}],
            "four": [{"workers": 2, "decoder": "turbo", "batch": 16, "together": 2}, {"workers": 2, "decoder": "turbo", "batch": 8, "together": 4}]}
HOW = ("one producer over the vectorised DataLoader, or over the one per sample for photographs; a consumer in each training, a buffer of 10. "
       "Its release 0.0.5 loses the last producer batch of each epoch, so that it is given one more to lose; and it has no tenth, as it delivers whole "
       "batches only. For several trainings a producer batch is one batch of a consumer: on processors it sends the whole storage of a tensor "
       "through TCP, once for each batch that is a part of it. Its producer waits at the beginning of an epoch until a heartbeat, one every 0.5 s, has said that all consumers are there")
TRAININGS = {"two": 2, "four": 4}
# Several heartbeats, after which the producer knows all consumers.
BEFORE_FIRST = 3


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
    loader = (dataloader_vectorised if workload == "criteo" else dataloader).prepare(workload, folder, setting).loader
    together = math.gcd(setting["together"], len(loader))  # It delivers whole producer batches only.
    producer = TensorProducer(OneMore(loader, together), port=ports[0], ack_port=ports[1], heart_ports=tuple(ports[2:]),
                              producer_batch_size=together)
    commands.send("ready")
    while True:
        loader.sampler.seed = commands.recv()  # The producer has begun its next epoch: this is for the one after.
        for _ in producer:
            pass


def connect(workload, ports):
    from tensorsocket import TensorConsumer
    return TensorConsumer(ports[0], ports[1], tuple(ports[2:]), batch_size=8192 if workload == "criteo" else 32)


def train(workload, ports, commands):
    """A training in its process: for each command, a file for the check or None, it reads an epoch and answers with its samples."""
    import peer
    commands.send("there")
    consumer = connect(workload, ports)  # Returns when the producer has begun an epoch.
    for check_file in iter(commands.recv, "end"):
        commands.send(peer.read(consumer, check_file))


def start(context, target, *arguments):
    """A process, and our end of a pipe to it, once it has said that it is there."""
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(*arguments, theirs))
    process.start()
    ours.recv()
    return process, ours


class Trainings:
    """Several trainings, which begin an epoch with the same seed at the same time."""

    def __init__(self, context, workload, producer, ports):
        self.producer = producer
        started = [start(context, train, workload, ports) for _ in range(TRAININGS[workload])]
        self.processes, self.pipes = zip(*started)
        time.sleep(BEFORE_FIRST)
        self.read(0)

    def read(self, seed, check_file=None):
        self.producer.send(seed)
        for number, pipe in enumerate(self.pipes):
            pipe.send(f"{check_file}.{number}" if check_file and number else check_file)
        counts = {pipe.recv() for pipe in self.pipes}
        if len(counts) != 1:
            raise ValueError(f"the trainings have read different numbers of samples: {counts}")
        return counts.pop()

    def close(self):
        for process in self.processes:
            process.terminate()


def alone(workload, producer, ports):
    """A training in this process."""
    producer.send(0)  # A consumer waits for the first batches of an epoch before it is there.
    consumer = connect(workload, ports)
    for _ in consumer:
        pass

    def epoch(seed):
        producer.send(seed)
        yield from consumer

    return epoch


def prepare(workload, folder, setting):
    context = multiprocessing.get_context("spawn")
    ports = free_ports(4)
    process, producer = start(context, produce, workload, folder, setting, ports)
    if workload in TRAININGS:
        return Trainings(context, workload, producer, ports)
    epoch = alone(workload, producer, ports)
    epoch.close = process.terminate
    return epoch
