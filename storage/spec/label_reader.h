// Reads labels from text and from bytes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/written_number.h"
#include "base/status.h"
#include "storage/spec/label_spec.h"

namespace tidemill::storage {

struct Label {
  std::optional<int64_t> class_label;
  std::optional<double> real_label;
};

// Turns the text or bytes of a label into a Label. If the spec calls them missing, the result has
// no label. Thread-safe.
class LabelReader {
 public:
  // `notation`: how real labels are written in texts.
  explicit LabelReader(const LabelSpec& spec, NumberNotation notation = {});

  // Reads the name of a class, the number of a class when the spec names no classes, or a real
  // number. INVALID_ARGUMENT with the reason.
  absl::StatusOr<Label> FromText(std::string_view text) const;

  // Returns the class of that number. INVALID_ARGUMENT when there is none.
  absl::StatusOr<Label> FromClass(int64_t number) const;

  // Returns the label of a record without the field from which the label is read. Returns `reason`
  // when the spec does not allow that.
  absl::StatusOr<Label> FromNothing(const absl::Status& reason) const;

  // Whether the text says that there is no label. When a class has that name, it is a class.
  bool SaysMissing(std::string_view text) const { return spec_.SaysMissing(text); }

  // Returns the class of a whole number in bytes, without the cost of a status. Returns
  // std::nullopt for a real number, and whenever the class needs FromBytes().
  std::optional<int64_t> ClassFromBytes(const char* bytes, const NumberLayout& layout) const;

  // `bytes` has layout.width bytes.
  absl::StatusOr<Label> FromBytes(const char* bytes, const NumberLayout& layout) const;

 private:
  bool IsMissing(double number) const;

  const LabelSpec spec_;
  const LabelKind kind_;
  const NumberNotation notation_;
  const int64_t num_classes_;  // 0 when unknown.
  std::map<std::string, int64_t, std::less<>> classes_;
  std::vector<double> missing_numbers_;  // The numbers among spec_.missing.
};

}  // namespace tidemill::storage
