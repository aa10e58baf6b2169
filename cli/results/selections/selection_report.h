// Describes the selections of a run's triggers, and the differences between two selections.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/stack/session.h"
#include "tidemill/selector/v1/selector.pb.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::cli {

// Returns the training sets of a run, ordered by trigger. FAILED_PRECONDITION when the selector
// cannot be reached.
absl::StatusOr<std::vector<selector::v1::TrainingSet>> FetchTrainingSets(const Session& session,
                                                                         int64_t run);

// Returns the names of the classes of the training dataset, by number. Empty when it has none.
// `run` must be fetched with its events.
std::vector<std::string> ClassNamesOf(const supervisor::v1::GetRunResponse& run);

// Returns one line per trigger: candidates, chosen samples, samples shared with the previous set,
// effective size, policy. Also describes downsampling, for triggers that used it.
std::string DescribeSelections(const supervisor::v1::GetRunResponse& run,
                               const std::vector<selector::v1::TrainingSet>& sets);
// Describes one set in full: numbers, classes, times, remarks.
std::string DescribeSelection(const selector::v1::TrainingSet& set,
                              const std::vector<std::string>& classes);
std::string DescribeComparison(const selector::v1::CompareTrainingSetsResponse& comparison,
                               const std::vector<std::string>& classes);

// Returns the share of samples that all epochs chose, out of those that they could have chosen.
double ShareTrained(const rpc::v1::DownsamplingSummary& summary);

}  // namespace tidemill::cli
