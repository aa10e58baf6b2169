#include "supervisor/runs/ledger.h"

#include <algorithm>

namespace tidemill::supervisor {
namespace {

bool AcceptsLate(const PipelineSpec& spec) {
  return spec.live && spec.live->late == LatePolicy::kAccept;
}

int64_t NumBad(const v1::Trigger& trigger) {
  const rpc::v1::TrainingResult& result = trigger.result();
  const int64_t num_bad = result.has_num_bad() ? result.num_bad() : result.num_skipped();
  return std::min(num_bad, trigger.num_samples());
}

// The samples that were deleted after the set was sealed.
int64_t NumDeleted(const v1::Trigger& trigger) {
  return std::min(trigger.result().num_deleted(), trigger.num_samples() - NumBad(trigger));
}

int64_t NumFiltered(const v1::Trigger& trigger) {
  return std::min(trigger.result().num_filtered(),
                  trigger.num_samples() - NumBad(trigger) - NumDeleted(trigger));
}

// A number of each training set, of sets that may overlap.
class OfSets {
 public:
  void Add(int64_t number) {
    sum_ += number;
    most_ = std::max(most_, number);
  }
  int64_t Of(bool overlap, int64_t limit) const { return std::min(overlap ? most_ : sum_, limit); }

 private:
  int64_t sum_ = 0;
  int64_t most_ = 0;
};

// Adds up what became of the new samples of triggers.
class StreamLedger {
 public:
  explicit StreamLedger(bool accepts_late) : accepts_late_(accepts_late) {}

  // False when it is not known.
  bool Add(const TriggerState& trigger) {
    int64_t num_new = trigger.num_new;
    (accepts_late_ ? num_new : num_late_) += trigger.trigger.num_late();
    if (!trigger.sealed && !trigger.skipped) {
      num_not_reached_ += num_new;
      return true;
    }
    if (!trigger.num_fresh || !trigger.num_new_unlabelled) return false;
    num_new_ += num_new;
    num_unlabelled_ += *trigger.num_new_unlabelled;
    (trigger.skipped ? num_skipped_ : num_chosen_) += *trigger.num_fresh;
    overlap_ |= *trigger.num_fresh < trigger.trigger.num_samples();
    if (!trigger.trained) return true;
    bad_.Add(NumBad(trigger.trigger));
    deleted_.Add(NumDeleted(trigger.trigger));
    filtered_.Add(NumFiltered(trigger.trigger));
    return true;
  }

  void End(const v1::StreamEnded& ended) {
    num_not_reached_ += ended.num_leftover();
    num_late_ += ended.num_late();
  }

  rpc::v1::Ledger Make() const {
    const int64_t num_bad = bad_.Of(overlap_, num_chosen_);
    const int64_t num_deleted = deleted_.Of(overlap_, num_chosen_ - num_bad);
    const int64_t num_filtered = filtered_.Of(overlap_, num_chosen_ - num_bad - num_deleted);
    rpc::v1::Ledger ledger;
    ledger.set_num_used(num_chosen_ - num_bad - num_deleted - num_filtered);
    ledger.set_num_bad(num_bad);
    ledger.set_num_deleted(num_deleted);
    ledger.set_num_unlabelled(num_unlabelled_);
    ledger.set_num_skipped(num_skipped_);
    ledger.set_num_filtered(num_new_ - num_chosen_ - num_unlabelled_ - num_skipped_ + num_filtered);
    ledger.set_num_late(num_late_);
    ledger.set_num_not_reached(num_not_reached_);
    ledger.set_num_known(SumOf(ledger));
    return ledger;
  }

 private:
  const bool accepts_late_;
  bool overlap_ = false;
  int64_t num_new_ = 0;
  int64_t num_chosen_ = 0;
  int64_t num_unlabelled_ = 0;
  int64_t num_skipped_ = 0;
  OfSets bad_;
  OfSets deleted_;
  OfSets filtered_;
  int64_t num_late_ = 0;
  int64_t num_not_reached_ = 0;
};

}  // namespace

std::optional<rpc::v1::Ledger> LedgerOf(const TriggerState& state, const PipelineSpec& spec) {
  if (!state.sealed && (!state.skipped || state.failed)) return std::nullopt;
  const v1::Trigger& trigger = state.trigger;
  const int64_t num_late = AcceptsLate(spec) ? 0 : trigger.num_late();
  rpc::v1::Ledger ledger;
  ledger.set_num_known(trigger.num_candidates() + trigger.num_unlabelled() +
                       trigger.num_filtered() + num_late);
  ledger.set_num_unlabelled(trigger.num_unlabelled());
  ledger.set_num_late(num_late);
  ledger.set_num_filtered(trigger.num_filtered() + trigger.num_candidates() -
                          trigger.num_samples());
  if (state.skipped) {
    ledger.set_num_skipped(trigger.num_samples());
  } else if (state.trained) {
    ledger.set_num_bad(NumBad(trigger));
    ledger.set_num_deleted(NumDeleted(trigger));
    ledger.set_num_filtered(ledger.num_filtered() + NumFiltered(trigger));
    ledger.set_num_used(trigger.num_samples() - NumBad(trigger) - NumDeleted(trigger) -
                        NumFiltered(trigger));
  } else {
    ledger.set_num_not_reached(trigger.num_samples());
  }
  return ledger;
}

std::optional<rpc::v1::Ledger> LedgerOf(const RunState& state, const PipelineSpec& spec) {
  const auto dataset = state.datasets().find(spec.preprocess.dataset);
  if (dataset == state.datasets().end()) return std::nullopt;
  StreamLedger stream(AcceptsLate(spec));
  for (const TriggerState& trigger : state.triggers()) {
    if (!stream.Add(trigger)) return std::nullopt;
  }
  if (state.stream_ended()) stream.End(state.end_of_stream());
  rpc::v1::Ledger ledger = stream.Make();
  if (state.live()) return ledger;
  const v1::DatasetSynced& synced = dataset->second;
  const int64_t num_others = synced.num_samples() - ledger.num_known();
  ledger.set_num_known(synced.num_samples());
  if (!state.stream_ended()) {
    ledger.set_num_not_reached(ledger.num_not_reached() + num_others);
  } else if (synced.has_replay_from() || synced.has_replay_to()) {
    ledger.set_num_filtered(ledger.num_filtered() + num_others);
  }
  return ledger;
}

int64_t SumOf(const rpc::v1::Ledger& ledger) {
  return ledger.num_used() + ledger.num_unlabelled() + ledger.num_filtered() + ledger.num_late() +
         ledger.num_bad() + ledger.num_deleted() + ledger.num_not_reached() + ledger.num_skipped();
}

}  // namespace tidemill::supervisor
