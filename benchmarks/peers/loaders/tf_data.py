"""tf.data: records in the order of the file, through a buffer that holds all of them; or rows gathered by number."""
import numpy
import tensorflow as tf

import data

TITLE = "tf.data"
REQUIREMENTS = "tensorflow"
PACKAGES = ("tensorflow-cpu",)
GUIDE = "https://www.tensorflow.org/guide/data_performance"
SETTINGS = {"criteo": [{"read": "records"}, {"read": "gather"}],
            "tenth": [{"read": "records"}, {"read": "gather"}],
            "jpeg": [{"decode": "whole"}]}
HOW = ("map with AUTOTUNE and deterministic=False after batch, prefetch(AUTOTUNE). Reading records: FixedLengthRecordDataset, a shuffle buffer of "
       "all. Gathering: range, shuffle, batch, then tf.gather on the file held in memory")
RECORD_BYTES = data.RECORD.itemsize
AUTOTUNE = tf.data.AUTOTUNE


def to_batch(words):
    """[n, 40] int32 to label, logarithms, buckets."""
    categories = tf.cast(words[:, 1 + data.NUMBERS:], tf.int64) * tf.constant(data.FACTOR - (1 << 64), tf.int64)
    buckets = tf.bitwise.bitwise_and(tf.bitwise.right_shift(categories, tf.constant(64 - data.BUCKET_BITS, tf.int64)),
                                     tf.constant((1 << data.BUCKET_BITS) - 1, tf.int64))
    numbers = tf.bitcast(words[:, 1:1 + data.NUMBERS], tf.float32)
    return tf.cast(words[:, 0], tf.int64), tf.math.log1p(numbers), buckets


def gathered(workload, folder, num_rows, seed):
    file = str(folder / "records.bin")

    def of_file(name):
        words = tf.reshape(tf.io.decode_raw(tf.io.read_file(name), tf.int32), [-1, RECORD_BYTES // 4])
        rows = tf.data.Dataset.range(num_rows).shuffle(num_rows, seed=seed)
        if workload == "tenth":
            rows = rows.take(num_rows // 10)
        return rows.batch(8192).map(lambda chosen: to_batch(tf.gather(words, chosen)), num_parallel_calls=AUTOTUNE)

    return tf.data.Dataset.from_tensors(file).flat_map(of_file)


def read(workload, folder, num_rows, seed):
    records = tf.data.FixedLengthRecordDataset(str(folder / "records.bin"), RECORD_BYTES, buffer_size=8 << 20)
    if workload == "tenth":
        numbers = tf.data.Dataset.random(seed=seed).map(lambda number: number < 2**32 // 10)
        records = tf.data.Dataset.zip(records, numbers).filter(lambda record, kept: kept).map(lambda record, kept: record)
    records = records.shuffle(num_rows, seed=seed).batch(8192)
    return records.map(lambda batch: to_batch(tf.io.decode_raw(batch, tf.int32)), num_parallel_calls=AUTOTUNE,
                       deterministic=False)


def photograph(name, number):
    image = tf.io.decode_jpeg(tf.io.read_file(name), channels=3)
    height, width = 375, 500
    image = tf.image.resize(image, (256, 256 * width // height), antialias=True)
    image = image[16:240, 58:282]
    return number, tf.transpose((image / 255 - data.MEAN) / data.STD, (2, 0, 1))


def photographs(folder, seed):
    files = sorted(str(file) for file in folder.glob("*.jpg"))
    named = tf.data.Dataset.from_tensor_slices((files, numpy.arange(len(files))))
    return named.shuffle(len(files), seed=seed).map(photograph, num_parallel_calls=AUTOTUNE, deterministic=False).batch(32)


def dataset(workload, folder, setting, seed):
    if workload == "jpeg":
        return photographs(folder, seed)
    num_rows = (folder / "records.bin").stat().st_size // RECORD_BYTES
    make = gathered if setting["read"] == "gather" else read
    return make(workload, folder, num_rows, seed)


def prepare(workload, folder, setting):
    def epoch(seed):
        yield from dataset(workload, folder, setting, seed).prefetch(AUTOTUNE)

    return epoch
