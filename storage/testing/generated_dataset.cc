#include "storage/testing/generated_dataset.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "fmt/format.h"

#include "storage/testing/data_folder.h"
#include "storage/testing/generated_files.h"
#include "storage/testing/random_bytes.h"

namespace tidemill::storage::testing {

namespace {

std::string FormatTime(int64_t seconds, const char* format) {
  const std::time_t time = seconds;
  std::tm parts = {};
  gmtime_r(&time, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), format, &parts)};
}

void WriteGzip(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  gzFile file = gzopen(path.c_str(), "wb1");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

std::string CsvNote(int i) {
  switch (i % 5) {
    case 0:
      return fmt::format("\"one, two {}\"", i);
    case 1:
      return fmt::format("\"said \"\"{}\"\"\"", i);
    case 2:
      return fmt::format("\"line {}\nand another\"", i);
    case 3:
      return "";
    default:
      return fmt::format("plain {}", i);
  }
}

}  // namespace

GeneratedDataset MakeCsv(const std::string& root, int num_samples) {
  GeneratedDataset dataset{.name = "csv", .folder = root + "/csv"};
  constexpr int kFiles = 5;
  for (int file = 0; file < kFiles; ++file) {
    const std::string end = file == 1 ? "\r\n" : "\n";
    const std::string name = fmt::format("part-{}.csv", file);
    std::string bytes = "id,happened,note,animal" + end;
    for (int i = file * num_samples / kFiles; i < (file + 1) * num_samples / kFiles; ++i) {
      const int64_t seconds = kStart + int64_t{60} * i;
      std::string line = fmt::format("{},{},{},{}", i, FormatTime(seconds, "%Y-%m-%d %H:%M:%S"),
                                     CsvNote(i), kClasses[i % 3]);
      bytes += line + end;
      dataset.samples.push_back({.payload = std::move(line),
                                 .event_time = seconds * kMicros,
                                 .class_label = i % 3,
                                 .file = name});
    }
    if (file == 2) bytes.resize(bytes.size() - end.size());
    WriteFile(dataset.folder + "/" + name, bytes);
  }
  dataset.spec = fmt::format(R"(path: {}
files: "*.csv"
format: {{type: csv, header: true}}
event_time: {{column: happened, format: "%Y-%m-%d %H:%M:%S"}}
label: {{column: animal, classes: [cat, dog, owl]}}
settle: 1ms
)",
                             dataset.folder);
  return dataset;
}

GeneratedDataset MakeRecords(const std::string& root, int num_samples) {
  GeneratedDataset dataset{.name = "records", .folder = root + "/records"};
  std::mt19937 random(1);
  constexpr int kFiles = 3;
  for (int file = 0; file < kFiles; ++file) {
    const std::string name = fmt::format("{}/r.bin", file);
    std::string bytes = "HEAD";
    for (int i = 0; i < num_samples / kFiles; ++i) {
      const float label = static_cast<float>(i) * 0.25F - static_cast<float>(file);
      const std::string before = BigEndian(random(), 4).substr(0, 3);
      const std::string after = RandomBytes(random, 14);
      bytes += before + BigEndian(std::bit_cast<uint32_t>(label), 4) + after;
      dataset.samples.push_back({.payload = before + after,
                                 .event_time = (kStart + int64_t{10} * i) * kMicros,
                                 .real_label = label,
                                 .file = name});
    }
    WriteFile(dataset.folder + "/" + name, bytes);
  }
  dataset.spec = fmt::format(R"(path: {}
files: "**/*.bin"
format: {{type: binary, header_bytes: 4, record_bytes: 21}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 10s}}}}
label: {{kind: real, record: {{offset: 3, width: 4, encoding: float, endianness: big}}}}
settle: 1ms
)",
                             dataset.folder);
  return dataset;
}

GeneratedDataset MakeLargeRecords(const std::string& root, int num_samples) {
  GeneratedDataset dataset{.name = "large", .folder = root + "/large"};
  std::mt19937_64 random(4);
  constexpr int kFiles = 3, kNumClasses = 5, kPayloadBytes = 32 << 10;
  std::vector<uint64_t> numbers(kPayloadBytes / sizeof(uint64_t));
  for (int file = 0; file < kFiles; ++file) {
    const std::string name = fmt::format("{}.bin", file);
    std::string bytes;
    for (int i = 0; i < num_samples / kFiles; ++i) {
      std::generate(numbers.begin(), numbers.end(), std::ref(random));
      std::string payload(reinterpret_cast<const char*>(numbers.data()), kPayloadBytes);
      bytes += static_cast<char>(i % kNumClasses);
      bytes += payload;
      dataset.samples.push_back({.payload = std::move(payload),
                                 .event_time = (kStart + i) * kMicros,
                                 .class_label = i % kNumClasses,
                                 .file = name});
    }
    WriteFile(dataset.folder + "/" + name, bytes);
  }
  dataset.spec = fmt::format(R"(path: {}
files: "*.bin"
format: {{type: binary, record_bytes: {}}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
label: {{kind: class, record: {{offset: 0, width: 1}}}}
settle: 1ms
)",
                             dataset.folder, kPayloadBytes + 1);
  return dataset;
}

