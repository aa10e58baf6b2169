// A result of the examination of a stack.
#pragma once

#include <string>
#include <vector>

namespace tidemill::cli {

enum class Health { kOk, kWarn, kFail };

struct Finding {
  std::string check;  // "programs", "storage", "disk of /var"
  Health health = Health::kOk;
  std::string message;
  // A command to type. Empty when all is well.
  std::string fix;
};
using Findings = std::vector<Finding>;

}  // namespace tidemill::cli
