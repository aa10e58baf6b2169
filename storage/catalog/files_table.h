// SQL on storage.files and storage.segments. Functions run in the caller's transaction and throw
// what libpqxx throws, for Database::Transact to catch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include <pqxx/pqxx>

namespace tidemill::storage::files_table {

// A file as it was taken in.
struct KnownFile {
  FileId id;
  std::string path;  // Absolute.
  int64_t size_bytes = 0;
  int64_t fingerprint = 0;
  int64_t bytes_done = 0;
  int64_t records_done = 0;
  std::optional<int64_t> sample_key;  // One file a sample.
  std::string state;
};

struct Segment {
  int64_t segment_id = 0;
  std::optional<FileId> file;  // std::nullopt: one file a sample.
  int64_t first_key = 0;
  int64_t num_samples = 0;
  int64_t first_position = 0;
  // What its records span, of the unpacked file.
  int64_t byte_from = 0;
  int64_t byte_to = 0;
};

// In the byte order of their paths.
std::vector<KnownFile> ListFiles(pqxx::work& work, DatasetId dataset);
std::optional<KnownFile> FindFile(pqxx::work& work, FileId file);

// Bytes of the files that samples were taken from.
int64_t TotalSize(pqxx::work& work, DatasetId dataset);
std::map<FileId, int64_t> SizesOf(pqxx::work& work, const std::vector<FileId>& files);

// In the order of their keys.
std::vector<Segment> SegmentsOf(pqxx::work& work, FileId file);
std::optional<Segment> SegmentWith(pqxx::work& work, DatasetId dataset, int64_t sample_key);
std::optional<Segment> FindSegment(pqxx::work& work, DatasetId dataset, int64_t segment_id);
std::vector<int64_t> SegmentIds(pqxx::work& work, DatasetId dataset);

// Fresh ids, ascending; never given twice.
std::vector<int64_t> NewFileIds(pqxx::work& work, int64_t count);
std::vector<int64_t> NewSegmentIds(pqxx::work& work, int64_t count);

// Adds page ranges that were filled since to the BRIN indexes of a dataset's samples: a range that
// is not summarised is scanned by every query.
void Summarize(pqxx::work& work, DatasetId dataset);
// The same of ranges that are full and lie behind the page `from_page`, while rows are being added:
// each row that is added to a range that was summarised costs a change of the index. Returns the
// page to go on from.
int64_t SummarizeFull(pqxx::work& work, DatasetId dataset, int64_t from_page);

}  // namespace tidemill::storage::files_table
