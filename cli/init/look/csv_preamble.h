// Finds the lines before the table of a CSV file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/csv_dialect.h"
#include "cli/init/look/csv_shape.h"

namespace tidemill::cli {

// Lines that a program wrote before the header: comments, a title, "sep=;".
struct Preamble {
  int64_t num_lines = 0;
  std::optional<std::string> delimiter = {};  // As "sep=;" says.
  std::string example = {};                   // The first of the lines that is not blank.
};

// Finds lines that begin with a sign of a comment, and "sep=;". A line such as "#time,x" is the
// header when the line after it has values.
Preamble FindComments(std::string_view text);

// Finds lines that have fewer fields than the records below them, in a text without comments.
Preamble FindTitle(std::string_view text, const batch::CsvDialect& dialect, bool last);

// Returns the text after the first lines.
std::string_view WithoutLines(std::string_view text, int64_t num_lines);

// How a header that cannot name the columns is left out: names occur twice, or one is missing.
struct OwnNames {
  int64_t num_lines = 0;  // The lines of the header.
  std::vector<std::string> names = {};
  std::string reason = {};
};

// Returns names for the columns of records of `width` fields, if the first record seems to be such
// a header.
std::optional<OwnNames> NameColumns(std::string_view text, const std::vector<CsvRow>& rows,
                                    size_t width, const batch::CsvDialect& dialect);

}  // namespace tidemill::cli
