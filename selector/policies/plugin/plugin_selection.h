// A user's selection policy, in a file that the pipeline names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nlohmann/json_fwd.hpp"

#include "base/status.h"
#include "config/config.h"
#include "config/named_files.h"
#include "plugin/spec/plugin_use.h"
#include "selector/choosing/draw.h"
#include "selector/choosing/policy.h"

namespace tidemill::selector {

// What to do when the plug-in cannot choose.
enum class OnSelectionFault { kFail, kAll, kUniform };

// A plug-in's declaration: its inputs besides keys.
struct SelectionDeclaration {
  bool event_times = false;
  bool labels = false;
  bool embeddings = false;
  bool predictions = false;
  // The names of numeric columns of the records.
  std::vector<std::string> columns = {};
  // Whether its weights make the expected loss equal to the loss over all candidates.
  bool unbiased = false;

  bool AsksModel() const { return embeddings || predictions; }
};

// Reads the answer to `create` (docs/formats/plugin_protocol.md, "Selections"). INVALID_ARGUMENT
// says what is wrong with it.
absl::StatusOr<SelectionDeclaration> ReadSelectionDeclaration(const nlohmann::json& created);

struct PluginSelection : plugin::PluginUse {
  static constexpr std::string_view kType = "plugin";
  static constexpr std::string_view kDoc =
      "Asks a policy of your own, in Python or C++. It runs in its own process, without access to "
      "the network, and cannot start programs.";
  static constexpr std::string_view kRule =
      "what the plug-in chooses, once it has seen all candidates; it draws by the hashes of (seed, "
      "trigger, key) that built-in policies draw by";
  static constexpr std::string_view kWeights = "those of the plug-in; without, 1 each";
  static constexpr std::string_view kCost =
      "that of the plug-in, and the start of its process; of memory the keys of all candidates, up "
      "to the budget, and beyond it in a file";
  static constexpr std::string_view kSource = "";
  CandidatePool pool = {};
  std::optional<double> fraction = std::nullopt;
  std::optional<int64_t> samples = std::nullopt;
  OnSelectionFault on_fault = OnSelectionFault::kFail;

  void Fields(auto&& field) {
    PluginUse::Fields(field);
    pool.Fields(field);
    field(
        "fraction", fraction,
        "Share of the candidates that the plug-in is asked for, and that is drawn with `on_fault: "
        "uniform`.",
        {.min = 0, .max = 1, .example = "0.25"});
    field("samples", samples, "The same as a number of samples.", {.min = 1, .example = "10_000"});
    field(
        "on_fault", on_fault,
        "What to do when the plug-in cannot choose, because it crashed or took too long: "
        "fail, the run fails; all, all candidates are chosen; uniform, `fraction` or `samples` of "
        "them are drawn. The run shows each fault.");
  }
  void Check(config::Problems& problems) const;

  CandidatePool TakesFrom() const { return pool; }
  bool HasTarget() const { return fraction || samples; }
  int64_t Target(int64_t available) const {
    return HasTarget() ? Size().Target(available) : available;
  }
  LooksAt WhatItLooksAt() const;
  Recalls WhatItRecalls() const { return Recalls::kNothing; }

  // FAILED_PRECONDITION for a spec that was not submitted.
  absl::StatusOr<SelectionDeclaration> Declaration() const;

 private:
  // The number of samples to choose, as for a policy that draws.
  Draw Size() const {
    Draw size;
    size.fraction = fraction;
    size.samples = samples;
    return size;
  }
};

std::unique_ptr<Chooser> MakeChooser(const PluginSelection& spec, const RandomKey& random,
                                     const Workplace& workplace, TrainingSetWriter& into);

template <>
class SelectionOf<PluginSelection> final : public SelectionBase<PluginSelection> {
 public:
  void CheckSamples(const transform::DescribedSamples& described,
                    config::Problems& problems) const override;
  // Also starts the plug-in: notes an unknown setting, and a plug-in that does not start.
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override;
  // "novelty.py:Novelty 1.0 (numpy 1.24.2, python 3.11.2; sandbox: bwrap)".
  std::string RunsWith() const override { return spec_.RunsWith(); }
};

}  // namespace tidemill::selector

template <>
struct tidemill::config::EnumNames<tidemill::selector::OnSelectionFault> {
  using Fault = tidemill::selector::OnSelectionFault;
  static constexpr std::pair<Fault, std::string_view> kNames[] = {
      {Fault::kFail, "fail"}, {Fault::kAll, "all"}, {Fault::kUniform, "uniform"}};
};
