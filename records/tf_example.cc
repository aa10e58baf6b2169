#include "records/tf_example.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <bit>
#include <optional>

namespace tidemill {

namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t kFieldOne =
    WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kFieldTwo =
    WireFormatLite::MakeTag(2, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kFieldThree =
    WireFormatLite::MakeTag(3, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
constexpr uint32_t kOneFixed32 = WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_FIXED32);
constexpr uint32_t kOneVarint = WireFormatLite::MakeTag(1, WireFormatLite::WIRETYPE_VARINT);

absl::Status NotAnExample() { return InvalidArgument("is not a tf.train.Example"); }

// The fields of one message, one after the other.
class Message {
 public:
  explicit Message(std::string_view bytes)
      : bytes_(bytes),
        stream_(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size())) {}

  // The tag of the next field; 0 at the end, or where something is not a field.
  uint32_t NextTag() { return stream_.ReadTag(); }
  // Whether all of the message was read.
  bool Ended() { return stream_.ConsumedEntireMessage(); }
  bool Skip(uint32_t tag) { return WireFormatLite::SkipField(&stream_, tag); }

  std::optional<std::string_view> TakeBytes() {
    uint32_t size = 0;
    if (!stream_.ReadVarint32(&size)) return std::nullopt;
    const auto from = static_cast<size_t>(stream_.CurrentPosition());
    if (size > bytes_.size() - from || !stream_.Skip(static_cast<int>(size))) return std::nullopt;
    return bytes_.substr(from, size);
  }

  bool TakeFloat(std::vector<float>& values) {
    uint32_t bits = 0;
    if (!stream_.ReadLittleEndian32(&bits)) return false;
    values.push_back(std::bit_cast<float>(bits));
    return true;
  }

  bool TakeInt(std::vector<int64_t>& values) {
    uint64_t bits = 0;
    if (!stream_.ReadVarint64(&bits)) return false;
    values.push_back(static_cast<int64_t>(bits));
    return true;
  }

  bool AtEnd() { return stream_.CurrentPosition() == static_cast<int>(bytes_.size()); }

 private:
  const std::string_view bytes_;
  CodedInputStream stream_;
};

bool ReadBytesList(std::string_view list, std::vector<std::string_view>& values) {
  Message message(list);
  while (const uint32_t tag = message.NextTag()) {
    if (tag != kFieldOne) {
      if (!message.Skip(tag)) return false;
      continue;
    }
    const auto value = message.TakeBytes();
    if (!value) return false;
    values.push_back(*value);
  }
  return message.Ended();
}

// A list of numbers, packed or one by one. `take` reads one.
template <typename Take>
bool ReadNumberList(std::string_view list, uint32_t single_tag, const Take& take) {
  Message message(list);
  while (const uint32_t tag = message.NextTag()) {
    if (tag == single_tag) {
      if (!take(message)) return false;
    } else if (tag == kFieldOne) {
      const auto packed = message.TakeBytes();
      if (!packed) return false;
      Message numbers(*packed);
      while (!numbers.AtEnd()) {
        if (!take(numbers)) return false;
      }
    } else if (!message.Skip(tag)) {
      return false;
    }
  }
  return message.Ended();
}

void Become(ExampleFeature::Kind kind, ExampleFeature& feature) {
  if (feature.kind == kind) return;
  feature.kind = kind;
  feature.bytes.clear();
  feature.floats.clear();
  feature.ints.clear();
}

bool ReadFeature(std::string_view bytes, ExampleFeature& feature) {
  using Kind = ExampleFeature::Kind;
  Message message(bytes);
  while (const uint32_t tag = message.NextTag()) {
    if (tag != kFieldOne && tag != kFieldTwo && tag != kFieldThree) {
      if (!message.Skip(tag)) return false;
      continue;
    }
    const auto list = message.TakeBytes();
    if (!list) return false;
    Become(tag == kFieldOne   ? Kind::kBytes
           : tag == kFieldTwo ? Kind::kFloat
                              : Kind::kInt64,
           feature);
    const bool read =
        tag == kFieldOne ? ReadBytesList(*list, feature.bytes)
        : tag == kFieldTwo
            ? ReadNumberList(*list, kOneFixed32,
                             [&](Message& from) { return from.TakeFloat(feature.floats); })
            : ReadNumberList(*list, kOneVarint,
                             [&](Message& from) { return from.TakeInt(feature.ints); });
    if (!read) return false;
  }
  return message.Ended();
}

}  // namespace

ExampleFeatures::ExampleFeatures(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto [place, is_new] = places_.emplace(name, features_.size());
    if (is_new) features_.emplace_back();
    place_of_.push_back(place->second);
  }
}

absl::Status ExampleFeatures::Read(std::string_view record) {
  for (ExampleFeature& feature : features_) Become(ExampleFeature::Kind::kAbsent, feature);
  if (record.size() > size_t{1} << 30) return InvalidArgument("is longer than a message can be");
  Message example(record);
  absl::Status status;
  while (const uint32_t tag = example.NextTag()) {
    if (tag == kFieldOne) {
      const auto features = example.TakeBytes();
      status = features ? ReadFeatures(*features) : NotAnExample();
    } else if (!example.Skip(tag)) {
      status = NotAnExample();
    }
    if (!status.ok()) break;
  }
  if (status.ok() && !example.Ended()) status = NotAnExample();
  if (!status.ok()) {
    for (ExampleFeature& feature : features_) Become(ExampleFeature::Kind::kAbsent, feature);
  }
  return status;
}

absl::Status ExampleFeatures::ReadFeatures(std::string_view bytes) {
  Message message(bytes);
  while (const uint32_t tag = message.NextTag()) {
    if (tag == kFieldOne) {
      const auto entry = message.TakeBytes();
      if (!entry) return NotAnExample();
      RETURN_IF_ERROR(ReadEntry(*entry));
    } else if (!message.Skip(tag)) {
      return NotAnExample();
    }
  }
  return message.Ended() ? absl::OkStatus() : NotAnExample();
}

// An entry of the map: 1: its key, 2: its value.
absl::Status ExampleFeatures::ReadEntry(std::string_view bytes) {
  Message message(bytes);
  std::string_view name, value;
  while (const uint32_t tag = message.NextTag()) {
    if (tag == kFieldOne || tag == kFieldTwo) {
      const auto part = message.TakeBytes();
      if (!part) return NotAnExample();
      (tag == kFieldOne ? name : value) = *part;
    } else if (!message.Skip(tag)) {
      return NotAnExample();
    }
  }
  if (!message.Ended()) return NotAnExample();
  const auto place = places_.find(absl::string_view(name.data(), name.size()));
  if (place == places_.end()) return absl::OkStatus();
  ExampleFeature& feature = features_[place->second];
  Become(ExampleFeature::Kind::kAbsent, feature);  // The last of equal keys counts.
  return ReadFeature(value, feature) ? absl::OkStatus() : NotAnExample();
}

}  // namespace tidemill
