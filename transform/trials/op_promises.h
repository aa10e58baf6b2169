// Checks whether a user's op keeps the promises of transform/engine/op.h.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "plugin/spec/plugin_use.h"
#include "plugin/spec/promise.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform::trials {

// The result of a trial.
struct OpTrial {
  int64_t num_rows = 0;
  // The number of rows that the op could not make.
  int64_t num_bad = 0;
  std::vector<ColumnSchema> outputs = {};
  bool fits = false;
  // Measured in blocks of 4096, without the fit.
  double rows_per_second = 0;
  std::vector<plugin::Promise> promises = {};

  bool KeepsAll() const;
};

// Lets the op learn from `num_rows` rows, if it learns, and make them, several times. Numbers are
// like those of a normal distribution; whole ones are from 0 to 99, and byte strings are words.
// `use` holds the program. Fails if the op cannot work at all.
absl::StatusOr<OpTrial> TryOp(const plugin::PluginUse& use, std::vector<ColumnSchema> inputs,
                              int64_t num_rows);

}  // namespace tidemill::transform::trials
