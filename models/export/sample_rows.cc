#include "models/export/sample_rows.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "samples/dataset_schema.h"
#include "transform/ops/records/csv_rows.h"

namespace tidemill::models {
namespace {

constexpr size_t kMaxRows = 200;
// Records beyond this place of a file are not looked at.
constexpr size_t kMaxBytes = size_t{1} << 20;

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Each of them with those before it that a series has.
std::vector<std::string> WindowsOf(const std::vector<std::string_view>& records, size_t history) {
  std::vector<std::string> windows;
  for (size_t end = history; end <= records.size() && windows.size() < kMaxRows; ++end) {
    std::string window;
    for (size_t i = end - history; i < end; ++i) {
      if (i > end - history) window += '\n';
      window += records[i];
    }
    windows.push_back(std::move(window));
  }
  return windows;
}

}  // namespace

absl::StatusOr<batch::Batch> ReadSampleRows(const storage::DatasetSpec& dataset,
                                            const std::string& file) {
  ASSIGN_OR_RETURN(const std::string bytes, files::Read(file));
  const transform::SampleSchema schema = samples::SchemaOf(dataset);
  const auto history = static_cast<size_t>(schema.history);
  std::vector<std::string> payloads;
  if (schema.payload == batch::PayloadKind::kFile) {
    payloads = {bytes};
  } else if (bytes.find('\0') != std::string::npos) {
    return FailedPrecondition("{} is not text", file);
  } else {
    std::string_view text = std::string_view(bytes).substr(0, kMaxBytes);
    // The last record may be cut off.
    if (text.size() < bytes.size()) text = text.substr(0, text.rfind('\n') + 1);
    if (schema.payload == batch::PayloadKind::kJson) {
      payloads = WindowsOf(LinesOf(text), history);
    } else if (const auto delimited = dataset.format->Delimited()) {
      transform::CsvRows rows(delimited->dialect);
      std::span<const std::string_view> records = rows.Split(text);
      if (delimited->header && !records.empty()) records = records.subspan(1);
      payloads = WindowsOf({records.begin(), records.end()}, history);
    } else {
      return FailedPrecondition("samples of this format cannot be read here");
    }
  }
  batch::Batch samples(std::ssize(payloads));
  const std::vector<std::string_view> views(payloads.begin(), payloads.end());
  RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)));
  return samples;
}

}  // namespace tidemill::models
