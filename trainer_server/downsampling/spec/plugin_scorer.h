// A score plug-in in its process.
#pragma once

#include <cstdint>
#include <vector>

#include "plugin/process/plugin_instance.h"
#include "trainer_server/downsampling/spec/score_declaration.h"

namespace tidemill::trainer_server {

// The process starts with the first block, and ends with this object. The failures are the
// plug-in's faults, as in plugin/process/fault.h, except that a death caused by the plug-in is
// INVALID_ARGUMENT. So UNAVAILABLE means that the machine could not start a process, which is worth
// a retry. Thread-compatible.
class PluginScorer final : public SampleScorer {
 public:
  // `use` must be from a submitted pipeline. Without a declaration in it, the first block fails.
  explicit PluginScorer(const plugin::PluginUse& use);

  const ScoreLooksAt& looks_at() const override { return declaration_.looks_at; }
  KeepBy keep() const { return declaration_.keep; }
  absl::StatusOr<std::vector<double>> Score(const batch::Batch& block) override;

  // The process, for tests; 0 for none.
  pid_t pid() const { return instance_.pid(); }

 private:
  // Scores rows that fit into the memory for requests together.
  absl::Status ScorePiece(const batch::Batch& piece, std::vector<double>& scores);
  absl::StatusOr<nlohmann::json> Ask(const batch::Batch& piece);
  absl::Status Read(const nlohmann::json& answer, int64_t num_rows,
                    std::vector<double>& scores) const;

  const std::string use_;
  // Why the plug-in has no declaration.
  absl::Status undeclared_;
  ScoreDeclaration declaration_;
  plugin::PluginInstance instance_;
};

}  // namespace tidemill::trainer_server
