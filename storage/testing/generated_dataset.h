// Datasets made for tests, each with what storage must return for every sample. The expected values
// come from the generator, not from the code under test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemill::storage::testing {

struct ExpectedSample {
  std::string payload;
  int64_t event_time = 0;
  std::optional<int64_t> class_label = std::nullopt;
  std::optional<double> real_label = std::nullopt;
  // The file that contains it, below the dataset's folder.
  std::string file = {};
};

struct GeneratedDataset {
  std::string name;
  std::string folder;
  // A DatasetSpec as YAML.
  std::string spec = {};
  // In the order of their keys: files by path, records as they are in the file.
  std::vector<ExpectedSample> samples = {};
};

// Each of these makes a new folder below `root`, with about `num_samples` samples in several files.

// CSV with a header, and quoted fields with commas, quotes and line ends. One file has CRLF,
// another no last line end. The class label and the time are in columns.
GeneratedDataset MakeCsv(const std::string& root, int num_samples);
// Fixed records with a header, whose real label is a big-endian float32 in the record. Times are by
// row, so that the files overlap in time.
GeneratedDataset MakeRecords(const std::string& root, int num_samples);
// Records of 32 KiB after their class. A few of them exceed what both ends of a stream hold. There
// are three files of the same length.
GeneratedDataset MakeLargeRecords(const std::string& root, int num_samples);
// Records of three bytes, the first of which is the class, all in one file. `samples` is empty. For
// tests that need length rather than variety.
GeneratedDataset MakeSmallRecords(const std::string& root, int64_t num_samples);
// IDX files with the labels in a second file, all gzipped.
GeneratedDataset MakeGzippedIdx(const std::string& root, int num_samples);
// Files that are one sample each. The folder is the class, the name the time.
GeneratedDataset MakeSingleFiles(const std::string& root, int num_samples);
// Windows of 4 rows of a CSV file with quoted line ends. The label is the number 3 rows ahead.
// There are groups, gaps and rows without a number.
GeneratedDataset MakeSeries(const std::string& root, int num_rows);

}  // namespace tidemill::storage::testing
