// Strict reading: decodes a document by the table of a type, and notes every problem. config.h says
// what strict means.
#pragma once

#include <string_view>

#include "config/documents/problems.h"
#include "config/documents/source.h"
#include "config/type.h"

// How a node of the document becomes a value, by the kind in the table of the type:
//
//   kStruct    a: 1, b: 2        by member; keys that are unknown or missing are problems
//   kVariant   {type: t, a: 1}   `type` chooses the alternative, the other keys are its members;
//              t                 the name alone is an alternative without keys
//   kKeyed     t: {a: 1}         the only key is the name of the alternative; or t alone
//   kList, kMap, scalars         item by item, entry by entry, by config/scalars.h
//
// A part that cannot be read keeps its default and leaves a problem with its line, and the reading
// continues, so that all problems are reported together.

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
