"""tf.data service: the pipelines of tf_data.py in one worker process."""
import multiprocessing

import tensorflow as tf

from loaders import tf_data

TITLE = "tf.data service"
REQUIREMENTS = "tensorflow"
PACKAGES = ("tensorflow-cpu",)
GUIDE = "https://www.tensorflow.org/api_docs/python/tf/data/experimental/service"
SETTINGS = {"criteo": [{"read": "records"}, {"read": "gather"}],
            "tenth": [{"read": "records"}, {"read": "gather"}],
            "jpeg": [{"decode": "whole"}]}
HOW = "a dispatcher and one worker in their own process, processing_mode OFF; otherwise as tf.data"


def serve(pipe):
    from tensorflow.data.experimental import service
    dispatcher = service.DispatchServer()
    address = dispatcher.target.split("://")[1]
    worker = service.WorkerServer(service.WorkerConfig(dispatcher_address=address))
    pipe.send(dispatcher.target)
    worker.join()


def prepare(workload, folder, setting):
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,), daemon=True)
    process.start()
    target = ours.recv()

    def epoch(seed):
        made = tf_data.dataset(workload, folder, setting, seed)
        mode = tf.data.experimental.service.ShardingPolicy.OFF
        yield from made.apply(tf.data.experimental.service.distribute(mode, target)).prefetch(tf.data.AUTOTUNE)

    epoch.close = process.terminate
    return epoch
