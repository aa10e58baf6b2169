// Expected values of statistics, computed with SciPy 1.10.1, scikit-learn 1.2.1 and, for the
// detectors, river and scikit-multiflow: testdata/vectors.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "nlohmann/json.hpp"

#include "base/testing/tree.h"
#include "supervisor/statistics/rows.h"

namespace tidemill::supervisor::statistics::testing {

inline const nlohmann::json& Vectors() {
  static const nlohmann::json vectors = nlohmann::json::parse(
      std::ifstream(tidemill::testing::InTree("supervisor/statistics/testdata/vectors.json")));
  return vectors;
}

inline std::vector<double> Numbers(const nlohmann::json& list) {
  return list.get<std::vector<double>>();
}

// Returns a list of lists as rows, one after another.
inline std::vector<double> Flat(const nlohmann::json& rows) {
  std::vector<double> values;
  for (const auto& row : rows) {
    for (const auto& value : row) values.push_back(value.get<double>());
  }
  return values;
}

// The streams of zeros and ones on which detectors are compared.
inline std::vector<double> Stream(const std::string& name) {
  std::vector<double> values;
  if (name == "A") {
    values.assign(1000, 0);
    values.resize(2000, 1);
  } else if (name == "B") {
    for (int i = 0; i < 2000; ++i) values.push_back(i % (i < 1000 ? 10 : 2) == 0 ? 1 : 0);
  } else {
    int64_t state = 12345;
    for (int i = 0; i < 3000; ++i) {
      state = (1103515245 * state + 12345) % (int64_t{1} << 31);
      values.push_back(static_cast<double>(state) / 0x1.0p31 < (i < 1500 ? 0.1 : 0.4) ? 1 : 0);
    }
  }
  return values;
}

MATCHER_P(IsNear, expected, "within 1e-9, relative") {
  return std::abs(arg - expected) <= 1e-9 * std::max(1e-3, std::abs(static_cast<double>(expected)));
}

}  // namespace tidemill::supervisor::statistics::testing
