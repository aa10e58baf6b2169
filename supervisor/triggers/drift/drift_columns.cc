#include "supervisor/triggers/drift/drift_columns.h"

#include <utility>

#include "fmt/format.h"

#include "supervisor/statistics/two_samples/drifted_share.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {

void TakeShare(double share, statistics::DriftScore& score, Observed& observed) {
  const int64_t wanted = statistics::NumOfShare(score, share);
  observed[number::kComparedColumns] = static_cast<double>(statistics::NumCompared(score));
  observed[number::kWantedColumns] = static_cast<double>(wanted);
  score = statistics::ReachedBy(wanted, std::move(score));
}

std::string ExplainColumn(const std::string& column, const Observed& observed) {
  if (!observed.contains(number::kWantedColumns)) return fmt::format(", most in `{}`", column);
  return fmt::format(" or more in {} of {} columns, the last of them `{}`",
                     Figure(ValueOf(observed, number::kWantedColumns)),
                     Figure(ValueOf(observed, number::kComparedColumns)), column);
}

}  // namespace tidemill::supervisor
