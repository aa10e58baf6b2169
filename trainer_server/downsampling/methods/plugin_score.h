// Chooses by a score of the user's own, in a file that the pipeline names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/config.h"
#include "plugin/spec/plugin_use.h"
#include "trainer_server/downsampling/methods/method_spec.h"
#include "trainer_server/downsampling/methods/score_declaration.h"
#include "trainer_server/downsampling/methods/scored.h"

namespace tidemill::trainer_server {

struct PluginScore : plugin::PluginUse, Drawn {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Chooses by a score of your own, in Python or C++. It runs in a process of its own, which "
      "sees no network and starts no programs.";
  static constexpr std::string_view kRule =
      "as the plug-in says: the greatest or the least score first, ties by ordinal, or a "
      "probability in proportion to the score";
  static constexpr std::string_view kWeights =
      "in proportion: those of `loss`; else 1 each: the choice is biased by design";
  static constexpr std::string_view kCost =
      "one forward pass over the samples that are scored, with embeddings two, and the plug-in's "
      "own time; with event times or ages, 8 bytes of memory for each sample of the training";

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    Drawn::Fields(field);
  }
  void Check(config::Problems& problems) const {
    PluginUse::Check(problems);
    Drawn::Check(problems);
  }
  void CheckTraining(const models::TrainedWith& trained_with,
                     models::TrainingProblems& problems) const {
    CheckScore(*this, trained_with, problems);
    Drawn::CheckTraining(trained_with, problems);
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) {
    TakeScore(*this, files, problems);
  }
  std::string RunsWith() const { return ScoreRunsWith(*this); }

  friend bool operator==(const PluginScore& one, const PluginScore& other) {
    return static_cast<const PluginUse&>(one) == static_cast<const PluginUse&>(other) &&
           static_cast<const Drawn&>(one) == static_cast<const Drawn&>(other);
  }
};

std::unique_ptr<const JudgingMethod> MakeMethod(const PluginScore& spec);

}  // namespace tidemill::trainer_server
