// Writes a portable graph as the text of TorchScript methods.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "transform/engine/portable_graph.h"

namespace tidemill::models {

// The conversion of a network's outputs to answers.
struct AnswerSpec {
  // Empty for a network that predicts a number.
  std::vector<std::string> classes = {};
  bool is_class = false;
  int64_t num_outputs = 0;  // The outputs of the network.
  // The single output is how much class 1 outweighs class 0.
  bool has_single_logit = false;
  bool is_single_number = false;
  // A number is the output times `deviation` plus `mean`.
  double mean = 0;
  double deviation = 1;
};

// The methods of a module, and the attributes that they read.
struct ScriptSource {
  std::string methods;
  // Constants of the graph by the names of their attributes.
  std::map<std::string, transform::StepId> tensors = {};
  // Steps whose words, with their places, are dictionaries.
  std::map<std::string, transform::StepId> places = {};
  // Lists of whole numbers.
  std::map<std::string, std::vector<int64_t>> lists = {};
};

// The module must have a submodule `network` whose forward() takes the model's inputs in the order
// of their names. The methods are forward(numbers, texts), prepare(numbers, texts), class_names()
// and predict(numbers, texts).
ScriptSource WriteScript(const transform::PortableGraph& graph, const AnswerSpec& answer);

// Quotes a text for TorchScript.
std::string QuotedForScript(std::string_view text);

}  // namespace tidemill::models
