#include "storage/spec/label_reader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "base/numbers/number_text.h"

namespace tidemill::storage {

namespace {

template <typename T>
std::optional<T> Parse(std::string_view text) {
  T number{};
  const auto [stop, error] = ReadNumber(text, number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ParseReal(std::string_view text, const NumberNotation& notation) {
  double number = 0;
  if (ParseWrittenNumber(text, notation, number)) return std::nullopt;
  return number;
}

// The bytes as an unsigned number, most significant byte first.
uint64_t Gather(const char* bytes, const NumberLayout& layout) {
  const bool is_native =
      (layout.endianness == Endianness::kLittle) == (std::endian::native == std::endian::little);
  if (layout.width == 4 && is_native) {  // What most files have.
    uint32_t number = 0;
    std::memcpy(&number, bytes, sizeof(number));
    return number;
  }
  uint64_t bits = 0;
  for (int64_t i = 0; i < layout.width; ++i) {
    const int64_t at = layout.endianness == Endianness::kBig ? i : layout.width - 1 - i;
    bits = bits << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return bits;
}

int64_t SignExtend(uint64_t bits, int64_t width) {
  const int shift = static_cast<int>(64 - 8 * width);
  return static_cast<int64_t>(bits << shift) >> shift;
}

}  // namespace

LabelReader::LabelReader(const LabelSpec& spec, NumberNotation notation)
    : spec_(spec),
      kind_(spec.kind),
      notation_(std::move(notation)),
      num_classes_(static_cast<int64_t>(spec.classes.size())) {
  for (const std::string& name : spec.classes) {
    classes_.emplace(name, static_cast<int64_t>(classes_.size()));
  }
  for (const std::string& word : spec.missing) {
    if (const auto number = Parse<double>(word)) missing_numbers_.push_back(*number);
  }
}

bool LabelReader::IsMissing(double number) const {
  return std::ranges::any_of(missing_numbers_, [&](double missing) {
    return missing == number || (std::isnan(missing) && std::isnan(number));
  });
}

absl::StatusOr<Label> LabelReader::FromNothing(const absl::Status& reason) const {
  return spec_.SaysMissing("") ? absl::StatusOr<Label>(Label{}) : reason;
}

absl::StatusOr<Label> LabelReader::FromText(std::string_view text) const {
  if (num_classes_ == 0 && spec_.SaysMissing(text)) return Label{};
  if (kind_ == LabelKind::kReal) {
    const std::optional<double> number = ParseReal(text, notation_);
    if (!number || !std::isfinite(*number)) {
      return InvalidArgument("label '{}' is not a number", text);
    }
    return Label{.class_label = std::nullopt, .real_label = number};
  }
  if (num_classes_ > 0) {
    const auto found = classes_.find(text);
    if (found == classes_.end() && spec_.SaysMissing(text)) return Label{};
    if (found == classes_.end()) return InvalidArgument("label '{}' is not in classes", text);
    return Label{.class_label = found->second, .real_label = std::nullopt};
  }
  const std::optional<int64_t> number = Parse<int64_t>(text);
  if (!number) return InvalidArgument("label '{}' is not a whole number", text);
  return FromClass(*number);
}

std::optional<int64_t> LabelReader::ClassFromBytes(const char* bytes,
                                                   const NumberLayout& layout) const {
  if (kind_ != LabelKind::kClass || layout.encoding == NumberEncoding::kFloat) return std::nullopt;
  const uint64_t bits = Gather(bytes, layout);
  const int64_t number = layout.encoding == NumberEncoding::kSigned ? SignExtend(bits, layout.width)
                                                                    : static_cast<int64_t>(bits);
  if (number < 0 || (num_classes_ > 0 && number >= num_classes_)) return std::nullopt;
  if (num_classes_ == 0 && IsMissing(static_cast<double>(number))) return std::nullopt;
  return number;
}

absl::StatusOr<Label> LabelReader::FromBytes(const char* bytes, const NumberLayout& layout) const {
  const uint64_t bits = Gather(bytes, layout);
  double real = 0;
  int64_t whole = 0;
  if (layout.encoding == NumberEncoding::kFloat) {
    real = layout.width == 4 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                             : std::bit_cast<double>(bits);
    const bool is_whole = std::nearbyint(real) == real && std::abs(real) < 9e18;
    if (kind_ == LabelKind::kClass && !is_whole) {
      if (IsMissing(real)) return Label{};
      return InvalidArgument("label {} is not a whole number", real);
    }
    if (kind_ == LabelKind::kClass) whole = static_cast<int64_t>(real);
  } else {
    whole = layout.encoding == NumberEncoding::kSigned ? SignExtend(bits, layout.width)
                                                       : static_cast<int64_t>(bits);
    real = static_cast<double>(whole);
  }
  const bool is_class =
      kind_ == LabelKind::kClass && whole >= 0 && num_classes_ > 0 && whole < num_classes_;
  if (!is_class && IsMissing(real)) return Label{};
  if (kind_ == LabelKind::kClass) return FromClass(whole);
  if (!std::isfinite(real)) return InvalidArgument("label {} is not a number", real);
  return Label{.class_label = std::nullopt, .real_label = real};
}

absl::StatusOr<Label> LabelReader::FromClass(int64_t number) const {
  if (number < 0) return InvalidArgument("label {} is negative", number);
  if (num_classes_ > 0 && number >= num_classes_) {
    return InvalidArgument("label {} is not below the number of classes, {}", number, num_classes_);
  }
  return Label{.class_label = number, .real_label = std::nullopt};
}

}  // namespace tidemill::storage
