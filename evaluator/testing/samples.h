// A dataset for tests. Sample i has the key i + 1, the time 10 i, and the CSV record "i,LOW", or
// "i,HIGH" when i > 4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::evaluator::testing {

inline constexpr char kDatasetSpec[] = R"(path: /nowhere
format: {type: csv, header: false, columns: [x, y]}
label: {column: y, classes: [LOW, HIGH]}
)";

// Two graphs that make the same tensors in different ways.
inline constexpr char kGraph[] = R"(
- parse_csv: {columns: [x]}
- stack: {columns: all}
- label: {}
)";
inline constexpr char kOtherGraph[] = R"(
- parse_csv: {columns: [x], dtype: float64}
- cast: {columns: [x], dtype: float32}
- stack: {columns: all}
- label: {}
)";

transform::SampleSchema Schema();

// Returns the samples [from, to).
batch::Batch Samples(int64_t from, int64_t to);

// Returns one sample per record, with these classes.
batch::Batch SamplesOf(const std::vector<std::string>& records, const std::vector<int64_t>& classes,
                       int64_t first = 0);

}  // namespace tidemill::evaluator::testing
