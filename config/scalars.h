// The kinds of values that are one YAML scalar: reading, writing, measuring and describing them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/document.h"
#include "config/type.h"
#include "config/types.h"

namespace tidemill::config::internal {

// Why a scalar is not what it should be: "expected a duration such as 90s" and how to mend it.
struct Mismatch {
  std::string message;
  std::string hint = {};
};

// True for the kinds below: all but NameList, lists, maps, structs, variants and optionals.
bool IsScalar(Kind kind);

// Sets `value` (of a scalar type) to what `node` says, a scalar. Leaves it alone on a mismatch.
std::optional<Mismatch> ReadScalar(const Type& type, const Node& node, void* value);

// The canonical YAML of a scalar value, quoted where needed.
std::string WriteScalar(const Type& type, const void* value);

// The YAML of a text: plain where every reader agrees that it is one, else in double quotes.
std::string WriteText(std::string_view text);

// The YAML of a scalar whose type is not known: it reads as what was written.
std::string WriteOpen(const OpenValue::Scalar& scalar);

// True when readers of YAML 1.1 or 1.2 take the plain text for something else: `no`, `012`, `1.10`,
// `1:30`, `~`. Whole numbers are not ambiguous: they keep their text.
bool IsAmbiguous(std::string_view text);

// What Limits.min and max bound: a number, a duration's seconds, a size's bytes, a text's bytes.
std::optional<double> MeasureScalar(const Type& type, const void* value);

// A bound of that type as people write it: "5m", "64MiB", "10 bytes".
std::string WriteBound(const Type& type, double bound);

}  // namespace tidemill::config::internal
