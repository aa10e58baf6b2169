#include "supervisor/usage/run_usage.h"

#include <algorithm>
#include <iterator>

#include "rpc/usage/usage_message.h"

namespace tidemill::supervisor {
namespace {

size_t PlaceOf(std::string_view stage) {
  return static_cast<size_t>(std::ranges::find(kUsageStages, stage) - std::begin(kUsageStages));
}

std::string NameAt(size_t place) {
  return std::string(place < std::size(kUsageStages) ? kUsageStages[place] : "other");
}

}  // namespace

void RunUsage::Apply(const v1::RunEvent& event) {
  if (event.run_started().has_prices()) prices_ = event.run_started().prices();
  for (const v1::StageUsage& used : event.usage()) {
    rows_[{PlaceOf(used.stage()), used.trigger()}] += rpc::FromMessage(used.usage());
    if (used.has_job()) jobs_[used.job().name()] = rpc::FromMessage(used.job().usage());
  }
}

usage::Amounts RunUsage::Of(int64_t trigger, std::string_view stage) const {
  const auto found = rows_.find({PlaceOf(stage), trigger});
  return found == rows_.end() ? usage::Amounts() : found->second;
}

usage::Amounts RunUsage::OfJob(const std::string& name) const {
  const auto found = jobs_.find(name);
  return found == jobs_.end() ? usage::Amounts() : found->second;
}

v1::RunCosts RunUsage::Costs() const {
  v1::RunCosts costs;
  for (const auto& [place, amounts] : rows_) {
    v1::StageUsage& row = *costs.add_stages();
    row.set_stage(NameAt(place.first));
    row.set_trigger(place.second);
    *row.mutable_usage() = rpc::ToMessage(amounts);
  }
  return costs;
}

}  // namespace tidemill::supervisor
