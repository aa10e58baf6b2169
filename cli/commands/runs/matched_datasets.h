// Which datasets of runs stand for each other, when runs of one pipeline use other names.
#pragma once

#include <map>
#include <string>

#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// A dataset of another run that has the part of one in a run.
struct MatchedDataset {
  std::string name;  // In the other run.
  std::string part;  // "the dataset that is trained on", "the dataset of evaluation 2"
};

// Returns, for datasets that `run` measures models on and `other` does not, the one that has the
// same part in `other`: it is trained on in both, or is that of the evaluation at the same place
// and trained on in neither. No two have the same match, and none has a name that `run` uses. Empty
// when a run does not have its pipeline.
std::map<std::string, MatchedDataset> MatchDatasets(const supervisor::v1::GetRunResponse& run,
                                                    const supervisor::v1::GetRunResponse& other);

}  // namespace tidemill::cli
