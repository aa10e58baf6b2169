// A reference of several pages.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "config/describe.h"
#include "config/type.h"

namespace tidemill::config {

// Writes pages as Markdown, with a table for every section and every choice. A type is described
// once: on the page to which it is assigned, else on the first page that needs it. Other pages link
// to it. Thread-compatible.
class ReferencePages {
 public:
  // Where a type is described: the page, and the heading on it. "" is the top of the page.
  struct Place {
    std::string file;
    std::string heading;
  };

  // Says that `type` gets the page `file`, such as "triggers/time.md". Call before Write().
  void Assign(const internal::Type& type, std::string_view file);

  // Returns the page `file` about `type`.
  std::string Write(const internal::Type& type, std::string_view title, std::string_view file);
  template <typename T>
  std::string Write(std::string_view title, std::string_view file) {
    return Write(internal::TypeOf<T>(), title, file);
  }

 private:
  std::map<const internal::Type*, Place> places_;
};

}  // namespace tidemill::config
