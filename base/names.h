// The rules for names. Names are checked where they come in: at the face of a service, and in the
// file that contains them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill {

inline constexpr size_t kMaxNameBytes = 63;
inline constexpr size_t kMaxLabelBytes = 500;

// Checks the name of a dataset, pipeline or namespace: up to 63 ASCII letters, digits, '_', '-' and
// '.', and the first is neither '-' nor '.'. Such a name can be used without quoting as a word of a
// command, a part of a path and a cell of a table. INVALID_ARGUMENT for any other. The message
// calls it `what`: "dataset".
absl::Status CheckName(std::string_view what, std::string_view name);
// The parts of CheckName(): whether a name is valid, the sentence without the rule, and the rule.
bool IsName(std::string_view name);
std::string NoNameFor(std::string_view what, std::string_view name);
std::string NameRule();

// Returns the namespace: "default" for an empty one.
absl::StatusOr<std::string> CheckedNamespace(std::string_view given);

// Checks a name that programs give one another (requests, jobs, workers, endpoints): 1 to 500 bytes
// of printable UTF-8. INVALID_ARGUMENT for any other.
absl::Status CheckLabel(std::string_view what, std::string_view label);

}  // namespace tidemill