GeneratedDataset MakeSmallRecords(const std::string& root, int64_t num_samples) {
  GeneratedDataset dataset{.name = "small", .folder = root + "/small"};
  WriteFile(dataset.folder + "/all.bin", std::string(static_cast<size_t>(num_samples) * 3, 'x'));
  dataset.spec = fmt::format(R"(path: {}
files: "*.bin"
format: {{type: binary, record_bytes: 3}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1ms}}}}
label: {{kind: class, record: {{offset: 0, width: 1}}}}
settle: 1ms
)",
                             dataset.folder);
  return dataset;
}

GeneratedDataset MakeGzippedIdx(const std::string& root, int num_samples) {
  GeneratedDataset dataset{.name = "idx", .folder = root + "/idx"};
  std::mt19937 random(2);
  constexpr int kFiles = 2;
  const int num_in_file = num_samples / kFiles;
  const auto count = static_cast<uint32_t>(num_in_file);
  for (int file = 0; file < kFiles; ++file) {
    const std::string name = fmt::format("{}-images-idx3-ubyte.gz", file);
    std::string images =
        BigEndian(0x803, 4) + BigEndian(count, 4) + BigEndian(4, 4) + BigEndian(5, 4);
    std::string labels = BigEndian(0x801, 4) + BigEndian(count, 4);
    for (int i = 0; i < num_in_file; ++i) {
      const int64_t label = static_cast<int64_t>(random() % 10);
      std::string image = RandomBytes(random, 20);
      images += image;
      labels += static_cast<char>(label);
      dataset.samples.push_back({.payload = std::move(image),
                                 .event_time = (kStart + i) * kMicros,
                                 .class_label = label,
                                 .file = name});
    }
    WriteGzip(dataset.folder + "/" + name, images);
    WriteGzip(dataset.folder + "/" + fmt::format("{}-labels-idx1-ubyte.gz", file), labels);
  }
  dataset.spec = fmt::format(R"(path: {}
files: "*-images-idx3-ubyte.gz"
format: {{type: binary, header_bytes: 16, record_bytes: 20, idx: true}}
event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
label: {{file: {{pattern: images-idx3, replacement: labels-idx1, header_bytes: 8}}}}
settle: 1ms
)",
                             dataset.folder);
  return dataset;
}

GeneratedDataset MakeSingleFiles(const std::string& root, int num_samples) {
  GeneratedDataset dataset{.name = "single", .folder = root + "/single"};
  std::mt19937 random(3);
  for (int i = 0; i < num_samples; ++i) {
    const int64_t seconds = kStart + i;
    const std::string name =
        fmt::format("{}/{}.bin", kClasses[i % 3], FormatTime(seconds, "%Y%m%d%H%M%S"));
    std::string bytes = RandomBytes(random, 1 + random() % 200);
    WriteFile(dataset.folder + "/" + name, bytes);
    dataset.samples.push_back({.payload = std::move(bytes),
                               .event_time = seconds * kMicros,
                               .class_label = i % 3,
                               .file = name});
  }
  std::sort(dataset.samples.begin(), dataset.samples.end(),
            [](const ExpectedSample& a, const ExpectedSample& b) { return a.file < b.file; });
  dataset.spec = fmt::format(R"(path: {}
files: "*/*.bin"
format: {{type: single_file}}
event_time: {{path: "*/%Y%m%d%H%M%S.bin"}}
label: {{folder: true, classes: [cat, dog, owl]}}
settle: 1ms
)",
                             dataset.folder);
  return dataset;
}

GeneratedDataset MakeSeries(const std::string& root, int num_rows) {
  GeneratedDataset dataset{.name = "series", .folder = root + "/series"};
  constexpr int kFiles = 3, kGroupRows = 100, kHistory = 4, kHorizon = 3, kGapEvery = 37;
  for (int file = 0; file < kFiles; ++file) {
    const std::string name = fmt::format("s-{}.csv", file);
    std::string bytes = "trip,happened,note,speed\n";
    const int count = num_rows / kFiles;
    std::vector<std::string> lines;
    for (int i = 0; i < count; ++i) {
      // Each gap adds another second.
      const int64_t seconds = kStart + i + i / kGapEvery;
      lines.push_back(fmt::format("{},{},{},{}", i / kGroupRows, seconds, CsvNote(i),
                                  i % 11 == 0 ? "NA" : std::to_string(i)));
      bytes += lines.back() + "\n";
    }
    WriteFile(dataset.folder + "/" + name, bytes);
    for (int anchor = kHistory - 1; anchor + kHorizon < count; ++anchor) {
      const int first = anchor + 1 - kHistory, last = anchor + kHorizon;
      if (first / kGroupRows != last / kGroupRows || first / kGapEvery != last / kGapEvery)
        continue;
      if (last % 11 == 0) continue;
      std::string payload = lines[static_cast<size_t>(first)];
      for (int i = first + 1; i <= anchor; ++i) payload += "\n" + lines[static_cast<size_t>(i)];
      dataset.samples.push_back({.payload = std::move(payload),
                                 .event_time = (kStart + anchor + anchor / kGapEvery) * kMicros,
                                 .real_label = last,
                                 .file = name});
    }
  }
  dataset.spec = fmt::format(R"(path: {}
files: "*.csv"
format: {{type: csv, header: true}}
event_time: {{column: happened, format: unix}}
series: {{group: trip, history: {}, horizon: {}, target: speed, step: 1s}}
settle: 1ms
)",
                             dataset.folder, kHistory, kHorizon);
  return dataset;
}

}  // namespace tidemill::storage::testing
