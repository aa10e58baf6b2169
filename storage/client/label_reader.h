// Labels, from text and from numbers in bytes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/client/label_spec.h"

namespace tidemill::storage {

struct Label {
  std::optional<int64_t> class_label;
  std::optional<double> real_label;
};

// Turns what a spec calls a label into one, or into none where the spec calls it missing.
// Thread-safe.
class LabelReader {
 public:
  explicit LabelReader(const LabelSpec& spec);

  // A class's name, or its number where the spec names no classes; or a real number.
  // INVALID_ARGUMENT with the reason.
  absl::StatusOr<Label> FromText(std::string_view text) const;

  // Of a record that does not have what the label is read from. `reason` where that is no way to
  // lack a label.
  absl::StatusOr<Label> FromNothing(const absl::Status& reason) const;

  // The class of a whole number in bytes, without the cost of a status: std::nullopt for a real
  // number, and wherever FromBytes has something to say.
  std::optional<int64_t> ClassFromBytes(const char* bytes, const NumberLayout& layout) const;

  // `bytes` has layout.width of them.
  absl::StatusOr<Label> FromBytes(const char* bytes, const NumberLayout& layout) const;

 private:
  absl::StatusOr<Label> FromClass(int64_t number) const;
  bool IsMissing(double number) const;

  const LabelSpec spec_;
  const LabelKind kind_;
  const int64_t num_classes_;  // 0: not known.
  std::map<std::string, int64_t, std::less<>> classes_;
  std::vector<double> missing_numbers_;  // Those of spec_.missing that are numbers.
};

}  // namespace tidemill::storage
