#include "trainer_server/training_digest.h"

#include <cstdint>
#include <string_view>

#include "base/digest.h"
#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"

namespace tidemill::trainer_server {
namespace {

// Concatenates texts, each with its length: no two lists have the same bytes.
class Texts {
 public:
  void Add(std::string_view name, std::string_view value) {
    digest_.Add(fmt::format("{} {}\n", name, value.size()));
    digest_.Add(value);
  }
  void Add(std::string_view name, int64_t value) { Add(name, std::to_string(value)); }
  std::string Finish() { return digest_.Finish(); }

 private:
  Sha256Stream digest_;
};

// The same text for all specs that train alike.
std::string Canonical(models::TrainingSpec training, const models::ModelSpec& model,
                      int64_t trigger) {
  training.num_threads = models::NumThreads(training, model);
  training.downsampling = training.downsampling->MethodAt(trigger);
  training.order = training.EffectiveOrder();
  const models::TrainingSpec defaults;
  training.shuffle = defaults.shuffle;
  training.device = config::kCpuDevice;
  training.warm_start = defaults.warm_start;
  training.fit = defaults.fit;
  training.reuse = defaults.reuse;
  training.checkpoint_every = defaults.checkpoint_every;
  training.least_ranks = defaults.least_ranks;
  training.decoded_budget = defaults.decoded_budget;
  training.cache = defaults.cache;
  training.share = defaults.share;
  return config::Print(training);
}

}  // namespace

std::string DigestOfTraining(const v1::GetTrainingDigestRequest& request,
                             const TrainingSpecs& specs, const v1::TrainingMachine& machine) {
  const v1::StartTrainingRequest& training = request.training();
  Texts texts;
  texts.Add("format", 1);
  texts.Add("dataset_id", training.dataset_id());
  texts.Add("dataset", training.dataset_spec());
  texts.Add("graph", training.graph());
  texts.Add("model", config::Print(specs.model));
  texts.Add("training", Canonical(specs.training, specs.model, training.trigger()));
  texts.Add("draw", training.draw() != 0 ? training.draw() : training.trigger());
  texts.Add("training_set", request.training_set_digest());
  texts.Add("fitted_set", request.fitted_set_digest());
  texts.Add("parent", request.parent_weights_digest());
  texts.Add("program", machine.program());
  texts.Add("torch", machine.torch());
  texts.Add("processor", machine.processor());
  return texts.Finish();
}

std::string WhyNoDigest(const models::TrainingSpec& training, bool is_for_gpu) {
  if (training.RunsProgram()) {
    return "a program trains it, whose packages may change between trainings";
  }
  return is_for_gpu ? "it trains on a GPU, which does not make the same weights each time" : "";
}

}  // namespace tidemill::trainer_server
