#include "models/torch/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "nlohmann/json.hpp"

namespace tidemill::models {
namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr size_t kMaxHeader = 100'000'000;  // The limit of the reference implementation.
constexpr size_t kAlignment = 8;
constexpr int64_t kLengthBytes = 8;

constexpr std::pair<std::string_view, int64_t> kTypes[] = {
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
    {"I32", 4},  {"U32", 4}, {"F32", 4}, {"F64", 8}, {"I64", 8}, {"U64", 8}};

// Bytes that an array of this type and shape takes; std::nullopt when there is no such array.
std::optional<int64_t> SizeOf(std::string_view dtype, const std::vector<int64_t>& shape) {
  const auto* const type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                        [&](const auto& t) { return t.first == dtype; });
  if (type == std::end(kTypes)) return std::nullopt;
  int64_t size = type->second;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (__builtin_mul_overflow(size, dimension, &size)) return std::nullopt;
  }
  return size;
}

// Parses JSON without exceptions; a name that occurs twice in one object is an error.
std::optional<nlohmann::json> ParseStrictly(std::string_view text) {
  std::vector<std::set<std::string>> names;
  bool twice = false;
  const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end && !names.empty()) names.pop_back();
    if (event == Event::key && !names.back().insert(parsed.get<std::string>()).second) twice = true;
    return true;
  };
  nlohmann::json json = nlohmann::json::parse(text, watch, /*allow_exceptions=*/false);
  if (twice || !json.is_object()) return std::nullopt;
  return json;
}

struct Interval {
  int64_t begin;
  int64_t end;
  auto operator<=>(const Interval&) const = default;
};

absl::StatusOr<std::vector<int64_t>> ReadNumbers(const nlohmann::json& json) {
  if (!json.is_array()) return DataLoss("an array of numbers is missing");
  std::vector<int64_t> numbers;
  for (const nlohmann::json& element : json) {
    if (!element.is_number_unsigned()) return DataLoss("a number is not a whole number");
    const auto number = element.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return DataLoss("a number is too large");
    }
    numbers.push_back(static_cast<int64_t>(number));
  }
  return numbers;
}

// Reads what the header says about an array, in a file with `data_bytes` bytes of arrays.
absl::Status ReadTensor(const nlohmann::json& json, int64_t data_bytes, TensorBytes& tensor,
                        Interval& interval) {
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets") || !json["dtype"].is_string()) {
    return DataLoss("needs exactly dtype, shape and data_offsets");
  }
  tensor.dtype = json["dtype"].get<std::string>();
  ASSIGN_OR_RETURN(tensor.shape, ReadNumbers(json["shape"]));
  ASSIGN_OR_RETURN(const std::vector<int64_t> offsets, ReadNumbers(json["data_offsets"]));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    return DataLoss("data_offsets are outside the file");
  }
  if (SizeOf(tensor.dtype, tensor.shape) != offsets[1] - offsets[0]) {
    return DataLoss("dtype and shape do not match its {} bytes", offsets[1] - offsets[0]);
  }
  interval = {offsets[0], offsets[1]};
  return absl::OkStatus();
}

absl::Status ReadMetadata(const nlohmann::json& json,
                          std::map<std::string, std::string>& metadata) {
  if (!json.is_object()) return DataLoss("__metadata__ is not an object");
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return DataLoss("__metadata__ holds a value that is not text");
    metadata[name] = value.get<std::string>();
  }
  return absl::OkStatus();
}

absl::Status CheckCoverage(std::vector<Interval> intervals, int64_t size) {
  std::sort(intervals.begin(), intervals.end());
  int64_t end = 0;
  for (const Interval& interval : intervals) {
    if (interval.begin != end) return DataLoss("arrays overlap or leave a gap at byte {}", end);
    end = interval.end;
  }
  if (end != size) return DataLoss("the last array does not end with the file");
  return absl::OkStatus();
}

// What the header says about a file with `data_bytes` bytes of arrays, and where they are.
absl::StatusOr<TensorFile> ReadHeader(std::string_view text, int64_t data_bytes,
                                      std::map<std::string, Interval>& intervals) {
  if (!text.starts_with('{')) return DataLoss("the safetensors header does not start with {{");
  const std::optional<nlohmann::json> header = ParseStrictly(text);
  if (!header) return DataLoss("the safetensors header is not a JSON object with distinct names");
  TensorFile file;
  std::vector<Interval> all;
  for (const auto& [name, json] : header->items()) {
    if (name == kMetadata) {
      RETURN_IF_ERROR(ReadMetadata(json, file.metadata));
      continue;
    }
    RETURN_IF_ERROR(Annotate(ReadTensor(json, data_bytes, file.tensors[name], intervals[name]),
                             "array " + name));
    all.push_back(intervals[name]);
  }
  RETURN_IF_ERROR(CheckCoverage(std::move(all), data_bytes));
  return file;
}

}  // namespace

absl::StatusOr<std::string> WriteTensorFile(const TensorFile& file) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!file.metadata.empty()) header[std::string(kMetadata)] = file.metadata;
  int64_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    const auto size = static_cast<int64_t>(tensor.bytes.size());
    if (name == kMetadata) return InvalidArgument("{} cannot be the name of an array", name);
    if (SizeOf(tensor.dtype, tensor.shape) != size) {
      return InvalidArgument("array {} of {} has {} bytes, which do not match its shape", name,
                             tensor.dtype, size);
    }
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes.reserve(bytes.size() + text.size() + offset);
  bytes += text;
  for (const auto& [name, tensor] : file.tensors) bytes += tensor.bytes;
  return bytes;
}

absl::StatusOr<int64_t> HeaderBytes(std::string_view first) {
  uint64_t length = 0;
  if (first.size() < sizeof(length)) return DataLoss("a safetensors file has at least 8 bytes");
  std::memcpy(&length, first.data(), sizeof(length));
  if (length > kMaxHeader) return DataLoss("the safetensors header claims {} bytes", length);
  return static_cast<int64_t>(sizeof(length) + length);
}

absl::StatusOr<TensorFile> ReadTensorHeader(std::string_view head, int64_t file_bytes) {
  ASSIGN_OR_RETURN(const int64_t size, HeaderBytes(head));
  if (size > std::ssize(head)) {
    return DataLoss("the safetensors header claims {} bytes", size - kLengthBytes);
  }
  std::map<std::string, Interval> intervals;
  return ReadHeader(head.substr(kLengthBytes, size - kLengthBytes), file_bytes - size, intervals);
}

absl::StatusOr<TensorFile> ReadTensorFile(std::string_view bytes) {
  ASSIGN_OR_RETURN(const int64_t size, HeaderBytes(bytes));
  if (size > std::ssize(bytes)) {
    return DataLoss("the safetensors header claims {} bytes", size - kLengthBytes);
  }
  const std::string_view data = bytes.substr(size);
  std::map<std::string, Interval> intervals;
  ASSIGN_OR_RETURN(TensorFile file, ReadHeader(bytes.substr(kLengthBytes, size - kLengthBytes),
                                               std::ssize(data), intervals));
  for (auto& [name, tensor] : file.tensors) {
    const Interval& at = intervals.at(name);
    tensor.bytes = data.substr(at.begin, at.end - at.begin);
  }
  return file;
}

}  // namespace tidemill::models
