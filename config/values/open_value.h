// Values whose type is known only at run time, such as the settings of a plug-in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/types.h"

namespace tidemill::config {

// Why a value does not have a type: "expected a number, got 'high'", and how to fix it.
struct OpenMismatch {
  std::string message;
  std::string hint = {};
};

// Read a scalar by the rules of fields of that type. A scalar of another type leaves `value` alone.
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, bool& value);
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, int64_t& value);
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, double& value);
std::optional<OpenMismatch> ReadOpen(const OpenValue::Scalar& scalar, std::string& value);

}  // namespace tidemill::config
