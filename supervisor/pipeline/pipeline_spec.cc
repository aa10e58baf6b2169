#include "supervisor/pipeline/pipeline_spec.h"

#include <string_view>

#include "fmt/format.h"

#include "base/times/time_zone.h"
#include "config/clock.h"

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::PipelineSpec);

namespace tidemill::supervisor {
namespace {

// A zone that is unknown is a problem of the dataset alone.
std::string ZoneOf(const storage::DatasetSpec& dataset) {
  const std::string& zone = dataset.event_time.time_zone;
  return TimeZone::Create(zone).ok() ? zone : "UTC";
}

std::string ZoneOf(const PipelineSpec& spec, const FindDataset& registered,
                   const std::string& name) {
  const auto found = spec.datasets.find(name);
  if (found == spec.datasets.end()) return "UTC";
  if (found->second) return ZoneOf(*found->second);
  const auto known = registered ? registered(name) : std::nullopt;
  return known ? ZoneOf(*known) : "UTC";
}

template <typename Section>
void SetClock(std::string_view path, Section& section, const std::string& zone,
              config::Problems& problems) {
  const config::Problems::Scope scope(problems, path);
  config::PutOnClock(section, zone, problems);
}

}  // namespace

void SetClocks(PipelineSpec& spec, const FindDataset& registered, config::Problems& problems) {
  for (auto& [name, dataset] : spec.datasets) {
    if (dataset) SetClock("datasets." + name, *dataset, ZoneOf(*dataset), problems);
  }
  for (size_t i = 0; i < spec.evaluation.size(); ++i) {
    SetClock(fmt::format("evaluation[{}]", i), spec.evaluation[i],
             ZoneOf(spec, registered, spec.evaluation[i].dataset), problems);
  }
  const std::string zone = ZoneOf(spec, registered, spec.preprocess.dataset);
  SetClock("replay", spec.replay, zone, problems);
  SetClock("preprocess.graph", spec.preprocess.graph, zone, problems);
  SetClock("trigger", spec.trigger, zone, problems);
  const auto& [from, to] = spec.replay;
  if (from && to && *from >= *to) {
    problems.Add("replay.to", "is not after `from`", "exchange them");
  }
}

}  // namespace tidemill::supervisor
