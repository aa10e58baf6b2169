// The files beside an exported model: instructions, an example row, and the learned parameters of
// the graph.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "models/export/model_module.h"
#include "models/export/onnx_model.h"
#include "models/export/script_source.h"
#include "transform/engine/portable_graph.h"
#include "transform/fitted_state.h"
#include "transform/graph.h"

namespace tidemill::models {

inline constexpr char kTorchScriptFile[] = "model.pt";
inline constexpr char kOnnxFile[] = "model.onnx";

// Samples in the form that a user gives, and the platform's answers for them.
struct Example {
  transform::GivenSamples samples;
  Answers expected;
};

struct ExportContents {
  const transform::GraphSpec& ops;
  const transform::PortableGraph& graph;
  const AnswerSpec& answer;
  const transform::FittedState* fitted = nullptr;  // Absent when the graph learns nothing.
  const OnnxModel* onnx = nullptr;                 // Absent for TorchScript.
  std::optional<Example> example = std::nullopt;
  std::string no_example = {};  // Why rows of the data could not be tried.
};

// Returns files by name: `README.md`, `example.json` where there is an example, and `fitted.json`
// where the graph has learned something, and the tables of ops that are not in the file.
// docs/formats/export.md describes them.
std::map<std::string, std::string> WriteExportFiles(const ExportContents& contents);

}  // namespace tidemill::models
