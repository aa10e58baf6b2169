// Recognises the kind of a file that is not of the expected kind.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill {

struct FileKind {
  std::string_view name;  // "a Parquet file"
  std::string_view hint;  // How to make its records readable.

  // "it is a Parquet file: ..."
  std::string Explain() const;
};

// Enough of a file for KindOfFile().
inline constexpr size_t kKindBytes = 1024;

// The kind of tar archives, from which a format of datasets reads samples.
inline constexpr std::string_view kTarArchive = "a tar archive";

// Returns the format that begins with these bytes, if datasets cannot be read from it: an archive,
// a table or image in a binary format, a web page, text in UTF-16. Otherwise std::nullopt. A format
// that begins with letters, as a text may, is recognised by a following byte that occurs in no
// text.
std::optional<FileKind> KindOfFile(std::string_view first_bytes);

}  // namespace tidemill
