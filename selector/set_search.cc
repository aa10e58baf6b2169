#include "selector/set_search.h"

#include <algorithm>

#include "selector/columns/training_set_file.h"

namespace tidemill::selector {
namespace {

// How many of the wanted keys a run has chosen by its newest set; all of them when that is unknown.
int64_t NumEverChosen(const TrainingSetRow& newest, const ChosenKeys& wanted,
                      const PathsOf& paths) {
  if (newest.chosen_digest.empty()) return wanted.size();
  const absl::StatusOr<ChosenSoFar> chosen =
      ReadChosen(paths(newest.set.trigger()).chosen, newest.chosen_digest);
  return chosen.ok() ? chosen->ever.And(wanted).size() : wanted.size();
}

// The sets of one run.
class RunSearch {
 public:
  RunSearch(std::span<const TrainingSetRow> rows, const ChosenKeys& wanted, PathsOf paths)
      : rows_(rows), wanted_(wanted), paths_(std::move(paths)) {}

  // Returns the match of a set. Its `num_found` is 0 when the set holds none of the samples.
  v1::FindTrainingSetsResponse::Match Find(const TrainingSetRow& row) {
    v1::FindTrainingSetsResponse::Match match;
    match.set_run_id(row.set.run_id());
    match.set_trigger(row.set.trigger());
    absl::StatusOr<batch::Batch> entries = absl::NotFoundError("removed");
    if (!row.set.removed()) {
      entries = ReadTrainingSet(paths_(row.set.trigger()).entries, row.set.digest());
    }
    if (entries.ok()) {
      ChosenKeys held;
      held.Add(entries->keys());
      match.set_num_found(held.And(wanted_).size());
    } else {
      if (!num_ever_) num_ever_ = NumEverChosen(rows_.back(), wanted_, paths_);
      match.set_num_found(std::min(*num_ever_, row.set.num_samples()));
      match.set_is_removed(true);
    }
    return match;
  }

 private:
  const std::span<const TrainingSetRow> rows_;
  const ChosenKeys& wanted_;
  const PathsOf paths_;
  std::optional<int64_t> num_ever_;
};

}  // namespace

absl::Status FindSets(const std::vector<TrainingSetRow>& rows, std::span<const int64_t> keys,
                      const PathsOfRun& paths_of, const MatchSink& sink) {
  ChosenKeys wanted;
  wanted.Add(keys);
  v1::FindTrainingSetsResponse response;
  response.set_num_sets(std::ssize(rows));
  for (size_t from = 0, to = 0; from < rows.size(); from = to) {
    const int64_t run = rows[from].set.run_id();
    for (to = from; to < rows.size() && rows[to].set.run_id() == run;) ++to;
    const std::span of_run = std::span(rows).subspan(from, to - from);
    RunSearch search(of_run, wanted, paths_of(RunId{run}));
    for (const TrainingSetRow& row : of_run) {
      v1::FindTrainingSetsResponse::Match match = search.Find(row);
      response.clear_match();
      if (match.num_found() > 0) *response.mutable_match() = std::move(match);
      response.set_num_sets_done(response.num_sets_done() + 1);
      RETURN_IF_ERROR(sink(response));
    }
  }
  return absl::OkStatus();
}

}  // namespace tidemill::selector
