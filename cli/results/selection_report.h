// What was selected for the triggers of a run, and how two selections differ.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/session.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// A training set by its run and trigger.
struct SetName {
  int64_t run = 0;
  int64_t trigger = 0;
};
// Reads "12/3". INVALID_ARGUMENT for anything else.
absl::StatusOr<SetName> ParseSetName(const std::string& text);

// The training sets of a run, by trigger. FAILED_PRECONDITION where the selector is out of reach.
absl::StatusOr<std::vector<selector::v1::TrainingSet>> FetchTrainingSets(const Session& session,
                                                                         int64_t run);

// The names of classes, by number, of the dataset that the run trains on; empty where it has none.
// `run` was asked for with its events.
std::vector<std::string> ClassNamesOf(const supervisor::v1::GetRunResponse& run);

// One line a trigger: candidates, chosen, shared with the set before, effective size, policy. And
// what downsampling trained on, of triggers that have such a summary.
std::string DescribeSelections(const supervisor::v1::GetRunResponse& run,
                               const std::vector<selector::v1::TrainingSet>& sets);
// All of one set: numbers, classes, times, remarks.
std::string DescribeSelection(const selector::v1::TrainingSet& set,
                              const std::vector<std::string>& classes);
std::string DescribeComparison(const selector::v1::CompareTrainingSetsResponse& comparison,
                               const std::vector<std::string>& classes);

// Samples that all epochs chose, of those they could have.
double ShareTrained(const rpc::v1::DownsamplingSummary& summary);

}  // namespace tidemill::cli
