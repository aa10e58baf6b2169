#include "cli/results/remarks/graph_warnings.h"

#include <cstdint>
#include <map>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "base/numbers/thousands.h"

namespace tidemill::cli {
namespace {

// " (triggers 3, 17)"
std::string Named(const std::vector<int64_t>& triggers) {
  constexpr size_t kMostNamed = 5;
  if (triggers.size() > kMostNamed) return fmt::format(" ({} triggers)", triggers.size());
  return fmt::format(" ({} {})", triggers.size() == 1 ? "trigger" : "triggers",
                     fmt::join(triggers, ", "));
}

struct Sum {
  int64_t num_samples = 0;
  int64_t num_unknown = 0;
  std::vector<int64_t> triggers = {};
};

}  // namespace

std::vector<std::string> GraphWarningsOf(const supervisor::v1::GetRunResponse& run) {
  std::map<std::string, Sum> unknown;
  std::map<std::string, std::vector<int64_t>> of_fits;
  for (const supervisor::v1::Trigger& trigger : run.triggers()) {
    for (const std::string& warning : trigger.result().fit_warnings()) {
      of_fits[warning].push_back(trigger.number());
    }
    for (const rpc::v1::UnknownValues& values : trigger.result().unknown()) {
      Sum& sum = unknown[values.op()];
      sum.num_samples += values.num_samples();
      sum.num_unknown += values.num_unknown();
      sum.triggers.push_back(trigger.number());
    }
  }
  std::vector<std::string> warnings;
  for (const auto& [op, sum] : unknown) {
    warnings.push_back(fmt::format("{} did not know {} of {} values{}", op,
                                   WithThousands(sum.num_unknown), WithThousands(sum.num_samples),
                                   Named(sum.triggers)));
  }
  for (const auto& [warning, triggers] : of_fits) warnings.push_back(warning + Named(triggers));
  return warnings;
}

void AddGraphWarnings(const rpc::v1::TrainingResult& result, nlohmann::ordered_json& json) {
  for (const std::string& warning : result.fit_warnings()) json["fit_warnings"].push_back(warning);
  for (const rpc::v1::UnknownValues& values : result.unknown()) {
    json["unknown"].push_back({{"op", values.op()},
                               {"samples", values.num_samples()},
                               {"unknown", values.num_unknown()}});
  }
}

}  // namespace tidemill::cli
