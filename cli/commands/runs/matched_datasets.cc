#include "cli/commands/runs/matched_datasets.h"

#include <algorithm>
#include <set>

#include "fmt/format.h"

#include "config/config.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

using Matches = std::map<std::string, MatchedDataset>;
using supervisor::PipelineSpec;

std::set<std::string> MeasuredOn(const PipelineSpec& spec) {
  std::set<std::string> names;
  for (const auto& evaluation : spec.evaluation) names.insert(evaluation.dataset);
  return names;
}

class Matcher {
 public:
  Matcher(const PipelineSpec& run, const PipelineSpec& other)
      : run_(run), other_(other), names_(MeasuredOn(run)), other_names_(MeasuredOn(other)) {}

  Matches Match() {
    Try(run_.preprocess.dataset, other_.preprocess.dataset, "the dataset that is trained on");
    const size_t count = std::min(run_.evaluation.size(), other_.evaluation.size());
    for (size_t i = 0; i < count; ++i) {
      const std::string& name = run_.evaluation[i].dataset;
      const std::string& other_name = other_.evaluation[i].dataset;
      if (name == run_.preprocess.dataset || other_name == other_.preprocess.dataset) continue;
      Try(name, other_name, fmt::format("the dataset of evaluation {}", i + 1));
    }
    return std::move(matches_);
  }

 private:
  void Try(const std::string& name, const std::string& other_name, std::string part) {
    if (!names_.contains(name) || !other_names_.contains(other_name)) return;
    if (names_.contains(other_name) || other_names_.contains(name)) return;
    if (matches_.contains(name) || !taken_.insert(other_name).second) return;
    matches_[name] = {.name = other_name, .part = std::move(part)};
  }

  const PipelineSpec& run_;
  const PipelineSpec& other_;
  std::set<std::string> names_, other_names_;
  std::set<std::string> taken_;
  Matches matches_;
};

}  // namespace

Matches MatchDatasets(const supervisor::v1::GetRunResponse& run,
                      const supervisor::v1::GetRunResponse& other) {
  const auto spec = config::ReadKept<PipelineSpec>(run.pipeline_resolved(), "pipeline");
  const auto other_spec = config::ReadKept<PipelineSpec>(other.pipeline_resolved(), "pipeline");
  if (!spec.ok() || !other_spec.ok()) return {};
  return Matcher(*spec, *other_spec).Match();
}

}  // namespace tidemill::cli
