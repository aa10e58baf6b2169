// The content of a dataset's files, found before they are ingested. It shows whether the spec fits
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemill::storage {

// The most bytes that are read at one place of a file. A smaller file is seen as a whole.
inline constexpr size_t kHeadBytes = size_t{64} << 10;

// A record that the ingest would take, with its label.
struct TriedSample {
  std::string bytes;
  int64_t event_time = 0;  // Microseconds UTC.
  std::optional<int64_t> class_label = {};
  std::optional<double> real_label = {};
};

// Records that the ingest would leave out for one reason.
struct TriedReason {
  std::string reason;  // The reason of the first record.
  int64_t num_records = 0;
};

// The values of an expression of the spec for the records of one place.
struct TriedExpression {
  std::string key;  // "label.expression"
  std::string text;
  int64_t num_values = 0;  // Including nulls.
  int64_t num_null = 0;
  // Records with a field that is not what the expression needs.
  int64_t num_bad = 0;
  std::string first_mistake = {};
  std::vector<std::string> first_values = {};
};

// What the ingest would do with the records of one place of a file.
struct TriedPart {
  std::string file;  // The path below the dataset's folder.
  // The bytes [from_byte, to_byte) of the file's content.
  int64_t from_byte = 0;
  int64_t to_byte = 0;
  int64_t num_records = 0;  // Including records that are left out or filtered.
  int64_t num_left_out = 0;
  int64_t num_filtered = 0;  // Records that do not satisfy `where`.
  std::vector<TriedExpression> expressions = {};
  std::vector<TriedReason> reasons = {};
  // Why the file as a whole would be left out. Empty: it would not.
  std::string refusal = {};
  // The first ones, in order.
  std::vector<TriedSample> samples = {};
};

// Files in a folder that names none of the dataset's classes.
struct UnknownFolder {
  std::string name;  // "." for the dataset's own.
  int64_t num_files = 0;
};

struct DatasetPeek {
  // Whether it is known which files match the spec's pattern.
  bool files_known = false;
  int64_t num_files = 0;  // 0 also when it is not known.
  // The first of these files in the order of paths, below the dataset's folder. Absent when none
  // matches.
  std::optional<std::string> first = {};
  // Up to kHeadBytes of its beginning, unpacked when it is packed and sound.
  std::string head = {};
  // Why no record was tried, worded to follow a colon. Empty when records were tried, or when there
  // is no file.
  std::string not_looked = {};
  // Places of the first file and of others, in the order of paths.
  std::vector<TriedPart> parts = {};
  // With `label.folder`.
  std::vector<UnknownFolder> unknown_folders = {};
};

}  // namespace tidemill::storage
