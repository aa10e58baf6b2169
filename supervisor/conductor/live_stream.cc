#include "supervisor/conductor/live_stream.h"

#include <algorithm>
#include <utility>

#include "supervisor/runs/cuts.h"

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

// How long a look waits for files that still change. The next look takes those that had not
// settled.
constexpr Duration kLongestSettling{5'000'000};

// Ends a listing at the first decision that fires.
absl::Status EnoughSeen() { return Cancelled("a trigger has fired"); }

}  // namespace

std::chrono::milliseconds PollInterval(const LiveSpec& live) {
  return std::chrono::milliseconds(std::max<int64_t>(1, live.poll.micros / 1000));
}

LiveStream::LiveStream(Downstream& downstream, const PipelineSpec& spec, DatasetId dataset,
                       Duration label_delay, MakeDecider make_decider)
    : downstream_(downstream),
      spec_(spec),
      live_(*spec.live),
      dataset_(dataset),
      delay_(label_delay),
      make_decider_(std::move(make_decider)),
      clock_(EffectiveAhead(live_)) {}

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

absl::StatusOr<LiveStream::Decided> LiveStream::Advance(const Place& place, const Moment& now,
                                                        bool asked) {
  RETURN_IF_ERROR(Look(place, now));
  const std::optional<Cut>& last = place.last;
  const auto clock = Clock(now);
  if (!clock) return Decided();
  if (!decider_) {
    ASSIGN_OR_RETURN(Decider made, make_decider_());
    decider_.emplace(std::move(made));
    shown_to_.reset();
    if (last) shown_to_ = PlaceOf(*last);
    num_shown_ = 0;
  }
  const bool moved = !shown_to_ || *clock > *shown_to_;
  if (!moved && !(asked && decider_->num_new() > 0)) return Decided();
  const Cut to = moved ? *clock : *shown_to_;
  auto decided = Show(shown_to_, to, asked);
  shown_to_ = to;
  // A decision counts once it is recorded, and what was shown after an error is not known.
  if (!decided.ok() || !decided->decisions.empty()) decider_.reset();
  return decided;
}

// Finds what is new since the last call. If a new sample belongs among those already shown, these
// must be shown again.
absl::Status LiveStream::Look(const Place& place, const Moment& now) {
  const bool is_first = snapshot_.dataset_id() == 0;
  ASSIGN_OR_RETURN(const rpc::v1::Snapshot synced,
                   downstream_.SyncDataset(dataset_, kLongestSettling, [](const auto&) {}));
  const int64_t known = snapshot_.committed_key();
  const bool is_new = is_first || synced.committed_key() != known;
  if (is_new) last_new_ = now.steady;
  rpc::v1::Snapshot before = std::exchange(snapshot_, synced);
  const bool is_by_events = live_.clock == LiveClock::kEvent;
  const bool has_moved = is_by_events && (!has_base_ || base_ != place.base);
  if (has_moved) {
    clock_.Reset();
    base_ = place.base;
  }
  if (is_new || has_moved) {
    const absl::StatusOr<bool> among_shown = TakeNew(place, has_moved ? 0 : known);
    has_base_ = among_shown.ok();
    if (!among_shown.ok()) {
      snapshot_ = std::move(before);
      return among_shown.status();
    }
    if (*among_shown) decider_.reset();
  } else if (reached_.num_ahead == 0) {
    return absl::OkStatus();  // As before.
  }
  if (!is_by_events) return absl::OkStatus();
  const auto reached = clock_.Reach(now.wall, [this](int64_t time, int64_t after, int64_t enough) {
    return CountBefore(time, after, enough);
  });
  has_base_ = reached.ok();  // Else all is looked at again.
  if (reached.ok()) reached_ = *reached;
  return reached.status();
}

