// Predictors that are objects of programs. They answer in processes of plug-ins, and are unpickled
// there and nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/windows/scored_model.h"
#include "models/artefact_spec.h"
#include "plugin/process/plugin_instance.h"

namespace tidemill::evaluator {

// A program in its process, with the objects that it has opened. A process that dies is replaced
// once for a call. Thread-compatible.
class ProgramHost {
 public:
  explicit ProgramHost(const models::ArtefactSpec& spec);

  // Whether models of this spec may be opened here: it is the same program, and there is room.
  bool Takes(const models::ArtefactSpec& spec, size_t pickle_bytes) const;

  // Adds an object. Returns its number. The process opens it at the first question.
  int64_t Add(std::string pickle);
  void Remove(int64_t number);

  // Returns the answers of an object, row after row. FAILED_PRECONDITION for a fault of the
  // program, such as an object that cannot be loaded; UNAVAILABLE when no process can be started.
  absl::StatusOr<std::vector<float>> Ask(int64_t number, const batch::Batch& rows);

 private:
  absl::StatusOr<nlohmann::json> TryAsk(int64_t number, const batch::Batch& rows);

  const plugin::PluginUse use_;
  const std::string about_;  // What the process gets to know about the model, as text.
  const int64_t outputs_;
  plugin::PluginInstance instance_;
  pid_t pid_ = 0;
  std::map<int64_t, std::string> pickles_;
  std::set<int64_t> opened_;  // By the process `pid_`.
  size_t num_bytes_ = 0;
  int64_t last_number_ = 0;
};

// The processes of a job. Models of one program share a process while they are small beside its
// memory. Thread-compatible.
class ProgramHosts {
 public:
  // Returns the object in these weights, which are of EncodePickle(). Its answers are as the spec
  // says. DATA_LOSS or FAILED_PRECONDITION when the weights hold no object.
  absl::StatusOr<std::unique_ptr<Predictor>> Make(const models::ArtefactSpec& spec,
                                                  std::string_view weights);

 private:
  std::vector<std::shared_ptr<ProgramHost>> hosts_;
};

}  // namespace tidemill::evaluator
