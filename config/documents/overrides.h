// Overrides of the values of a document, and the values that they replace.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/documents/document.h"
#include "config/documents/source.h"

namespace tidemill::config {

namespace internal {

// Puts the values of `source.overrides` into the tree of a readable document. Missing sections are
// added, and `optimizer: adam` becomes `optimizer: {type: adam}` where a key below it is set. A key
// that cannot be set is a problem of the document. Whether a key and its value are allowed is for
// the decoder.
void ApplyOverrides(const Source& source, Document& document);

}  // namespace internal

// Returns the value at the path of an override as one line of YAML, without the overrides of the
// source. A long value is cut. std::nullopt when the document cannot be read or has no such value.
std::optional<std::string> FindValue(const Source& source, std::string_view path);

}  // namespace tidemill::config
