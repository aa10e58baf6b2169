#include "supervisor/backtest/false_alarm_count.h"

#include <algorithm>
#include <utility>

namespace tidemill::supervisor {

absl::StatusOr<double> CountFalseAlarms(const History& history, int num_shuffles,
                                        const BeginBacktest& begin, const EvidenceOf& evidence_of) {
  int64_t alarms = 0;
  for (int shuffle = 0; shuffle < num_shuffles; ++shuffle) {
    ShuffledHistory shuffled(history, shuffle);
    ASSIGN_OR_RETURN(const std::unique_ptr<EvidenceSource> source, evidence_of(shuffled));
    ASSIGN_OR_RETURN(Backtest test, begin(*source));
    RETURN_IF_ERROR(test.Take(history.View()));
    alarms += std::max<int64_t>(0, std::move(test).Finish().num_triggers - 1);
  }
  return static_cast<double>(alarms) / static_cast<double>(std::max(1, num_shuffles));
}

}  // namespace tidemill::supervisor
