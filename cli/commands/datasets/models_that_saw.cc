#include "cli/commands/datasets/models_that_saw.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tidemill::cli {

void AddMatch(const TrainingSetMatch& match, std::vector<TrainingSetMatch>& matches) {
  for (TrainingSetMatch& known : matches) {
    if (known.run_id() != match.run_id() || known.trigger() != match.trigger()) continue;
    known.set_num_found(known.num_found() + match.num_found());
    known.set_is_removed(known.is_removed() || match.is_removed());
    return;
  }
  matches.push_back(match);
}

std::vector<ModelThatSaw> ModelsThatSaw(const std::vector<TrainingSetMatch>& matches,
                                        const std::vector<model_store::v1::Model>& models) {
  std::map<std::pair<int64_t, int64_t>, const TrainingSetMatch*> by_trigger;
  for (const TrainingSetMatch& match : matches) {
    by_trigger[{match.run_id(), match.trigger()}] = &match;
  }
  std::map<int64_t, const model_store::v1::Model*> by_id;
  for (const model_store::v1::Model& model : models) by_id[model.model_id()] = &model;
  // A model is older than those that continue from it.
  std::map<int64_t, ModelThatSaw> saw;
  for (const auto& [id, model] : by_id) {
    ModelThatSaw entry{.model = id,
                       .run = model->run_id(),
                       .trigger = model->trigger(),
                       .is_removed = model->has_removed_at()};
    const auto match = by_trigger.find({model->run_id(), model->trigger()});
    const auto parent = saw.find(model->parent_model_id());
    if (match != by_trigger.end()) {
      entry.num_samples = match->second->num_found();
      entry.is_unsure = match->second->is_removed();
    } else if (parent != saw.end()) {
      entry.through = parent->first;
      entry.is_unsure = parent->second.is_unsure;
    } else {
      continue;
    }
    if (entry.is_unsure && parent != saw.end() && !parent->second.is_unsure) {
      entry.through = parent->first;
      entry.is_unsure = false;
      entry.num_samples = 0;
    }
    saw.emplace(id, entry);
  }
  std::vector<ModelThatSaw> result;
  for (const auto& [id, entry] : saw) result.push_back(entry);
  return result;
}

}  // namespace tidemill::cli