absl::StatusOr<bool> LiveStream::TakeNew(const Place& place, int64_t after_key) {
  std::optional<Cut> from = place.last;
  if (live_.clock == LiveClock::kEvent) from = place.base;
  if (from) from = PlaceOf(*from);
  storage::v1::ListSamplesRequest request = Listing(from);
  request.set_after_key(after_key);
  std::optional<Cut> decided;
  if (place.last) decided = PlaceOf(*place.last);
  bool among_shown = false;
  RETURN_IF_ERROR(downstream_.ListSamples(request, [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const Rows rows, RowsOf(chunk));
    for (size_t i = 0; i < rows.times.size(); ++i) {
      const Cut at{{rows.times[i]}, {rows.keys[i]}};
      if (live_.clock == LiveClock::kEvent) clock_.Add(rows.times[i], rows.keys[i]);
      among_shown |= shown_to_ && at < *shown_to_ && (!decided || *decided <= at);
    }
    return absl::OkStatus();
  }));
  return among_shown;
}

absl::StatusOr<int64_t> LiveStream::CountBefore(int64_t event_time, int64_t after,
                                                int64_t enough) const {
  std::optional<Cut> from;
  if (base_) from = PlaceOf(*base_);
  storage::v1::ListSamplesRequest request = Listing(from);
  *request.mutable_to() = ToProto(Cut{{event_time}, {}});
  request.set_after_key(after);
  int64_t count = 0;
  const absl::Status listed = downstream_.ListSamples(request, [&](const batch::Batch& chunk) {
    count += chunk.num_rows();
    return count < enough ? absl::OkStatus() : Cancelled("enough was counted");
  });
  if (count < enough) RETURN_IF_ERROR(listed);
  return count;
}

std::optional<Cut> LiveStream::Clock(const Moment& now) const {
  if (live_.clock == LiveClock::kWall) return Cut{{now.wall.micros - live_.lateness.micros}, {}};
  if (!reached_.time) return std::nullopt;
  const bool idle = now.steady - last_new_ >= std::chrono::microseconds(live_.idle.micros);
  return Cut{{idle ? *reached_.time + 1 : *reached_.time - live_.lateness.micros}, {}};
}

absl::StatusOr<LiveStream::Decided> LiveStream::Show(const std::optional<Cut>& from, const Cut& to,
                                                     bool asked) {
  storage::v1::ListSamplesRequest request = Listing(from);
  *request.mutable_to() = ToProto(to);
  Decided decided;
  bool fired = false;
  // Whether another one may follow.
  const auto take = [&](absl::StatusOr<std::optional<Decision>> next) -> absl::StatusOr<bool> {
    RETURN_IF_ERROR(next.status());
    if (!*next) return false;
    fired = (*next)->fired;
    decided.decisions.push_back(**std::move(next));
    return !fired;
  };
  const absl::Status listed =
      downstream_.ListSamples(request, [&](const batch::Batch& chunk) -> absl::Status {
        ASSIGN_OR_RETURN(const Rows rows, RowsOf(chunk));
        if (rows.times.empty()) return absl::OkStatus();
        num_shown_ += chunk.num_rows();
        std::vector<int64_t> known(rows.times.begin(), rows.times.end());
        for (int64_t& time : known) time += delay_.micros;
        Samples ahead{known, rows.keys};
        for (bool more = true; more;) {
          ASSIGN_OR_RETURN(more, take(decider_->Next(ahead)));
        }
        return fired ? EnoughSeen() : absl::OkStatus();
      });
  if (!fired) {
    RETURN_IF_ERROR(listed);
    const Timestamp clock = to.event_time + delay_;
    for (bool more = true; more;) {
      ASSIGN_OR_RETURN(more, take(decider_->Advance(clock)));
    }
    const Cut here{clock, to.sample_key};
    const bool behind = decided.decisions.empty() || decided.decisions.back().at < here;
    if (!fired && asked && behind && decider_->num_new() > 0) {
      decided.decisions.push_back(decider_->Ask(here));
    }
  }
  decided.state = decider_->Seal();
  return decided;
}

absl::StatusOr<std::optional<Cut>> LiveStream::First() const {
  std::optional<Cut> first;
  const absl::Status listed = downstream_.ListSamples(
      Listing(std::nullopt), [&](const batch::Batch& chunk) -> absl::Status {
        ASSIGN_OR_RETURN(const Rows rows, RowsOf(chunk));
        if (rows.times.empty()) return absl::OkStatus();
        first = Cut{{rows.times.front()}, {}};
        return Cancelled("the first one is enough");
      });
  if (!first) RETURN_IF_ERROR(listed);
  return first;
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
