#include "records/json_fields.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"

#include "simdjson.h"

namespace tidemill {

namespace {

namespace ondemand = simdjson::ondemand;

// The names asked for, as a tree along their steps.
struct Node {
  std::vector<size_t> values;  // Places of the names that end here.
  absl::flat_hash_map<std::string, Node> children;
  absl::flat_hash_map<size_t, Node> elements;
  size_t num_elements = 0;  // How many of a list have to be looked at.
};

// A step of a path: the name of a field, or the place of an element.
using Step = std::variant<std::string, size_t>;

// Reads the steps of a path one after another.
class PathReader {
 public:
  explicit PathReader(std::string_view path) : rest_(path) {}

  // Returns std::nullopt for a text that is not a path.
  std::optional<std::vector<Step>> Read() {
    std::vector<Step> steps;
    if (!rest_.starts_with('[')) steps.emplace_back(TakeName());
    while (!rest_.empty()) {
      if (steps.size() == kMaxJsonSteps) return std::nullopt;
      if (Take(".")) {
        steps.emplace_back(TakeName());
      } else if (Take("[\"")) {
        auto name = TakeQuoted();
        if (!name) return std::nullopt;
        steps.emplace_back(*std::move(name));
      } else {
        const auto place = TakePlace();
        if (!place) return std::nullopt;
        steps.emplace_back(*place);
      }
    }
    // The record itself is an object.
    if (!std::holds_alternative<std::string>(steps.front())) return std::nullopt;
    return steps;
  }

 private:
  bool Take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string TakeName() {
    const size_t end = std::min(rest_.find_first_of(".["), rest_.size());
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  // Behind `["`, to the end of `"]`.
  std::optional<std::string> TakeQuoted() {
    std::string name;
    while (!rest_.empty()) {
      if (rest_.front() == '"') {
        if (!Take("\"]")) return std::nullopt;
        return name;
      }
      const bool escaped = rest_.starts_with("\\\"") || rest_.starts_with("\\\\");
      name += rest_[escaped ? 1 : 0];
      rest_.remove_prefix(escaped ? 2 : 1);
    }
    return std::nullopt;
  }

  std::optional<size_t> TakePlace() {
    uint32_t place = 0;
    if (!Take("[") || rest_.empty()) return std::nullopt;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), place);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(end - rest_.data());
    if (!Take("]")) return std::nullopt;
    return place;
  }

  std::string_view rest_;
};

void Insert(Node& root, std::string_view name, size_t place) {
  root.children[std::string(name)].values.push_back(place);
  const auto steps = PathReader(name).Read();
  if (!steps || *steps == std::vector<Step>{std::string(name)}) return;
  Node* node = &root;
  for (const Step& step : *steps) {
    if (const auto* field = std::get_if<std::string>(&step)) {
      node = &node->children[*field];
    } else {
      const size_t element = std::get<size_t>(step);
      node->num_elements = std::max(node->num_elements, element + 1);
      node = &node->elements[element];
    }
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

// Says what is wrong with a text that is not an object.
absl::Status NoObject(std::string_view text, simdjson::error_code error) {
  text = Trim(text);
  const bool is_bracket = text == "[" || text == "]";
  if (!is_bracket &&
      !(text.ends_with(',') && Trim(text.substr(0, text.size() - 1)).ends_with('}'))) {
    return InvalidArgument("is not a JSON object: {}", simdjson::error_message(error));
  }
  return InvalidArgument(
      "{}; is the file one JSON array? `jq -c '.[]'` writes each of its objects on its own line",
      is_bracket ? "is a bracket, not a JSON object" : "has a comma after its object");
}

}  // namespace

struct JsonFields::State {
  Node names;
  std::vector<JsonValue> values;
  ondemand::parser parser;
  std::vector<char> padded;

  absl::Status ReadObject(ondemand::object object, const Node& node);
  absl::Status ReadList(ondemand::value value, std::string_view name, const Node& node);
  absl::Status ReadValue(ondemand::value value, std::string_view name, const Node& node);
  absl::Status SetScalar(ondemand::value value, std::string_view name, const Node& node);
  absl::Status Set(const Node& node, std::string_view name, JsonValue value);
};

absl::Status JsonFields::State::Set(const Node& node, std::string_view name, JsonValue value) {
  for (const size_t place : node.values) {
    JsonValue& known = values[place];
    // Parts of two objects must not be mixed.
    const bool is_other = known.kind != JsonValue::Kind::kAbsent &&
                          (known.kind != value.kind || known.text != value.text ||
                           value.kind == JsonValue::Kind::kNested);
    if (is_other) return InvalidArgument("has field {} twice, with different values", name);
    known = value;
  }
  return absl::OkStatus();
}

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

absl::Status JsonFields::State::ReadList(ondemand::value value, std::string_view name,
                                         const Node& node) {
  if (node.num_elements == 0) return absl::OkStatus();
  const auto damaged = [&](simdjson::error_code error) {
    return InvalidArgument("has a field {} that cannot be read: {}", name,
                           simdjson::error_message(error));
  };
  ondemand::array list;
  if (const auto error = value.get_array().get(list)) return damaged(error);
  size_t place = 0;
  for (auto entry : list) {
    ondemand::value element;
    if (const auto error = std::move(entry).get(element)) return damaged(error);
    const auto found = node.elements.find(place++);
    if (found != node.elements.end()) RETURN_IF_ERROR(ReadValue(element, name, found->second));
    if (place == node.num_elements) break;
  }
  return absl::OkStatus();
}

absl::Status JsonFields::State::ReadValue(ondemand::value value, std::string_view name,
                                          const Node& node) {
  // Not value.type(), which takes NaN for a damaged text.
  const std::string_view raw = value.raw_json_token();
  const char first = raw.empty() ? '\0' : raw.front();
  if (first != '{' && first != '[') return SetScalar(value, name, node);
  RETURN_IF_ERROR(Set(node, name, {JsonValue::Kind::kNested, {}}));
  if (first == '[') return ReadList(value, name, node);
  if (node.children.empty()) return absl::OkStatus();
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
    return Set(node, name, {JsonValue::Kind::kText, text});
  }
  if (token == "null" || token == "NaN") return Set(node, name, {JsonValue::Kind::kNull, token});
  if (token == "true" || token == "false") {
    return Set(node, name, {JsonValue::Kind::kBool, token});
  }
  if (IsNumber(token)) return Set(node, name, {JsonValue::Kind::kNumber, token});
  return InvalidArgument("has a field {} that is not a JSON value", name);
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
  if (error) return NoObject(text, error);
  ondemand::object object;
  if (const auto wrong = document.get_object().get(object)) return NoObject(text, wrong);
  absl::Status status = state.ReadObject(object, state.names);
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  if (status.ok() && !at_end) status = InvalidArgument("has text after its object");
  if (!status.ok()) std::ranges::fill(state.values, JsonValue{});
  return status;
}

std::span<const JsonValue> JsonFields::values() const { return state_->values; }

std::vector<std::string> JsonFieldNames(std::string_view text) {
  constexpr size_t kMaxNames = 100;
  std::vector<std::string> names;
  ondemand::parser parser;
  const simdjson::padded_string padded(text);
  ondemand::document document;
  ondemand::object object;
  if (parser.iterate(padded).get(document) || document.get_object().get(object)) return names;
  for (auto entry : object) {
    ondemand::field field;
    std::string_view name;
    if (names.size() == kMaxNames || std::move(entry).get(field) ||
        field.unescaped_key().get(name)) {
      break;
    }
    names.emplace_back(name);
  }
  return names;
}

}  // namespace tidemill
