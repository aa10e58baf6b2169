#include "supervisor/checks/start_from_check.h"

#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fmt/format.h"

namespace tidemill::supervisor {
namespace {

void CheckNames(const models::StartFrom& start, const std::vector<std::string>& arrays,
                config::Problems& problems) {
  for (size_t i = 0; i < start.layers.size(); ++i) {
    const models::StartLayers& layers = start.layers[i];
    if (layers.from.empty() || layers.take != models::Take::kAlways) continue;
    const bool found = std::ranges::any_of(arrays, [&](const std::string& name) {
      return fnmatch(layers.from.c_str(), name.c_str(), 0) == 0;
    });
    if (found) continue;
    problems.Add(fmt::format("training.start_from.layers[{}].from", i),
                 fmt::format("matches none of the {} arrays of the weights", arrays.size()),
                 fmt::format("there is {}, for example", arrays.front()));
  }
}

}  // namespace

void CheckStartFrom(PipelineFiles& files, models::TrainingSpec& training,
                    config::Problems& problems) {
  if (!training.start_from) return;
  models::StartFrom& start = *training.start_from;
  if (start.file.empty() && start.folder.empty()) return;
  const char* const field =
      start.file.empty() ? "training.start_from.folder" : "training.start_from.file";
  const auto weights = files.KeepWeights(start, field, problems);
  if (!weights) return;
  if (!weights->arrays.empty()) CheckNames(start, weights->arrays, problems);
  start.kept = weights->kept;
  start.file.clear();
  start.folder.clear();
}

}  // namespace tidemill::supervisor
