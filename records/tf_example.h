// The features of a serialised tf.train.Example, found in one pass over its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/status.h"

namespace tidemill {

// The values of one feature. At most one of the lists has values.
struct ExampleFeature {
  enum class Kind : uint8_t { kAbsent, kBytes, kFloat, kInt64 };
  Kind kind = Kind::kAbsent;
  std::vector<std::string_view> bytes;
  std::vector<float> floats;
  std::vector<int64_t> ints;

  size_t size() const { return bytes.size() + floats.size() + ints.size(); }
};

// Reads the same features from one Example after another, and reuses its memory. The wire format is
// protobuf's, with Example { 1: Features }, Features { 1: map<string, Feature> }, Feature { 1:
// BytesList, 2: FloatList, 3: Int64List }, each list { 1: repeated value }. Fields that occur twice
// are merged as in protobuf. Thread-compatible.
class ExampleFeatures {
 public:
  explicit ExampleFeatures(const std::vector<std::string>& names);

  // INVALID_ARGUMENT when the bytes are not such a message. Then all features are absent.
  absl::Status Read(std::string_view record);

  // Returns the feature of a name by its index. Its views are valid as long as the record is.
  const ExampleFeature& feature(size_t name) const { return features_[place_of_[name]]; }

 private:
  absl::Status ReadFeatures(std::string_view message);
  absl::Status ReadEntry(std::string_view message);

  absl::flat_hash_map<std::string, size_t> places_;
  std::vector<size_t> place_of_;  // By name. Equal names have the same place.
  std::vector<ExampleFeature> features_;
};

}  // namespace tidemill
