// Chooses by a user's score, in a file that the pipeline names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "plugin/spec/plugin_use.h"
#include "trainer_server/downsampling/spec/method_spec.h"
#include "trainer_server/downsampling/spec/score_declaration.h"
#include "trainer_server/downsampling/spec/scored.h"

namespace tidemill::trainer_server {

struct PluginScore : plugin::PluginUse, Drawn {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Chooses by a score of your own, in Python or C++. It runs in its own process, without "
      "access to the network, and cannot start programs.";
  static constexpr std::string_view kRule =
      "as the plug-in says: the greatest or the least score first, ties by ordinal, or a "
      "probability in proportion to the score";
  static constexpr std::string_view kWeights =
      "in proportion: those of `loss`; else 1 each: the choice is biased by design";
  static constexpr std::string_view kCost =
      "one forward pass over the samples that are scored, with embeddings two, and the plug-in's "
      "own time; with event times or ages, 8 bytes of memory for each sample of the training";
  static constexpr std::string_view kSource = "";

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    Drawn::Fields(field);
  }
  void Check(config::Problems& problems) const {
    PluginUse::Check(problems);
    Drawn::Check(problems);
  }

  friend bool operator==(const PluginScore& one, const PluginScore& other) {
    return static_cast<const PluginUse&>(one) == static_cast<const PluginUse&>(other) &&
           static_cast<const Drawn&>(one) == static_cast<const Drawn&>(other);
  }
};

std::unique_ptr<const JudgingMethod> MakeMethod(const PluginScore& spec);

template <>
class DownsamplingOf<PluginScore> final : public ScoredDownsampling<PluginScore> {
 public:
  void CheckTraining(const models::TrainedWith& with,
                     models::TrainingProblems& problems) const override {
    CheckScore(spec_, with, problems);
    ScoredDownsampling::CheckTraining(with, problems);
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    TakeScore(spec_, files, problems);
  }
  // "stale_loss.py:StaleLoss 1.0 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
  std::string RunsWith() const override { return spec_.RunsWith(); }
};

}  // namespace tidemill::trainer_server
