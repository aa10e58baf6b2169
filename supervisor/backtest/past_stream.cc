#include "supervisor/backtest/past_stream.h"

#include <utility>
#include <vector>

#include "batch/labels.h"
#include "config/config.h"
#include "storage/spec/dataset_spec.h"
#include "supervisor/runs/cuts.h"

namespace tidemill::supervisor {
namespace {

// Samples between two reports of progress.
constexpr int64_t kProgressEvery = 1'000'000;

storage::v1::ListSamplesRequest ListingOf(const v1::WatchBacktestRequest& request,
                                          const ReplaySpec& replay) {
  storage::v1::ListSamplesRequest listing;
  std::optional<Timestamp> from = replay.from, to = replay.to;
  if (request.has_from()) from = Timestamp{request.from()};
  if (request.has_to()) to = Timestamp{request.to()};
  if (from) *listing.mutable_from() = ToProto(Cut{*from, {}});
  if (to) *listing.mutable_to() = ToProto(Cut{*to, {}});
  return listing;
}

// The places of the samples without a label, ascending.
std::vector<size_t> WithoutLabel(const batch::Batch& samples) {
  const std::vector<int64_t> labelled = batch::LabelledRows(samples);
  std::vector<size_t> places;
  auto next = labelled.begin();
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    if (next != labelled.end() && *next == row) {
      ++next;
    } else {
      places.push_back(static_cast<size_t>(row));
    }
  }
  return places;
}

}  // namespace

absl::StatusOr<PastStream> PastStream::Open(Downstream& downstream,
                                            const v1::WatchBacktestRequest& request,
                                            const PipelineSpec& spec,
                                            const BacktestProgress& progress,
                                            v1::WatchBacktestResponse::Final& final) {
  PastStream past(downstream);
  past.listing_ = ListingOf(request, spec.replay);
  ASSIGN_OR_RETURN(past.dataset_, downstream.GetDataset(spec.preprocess.dataset));
  const auto report = [&](const storage::v1::SyncDatasetResponse& update) {
    *final.mutable_not_taken() = update.not_taken();
    v1::WatchBacktestResponse::Progress waiting;
    waiting.set_num_awaited(update.num_awaited());
    // Whoever does not listen any more is noticed when samples are shown.
    if (update.num_awaited() > 0) progress(waiting).IgnoreError();
  };
  ASSIGN_OR_RETURN(*past.listing_.mutable_snapshot(),
                   downstream.SyncDataset({past.dataset_.dataset_id()}, std::nullopt, report));
  // As it is now: the first sync completes the spec.
  ASSIGN_OR_RETURN(past.dataset_, downstream.GetDataset(spec.preprocess.dataset));
  ASSIGN_OR_RETURN(const auto data,
                   config::ReadKept<storage::DatasetSpec>(past.dataset_.spec(), "dataset"));
  past.label_delay_ = storage::EffectiveLabelDelay(data);
  past.has_labels_ = storage::EffectiveLabel(data).is_given();
  return past;
}

std::unique_ptr<EvidenceKeys> PastStream::Keys() const {
  return std::make_unique<StoredKeys>(*downstream_, label_delay_, [this] { return listing_; });
}

absl::StatusOr<std::unique_ptr<StoredEvidence>> PastStream::Evidence(
    EvidenceKeys& keys, std::optional<ActiveModel> model) const {
  return StoredEvidence::Create(*downstream_, keys, {dataset_.dataset_id()}, dataset_.spec(),
                                std::move(model));
}

absl::Status PastStream::Show(const BacktestProgress& progress, const Sink& sink,
                              v1::WatchBacktestResponse::Final& final) const {
  std::vector<int64_t> known;
  storage::v1::ListSamplesRequest listing = listing_;
  listing.set_with_labels(has_labels_);
  v1::WatchBacktestResponse::Progress report;
  report.set_num_samples_total(dataset_.num_samples());
  return downstream_->ListSamples(listing, [&](const batch::Batch& chunk) -> absl::Status {
    ASSIGN_OR_RETURN(const batch::Column* column,
                     chunk.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    const auto times = column->Values<int64_t>();
    if (times.empty()) return absl::OkStatus();
    known.assign(times.begin(), times.end());
    for (int64_t& time : known) time += label_delay_.micros;
    const std::vector<size_t> unlabelled =
        has_labels_ ? WithoutLabel(chunk) : std::vector<size_t>();
    RETURN_IF_ERROR(sink({known, chunk.keys()}, unlabelled));
    final.set_num_unlabelled(final.num_unlabelled() + std::ssize(unlabelled));
    if (final.num_samples() == 0) final.set_first_time(known.front());
    final.set_last_time(known.back());
    final.set_num_samples(final.num_samples() + chunk.num_rows());
    if (final.num_samples() - report.num_samples() < kProgressEvery) return absl::OkStatus();
    report.set_num_samples(final.num_samples());
    return progress(report);
  });
}

}  // namespace tidemill::supervisor
