"""SPDL: a pipeline of threads, with its own decoders of images."""
import torch
from spdl.pipeline import PipelineBuilder

import conversions

TITLE = "SPDL"
REQUIREMENTS = "torch"
PACKAGES = ("spdl", "torch", "simplejpeg")
GUIDE = "https://facebookresearch.github.io/spdl/main/"
SETTINGS = {"criteo": [{"threads": 1}, {"threads": 2}], "tenth": [{"threads": 1}, {"threads": 2}],
            "jpeg": [{"threads": 2, "decoder": "spdl"}, {"threads": 2, "decoder": "turbo"}]}
HOW = "PipelineBuilder: batches of row numbers, a stage of threads that reads and converts a batch each, a sink of 4; one torch thread"
FILTER = "scale=341:256:flags=bilinear+accurate_rnd,crop=224:224:58:16,format=pix_fmts=rgb24"


def spdl_photographs(files):
    import spdl.io
    frames = [spdl.io.decode_packets(spdl.io.demux_image(str(file)), filter_desc=FILTER) for file in files]
    pixels = torch.from_numpy(spdl.io.to_numpy(spdl.io.convert_frames(frames)))
    return pixels.permute(0, 3, 1, 2).contiguous().float().sub_(conversions.MEAN).mul_(conversions.SCALE)


class ConvertPhotographs:
    def __init__(self, folder, decoder):
        self.files, self.decoder = conversions.files_of(folder), decoder

    def __call__(self, rows):
        files = [self.files[row] for row in rows.tolist()]
        if self.decoder == "spdl":
            return rows, spdl_photographs(files)
        return rows, torch.stack([conversions.PHOTOGRAPH[self.decoder](file.read_bytes()) for file in files])


def prepare(workload, folder, setting):
    torch.set_num_threads(1)
    if workload == "jpeg":
        convert, batch_size = ConvertPhotographs(folder, setting["decoder"]), 32
        num_rows = len(convert.files)
    else:
        records, batch_size = conversions.map_records(folder), 8192
        num_rows = len(records)

        def convert(rows):
            return conversions.records_to_batch(records.index_select(0, rows))

    def epoch(seed):
        rows = torch.from_numpy(conversions.rows_of_epoch(workload, num_rows, seed))
        pipeline = (PipelineBuilder().add_source(rows.split(batch_size)).pipe(convert, concurrency=setting["threads"])
                    .add_sink(4).build(num_threads=setting["threads"]))
        with pipeline.auto_stop():
            yield from pipeline

    return epoch
