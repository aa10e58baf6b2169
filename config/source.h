// A document that is to be read.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace tidemill::config {

// The most that a document of a person's may have, and one that this program printed and kept: the
// latter may hold files in base64.
inline constexpr size_t kMaxDocumentBytes = size_t{1} << 20;
inline constexpr size_t kMaxKeptBytes = size_t{32} << 20;

// A document to read.
struct Source {
  std::string_view text = {};
  std::string_view name = {};                         // The path of the file, for messages.
  std::map<std::string, std::string> variables = {};  // The values of ${NAME}.
  size_t max_bytes = kMaxDocumentBytes;
};

}  // namespace tidemill::config
