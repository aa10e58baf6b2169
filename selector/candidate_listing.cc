#include "selector/candidate_listing.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "batch/labels.h"
#include "config/config.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::selector {
namespace {

auto Place(const rpc::v1::Cut& cut) { return std::tuple(cut.event_time(), cut.sample_key()); }

// Where the candidates begin; std::nullopt for the beginning of the stream.
absl::StatusOr<std::optional<rpc::v1::Cut>> BeginOf(const v1::SealTrainingSetRequest& request,
                                                    const CandidatePool& pool) {
  if (!pool.tail && pool.over == Pool::kAll) return std::optional<rpc::v1::Cut>();
  if (!request.has_from()) return std::optional<rpc::v1::Cut>();
  const int64_t tail = pool.tail.value_or(0);
  if (tail == 0) return std::optional(request.from());
  if (request.ends_size() != request.trigger() - 1) {
    return InvalidArgument(
        "the request says where {} triggers ended; it must say so for the {} before trigger {}",
        request.ends_size(), request.trigger() - 1, request.trigger());
  }
  if (tail >= request.ends_size()) return std::optional<rpc::v1::Cut>();
  return std::optional(request.ends(request.ends_size() - 1 - static_cast<int>(tail)));
}

std::optional<storage::v1::ListSamplesRequest> LateOf(const v1::SealTrainingSetRequest& request) {
  if (request.late_after_key() <= 0 || !request.has_from()) return std::nullopt;
  storage::v1::ListSamplesRequest list;
  *list.mutable_snapshot() = request.snapshot();
  list.mutable_snapshot()->clear_horizons();
  if (request.has_begin()) *list.mutable_from() = request.begin();
  *list.mutable_to() = request.from();
  list.set_after_key(request.late_after_key());
  list.set_with_labels(true);
  return list;
}

// The columns of a batch as candidates; classes that are not there become kNoClass.
class Listed {
 public:
  explicit Listed(const CandidateListing& listing) : listing_(listing) {}

  // Good until the next call, and as long as `all`.
  absl::StatusOr<Candidates> Of(const batch::Batch& all) {
    const batch::Column* const matches = all.Find(storage::kMatchesColumn);
    if (matches == nullptr) return LabelledOf(all);
    std::vector<int64_t> matching;
    const std::span<const uint8_t> values = matches->Values<uint8_t>();
    for (size_t row = 0; row < values.size(); ++row) {
      if (values[row] != 0) matching.push_back(static_cast<int64_t>(row));
    }
    matching_ = all.Take(matching);
    ASSIGN_OR_RETURN(Candidates candidates, LabelledOf(matching_));
    candidates.num_filtered = all.num_rows() - matching_.num_rows();
    return candidates;
  }

 private:
  absl::StatusOr<Candidates> LabelledOf(const batch::Batch& all) {
    if (!listing_.labelled_only) return AllOf(all);
    const std::vector<int64_t> labelled = batch::LabelledRows(all);
    const int64_t num_unlabelled = all.num_rows() - std::ssize(labelled);
    if (num_unlabelled == 0) return AllOf(all);
    labelled_ = all.Take(labelled);
    ASSIGN_OR_RETURN(Candidates candidates, AllOf(labelled_));
    candidates.num_unlabelled = num_unlabelled;
    candidates.num_new_unlabelled = CountNew(all, labelled);
    return candidates;
  }

  // Counts the rows that are not among these.
  int64_t CountNew(const batch::Batch& all, std::span<const int64_t> labelled) const {
    const batch::Column* const times = all.Find(batch::kEventTimeColumn);
    int64_t num_new = 0;
    for (int64_t row = 0; row < all.num_rows(); ++row) {
      if (!labelled.empty() && labelled.front() == row) {
        labelled = labelled.subspan(1);
        continue;
      }
      const auto place = static_cast<size_t>(row);
      num_new += listing_.IsNew(times->Values<int64_t>()[place], all.keys()[place]) ? 1 : 0;
    }
    return num_new;
  }

  absl::StatusOr<Candidates> AllOf(const batch::Batch& rows) {
    ASSIGN_OR_RETURN(const batch::Column* keys,
                     rows.Get(batch::kKeyColumn, batch::DataType::kInt64));
    ASSIGN_OR_RETURN(const batch::Column* times,
                     rows.Get(batch::kEventTimeColumn, batch::DataType::kInt64));
    return Candidates{.keys = keys->Values<int64_t>(),
                      .event_times = times->Values<int64_t>(),
                      .labels = LabelsOf(rows)};
  }

