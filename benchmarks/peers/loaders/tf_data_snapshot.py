"""tf.data's snapshot() and save(): photographs prepared once and written, then read in each epoch."""
import tensorflow as tf

from loaders import tf_data_cache

TITLE = "tf.data snapshot or save"
REQUIREMENTS = "tensorflow"
PACKAGES = ("tensorflow-cpu",)
GUIDE = "https://www.tensorflow.org/api_docs/python/tf/data/Dataset#snapshot"
SETTINGS = {"disk": [{"by": "snapshot", "after": "normalise"}, {"by": "snapshot", "after": "crop"},
                     {"by": "save", "after": "normalise"}, {"by": "save", "after": "crop"}]}
HOW = "as the cache, with snapshot(folder, compression=None), or save(folder) before the first epoch and load(folder)"


def prepare(workload, folder, setting):
    made = tf_data_cache.prepared(folder, setting)
    path = str(tf_data_cache.kept_folder(folder, f"tf_data_{setting['by']}"))
    count = int(made.cardinality())
    if setting["by"] == "snapshot":
        return tf_data_cache.epochs_of(made.snapshot(path, compression=None), count, setting)
    made.save(path)
    return tf_data_cache.epochs_of(tf.data.Dataset.load(path), count, setting)
