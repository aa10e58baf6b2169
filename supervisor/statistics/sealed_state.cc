#include "supervisor/statistics/sealed_state.h"

#include "nlohmann/json.hpp"

namespace tidemill::supervisor::statistics {
namespace {

std::string Number(int64_t value) { return fmt::format("{}", value); }
// The shortest text that is read as the same number; with a point, as -0 is not one of the
// integers.
std::string Number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <typename Value>
std::string List(const std::vector<Value>& values) {
  std::string text = "[";
  for (const Value value : values) {
    if (text.size() > 1) text += ",";
    text += Number(value);
  }
  return text + "]";
}

bool Read(const nlohmann::json& json, bool& value) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}
bool Read(const nlohmann::json& json, int64_t& value) {
  if (!json.is_number_integer()) return false;
  value = json.get<int64_t>();
  return true;
}
bool Read(const nlohmann::json& json, double& value) {
  if (!json.is_number()) return false;
  value = json.get<double>();
  return true;
}
template <typename Value>
bool Read(const nlohmann::json& json, std::vector<Value>& values) {
  if (!json.is_array()) return false;
  values.resize(json.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!Read(json[i], values[i])) return false;
  }
  return true;
}

}  // namespace

void StateWriter::Add(std::string_view name, std::string_view value) {
  if (text_.size() > 1) text_ += ",";
  text_ += fmt::format("\"{}\":{}", name, value);
}

void StateWriter::operator()(std::string_view name, bool value) {
  Add(name, value ? "true" : "false");
}
void StateWriter::operator()(std::string_view name, int64_t value) { Add(name, Number(value)); }
void StateWriter::operator()(std::string_view name, double value) { Add(name, Number(value)); }
void StateWriter::operator()(std::string_view name, const std::vector<int64_t>& values) {
  Add(name, List(values));
}
void StateWriter::operator()(std::string_view name, const std::vector<double>& values) {
  Add(name, List(values));
}

struct StateReader::Object {
  nlohmann::json json;

  template <typename Value>
  absl::Status Take(std::string_view name, Value& value) const {
    const auto found = json.find(std::string(name));
    if (found == json.end()) return DataLoss("sealed state has no '{}'", name);
    if (!Read(*found, value)) return DataLoss("'{}' of sealed state is of another type", name);
    return absl::OkStatus();
  }
};

StateReader::StateReader(std::string_view text)
    : object_(std::make_unique<Object>(Object{nlohmann::json::parse(text, nullptr, false)})) {
  if (!object_->json.is_object()) Keep(DataLoss("sealed state is no JSON object"));
}

StateReader::~StateReader() = default;

void StateReader::Keep(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

void StateReader::operator()(std::string_view name, bool& value) {
  ++num_read_;
  if (status_.ok()) Keep(object_->Take(name, value));
}
void StateReader::operator()(std::string_view name, int64_t& value) {
  ++num_read_;
  if (status_.ok()) Keep(object_->Take(name, value));
}
void StateReader::operator()(std::string_view name, double& value) {
  ++num_read_;
  if (status_.ok()) Keep(object_->Take(name, value));
}
void StateReader::operator()(std::string_view name, std::vector<int64_t>& values) {
  ++num_read_;
  if (status_.ok()) Keep(object_->Take(name, values));
}
void StateReader::operator()(std::string_view name, std::vector<double>& values) {
  ++num_read_;
  if (status_.ok()) Keep(object_->Take(name, values));
}

std::string StateReader::TextOf(std::string_view name) {
  ++num_read_;
  if (!status_.ok()) return {};
  const auto found = object_->json.find(std::string(name));
  return found == object_->json.end() ? std::string() : found->dump();
}

absl::Status StateReader::Finish() const {
  if (!status_.ok()) return status_;
  if (object_->json.size() != num_read_) {
    return DataLoss("sealed state has {} members, not {}", object_->json.size(), num_read_);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::supervisor::statistics
