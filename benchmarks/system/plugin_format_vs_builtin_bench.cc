// A format of a user's against the built-in format that does the same.
//
// A file of 10^6 records of 64 bytes, each with its label in the first four, in the page cache.
// Ours: a plug-in says where records are and what their labels are, in C++ and in Python with
// numpy, in a separate process that is already running. The yardstick: the format `binary`. One
// thread; the plug-in's process may have another one. Both must find the same records, labels and
// hashes.
//
// Said on stderr only: with the start of the process.
#include <memory>
#include <random>
#include <string>

#include "absl/strings/escaping.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/testing/tree.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/fail.h"
#include "benchmarks/paired.h"
#include "config/config.h"
#include "plugin/spec/plugin_use.h"
#include "storage/formats/format.h"
#include "storage/testing/any_local_files.h"

namespace tidemill::benchmarks {
namespace {

using storage::DatasetSpec;
using storage::Format;
using storage::IndexedFile;

constexpr int64_t kRecords = 1'000'000;
constexpr int64_t kRecordBytes = 64;

class Bench {
 public:
  Bench() {
    std::mt19937_64 random(1);
    std::string bytes(static_cast<size_t>(kRecords * kRecordBytes), '\0');
    for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
      const uint64_t word = random();
      bytes.replace(at, sizeof word, reinterpret_cast<const char*>(&word), sizeof word);
    }
    for (int64_t i = 0; i < kRecords; ++i) {
      const int32_t label = static_cast<int32_t>(i % 10);
      bytes.replace(static_cast<size_t>(i * kRecordBytes), sizeof label,
                    reinterpret_cast<const char*>(&label), sizeof label);
    }
    if (!files::WriteAtomically(folder_.path() + "/records", bytes).ok()) Fail("cannot write");
    cache_ = Require(storage::UnpackedCache::Create({.folder = folder_.path() + "/unpacked"},
                                                    storage::testing::AnyLocalFiles()));
  }

  std::unique_ptr<Format> BuiltIn() const {
    return Make(
        fmt::format("format: {{type: binary, record_bytes: {}}}\n"
                    "label: {{record: {{offset: 0, width: 4}}}}\n",
                    kRecordBytes));
  }
  std::unique_ptr<Format> Plugin(const std::string& path, const std::string& name) const {
    const std::string program = Require(files::Read(path, plugin::kMaxFileBytes));
    const nlohmann::json declared = {{"sandbox", ""}, {"created", {{"head_bytes", 0}}}};
    return Make(
        fmt::format("format: {{type: plugin, use: '{}:Fixed', program: {}, declared: '{}'}}\n"
                    "label: {{from_format: true}}\n",
                    name, absl::Base64Escape(program), declared.dump()));
  }

  IndexedFile Read(const Format& format) const {
    storage::FileInput input{.root = folder_.path(), .path = "records"};
    input.identity =
        Require(storage::testing::AnyLocalFiles().IdentityOf(folder_.path() + "/records"));
    return Require(format.Index(input));
  }

  PairedResult Compare(const std::string& name, const Format& ours, const Format& yardstick) const {
    const IndexedFile found = Read(ours), wanted = Read(yardstick);
    if (found.rows.byte_from != wanted.rows.byte_from || found.rows.hash != wanted.rows.hash ||
        found.rows.num_rows() != kRecords || found.rows.class_label[7] != 7) {
      Fail("the plug-in and the built-in format find other records");
    }
    const auto work = [this](const Format& format) {
      return [this, &format] { return static_cast<double>(Read(format).rows.num_rows()); };
    };
    return Measure(name, "Mrecords/s", 1e6, work(ours), work(yardstick));
  }

  PairedResult WithStart(const std::string& name, const std::string& path, const std::string& file,
                         const Format& yardstick) const {
    const auto begun = [&] {
      return static_cast<double>(Read(*Plugin(path, file)).rows.num_rows());
    };
    const auto builtin = [&] { return static_cast<double>(Read(yardstick).rows.num_rows()); };
    return Measure(name, "Mrecords/s", 1e6, begun, builtin, 5);
  }

 private:
  std::unique_ptr<Format> Make(const std::string& text) const {
    const auto spec = Require(config::ReadKept<DatasetSpec>(
        "path: " + folder_.path() + "\nevent_time: {row: {start: 2020-01-01, step: 1s}}\n" + text,
        "spec"));
    return Require(storage::MakeFormat(spec, *cache_));
  }

  BenchFolder folder_{"format"};
  std::unique_ptr<storage::UnpackedCache> cache_;
};

void Tell(const PairedResult& result) {
  fmt::print(stderr, "{}: {:.3f} ({:.3f} to {:.3f}), ours {:.4g}, yardstick {:.4g} {}\n",
             result.name, result.ratio, result.min, result.max, result.ours, result.yardstick,
             result.unit);
}

int Run() {
  const Bench bench;
  const std::string cpp = tidemill::testing::InBuild("benchmarks/libfixed_format.so");
  const std::string python = tidemill::testing::InTree("benchmarks/system/fixed_format.py");
  const auto yardstick = bench.BuiltIn();
  const auto in_cpp = bench.Plugin(cpp, "libfixed_format.so");
  const auto in_python = bench.Plugin(python, "fixed_format.py");
  Report(bench.Compare("plugin_format_vs_builtin", *in_cpp, *yardstick));
  Report(bench.Compare("plugin_format_vs_builtin_numpy", *in_python, *yardstick));
  Tell(bench.WithStart("in C++, with the start", cpp, "libfixed_format.so", *yardstick));
  Tell(bench.WithStart("with numpy, with the start", python, "fixed_format.py", *yardstick));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
