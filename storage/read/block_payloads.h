// Reads the payloads of a block's samples.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "batch/buffer.h"
#include "storage/index/dataset_index.h"
#include "storage/index/sample_lookup.h"
#include "storage/read/open_files.h"

namespace tidemill::storage {

// The payloads of some rows, one after another.
struct BlockPayloads {
  batch::Buffer bytes;
  batch::Buffer offsets;  // num_rows + 1 int64.
  // The rows that could not be read, in order, and the reasons. Their bytes are undefined.
  std::vector<std::pair<uint32_t, std::string>> lost;
};

// Gathers payloads in the order of the rows from mapped files. A record that is not mapped, or that
// does not match its hash, is read from the file system. The file is opened again if needed. Every
// record is checked against its hash.
BlockPayloads ReadPayloads(const DatasetIndex& index, OpenFiles& files, const SampleRows& rows,
                           int64_t record_bytes);

}  // namespace tidemill::storage
