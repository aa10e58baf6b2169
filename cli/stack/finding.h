// What an examination of a stack finds.
#pragma once

#include <string>
#include <vector>

namespace tidemill::cli {

enum class Health { kOk, kWarn, kFail };

struct Finding {
  std::string check;  // "programs", "storage", "disk of /var"
  Health health = Health::kOk;
  std::string message;
  // A command to type; empty where all is well.
  std::string fix;
};
using Findings = std::vector<Finding>;

}  // namespace tidemill::cli
