#include "supervisor/usage/step_usage.h"

#include <algorithm>
#include <utility>

#include "rpc/usage/usage_message.h"

namespace tidemill::supervisor {
namespace {

// A minute of one processor.
constexpr int64_t kMuchNanos = 60'000'000'000;

}  // namespace

// The row of the step; that of its job, which is one at a time.
v1::StageUsage& StepUsage::Row() {
  const auto found = std::ranges::find_if(rows_, [&](const v1::StageUsage& row) {
    return row.stage() == stage_ && row.trigger() == trigger_ && !row.has_job();
  });
  if (found != rows_.end()) return *found;
  v1::StageUsage& row = rows_.emplace_back();
  row.set_stage(stage_);
  row.set_trigger(trigger_);
  return row;
}

void StepUsage::Settle() {
  usage::SettleCurrent();
  const usage::Amounts used = account_->Take();
  if (stage_.empty() || used == usage::Amounts()) return;
  rpc::AddUsage(rpc::ToMessage(used), *Row().mutable_usage());
}

void StepUsage::Begin(std::string stage, int64_t trigger) {
  Settle();
  stage_ = std::move(stage);
  trigger_ = trigger;
}

void StepUsage::NoteJob(const rpc::v1::UsageTotal& total, const RunUsage& known) {
  const auto found = std::ranges::find_if(
      rows_, [&](const v1::StageUsage& row) { return row.job().name() == total.name(); });
  v1::StageUsage& row = found != rows_.end() ? *found : rows_.emplace_back();
  row.set_stage(stage_);
  row.set_trigger(trigger_);
  *row.mutable_job() = total;
  *row.mutable_usage() =
      rpc::ToMessage(usage::Less(rpc::FromMessage(total.usage()), known.OfJob(total.name())));
}

bool StepUsage::IsMuch() {
  Settle();
  int64_t nanos = 0;
  for (const v1::StageUsage& row : rows_) nanos += rpc::ProcessorNanos(row.usage());
  return nanos >= kMuchNanos;
}

std::vector<v1::StageUsage> StepUsage::Unrecorded() {
  Settle();
  return rows_;
}

void StepUsage::Recorded() { rows_.clear(); }

}  // namespace tidemill::supervisor
