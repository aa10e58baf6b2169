// The network of a model and the graph before it as one module of TorchScript.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "torch/script.h"

#include "base/status.h"
#include "batch/batch.h"
#include "models/export/script_source.h"
#include "models/network.h"
#include "transform/engine/portable_graph.h"

namespace tidemill::models {

// The answers of a model for rows.
struct Answers {
  // Probabilities of the classes, or the numbers, row after row.
  std::vector<float> numbers = {};
  int64_t width = 0;  // The numbers of a row.
  std::vector<bool> bad = {};
};

// The module has the methods of script_source.h. Its constants are buffers, its words dictionaries.
// INTERNAL when torch rejects the source.
absl::StatusOr<torch::jit::Module> MakeModelModule(const Network& network,
                                                   const transform::PortableGraph& graph,
                                                   const AnswerSpec& answer);

// Runs forward() on columns in the form that a user gives. INTERNAL when it fails.
absl::StatusOr<Answers> AnswersOf(torch::jit::Module& module, const transform::PortableGraph& graph,
                                  const AnswerSpec& answer, const batch::Batch& given);

// Returns the platform's answers for the model's inputs `made`, computed like in the evaluator.
absl::StatusOr<Answers> ExpectedAnswers(const Network& network, const AnswerSpec& answer,
                                        const batch::Batch& made);

}  // namespace tidemill::models
