#include "storage/read/sample_streams.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/failpoints.h"
#include "batch/wire.h"
#include "rpc/streams/byte_frames.h"
#include "storage/index/interval_reader.h"
#include "storage/read/sample_block_reader.h"
#include "storage/read/sample_condition.h"
#include "storage/read/sample_descriptions.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage {

namespace {

using MaybeMessage = std::optional<grpc::ByteBuffer>;

// The size of a listed row with its labels.
constexpr int64_t kListedBytes = 32;
// A column file may be found to be damaged in the middle of a list, but not again and again.
constexpr int kMaxAttempts = 3;

int64_t BytesOf(const grpc::ByteBuffer& request) { return static_cast<int64_t>(request.Length()); }
// And once its keys, seven bytes or more each, have become numbers.
int64_t BytesOfKeys(const grpc::ByteBuffer& request, int64_t num_keys) {
  return BytesOf(request) + BytesOf(request) / 4 + num_keys * int64_t{sizeof(int64_t)};
}

Cut ToCut(const rpc::v1::Cut& cut) { return {{cut.event_time()}, {cut.sample_key()}}; }

IntervalQuery ToQuery(const v1::ListSamplesRequest& request) {
  IntervalQuery query{.committed_key = request.snapshot().committed_key(),
                      .tombstone_sequence = request.snapshot().tombstone_sequence(),
                      .with_labels = request.with_labels(),
                      .num_workers = request.num_workers(),
                      .worker_index = request.worker_index(),
                      .after_key = request.after_key()};
  if (request.has_from()) query.from = ToCut(request.from());
  if (request.has_to()) query.to = ToCut(request.to());
  for (const rpc::v1::Horizon& horizon : request.snapshot().horizons()) {
    query.horizons.push_back({ToCut(horizon.before()), horizon.committed_key()});
  }
  return query;
}

// A label that no row has need not travel.
void DropEmptyLabels(batch::Batch& rows) {
  for (const std::string_view name : {batch::kClassLabelColumn, batch::kRealLabelColumn}) {
    const batch::Column* const column = rows.Find(name);
    if (column == nullptr || column->validity.empty()) continue;
    if (column->validity.view().find_first_not_of('\0') == std::string_view::npos) rows.Drop(name);
  }
}

class ListSource final : public rpc::FrameSource {
 public:
  ListSource(SampleIndex& indexes, OpenFiles& files, int64_t block_bytes,
             const grpc::ByteBuffer& request)
      : indexes_(indexes), files_(files), block_bytes_(block_bytes), request_(request) {}

  int64_t num_bytes_held() const override { return BytesOf(request_); }

  absl::StatusOr<MaybeMessage> Next(int64_t most_bytes) override {
    absl::StatusOr<std::optional<batch::Batch>> rows = NextRows(most_bytes / kListedBytes);
    for (int attempt = 1; absl::IsDataLoss(rows.status()) && attempt < kMaxAttempts; ++attempt) {
      // The column file is made again, and the list resumes after what was sent.
      reader_.reset();
      RETURN_IF_ERROR(indexes_.Refresh(dataset_).status());
      rows = NextRows(most_bytes / kListedBytes);
    }
    RETURN_IF_ERROR(rows.status());
    if (!rows->has_value()) {
      if (condition_) condition_->LogUnfit();
      return MaybeMessage();
    }
    num_listed_ += (*rows)->num_rows();
    if (condition_) RETURN_IF_ERROR(condition_->AddMatches(**rows));
    DropEmptyLabels(**rows);
    RETURN_IF_FAILPOINT("storage.send_list");
    return MaybeMessage(
        rpc::MakeFrame(v1::ListSamplesResponse::kBatchFieldNumber, batch::EncodeParts(**rows)));
  }

 private:
  absl::StatusOr<std::optional<batch::Batch>> NextRows(int64_t most_rows) {
    if (!reader_.has_value()) RETURN_IF_ERROR(Open());
    return reader_->Next(most_rows);
  }

  absl::Status Open() {
    v1::ListSamplesRequest request;
    RETURN_IF_ERROR(rpc::FromBytes(request_, request));
    if (!request.has_snapshot()) return InvalidArgument("the request names no snapshot");
    const rpc::v1::Snapshot& snapshot = request.snapshot();
    dataset_ = {snapshot.dataset_id()};
    ASSIGN_OR_RETURN(
        std::shared_ptr<const DatasetIndex> index,
        indexes_.GetAtLeast({dataset_, snapshot.committed_key(), snapshot.tombstone_sequence()}));
    if (!request.where().empty() && !condition_) {
      ASSIGN_OR_RETURN(
          SampleCondition condition,
          SampleCondition::Make(indexes_, index, files_, request.where(), block_bytes_));
      condition_.emplace(std::move(condition));
    }
    IntervalQuery query = ToQuery(request);
    // The columns that a condition reads, for any caller.
    query.with_labels |= condition_.has_value();
    query.num_listed = num_listed_;
    ASSIGN_OR_RETURN(IntervalReader reader, IntervalReader::Create(std::move(index), query));
    reader_.emplace(std::move(reader));
    return absl::OkStatus();
  }

