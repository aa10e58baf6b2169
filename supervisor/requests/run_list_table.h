// Lists of runs, filtered, ordered and limited by PostgreSQL, and the scores that they show. The
// functions work in the caller's transaction. They throw what libpqxx throws.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"
#include <pqxx/pqxx>

namespace tidemill::supervisor {

struct ListedRun {
  v1::Run run;
  // Whether the score is that of the run's last event. A run without a score can be scored, too.
  bool is_scored = false;
};

struct RunPage {
  std::vector<ListedRun> runs;
  int64_t num_matching = 0;
};

// INVALID_ARGUMENT when a name, a tag or the limit is not valid.
absl::Status CheckRunList(const v1::ListRunsRequest& request);

// Returns what a checked request asks for. Its namespace must not be empty.
RunPage ListRuns(pqxx::work& work, const v1::ListRunsRequest& request);

// Returns the runs that match the request's filters and are not scored, the newest first, and how
// many there are. The order and the limit of the request do not count.
struct UnscoredRuns {
  std::vector<RunId> runs;
  int64_t num_matching = 0;
};
UnscoredRuns ListUnscored(pqxx::work& work, const v1::ListRunsRequest& request, int64_t most);

// Returns the number of the run's last event; 0 when it has none.
int64_t LastEventOf(pqxx::work& work, RunId run);

// Keeps the score that the run had at the event; std::nullopt means that nothing was measured.
// Does nothing when the run is unknown.
void SaveScore(pqxx::work& work, RunId run, int64_t sequence,
               const std::optional<v1::RunScore>& score);

}  // namespace tidemill::supervisor
