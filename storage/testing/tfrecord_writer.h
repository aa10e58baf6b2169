// TFRecords and Examples, written without the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tidemill::storage::testing {

// The record with its length and checksums.
std::string TfRecord(const std::string& bytes);

struct ExampleContent {
  std::map<std::string, int64_t> ints = {};
  std::map<std::string, std::string> bytes = {};
};
// A serialised tf.train.Example.
std::string TfExample(const ExampleContent& content);

}  // namespace tidemill::storage::testing
