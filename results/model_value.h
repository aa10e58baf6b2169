// The value that stands for the models of a run, beside the better rule without a model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "google/protobuf/repeated_ptr_field.h"

#include "results/rows.h"
#include "results/sample_mean.h"

namespace tidemill::results {

using Table = google::protobuf::RepeatedPtrField<Row>;

// Returns the measure where it is a plug-in of the pipeline, else nullptr. Without this function, a
// measure of a plug-in has a value only where that needs no call of the plug-in.
using FindPlugin = std::function<std::shared_ptr<const Measure>(const Measured&)>;

// A rule without a model: `constant` or `last`.
struct RuleValue {
  std::string name;
  double value = 0;
};

struct ModelValue {
  Measured measured;
  // Never without a value. The table must outlive it.
  SampleMean models;
  // Whether no model was in use in any window, so that the last model stands for all.
  bool is_of_last_model = false;
  // The better of the rules on the windows of the models; std::nullopt when none has a value.
  std::optional<RuleValue> rule = std::nullopt;
};

// Returns the pooled value of the models in use, else of the last model: of `measure`, by its name
// in the table, or of the first one that has a value when it is empty. std::nullopt when there is
// none.
std::optional<ModelValue> ValueOfModels(const Table& table, std::string_view measure = "",
                                        const FindPlugin& plugin = {});

// Returns the pooled value of the first measure that has one on the windows in which the trigger's
// model was in use; in a table in which no model ever was in use, on all that it was measured on.
// std::nullopt when there is none.
std::optional<ModelValue> ValueOfModel(const Table& table, int64_t trigger,
                                       const FindPlugin& plugin = {});

}  // namespace tidemill::results
