#include "benchmarks/system/criteo_records.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "fmt/format.h"

#include "base/numbers/random.h"

namespace tidemill::benchmarks {

CriteoRecord MakeCriteoRecord(int64_t index) {
  uint64_t bits = RandomBits({.purpose = "criteo"}, index);
  CriteoRecord record;
  record.label = static_cast<int32_t>(bits & 3) == 0;
  // Weyl's sequence: cheap, and different for every field.
  const auto next = [&] { return (bits += 0x9E3779B97F4A7C15U) >> 44; };
  for (float& number : record.numbers) number = static_cast<float>(next()) * 0x1.0p-20F;
  for (int32_t& category : record.categories) category = static_cast<int32_t>(next());
  return record;
}

absl::Status WriteCriteoRecords(const std::string& folder, int64_t count) {
  std::filesystem::create_directories(folder);
  for (int64_t from = 0; from < count; from += kCriteoRecordsInFile) {
    std::vector<CriteoRecord> records(
        static_cast<size_t>(std::min(kCriteoRecordsInFile, count - from)));
    for (size_t i = 0; i < records.size(); ++i) {
      records[i] = MakeCriteoRecord(from + static_cast<int64_t>(i));
    }
    const std::string path = fmt::format("{}/{:03}.bin", folder, from / kCriteoRecordsInFile);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                               &std::fclose);
    if (file == nullptr || std::fwrite(records.data(), sizeof(CriteoRecord), records.size(),
                                       file.get()) != records.size()) {
      return Internal("cannot write {}", path);
    }
  }
  return absl::OkStatus();
}

std::string CriteoDatasetSpec(const std::string& folder) {
  return fmt::format(R"(path: {}
files: "*.bin"
format: {{type: binary, record_bytes: 160}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
label: {{kind: class, record: {{offset: 0, width: 4}}}}
settle: 1ms
)",
                     folder);
}

std::string CriteoGraph() {
  return fmt::format(R"(
- parse_record:
    fields:
      - {{name: numbers, offset: 0, dtype: float32, shape: [13]}}
      - {{name: categories, offset: 52, dtype: int32, shape: [26]}}
- log1p: {{columns: [numbers]}}
- stack: {{columns: [numbers], into: input}}
- hash_buckets: {{column: categories, buckets: {}, into: input_categories}}
- label: {{into: target}}
)",
                     kCriteoBuckets);
}

}  // namespace tidemill::benchmarks
