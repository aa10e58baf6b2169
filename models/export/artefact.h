// An artefact to export.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "models/artefact_spec.h"
#include "models/export/script_source.h"
#include "models/network.h"
#include "transform/fitted_state.h"
#include "transform/graph.h"
#include "transform/target_scale.h"

namespace tidemill::models {

struct Artefact {
  ArtefactSpec spec;
  std::string spec_text;
  std::string weights;
  Network network;
  transform::TargetScale target_scale;
};

// Reads the parts in `folder`. NOT_FOUND, INVALID_ARGUMENT or DATA_LOSS when it is not complete.
absl::StatusOr<Artefact> ReadArtefact(const std::string& folder);

// The graph of an artefact, bound to records that have the fields that it names.
struct ArtefactGraph {
  transform::Graph graph;
  std::optional<transform::FittedState> fitted;

  const transform::FittedState* state() const { return fitted ? &*fitted : nullptr; }
};
// DATA_LOSS when the fitted state is damaged; else the errors of Graph::Build().
absl::StatusOr<ArtefactGraph> ReadGraph(const Artefact& artefact, const std::string& folder);

// Returns the conversion of the network's outputs to answers.
AnswerSpec AnswerOf(const Artefact& artefact, const transform::Graph& graph);

// Whether the network or a plug-in is a program of a user. It is not to run where it is exported.
bool HasProgramOfUser(const Artefact& artefact);

// Returns `config.json`. `preprocessing` names the place of the preprocessing.
std::string ConfigOf(const Artefact& artefact, std::string_view preprocessing);

}  // namespace tidemill::models
