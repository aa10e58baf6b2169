// The `storage` section of the system configuration.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "storage/filesystems/object_store_config.h"

namespace tidemill::storage {

struct StorageConfig {
  std::vector<std::string> allowed_roots;
  std::string allowed_roots_file;
  int num_parsers = 2;
  Duration scan_interval{5'000'000};
  Duration settle{1'000'000};
  Duration settle_limit{60'000'000};
  config::ByteSize unpacked_cache{int64_t{8} << 30};
  config::ByteSize block_bytes{int64_t{2} << 20};
  int64_t max_open_files = 1024;
  ObjectStoreConfig object_store;

  void Fields(auto&& field) {
    field("allowed_roots", allowed_roots,
          "Absolute folders, or s3://bucket/folder, that may hold datasets. If there are none, no "
          "dataset can be registered.");
    field("allowed_roots_file", allowed_roots_file,
          "A file with more such folders, one on each line. A change counts at once.");
    field("num_parsers", num_parsers, "Threads that parse new files.", {.min = 1, .max = 256});
    field("scan_interval", scan_interval, "Time between two listings of every dataset's folder.");
    field("settle", settle, "A file is complete when it has not changed for this long.");
    field("settle_limit", settle_limit,
          "How long a run, or another command that needs a dataset, waits for files that still "
          "change when it begins.");
    field("unpacked_cache", unpacked_cache, "Disk space for unpacked copies of compressed files.");
    field("block_bytes", block_bytes, "Payload bytes in a block of samples.",
          {.min = 65'536, .max = 4'194'304});
    field("max_open_files", max_open_files, "Data files kept open for reading.",
          {.min = 1, .max = 60'000});
    field("object_store", object_store, "The store of datasets whose path begins with s3://.");
  }
};

}  // namespace tidemill::storage
