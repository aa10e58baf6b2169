// The kinds of values that are one YAML scalar: reads, writes, measures and describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/documents/document.h"
#include "config/type.h"
#include "config/types.h"

namespace tidemill::config {

// Returns the YAML of a text: plain if every reader agrees that it is a text, else in double
// quotes.
std::string WriteText(std::string_view text);

namespace internal {

// Why a scalar is not valid, "expected a duration such as 90s", and how to fix it.
struct Mismatch {
  std::string message;
  std::string hint = {};
};

// Returns true for the kinds below: all except NameList, NamePairs, OpenValue, lists, maps,
// structs, variants and optionals.
bool IsScalar(Kind kind);

// Sets `value` (of a scalar type) to the value of the scalar `node`. Leaves it unchanged on a
// mismatch.
std::optional<Mismatch> ReadScalar(const Type& type, const Node& node, void* value);

// Returns the canonical YAML of a scalar value, quoted if needed.
std::string WriteScalar(const Type& type, const void* value);

// Returns the YAML of a scalar of unknown type, which reads back as the same scalar.
std::string WriteOpen(const OpenValue::Scalar& scalar);

// Whether readers of YAML 1.1 or 1.2 read the plain text as another type: `no`, `012`, `1.10`,
// `1:30`, `~`. Whole numbers are not ambiguous, because they keep their text.
bool IsAmbiguous(std::string_view text);

// Returns the number that Limits.min and max bound: a number, the seconds of a duration, the bytes
// of a size, the bytes of a text.
std::optional<double> MeasureScalar(const Type& type, const void* value);

// Returns a bound of that type as people write it: "5m", "64MiB", "10 bytes".
std::string WriteBound(const Type& type, double bound);

// Whether a value that is not understood means everything: ALL, "*".
bool MeansAll(const Node& node);

// Advice on a value where a list is needed: how it is written as its only item. "" where there is
// nothing to advise. `is_text`: the items are texts.
std::string AsOneItem(const Node& node, bool is_text);

}  // namespace internal
}  // namespace tidemill::config
