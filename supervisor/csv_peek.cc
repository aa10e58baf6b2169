#include "supervisor/csv_peek.h"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "transform/ops/csv_fields.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPeekBytes = 64 << 10;
constexpr int kMaxEntries = 100'000;

// The fields of one line.
std::optional<std::vector<std::string>> Split(std::string_view line,
                                              const storage::CsvFormat& format) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::optional<char> quote =
      format.quote.empty() ? std::nullopt : std::optional<char>(format.quote[0]);
  transform::CsvFields counted(format.delimiter[0], quote, 1);
  if (counted.Split(line) == transform::CsvFields::Result::kBadQuote) return std::nullopt;
  transform::CsvFields fields(format.delimiter[0], quote, counted.num_found());
  if (fields.Split(line) != transform::CsvFields::Result::kOk) return std::nullopt;
  return std::vector<std::string>(fields.fields().begin(), fields.fields().end());
}

// Whether the file begins like one of gzip, xz or zstd.
bool IsPacked(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("\xfd\x37zXZ") ||
         text.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

DatasetFiles FindFiles(const storage::DatasetSpec& spec) {
  if (spec.files.find("**") != std::string::npos ||
      spec.files.find_first_of("[\\") != std::string::npos) {
    return {};
  }
  DatasetFiles files{.known = true, .first = std::nullopt};
  std::error_code error;
  const fs::path root = spec.path;
  int num_entries = 0;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++num_entries > kMaxEntries) return {};
    std::error_code ignored;  // A link that leads nowhere is no file.
    if (!entry->is_regular_file(ignored)) continue;
    const std::string path = entry->path().lexically_relative(root).string();
    const bool fits = fnmatch(spec.files.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
    if (fits && (!files.first || path < *files.first)) files.first = path;
  }
  return files;
}

std::optional<CsvPeek> PeekCsv(const storage::DatasetSpec& spec, const storage::CsvFormat& format,
                               const std::string& file) {
  if (format.delimiter.size() != 1) return std::nullopt;
  std::ifstream stream(fs::path(spec.path) / file, std::ios::binary);
  std::string text(kPeekBytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (IsPacked(text)) return std::nullopt;
  const size_t end = text.rfind('\n');
  if (end == std::string::npos) return std::nullopt;
  text.resize(end);

  CsvPeek peek{.file = file, .columns = {}, .records = {}};
  const bool quoted = !format.quote.empty() && text.find(format.quote) != std::string::npos;
  bool is_header = format.header;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t line_end = std::min(text.find('\n', begin), text.size());
    auto fields = Split(std::string_view(text).substr(begin, line_end - begin), format);
    begin = line_end + 1;
    if (is_header) {
      if (!fields) return std::nullopt;
      if (fields->front().starts_with("\xEF\xBB\xBF")) fields->front().erase(0, 3);
      peek.columns = *std::move(fields);
      is_header = false;
    } else if (fields) {
      peek.records.push_back(*std::move(fields));
    }
    if (quoted) break;
  }
  if (quoted) peek.records.clear();
  return peek;
}

}  // namespace tidemill::supervisor
