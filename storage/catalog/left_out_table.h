// SQL on storage.left_out. The functions run in the caller's transaction. They throw what libpqxx
// throws; Database::Transact catches it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "storage/formats/format.h"
#include "storage/formats/left_out_reasons.h"
#include <pqxx/pqxx>

namespace tidemill::storage {

// Which records of a dataset did not become samples, and why.
struct DatasetLeftOut {
  struct Reason : LeftOutReason {
    std::string first_path;
  };
  int64_t num_records = 0;
  // The number of records, including those left out and those filtered.
  int64_t num_seen = 0;
  int64_t num_filtered = 0;    // Records that do not satisfy `where`. None of them is left out.
  int64_t num_files = 0;       // Files left out as a whole. Their records are not counted.
  int64_t num_unlabelled = 0;  // The number of samples without a label.
  // The bytes in which no record could be found, and the bytes of all files, unpacked.
  int64_t lost_bytes = 0;
  int64_t num_bytes = 0;
  // The reasons with the most records first, at most 20. The last one stands for the rest.
  std::vector<Reason> reasons;
};

namespace left_out_table {

DatasetLeftOut Read(pqxx::work& work, DatasetId dataset);

// The bad parts of a file: records, and bytes in which no record could be found.
struct BadShare {
  int64_t num_records = 0;
  int64_t lost_bytes = 0;
  int64_t zeroed_bytes = 0;  // See IndexedFile. Their reasons name zeros.
  std::optional<BadRecord> first = std::nullopt;
};
BadShare BadOf(pqxx::work& work, FileId file);

}  // namespace left_out_table
}  // namespace tidemill::storage
