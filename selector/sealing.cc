#include "selector/sealing.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "selector/choosing/chooser.h"
#include "selector/selection_summary.h"

namespace tidemill::selector {
namespace {

using Clock = std::chrono::steady_clock;

// The steps of WriteTrainingSet(), in their order.
class Sealing {
 public:
  Sealing(const v1::SealTrainingSetRequest& request, const SelectionSpec& spec,
          TrainingSetHistory history, const PathsOf& paths_of, const Sources& sources,
          const SealingPlace& place, Unsealed& unsealed)
      : request_(request),
        spec_(spec),
        policy_(spec->PolicyAt(request.trigger())),
        history_(std::move(history)),
        paths_of_(paths_of),
        sources_(sources),
        place_(place),
        unsealed_(unsealed),
        list_samples_([this](const auto& list, const auto& sink) {
          return place_.listings->List(sources_.list_samples, list, sink);
        }) {}

  absl::Status Choose();
  absl::Status Summarize();
  absl::Status CompareWithEarlierSets();
  absl::Status Seal();

 private:
  absl::Status Compare(const ChosenKeys& set);

  const v1::SealTrainingSetRequest& request_;
  const SelectionSpec& spec_;
  const SelectionSpec policy_;
  TrainingSetHistory history_;
  const PathsOf& paths_of_;
  const Sources& sources_;
  const SealingPlace& place_;
  Unsealed& unsealed_;
  const SampleLister list_samples_;
  CandidateListing listing_;
  SummaryCounter counter_;
  int64_t num_unlabelled_ = 0;
  int64_t num_new_unlabelled_ = 0;
  int64_t num_filtered_ = 0;
  // Null for a policy other than a plug-in.
  std::shared_ptr<plugin::RunHosts> hosts_;
  ChoiceNotes notes_;
  v1::SelectionSummary summary_;
};

absl::Status Sealing::Choose() {
  ASSIGN_OR_RETURN(listing_, ListingOf(request_, policy_));
  StoredFacts facts(request_, sources_.read_samples, sources_.read_model);
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (const rpc::v1::Cut& end : request_.ends()) {
    ends.emplace_back(end.event_time(), end.sample_key());
  }
  const RandomKey random{
      .seed = request_.seed(), .purpose = "selection", .trigger = request_.trigger()};
  if (place_.hosts != nullptr && !policy_->RunsWith().empty()) {
    hosts_ = place_.hosts->Of(request_.command().run_id());
  }
  const Workplace workplace{.folder = place_.folder,
                            .memory_budget = place_.memory_budget,
                            .pool = place_.pool,
                            .facts = &facts,
                            .ends = ends,
                            .chosen_before = history_.chosen ? &history_.chosen->ever : nullptr,
                            .chosen_in_round = history_.chosen ? &history_.chosen->round : nullptr,
                            .worker_program = place_.worker_program,
                            .num_workers = place_.num_workers,
                            .worker_memory = place_.worker_memory,
                            .hosts = hosts_};
  const std::unique_ptr<Chooser> chooser = ChooserFor(spec_, random, workplace, unsealed_.entries);
  if (listing_.late) RETURN_IF_ERROR(unsealed_.late.Open(/*weighted=*/false));
  const auto record_late = [&](const Candidates& late) {
    return unsealed_.late.AddKeys(late.keys);
  };
  const auto choose = [&](const Candidates& candidates) {
    num_unlabelled_ += candidates.num_unlabelled;
    num_new_unlabelled_ += candidates.num_new_unlabelled;
    num_filtered_ += candidates.num_filtered;
    counter_.AddCandidates(candidates);
    return chooser->Add(candidates);
  };
  RETURN_IF_ERROR(ForEachCandidate(list_samples_, listing_, record_late, choose));
  RETURN_IF_ERROR(chooser->Finish());
  notes_ = chooser->notes();
  return absl::OkStatus();
}

absl::Status Sealing::Summarize() {
  const TrainingSetWriter& entries = unsealed_.entries;
  // No policy takes a candidate twice.
  const bool all_chosen = entries.num_keys() == counter_.num_candidates();
  if (!all_chosen && entries.num_keys() > 0) {
    SummaryCounter::SecondPass second(counter_, entries);
    RETURN_IF_ERROR(
        ForEachCandidate(list_samples_, listing_, nullptr,
                         [&](const Candidates& candidates) { return second.Add(candidates); }));
    RETURN_IF_ERROR(second.Finish());
  }
  counter_.Fill(all_chosen, summary_);
  summary_.set_policy(std::string(policy_.type()));
  ASSIGN_OR_RETURN(const double effective_size, EffectiveSize(entries));
  summary_.set_effective_size(effective_size);
  summary_.set_num_left_out(notes_.num_left_out);
  summary_.set_num_unlabelled(num_unlabelled_);
  summary_.set_num_new_unlabelled(num_new_unlabelled_);
  summary_.set_num_filtered(num_filtered_);
  if (notes_.objective) summary_.set_objective(*notes_.objective);
  for (const std::string& remark : notes_.remarks) summary_.add_remarks(remark);
  if (hosts_ != nullptr) {
    for (const plugin::HostDeath& death : hosts_->TakeDeaths()) {
      v1::SelectionSummary::Death& died = *summary_.add_deaths();
      died.set_plugin(death.plugin);
      died.set_what(death.what);
    }
  }
  if (notes_.fault) {
    summary_.mutable_fault()->set_what(notes_.fault->what);
    summary_.mutable_fault()->set_traceback(notes_.fault->traceback);
  }
  return absl::OkStatus();
}

absl::Status Sealing::CompareWithEarlierSets() {
  ChosenKeys set;
  RETURN_IF_ERROR(
      ForEachEntry(unsealed_.entries, [&](std::span<const int64_t> keys) { set.Add(keys); }));
  RETURN_IF_ERROR(Compare(set));
  if (!history_.chosen) {
    summary_.add_remarks("it is no longer known which samples were chosen before");
    return absl::OkStatus();
  }
  int64_t num_known = 0;
  RETURN_IF_ERROR(ForEachEntry(unsealed_.entries, [&](std::span<const int64_t> keys) {
    num_known += history_.chosen->ever.CountOf(keys);
  }));
  summary_.set_num_fresh(unsealed_.entries.num_keys() - num_known);
  history_.chosen->Add(set, DrawsInRounds(*policy_));
  ASSIGN_OR_RETURN(unsealed_.chosen, WriteChosen(*history_.chosen, place_.folder));
  return absl::OkStatus();
}

absl::Status Sealing::Compare(const ChosenKeys& set) {
  if (!history_.previous) return absl::OkStatus();
  const v1::TrainingSet& previous = *history_.previous;
  const auto entries = ReadTrainingSet(paths_of_(previous.trigger()).entries, previous.digest());
  if (!entries.ok()) {
    summary_.add_remarks(fmt::format(
        "the training set of trigger {} is gone, so it was not compared", previous.trigger()));
    return absl::OkStatus();
  }
  summary_.set_num_previous(entries->num_rows());
  summary_.set_num_shared(set.CountOf(entries->keys()));
  return absl::OkStatus();
}

absl::Status Sealing::Seal() {
  v1::TrainingSet& set = unsealed_.set;
  set.set_run_id(request_.command().run_id());
  set.set_trigger(request_.trigger());
  set.set_dataset_id(request_.snapshot().dataset_id());
  set.set_num_samples(unsealed_.entries.num_keys());
  set.set_num_candidates(counter_.num_candidates());
  set.set_weighted(unsealed_.entries.weighted());
  set.set_num_late(unsealed_.late.num_keys());
  *set.mutable_summary() = std::move(summary_);
  ASSIGN_OR_RETURN(*set.mutable_digest(), unsealed_.entries.Seal());
  if (set.num_late() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(*set.mutable_late_digest(), unsealed_.late.Seal());
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteTrainingSet(const v1::SealTrainingSetRequest& request,
                              const std::vector<TrainingSetRow>& sets_before,
                              const PathsOf& paths_of, const Sources& sources,
                              const SealingPlace& place, Unsealed& unsealed) {
  const Clock::time_point begin = Clock::now();
  ASSIGN_OR_RETURN(const SelectionSpec spec,
                   config::ReadKept<SelectionSpec>(request.selection(), "selection"));
  ASSIGN_OR_RETURN(TrainingSetHistory history,
                   ReadTrainingSetHistory(sets_before, spec, request.trigger(), paths_of));
  Sealing sealing(request, spec, std::move(history), paths_of, sources, place, unsealed);
  RETURN_IF_ERROR(sealing.Choose());
  RETURN_IF_ERROR(sealing.Summarize());
  RETURN_IF_ERROR(sealing.CompareWithEarlierSets());
  RETURN_IF_ERROR(sealing.Seal());
  const std::chrono::duration<double> taken = Clock::now() - begin;
  unsealed.set.mutable_summary()->set_seconds(taken.count());
  return absl::OkStatus();
}

}  // namespace tidemill::selector