  SampleIndex& indexes_;
  OpenFiles& files_;
  const int64_t block_bytes_;
  const grpc::ByteBuffer request_;
  std::optional<SampleCondition> condition_;
  DatasetId dataset_;
  int64_t num_listed_ = 0;
  std::optional<IntervalReader> reader_;
};

class ReadSource final : public rpc::FrameSource {
 public:
  ReadSource(SampleIndex& indexes, OpenFiles& files, int64_t block_bytes,
             const grpc::ByteBuffer& request)
      : indexes_(indexes), files_(files), block_bytes_(block_bytes), request_(request) {}

  int64_t num_bytes_held() const override { return BytesOfKeys(request_, num_keys_); }

  absl::StatusOr<MaybeMessage> Next(int64_t most_bytes) override {
    if (!reader_.has_value()) RETURN_IF_ERROR(Open());
    ASSIGN_OR_RETURN(std::optional<SampleBlock> block,
                     reader_->Next(std::min(block_bytes_, most_bytes)));
    if (!block.has_value()) return MaybeMessage();
    v1::ReadSamplesResponse others;
    for (MissingKey& missing : block->missing) {
      v1::MissingSample* sample = others.add_missing();
      sample->set_sample_key(missing.key);
      sample->set_reason(std::move(missing.reason));
      sample->set_deleted(missing.deleted);
    }
    DropEmptyLabels(block->batch);
    RETURN_IF_FAILPOINT("storage.send_block");
    return MaybeMessage(rpc::MakeFrame(v1::ReadSamplesResponse::kBatchFieldNumber,
                                       batch::EncodeParts(block->batch),
                                       others.SerializeAsString()));
  }

 private:
  absl::Status Open() {
    v1::ReadSamplesRequest request;
    RETURN_IF_ERROR(rpc::FromBytes(request_, request));
    ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index,
                     indexes_.Get({request.dataset_id()}));
    std::vector<int64_t> keys(request.sample_keys().begin(), request.sample_keys().end());
    num_keys_ = std::ssize(keys);
    reader_.emplace(indexes_, std::move(index), files_, std::move(keys));
    request_.Clear();
    return absl::OkStatus();
  }

  SampleIndex& indexes_;
  OpenFiles& files_;
  const int64_t block_bytes_;
  grpc::ByteBuffer request_;  // Until it is parsed.
  int64_t num_keys_ = 0;      // From then on.
  std::optional<SampleBlockReader> reader_;
};

class DescriptionSource final : public rpc::FrameSource {
 public:
  DescriptionSource(SampleIndex& indexes, const grpc::ByteBuffer& request)
      : indexes_(indexes), request_(request) {}

  int64_t num_bytes_held() const override { return BytesOfKeys(request_, num_keys_); }

  absl::StatusOr<MaybeMessage> Next(int64_t most_bytes) override {
    if (!descriptions_.has_value()) RETURN_IF_ERROR(Open());
    ASSIGN_OR_RETURN(std::optional<DescribedSamples> described, descriptions_->Next(most_bytes));
    if (!described.has_value()) return MaybeMessage();
    v1::DescribeSamplesResponse others;
    for (auto& [file, path] : described->files) {
      v1::DescribeSamplesResponse::File* const named = others.add_files();
      named->set_file_id(file.value);
      named->set_path(std::move(path));
    }
    return MaybeMessage(rpc::MakeFrame(v1::DescribeSamplesResponse::kBatchFieldNumber,
                                       batch::EncodeParts(described->batch),
                                       others.SerializeAsString()));
  }

 private:
  absl::Status Open() {
    v1::DescribeSamplesRequest request;
    RETURN_IF_ERROR(rpc::FromBytes(request_, request));
    ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index,
                     indexes_.RefreshWhole({request.dataset_id()}));
    num_keys_ = request.sample_keys_size();
    descriptions_.emplace(std::move(index), std::vector<int64_t>(request.sample_keys().begin(),
                                                                 request.sample_keys().end()));
    request_.Clear();
    return absl::OkStatus();
  }

  SampleIndex& indexes_;
  grpc::ByteBuffer request_;  // Until it is parsed.
  int64_t num_keys_ = 0;      // From then on.
  std::optional<SampleDescriptions> descriptions_;
};

}  // namespace

std::unique_ptr<rpc::FrameSource> ListFrames(SampleIndex& indexes, OpenFiles& files,
                                             int64_t block_bytes, const grpc::ByteBuffer& request) {
  return std::make_unique<ListSource>(indexes, files, block_bytes, request);
}

std::unique_ptr<rpc::FrameSource> ReadFrames(SampleIndex& indexes, OpenFiles& files,
                                             int64_t block_bytes, const grpc::ByteBuffer& request) {
  return std::make_unique<ReadSource>(indexes, files, block_bytes, request);
}

std::unique_ptr<rpc::FrameSource> DescriptionFrames(SampleIndex& indexes,
                                                    const grpc::ByteBuffer& request) {
  return std::make_unique<DescriptionSource>(indexes, request);
}

}  // namespace tidemill::storage
