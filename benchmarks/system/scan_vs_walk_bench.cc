// A sync that finds nothing changed, against a walk through the same folder that asks for each
// file's size and time.
//
// TIDEMILL_BENCH_SAMPLES: how many files, 10^5 unless it says otherwise.
#include <ftw.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "fmt/format.h"

#include "base/files.h"
#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/ingest_rig.h"

namespace tidemill::benchmarks {
namespace {

int64_t num_seen = 0;

int See(const char*, const struct stat* status, int kind, struct FTW*) {
  num_seen += kind == FTW_F && status->st_mtim.tv_sec > 0 ? 1 : 0;
  return 0;
}

void WriteFiles(const std::string& folder, int64_t num_files) {
  for (int64_t i = 0; i < num_files; ++i) {
    if (i % 1000 == 0) Require(files::CreateFolder(fmt::format("{}/{}", folder, i / 1000)));
    std::ofstream(fmt::format("{}/{}/{}.csv", folder, i / 1000, i)) << "t,y\n1,1\n2,0\n";
  }
}

double Seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int Run() {
  const int64_t num_files = NumSamples(100'000);
  IngestRig& rig = IngestRig::Make();
  const std::string folder = rig.Folder("data");
  WriteFiles(folder, num_files);
  const std::string spec = fmt::format(
      "path: {}\nformat: {{type: csv}}\nlabel: {{column: y}}\n"
      "event_time: {{column: t, format: unix}}\nsettle: 1us\n",
      folder);
  const DatasetId id = Require(rig.catalog().Register("", "files", spec, {})).id;
  const double first = Seconds([&] { Require(rig.ingestor().Sync(id, /*wait=*/true, {})); });
  if (Require(rig.catalog().Count(id)).num_samples != 2 * num_files) Fail("samples are missing");
  const auto scan = [&] {
    Require(rig.ingestor().Sync(id, /*wait=*/true, {}));
    return static_cast<double>(num_files);
  };
  const auto walk = [&] {
    num_seen = 0;
    if (::nftw(folder.c_str(), &See, 16, FTW_PHYS) != 0 || num_seen != num_files) Fail("nftw");
    return static_cast<double>(num_files);
  };
  fmt::print(stderr, "{} files: ingested in {:.2f} s, an unchanged tree in {:.3f} s\n", num_files,
             first, Seconds([&] { scan(); }));
  Report(Measure("scan_vs_walk", "files/s", 1, scan, walk));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