  std::span<const int64_t> LabelsOf(const batch::Batch& rows) {
    const batch::Column* const classes = rows.Find(batch::kClassLabelColumn);
    if (classes != nullptr && classes->validity.empty()) return classes->Values<int64_t>();
    labels_.assign(static_cast<size_t>(rows.num_rows()), kNoClass);
    for (int64_t row = 0; classes != nullptr && row < rows.num_rows(); ++row) {
      const auto place = static_cast<size_t>(row);
      if (classes->IsValid(row)) labels_[place] = classes->Values<int64_t>()[place];
    }
    return labels_;
  }

  const CandidateListing& listing_;
  batch::Batch matching_;
  batch::Batch labelled_;
  std::vector<int64_t> labels_;
};

Candidates First(const Candidates& all, size_t count) {
  return {.keys = all.keys.first(count),
          .event_times = all.event_times.first(count),
          .labels = all.labels.first(count),
          .num_unlabelled = all.num_unlabelled,
          .num_new_unlabelled = all.num_new_unlabelled,
          .num_filtered = all.num_filtered};
}

// How many of the candidates, which are in order, are before the cut.
size_t CountBefore(const Candidates& candidates, const rpc::v1::Cut& cut) {
  size_t from = 0;
  for (size_t to = candidates.keys.size(); from < to;) {
    const size_t middle = from + (to - from) / 2;
    const bool is_before =
        std::tuple(candidates.event_times[middle], candidates.keys[middle]) < Place(cut);
    (is_before ? from : to) = is_before ? middle + 1 : middle;
  }
  return from;
}

}  // namespace

absl::StatusOr<CandidateListing> ListingOf(const v1::SealTrainingSetRequest& request,
                                           const SelectionSpec& policy) {
  const CandidatePool pool = policy->TakesFrom();
  ASSIGN_OR_RETURN(const std::optional<rpc::v1::Cut> begin, BeginOf(request, pool));
  CandidateListing listing;
  storage::v1::ListSamplesRequest& list = listing.candidates;
  *list.mutable_snapshot() = request.snapshot();
  // A trigger knows everything about its new data that the snapshot knows.
  if (begin && Place(*begin) == Place(request.from())) list.mutable_snapshot()->clear_horizons();
  if (request.has_begin()) *list.mutable_from() = request.begin();
  if (begin && (!list.has_from() || Place(list.from()) < Place(*begin))) {
    *list.mutable_from() = *begin;
  }
  *list.mutable_to() = request.to();
  list.set_with_labels(true);
  if (pool.where) list.set_where(*pool.where);
  if (!request.dataset_spec().empty()) {
    ASSIGN_OR_RETURN(const auto dataset,
                     config::ReadKept<storage::DatasetSpec>(request.dataset_spec(), "dataset"));
    listing.labelled_only = storage::EffectiveLabel(dataset).is_given();
  }
  listing.late = LateOf(request);
  if (request.has_from()) listing.new_from = request.from();
  if (request.accept_late() && listing.late) listing.late_after_key = request.late_after_key();
  // All that is known so far holds the late ones, or leaves them out by its horizons.
  listing.late_take_part = request.accept_late() && begin.has_value();
  if (listing.late && listing.late_take_part && pool.where) listing.late->set_where(*pool.where);
  return listing;
}

bool CandidateListing::IsNew(int64_t event_time, int64_t key) const {
  if (!new_from || std::tuple(event_time, key) >= Place(*new_from)) return true;
  return late_after_key && key > *late_after_key;
}

absl::Status ForEachCandidate(const SampleLister& list_samples, const CandidateListing& listing,
                              const OnCandidates& on_late, const OnCandidates& on_candidates) {
  Listed listed(listing);
  if (listing.late && (on_late || listing.late_take_part)) {
    const auto take = [&](const batch::Batch& rows) -> absl::Status {
      ASSIGN_OR_RETURN(const Candidates late, listed.Of(rows));
      if (on_late) RETURN_IF_ERROR(on_late(late));
      if (!listing.late_take_part) return absl::OkStatus();
      // Earlier than all others, so the order stays that of the stream.
      return on_candidates(First(late, CountBefore(late, listing.candidates.from())));
    };
    RETURN_IF_ERROR(list_samples(*listing.late, take));
  }
  return list_samples(listing.candidates, [&](const batch::Batch& rows) -> absl::Status {
    ASSIGN_OR_RETURN(const Candidates candidates, listed.Of(rows));
    return on_candidates(candidates);
  });
}

}  // namespace tidemill::selector
