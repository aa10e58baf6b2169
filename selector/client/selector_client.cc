#include "selector/client/selector_client.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch/wire.h"
#include "rpc/streams/byte_frames.h"
#include "rpc/streams/frame_reader.h"
#include "rpc/streams/stream_call.h"
#include "rpc/streams/stream_patience.h"

namespace tidemill::selector {

namespace {

constexpr char kReadMethod[] = "/tidemill.selector.v1.SelectorService/ReadTrainingSet";
// Received and not yet decoded, which takes less time than to receive it.
constexpr int64_t kReadAheadBytes = int64_t{8} << 20;

}  // namespace

SelectorClient::SelectorClient(rpc::Peer peer)
    : peer_(std::move(peer)),
      channel_(rpc::Connect(peer_)),
      stub_(v1::SelectorService::NewStub(channel_)) {}

absl::StatusOr<v1::TrainingSet> SelectorClient::SealTrainingSet(
    const v1::SealTrainingSetRequest& request) {
  v1::SealTrainingSetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::SealTrainingSet, request, &response));
  return std::move(*response.mutable_training_set());
}

absl::StatusOr<v1::TrainingSet> SelectorClient::GetTrainingSet(RunId run, int64_t trigger) {
  v1::GetTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  v1::GetTrainingSetResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::GetTrainingSet, request, &response));
  return std::move(*response.mutable_training_set());
}

absl::StatusOr<std::vector<v1::TrainingSet>> SelectorClient::ListTrainingSets(RunId run) {
  v1::ListTrainingSetsRequest request;
  request.set_run_id(run.value);
  v1::ListTrainingSetsResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::ListTrainingSets, request, &response));
  return std::vector<v1::TrainingSet>(response.training_sets().begin(),
                                      response.training_sets().end());
}

absl::StatusOr<v1::CompareTrainingSetsResponse> SelectorClient::CompareTrainingSets(
    const v1::CompareTrainingSetsRequest& request) {
  v1::CompareTrainingSetsResponse response;
  RETURN_IF_ERROR(rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::CompareTrainingSets, request,
                            &response));
  return response;
}

absl::StatusOr<std::vector<v1::FindTrainingSetsResponse::Match>> SelectorClient::FindTrainingSets(
    const v1::FindTrainingSetsRequest& request) {
  std::vector<v1::FindTrainingSetsResponse::Match> matches;
  RETURN_IF_ERROR(rpc::ReadStream(peer_, *stub_, &v1::SelectorService::Stub::FindTrainingSets,
                                  request, [&](v1::FindTrainingSetsResponse& response) {
                                    if (response.has_match()) matches.push_back(response.match());
                                    return absl::OkStatus();
                                  }));
  return matches;
}

absl::StatusOr<batch::Batch> SelectorClient::ReadTrainingSet(RunId run, int64_t trigger) {
  return ReadTrainingSet(run, trigger, 0, 0);
}

absl::StatusOr<batch::Batch> SelectorClient::ReadTrainingSet(RunId run, int64_t trigger,
                                                             int64_t from_ordinal,
                                                             int64_t to_ordinal) {
  v1::ReadTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  request.set_from_ordinal(from_ordinal);
  request.set_to_ordinal(to_ordinal);
  return Read(request);
}

absl::StatusOr<std::vector<batch::Batch>> SelectorClient::ReadTrainingSetInPieces(RunId run,
                                                                                  int64_t trigger) {
  v1::ReadTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  return ReadPieces(request);
}

absl::StatusOr<batch::Batch> SelectorClient::ReadLateSamples(RunId run, int64_t trigger) {
  v1::ReadTrainingSetRequest request;
  request.set_run_id(run.value);
  request.set_trigger(trigger);
  request.set_late(true);
  return Read(request);
}

absl::StatusOr<batch::Batch> SelectorClient::Read(const v1::ReadTrainingSetRequest& request) {
  ASSIGN_OR_RETURN(const std::vector<batch::Batch> pieces, ReadPieces(request));
  if (!pieces.empty()) return batch::Concatenate(pieces);
  batch::Batch none(0);
  RETURN_IF_ERROR(none.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, {})));
  return none;
}

absl::StatusOr<std::vector<batch::Batch>> SelectorClient::ReadPieces(
    const v1::ReadTrainingSetRequest& request) {
  rpc::StreamPatience patience(peer_, *channel_);
  absl::StatusOr<std::vector<batch::Batch>> entries = ReadOnce(request);
  // There was no room for another stream; there will be.
  while (absl::IsResourceExhausted(entries.status())) {
    RETURN_IF_ERROR(patience.Wait(entries.status()));
    entries = ReadOnce(request);
  }
  return entries;
}

absl::StatusOr<std::vector<batch::Batch>> SelectorClient::ReadOnce(
    const v1::ReadTrainingSetRequest& request) {
  rpc::ByteCredits credits(kReadAheadBytes);
  rpc::FrameReader reader(peer_, channel_, kReadMethod, rpc::ToBytes(request), credits);
  std::vector<batch::Batch> pieces;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<grpc::ByteBuffer> message, reader.Next());
    if (!message.has_value()) return pieces;
    ASSIGN_OR_RETURN(const rpc::Frame frame,
                     rpc::TakeFrame(*message, v1::ReadTrainingSetResponse::kBatchFieldNumber));
    ASSIGN_OR_RETURN(batch::Batch piece, batch::Decode(frame.bulk));
    pieces.push_back(std::move(piece));
  }
}

absl::Status SelectorClient::RetireTrainingSets(const rpc::v1::Command& command,
                                                int64_t first_kept_trigger) {
  v1::RetireTrainingSetsRequest request;
  *request.mutable_command() = command;
  request.set_first_kept_trigger(first_kept_trigger);
  v1::RetireTrainingSetsResponse response;
  return rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::RetireTrainingSets, request,
                   &response);
}

absl::StatusOr<int64_t> SelectorClient::DeleteRun(const rpc::v1::Command& command) {
  v1::DeleteRunRequest request;
  *request.mutable_command() = command;
  v1::DeleteRunResponse response;
  RETURN_IF_ERROR(
      rpc::Call(peer_, *stub_, &v1::SelectorService::Stub::DeleteRun, request, &response));
  return response.num_deleted();
}

}  // namespace tidemill::selector
