// What may name something. Names are checked where they come in: at the face of a service, and in
// the file that gives them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace tidemill {

inline constexpr size_t kMostNameBytes = 63;
inline constexpr size_t kMostLabelBytes = 500;

// Of datasets, pipelines and namespaces: up to 63 letters, digits, '_', '-' and '.', of ASCII, the
// first none of '-' and '.'. So a name is one word of a command, a part of a path and a cell of a
// table without further ado. INVALID_ARGUMENT for any other; `what` is named: "dataset".
absl::Status CheckName(std::string_view what, std::string_view name);
// The same for who says it in parts: whether it is a name, the sentence without the rule, the rule.
bool IsName(std::string_view name);
std::string NoNameFor(std::string_view what, std::string_view name);
std::string NameRule();

// A namespace: "default" for an empty one.
absl::StatusOr<std::string> CheckedNamespace(std::string_view given);

// Of what programs name for each other (requests, jobs, workers, endpoints): 1 to 500 bytes of
// UTF-8, all of which is seen as it is. INVALID_ARGUMENT for any other.
absl::Status CheckLabel(std::string_view what, std::string_view label);

}  // namespace tidemill
