#include "records/json_fields.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/container/flat_hash_map.h"

#include "simdjson.h"

namespace tidemill {

namespace {

namespace ondemand = simdjson::ondemand;

// The names asked for, as a tree along their dots.
struct Node {
  std::vector<size_t> values;  // Places of the names that end here.
  absl::flat_hash_map<std::string, Node> children;
};

void Insert(Node& root, std::string_view name, size_t place) {
  root.children[std::string(name)].values.push_back(place);
  if (name.find('.') == std::string_view::npos) return;
  Node* node = &root;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    node = &node->children[std::string(name.substr(begin, end - begin))];
    begin = end + 1;
  }
  node->values.push_back(place);
}

std::string_view Trim(std::string_view token) {
  const size_t end = token.find_last_not_of(" \t\r\n");
  return token.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

bool IsNumber(std::string_view token) {
  const size_t digit = token.starts_with('-') ? 1 : 0;
  return digit < token.size() && token[digit] >= '0' && token[digit] <= '9' &&
         token.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

}  // namespace

struct JsonFields::State {
  Node names;
  std::vector<JsonValue> values;
  ondemand::parser parser;
  std::vector<char> padded;

  absl::Status ReadObject(ondemand::object object, const Node& node);
  absl::Status ReadValue(ondemand::value value, std::string_view name, const Node& node);
  absl::Status SetScalar(ondemand::value value, std::string_view name, const Node& node);
  void Set(const Node& node, JsonValue::Kind kind, std::string_view text) {
    for (const size_t place : node.values) {
      if (values[place].kind == JsonValue::Kind::kAbsent) values[place] = {kind, text};
    }
  }
};

absl::Status JsonFields::State::ReadObject(ondemand::object object, const Node& node) {
  for (auto entry : object) {
    ondemand::field field;
    if (const auto error = std::move(entry).get(field)) {
      return InvalidArgument("is not a JSON object: {}", simdjson::error_message(error));
    }
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) {
      return InvalidArgument("has a key that cannot be read: {}", simdjson::error_message(error));
    }
    const auto found = node.children.find(absl::string_view(key.data(), key.size()));
    if (found == node.children.end()) continue;
    RETURN_IF_ERROR(ReadValue(field.value(), key, found->second));
  }
  return absl::OkStatus();
}

absl::Status JsonFields::State::ReadValue(ondemand::value value, std::string_view name,
                                          const Node& node) {
  // Not value.type(), which takes NaN for a damaged text.
  const std::string_view raw = value.raw_json_token();
  const char first = raw.empty() ? '\0' : raw.front();
  if (first != '{' && first != '[') return SetScalar(value, name, node);
  Set(node, JsonValue::Kind::kNested, {});
  if (first == '[' || node.children.empty()) return absl::OkStatus();
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) {
    return InvalidArgument("has a field {} that cannot be read: {}", name,
                           simdjson::error_message(error));
  }
  return ReadObject(object, node);
}

absl::Status JsonFields::State::SetScalar(ondemand::value value, std::string_view name,
                                          const Node& node) {
  const std::string_view token = Trim(value.raw_json_token());
  if (token.starts_with('"')) {
    std::string_view text;
    if (const auto error = value.get_string().get(text)) {
      return InvalidArgument("has a field {} that cannot be read: {}", name,
                             simdjson::error_message(error));
    }
    Set(node, JsonValue::Kind::kText, text);
    return absl::OkStatus();
  }
  if (token == "null" || token == "NaN") {
    Set(node, JsonValue::Kind::kNull, {});
  } else if (token == "true" || token == "false") {
    Set(node, JsonValue::Kind::kBool, token);
  } else if (IsNumber(token)) {
    Set(node, JsonValue::Kind::kNumber, token);
  } else {
    return InvalidArgument("has a field {} that is not a JSON value", name);
  }
  return absl::OkStatus();
}

JsonFields::JsonFields(const std::vector<std::string>& names) : state_(std::make_unique<State>()) {
  state_->values.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i) Insert(state_->names, names[i], i);
}

JsonFields::~JsonFields() = default;
JsonFields::JsonFields(JsonFields&&) noexcept = default;
JsonFields& JsonFields::operator=(JsonFields&&) noexcept = default;

absl::Status JsonFields::Read(std::string_view text) {
  State& state = *state_;
  std::ranges::fill(state.values, JsonValue{});
  if (state.padded.size() < text.size() + simdjson::SIMDJSON_PADDING) {
    state.padded.resize(text.size() + simdjson::SIMDJSON_PADDING);
  }
  text.copy(state.padded.data(), text.size());
  std::memset(state.padded.data() + text.size(), 0, simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  const auto error =
      state.parser.iterate(state.padded.data(), text.size(), state.padded.size()).get(document);
  if (error) return InvalidArgument("is not a JSON object: {}", simdjson::error_message(error));
  ondemand::object object;
  if (const auto wrong = document.get_object().get(object)) {
    return InvalidArgument("is not a JSON object: {}", simdjson::error_message(wrong));
  }
  absl::Status status = state.ReadObject(object, state.names);
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (status.ok() && !at_end) status = InvalidArgument("has text after its object");
  if (!status.ok()) std::ranges::fill(state.values, JsonValue{});
  return status;
}

std::span<const JsonValue> JsonFields::values() const { return state_->values; }

std::vector<std::string> JsonFieldNames(std::string_view text) {
  constexpr size_t kMostNames = 100;
  std::vector<std::string> names;
  ondemand::parser parser;
  const simdjson::padded_string padded(text);
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(padded).get(document) || document.get_object().get(object)) return names;
  for (auto entry : object) {
    ondemand::field field;
    std::string_view name;
    if (names.size() == kMostNames || std::move(entry).get(field) ||
        field.unescaped_key().get(name)) {
      break;
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace tidemill
