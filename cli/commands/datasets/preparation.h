// tidemill datasets prepare: prepares the samples of a dataset up to an op of a graph, once for all
// trainings whose graphs begin alike.
#pragma once

#include <string>

#include "cli/command_line/action.h"

namespace tidemill::cli {

struct PreparationFlags {
  std::string graph;  // --graph: a pipeline file.
  std::string to;     // --to: an op; empty: only the table of what each would bring.
};

// Prints the table of all ops up to which the dataset can be prepared. With `to`, then prepares
// what is not prepared yet. Returns the exit code.
int PrepareDataset(const GlobalFlags& flags, const std::string& name,
                   const PreparationFlags& preparation);

}  // namespace tidemill::cli
