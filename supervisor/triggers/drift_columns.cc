#include "supervisor/triggers/drift_columns.h"

#include <utility>

#include "fmt/format.h"

#include "supervisor/statistics/drifted_share.h"
#include "supervisor/triggers/phrases.h"

namespace tidemill::supervisor {

void TakeShare(double share, statistics::DriftScore& score, Observed& observed) {
  const int64_t wanted = statistics::NumOfShare(score, share);
  observed["compared_columns"] = static_cast<double>(statistics::NumCompared(score));
  observed["wanted_columns"] = static_cast<double>(wanted);
  score = statistics::ReachedBy(wanted, std::move(score));
}

std::string ExplainColumn(const std::string& column, const Observed& observed) {
  if (!observed.contains("wanted_columns")) return fmt::format(", most in `{}`", column);
  return fmt::format(" or more in {} of {} columns, the last of them `{}`",
                     Figure(ValueOf(observed, "wanted_columns")),
                     Figure(ValueOf(observed, "compared_columns")), column);
}

}  // namespace tidemill::supervisor
