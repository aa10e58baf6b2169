// The values with which a submission replaces those of a pipeline's text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supervisor/checks/pipeline_check.h"

namespace tidemill::supervisor {

struct SetValue {
  std::string key = {};    // "training.optimizer.lr"
  std::string value = {};  // As YAML.
  // The value that it replaces, in one line. std::nullopt when there was none.
  std::optional<std::string> was = std::nullopt;
  bool was_default = false;  // Whether that was not in the text, but the default.

  // "training.optimizer.lr = 1e-3 (was 0.01)"
  std::string Text() const;
};

// Returns the overrides of a valid pipeline with what they replace, in order.
std::vector<SetValue> SetValuesOf(const PipelineSource& source);

}  // namespace tidemill::supervisor
