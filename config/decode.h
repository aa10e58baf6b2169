// Strict reading: a document against the table of a type, noting every problem on the way. What is
// strict about it stands in config.h.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/problems.h"
#include "config/type.h"

namespace tidemill::config {

// A document to read.
struct Source {
  std::string_view text = {};
  std::string_view name = {};                         // For messages: the file's path.
  std::map<std::string, std::string> variables = {};  // What ${NAME} may stand for.
};

namespace internal {

// Reads the document into `value`, which is of that type. Where a part is wrong, its default stays.
Problems DecodeDocument(const Source& source, const Type& type, void* value);

// The same with the value of the top-level key `section`; without that key, `value` stays as it is.
// A top-level key that looks like a misspelling of `section` is then a problem.
Problems DecodeSection(const Source& source, std::string_view section, const Type& type,
                       void* value);

}  // namespace internal
}  // namespace tidemill::config
