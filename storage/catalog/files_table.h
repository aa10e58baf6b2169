// SQL on storage.files and storage.segments. The functions run in the caller's transaction. They
// throw what libpqxx throws; Database::Transact catches it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include <pqxx/pqxx>

namespace tidemill::storage::files_table {

// A file as it was ingested.
struct KnownFile {
  FileId id;
  std::string path;  // The absolute path.
  int64_t size_bytes = 0;
  int64_t fingerprint = 0;
  int64_t bytes_done = 0;
  int64_t records_done = 0;
  std::optional<int64_t> sample_key;  // Set when each sample is a file.
  std::string state;
  // The inode of the file when it was ingested; std::nullopt when it is not known.
  std::optional<int64_t> inode = std::nullopt;
  // The last sample that was compared when the file grew.
  int64_t checked_key = 0;
  bool columns_moved = false;  // See IndexedFile.
  // See ChangeStampOf() and ParsedFile::edge_sum; std::nullopt when not known.
  std::optional<int64_t> change_stamp = std::nullopt;
  std::optional<int64_t> edge_sum = std::nullopt;
};

struct Segment {
  int64_t segment_id = 0;
  std::optional<FileId> file;  // std::nullopt when each sample is a file.
  int64_t first_key = 0;
  int64_t num_samples = 0;
  int64_t first_position = 0;
  // The range of its records in the unpacked file.
  int64_t byte_from = 0;
  int64_t byte_to = 0;
};

struct FileExtent {
  int64_t size_bytes = 0;
  int64_t num_filtered = 0;  // The number of its records that do not satisfy `where`.
};

// Returns the files in the byte order of their paths.
std::vector<KnownFile> ListFiles(pqxx::work& work, DatasetId dataset);
std::optional<KnownFile> FindFile(pqxx::work& work, FileId file);

// Returns the bytes of the files that samples were taken from.
int64_t TotalSize(pqxx::work& work, DatasetId dataset);
std::map<FileId, FileExtent> SizesOf(pqxx::work& work, const std::vector<FileId>& files);

// Returns the segments in the order of their keys.
std::vector<Segment> SegmentsOf(pqxx::work& work, FileId file);
std::optional<Segment> SegmentWith(pqxx::work& work, DatasetId dataset, int64_t sample_key);
std::optional<Segment> FindSegment(pqxx::work& work, DatasetId dataset, int64_t segment_id);
std::vector<int64_t> SegmentIds(pqxx::work& work, DatasetId dataset);

// Returns new ids, ascending. No id is ever given twice.
std::vector<int64_t> NewFileIds(pqxx::work& work, int64_t count);
std::vector<int64_t> NewSegmentIds(pqxx::work& work, int64_t count);

// Adds page ranges that were filled since the last call to the BRIN indexes of a dataset's samples.
// Every query scans the ranges that are not summarised.
void Summarize(pqxx::work& work, DatasetId dataset);
// Does the same, while rows are being added, for the full ranges after the page `from_page`. A
// range that is not full is not summarised, because every row added to it would then cost a change
// of the index. Returns the page to continue from.
int64_t SummarizeFull(pqxx::work& work, DatasetId dataset, int64_t from_page);

}  // namespace tidemill::storage::files_table
