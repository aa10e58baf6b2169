#include "supervisor/live_stream.h"

#include <algorithm>
#include <utility>

#include "supervisor/cuts.h"

namespace tidemill::supervisor {
namespace {

// The columns of a listing.
struct Rows {
  std::span<const int64_t> times;
  std::span<const int64_t> keys;
};

absl::StatusOr<Rows> RowsOf(const batch::Batch& chunk) {
  ASSIGN_OR_RETURN(const batch::Column* times,
                   chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
  return Rows{.times = times->Values<int64_t>(), .keys = chunk.keys()};
}

// Ends a listing at the first decision that fires.
absl::Status EnoughSeen() { return Cancelled("a trigger has fired"); }

}  // namespace

LiveStream::LiveStream(Downstream& downstream, const PipelineSpec& spec, DatasetId dataset,
                       Duration label_delay)
    : downstream_(downstream),
      spec_(spec),
      live_(*spec.live),
      dataset_(dataset),
      delay_(label_delay) {}

Cut LiveStream::PlaceOf(const Cut& decided) const {
  return {{decided.event_time.micros - delay_.micros}, decided.sample_key};
}

storage::v1::ListSamplesRequest LiveStream::Listing(const std::optional<Cut>& from) const {
  storage::v1::ListSamplesRequest request;
  *request.mutable_snapshot() = snapshot_;
  if (spec_.replay.from) *request.mutable_from() = ToProto(Cut{*spec_.replay.from, {}});
  if (from) *request.mutable_from() = ToProto(*from);
  return request;
}

absl::StatusOr<std::vector<Decision>> LiveStream::Advance(const std::optional<Decision>& last,
                                                          const Moment& now) {
  RETURN_IF_ERROR(Look(last, now));
  const auto clock = Clock(now);
  if (!clock) return std::vector<Decision>();
  if (policy_ == nullptr) {
    policy_ = MakeTriggerPolicy(spec_.trigger, last);
    shown_to_.reset();
    if (last) shown_to_ = PlaceOf(last->at);
    num_shown_ = 0;
    if (!last) first_.reset();
  }
  if (shown_to_ && *clock <= *shown_to_) return std::vector<Decision>();
  auto decisions = Show(shown_to_, *clock);
  shown_to_ = *clock;
  // A decision counts once it is recorded, and what was shown after an error is not known.
  if (!decisions.ok() || !decisions->empty()) policy_.reset();
  return decisions;
}

// Finds out what is new since the last look. A sample that lies among those that were shown already
// means that they are to be shown anew.
absl::Status LiveStream::Look(const std::optional<Decision>& last, const Moment& now) {
  const bool is_first = snapshot_.dataset_id() == 0;
  ASSIGN_OR_RETURN(const rpc::v1::Snapshot synced,
                   downstream_.SyncDataset(dataset_, [](const auto&) {}));
  if (is_first) last_new_ = now.steady;
  if (!is_first && synced.committed_key() == snapshot_.committed_key()) {
    snapshot_ = synced;
    return absl::OkStatus();
  }
  const int64_t known = snapshot_.committed_key();
  rpc::v1::Snapshot before = std::exchange(snapshot_, synced);
  std::optional<Cut> from;
  if (last) from = PlaceOf(last->at);
  storage::v1::ListSamplesRequest request = Listing(from);
  request.set_after_key(known);
  std::optional<int64_t> greatest = greatest_;
  bool among_shown = false;
  const absl::Status listed =
      downstream_.ListSamples(request, [&](const batch::Batch& chunk) -> absl::Status {
        ASSIGN_OR_RETURN(const Rows rows, RowsOf(chunk));
        if (rows.times.empty()) return absl::OkStatus();
        greatest = std::max(greatest.value_or(rows.times.back()), rows.times.back());
        among_shown |= shown_to_ && Cut{{rows.times.front()}, {rows.keys.front()}} < *shown_to_;
        return absl::OkStatus();
      });
  if (!listed.ok()) {
    snapshot_ = std::move(before);
    return listed;
  }
  greatest_ = greatest;
  last_new_ = now.steady;
  if (among_shown) policy_.reset();
  return absl::OkStatus();
}

std::optional<Cut> LiveStream::Clock(const Moment& now) const {
  if (live_.clock == LiveClock::kWall) return Cut{{now.wall.micros - live_.lateness.micros}, {}};
  if (!greatest_) return std::nullopt;
  const bool idle = now.steady - last_new_ >= std::chrono::microseconds(live_.idle.micros);
  return Cut{{idle ? *greatest_ + 1 : *greatest_ - live_.lateness.micros}, {}};
}

absl::StatusOr<std::vector<Decision>> LiveStream::Show(const std::optional<Cut>& from,
                                                       const Cut& to) {
  storage::v1::ListSamplesRequest request = Listing(from);
  *request.mutable_to() = ToProto(to);
  std::vector<Decision> decisions;
  bool fired = false;
  const auto take = [&](std::vector<Decision> found) -> absl::Status {
    for (Decision& decision : found) {
      fired = decision.fired;
      decisions.push_back(std::move(decision));
      if (fired) return EnoughSeen();
    }
    return absl::OkStatus();
  };
  const absl::Status listed =
      downstream_.ListSamples(request, [&](const batch::Batch& chunk) -> absl::Status {
        ASSIGN_OR_RETURN(const Rows rows, RowsOf(chunk));
        if (rows.times.empty()) return absl::OkStatus();
        if (!first_) first_ = Cut{{rows.times.front()}, {}};
        num_shown_ += chunk.num_rows();
        std::vector<int64_t> known(rows.times.begin(), rows.times.end());
        for (int64_t& time : known) time += delay_.micros;
        return take(policy_->Inform(known, rows.keys));
      });
  if (!fired) {
    RETURN_IF_ERROR(listed);
    take(policy_->Advance(to.event_time + delay_)).IgnoreError();
  }
  return decisions;
}

absl::StatusOr<int64_t> LiveStream::CountLate(const Cut& before,
                                              const rpc::v1::Snapshot& known) const {
  storage::v1::ListSamplesRequest request = Listing(std::nullopt);
  *request.mutable_to() = ToProto(PlaceOf(before));
  request.set_after_key(known.committed_key());
  int64_t count = 0;
  RETURN_IF_ERROR(downstream_.ListSamples(request, [&](const batch::Batch& chunk) {
    count += chunk.num_rows();
    return absl::OkStatus();
  }));
  return count;
}

absl::StatusOr<LiveStream::Rest> LiveStream::RestFrom(const std::optional<Cut>& decided) const {
  Rest rest;
  if (decided) rest.end = PlaceOf(*decided);
  RETURN_IF_ERROR(
      downstream_.ListSamples(Listing(rest.end), [&](const batch::Batch& chunk) -> absl::Status {
        ASSIGN_OR_RETURN(const Rows rows, RowsOf(chunk));
        if (rows.times.empty()) return absl::OkStatus();
        rest.num_samples += chunk.num_rows();
        rest.end = Cut{{rows.times.back()}, {rows.keys.back() + 1}};
        return absl::OkStatus();
      }));
  return rest;
}

}  // namespace tidemill::supervisor
