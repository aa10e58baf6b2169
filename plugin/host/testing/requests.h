// Requests that tests make.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

#include "plugin/host/testing/owner.h"

namespace tidemill::plugin::host::testing {

template <typename Value>
void Write(const Owner& owner, size_t at, const std::vector<Value>& values) {
  std::memcpy(owner.memory().data() + at, values.data(), values.size() * sizeof(Value));
}

// Numbers of a column of the last answer.
template <typename Value>
std::vector<Value> Answered(const Owner& owner, const nlohmann::json& at, size_t count) {
  std::vector<Value> values(count);
  std::memcpy(values.data(), owner.answers().data() + at.get<size_t>(), count * sizeof(Value));
  return values;
}

inline nlohmann::json Load(Owner& owner, const std::string& name,
                           const std::string& kind = "trigger") {
  return owner.Call({{"call", "load"}, {"file", "test.so"}, {"name", name}, {"kind", kind}});
}

inline nlohmann::json Create(Owner& owner, const nlohmann::json& settings, uint64_t seed = 1) {
  return owner.Call({{"call", "create"}, {"settings", settings}, {"seed", seed}});
}

// A decision with three rows of errors, two samples, and two rows of prices.
inline nlohmann::json Observe(const Owner& owner) {
  Write<double>(owner, 0, {1, 0, 1});
  Write<int64_t>(owner, 64, {5, 9});
  Write<int64_t>(owner, 128, {1, 2});
  Write<double>(owner, 192, {1, 2, 3, 7});
  return nlohmann::json::parse(R"({
      "call": "observe", "at": {"event_time": 1, "key": 2}, "num_new": 3, "has_model": true,
      "events": [{"trained": {"event_time": 0, "key": 77}}, {"cost": {"samples": 4, "seconds": 2}},
                 {"no_model": true}],
      "tables": {
        "errors": {"rows": 3, "missing": 4, "columns": [
          {"name": "values", "type": "float64", "shape": [1], "at": 0}]},
        "all": {"rows": 2, "missing": 0, "columns": [
          {"name": "key", "type": "int64", "shape": [], "at": 64},
          {"name": "event_time", "type": "int64", "shape": [], "at": 128}]},
        "price": {"rows": 2, "missing": 0, "columns": [
          {"name": "values", "type": "float64", "shape": [2], "at": 192}]}}})");
}

// What an answer's fault says; empty when it has none.
inline std::string WhatOf(const nlohmann::json& answer) {
  if (!answer.is_object() || !answer.contains("fault")) return "";
  return answer["fault"]["what"];
}

}  // namespace tidemill::plugin::host::testing
