#include "storage/testing/generated_formats.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "fmt/format.h"

#include "storage/testing/generated_files.h"
#include "storage/testing/packing.h"
#include "storage/testing/tar_writer.h"
#include "storage/testing/tfrecord_writer.h"

namespace tidemill::storage::testing {

namespace {

constexpr int kNumFiles = 3;

// Calls make(i, name of its file) for each sample; what it returns makes up the files.
template <typename Make, typename Finish>
void MakeFiles(const GeneratedDataset& dataset, const char* suffix, int num_samples,
               const Make& make, const Finish& finish) {
  for (int file = 0; file < kNumFiles; ++file) {
    const std::string name = fmt::format("part-{}{}", file, suffix);
    std::string bytes;
    for (int i = file * num_samples / kNumFiles; i < (file + 1) * num_samples / kNumFiles; ++i) {
      bytes += make(i, name);
    }
    WriteFile(dataset.folder + "/" + name, finish(bytes));
  }
}

std::string AsItIs(std::string bytes) { return bytes; }

// `finish` packs the bytes of a file, whose name `suffix` ends.
template <typename Finish>
GeneratedDataset MakeJsonlFiles(const std::string& root, int num_samples, const char* suffix,
                                const Finish& finish) {
  GeneratedDataset dataset{.name = "jsonl", .folder = root + "/jsonl"};
  const auto make = [&](int i, const std::string& name) {
    std::string line =
        fmt::format(R"({{"id":{},"at":{{"ms":{}}},"note":"caf\u00e9 \"{}\"","animal":"{}"}})", i,
                    (kStart + i) * 1000, i, kClasses[i % 3]);
    dataset.samples.push_back({.payload = line,
                               .event_time = (kStart + i) * kMicros,
                               .class_label = i % 3,
                               .file = name});
    return line + "\n";
  };
  MakeFiles(dataset, suffix, num_samples, make, finish);
  dataset.spec = fmt::format(R"(path: {}
files: "*{}"
format: jsonl
event_time: {{column: at.ms, format: unix_ms}}
label: {{column: animal, classes: [cat, dog, owl]}}
settle: 1ms
)",
                             dataset.folder, suffix);
  return dataset;
}

template <typename Finish>
GeneratedDataset MakeTfRecordFiles(const std::string& root, int num_samples, const char* suffix,
                                   const Finish& finish) {
  GeneratedDataset dataset{.name = "tfrecord", .folder = root + "/tfrecord"};
  const auto make = [&](int i, const std::string& name) {
    std::string example = TfExample({.ints = {{"at", kStart + i}, {"label", i % 5}},
                                     .bytes = {{"text", fmt::format("sample {}", i)}}});
    std::string record = TfRecord(example);
    dataset.samples.push_back({.payload = std::move(example),
                               .event_time = (kStart + i) * kMicros,
                               .class_label = i % 5,
                               .file = name});
    return record;
  };
  MakeFiles(dataset, suffix, num_samples, make, finish);
  dataset.spec = fmt::format(R"(path: {}
files: "*{}"
format: tfrecord
event_time: {{column: at, format: unix}}
label: {{column: label}}
settle: 1ms
)",
                             dataset.folder, suffix);
  return dataset;
}

}  // namespace

GeneratedDataset MakePlainJsonl(const std::string& root, int num_samples) {
  return MakeJsonlFiles(root, num_samples, ".jsonl", AsItIs);
}

GeneratedDataset MakeJsonl(const std::string& root, int num_samples) {
  return MakeJsonlFiles(root, num_samples, ".jsonl.zst", [](const std::string& bytes) {
    const size_t half = bytes.size() / 2;
    return Pack(bytes.substr(0, half), Packing::kZstd) + Pack(bytes.substr(half), Packing::kZstd);
  });
}

GeneratedDataset MakePlainTfRecords(const std::string& root, int num_samples) {
  return MakeTfRecordFiles(root, num_samples, ".tfrecord", AsItIs);
}

GeneratedDataset MakeTfRecords(const std::string& root, int num_samples) {
  return MakeTfRecordFiles(root, num_samples, ".tfrecord.xz",
                           [](const std::string& bytes) { return Pack(bytes, Packing::kXz); });
}

GeneratedDataset MakeTar(const std::string& root, int num_samples) {
  GeneratedDataset dataset{.name = "tar", .folder = root + "/tar"};
  std::mt19937 random(5);
  const auto make = [&](int i, const std::string& name) {
    std::string image;
    for (size_t size = random() % 300; image.size() < size;) image += static_cast<char>(random());
    const std::string key = fmt::format("train/{:06}", i);
    std::string members =
        TarMemberBytes({key + ".json", fmt::format(R"({{"time": {}}})", kStart + i)}) +
        TarMemberBytes({key + ".img", image}) +
        TarMemberBytes({key + ".cls", fmt::format("{}\n", i % 7)});
    dataset.samples.push_back({.payload = std::move(image),
                               .event_time = (kStart + i) * kMicros,
                               .class_label = i % 7,
                               .file = name});
    return members;
  };
  MakeFiles(dataset, ".tar", num_samples, make,
            [](const std::string& bytes) { return bytes + TarEnd(); });
  dataset.spec = fmt::format(R"(path: {}
files: "*.tar"
format: {{type: tar, payload: [img]}}
event_time: {{member: json, column: time, format: unix}}
label: {{member: cls}}
settle: 1ms
)",
                             dataset.folder);
  return dataset;
}

}  // namespace tidemill::storage::testing
