// Strict reading: decodes a document by the table of a type, and notes every problem. config.h says
// what strict means.
#pragma once

#include <string_view>

#include "config/documents/problems.h"
#include "config/documents/source.h"
#include "config/type.h"

namespace tidemill::config {

namespace internal {

// Reads the document into `value`, which has that type. Parts that are wrong keep their defaults.
Problems DecodeDocument(const Source& source, const Type& type, void* value);

// Reads the value of the top-level key `section`. Without that key, `value` does not change. A
// top-level key that looks like a misspelling of `section` is then a problem.
Problems DecodeSection(const Source& source, std::string_view section, const Type& type,
                       void* value);

}  // namespace internal
}  // namespace tidemill::config
