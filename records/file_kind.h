// Says what a file is that is not what somebody takes it for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill {

struct FileKind {
  std::string_view name;  // "a Parquet file"
  std::string_view hint;  // What to do to have its records read.

  // "it is a Parquet file: ..."
  std::string Explain() const;
};

// Enough of a file for KindOfFile().
inline constexpr size_t kKindBytes = 1024;

// The kind of tar archives, of which a format of datasets reads samples.
inline constexpr std::string_view kTarArchive = "a tar archive";

// Returns what begins with these bytes, if it is none of the texts and records that datasets are
// made of: an archive, a table or image in a binary format, a web page, text in UTF-16.
// std::nullopt for all else. Formats that begin with letters alone, as a text may, are known by a
// byte among the next ones that no text has.
std::optional<FileKind> KindOfFile(std::string_view first_bytes);

}  // namespace tidemill
