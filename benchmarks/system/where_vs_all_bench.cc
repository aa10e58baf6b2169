// The ingest of CSV records of which all satisfy a condition on two columns, against the ingest of
// the same records without one.
//
// TIDEMILL_BENCH_SAMPLES: how many, a million unless it says otherwise. The data are below
// TIDEMILL_BENCH_FOLDER, /tmp unless it says otherwise, and so does the PostgreSQL.
#include <fstream>
#include <string>
#include <utility>

#include "fmt/format.h"

#include "benchmarks/bench_folder.h"
#include "benchmarks/paired.h"
#include "benchmarks/system/ingest_rig.h"

namespace tidemill::benchmarks {
namespace {

void WriteRecords(const std::string& path, int64_t num_samples) {
  std::ofstream file(path, std::ios::binary);
  file << "t,y,valid,price,device,speed\n";
  for (int64_t i = 0; i < num_samples; ++i) {
    file << fmt::format("{},{},1,{}.{:02},device-{},{}.5\n", 1'500'000'000 + i, i % 2, 1 + i % 900,
                        i % 100, i * 40'503 % 10'000, i % 120);
  }
  file.close();
  if (!file) Fail("cannot write " + path);
}

class Dataset {
 public:
  Dataset(IngestRig& rig, std::string name, const std::string& where)
      : rig_(rig),
        name_(std::move(name)),
        spec_(fmt::format("path: {}\nformat: csv\nlabel: {{column: y}}\n"
                          "event_time: {{column: t, format: unix}}\nsettle: 1us\n{}",
                          rig.Folder("data"), where)) {}

  void Remove() { Require(rig_.catalog().Delete("", name_, {}).status()); }

  double Ingest(int64_t num_samples) {
    const DatasetId id = Require(rig_.catalog().Register("", name_, spec_, {})).id;
    Require(rig_.ingestor().Sync(id, /*wait=*/true, {}));
    if (Require(rig_.catalog().Count(id)).num_samples != num_samples) Fail("samples are missing");
    return static_cast<double>(num_samples);
  }

 private:
  IngestRig& rig_;
  const std::string name_;
  const std::string spec_;
};

int Run() {
  const int64_t num_samples = NumSamples(1'000'000);
  IngestRig& rig = IngestRig::Make();
  WriteRecords(rig.Folder("data") + "/part-0.csv", num_samples);
  Dataset some(rig, "some", "where: valid = 1 and price > 0\n");
  Dataset all(rig, "all", "");
  const Side ours = {.prepare = [&] { some.Remove(); },
                     .work = [&] { return some.Ingest(num_samples); }};
  const Side yardstick = {.prepare = [&] { all.Remove(); },
                          .work = [&] { return all.Ingest(num_samples); }};
  Report(Measure("where_vs_all", "samples/s", 1, ours, yardstick));
  return 0;
}

}  // namespace
}  // namespace tidemill::benchmarks

int main() { return tidemill::benchmarks::Run(); }
