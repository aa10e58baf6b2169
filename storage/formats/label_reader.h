// Labels, from text and from numbers in bytes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/client/dataset_spec.h"

namespace tidemill::storage {

struct Label {
  std::optional<int64_t> class_label;
  std::optional<double> real_label;
};

// Turns what a spec calls a label into one. Thread-safe.
class LabelReader {
 public:
  explicit LabelReader(const LabelSpec& spec);

  // A class's name, or its number where the spec names no classes; or a real number.
  // INVALID_ARGUMENT with the reason.
  absl::StatusOr<Label> FromText(std::string_view text) const;

  // The class of a whole number in bytes, without the cost of a status: std::nullopt for a real
  // number, and wherever FromBytes has something to say.
  std::optional<int64_t> ClassFromBytes(const char* bytes, const NumberLayout& layout) const;

  // `bytes` has layout.width of them.
  absl::StatusOr<Label> FromBytes(const char* bytes, const NumberLayout& layout) const;

 private:
  absl::StatusOr<Label> FromClass(int64_t number) const;

  const LabelKind kind_;
  const int64_t num_classes_;  // 0: not known.
  std::map<std::string, int64_t, std::less<>> classes_;
};

}  // namespace tidemill::storage
