"""tf.data's cache(): photographs prepared once, shuffled and cut into batches in each epoch."""
import shutil

import numpy
import tensorflow as tf

import data

TITLE = "tf.data cache"
REQUIREMENTS = "tensorflow"
PACKAGES = ("tensorflow-cpu",)
GUIDE = "https://www.tensorflow.org/guide/data_performance#caching"
SETTINGS = {"memory": [{"after": "normalise"}, {"after": "crop"}],
            "disk": [{"after": "normalise"}, {"after": "crop"}]}
HOW = ("map, cache, shuffle over all, batch, prefetch(AUTOTUNE); maps with AUTOTUNE and deterministic=False. After normalise: float32 is kept. After "
       "crop: bytes, which are normalised by batch")
AUTOTUNE = tf.data.AUTOTUNE
HEIGHT = 375
WIDTH = 500


def crop(name, number):
    image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
    image = tf.image.resize(image, (256, 256 * WIDTH // HEIGHT), antialias=True)
    return number, image[16:240, 58:282]


def to_bytes(number, image):
    return number, tf.saturate_cast(tf.round(image), tf.uint8)


def normalise(number, image):
    """One photograph or a batch of them."""
    scaled = (tf.cast(image, tf.float32) / 255 - data.MEAN) / data.STD
    return number, tf.transpose(scaled, (2, 0, 1) if len(image.shape) == 3 else (0, 3, 1, 2))


def faster(dataset, function):
    return dataset.map(function, num_parallel_calls=AUTOTUNE, deterministic=False)


def prepared(folder, setting):
    """The samples up to the point after which they are kept."""
    files = sorted(str(file) for file in folder.glob("*.jpg"))
    cropped = faster(tf.data.Dataset.from_tensor_slices((files, numpy.arange(len(files)))), crop)
    return faster(cropped, normalise if setting["after"] == "normalise" else to_bytes)


def kept_folder(folder, name):
    """An empty folder for what is kept beside the photographs."""
    kept = folder.parent / f"{folder.name}.kept" / name
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    return kept


def epochs_of(kept, count, setting):
    """Returns a function that makes an epoch of samples that were kept."""
    def epoch(seed):
        batches = kept.shuffle(count, seed=seed).batch(32)
        if setting["after"] == "crop":
            batches = faster(batches, normalise)
        yield from batches.prefetch(AUTOTUNE)

    return epoch


def prepare(workload, folder, setting):
    made = prepared(folder, setting)
    kept = made.cache() if workload == "memory" else made.cache(str(kept_folder(folder, "tf_data_cache") / "rows"))
    return epochs_of(kept, int(made.cardinality()), setting)
