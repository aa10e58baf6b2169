// SQL on storage.left_out. Functions run in the caller's transaction and throw what libpqxx throws,
// for Database::Transact to catch.
#pragma once

#include <string>
#include <vector>

#include "base/id.h"
#include "storage/formats/left_out_reasons.h"
#include <pqxx/pqxx>

namespace tidemill::storage {

// What of a dataset's records did not become samples, and why.
struct DatasetLeftOut {
  struct Reason : LeftOutReason {
    std::string first_path;
  };
  int64_t num_records = 0;
  int64_t num_seen = 0;        // Records, those left out included.
  int64_t num_files = 0;       // Left out as a whole, their records not known.
  int64_t num_unlabelled = 0;  // Samples without a label.
  // Those with the most records first; at most 20, the last of them the rest.
  std::vector<Reason> reasons;
};

namespace left_out_table {

DatasetLeftOut Read(pqxx::work& work, DatasetId dataset);

// Records of a file that are bad.
int64_t NumBad(pqxx::work& work, FileId file);

}  // namespace left_out_table
}  // namespace tidemill::storage
