#include "evaluator/job/prediction_run.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/job/record_answers.h"
#include "evaluator/windows/model_cache.h"
#include "evaluator/windows/short_reason.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "rpc/jobs/job_peers.h"
#include "rpc/jobs/message_socket.h"
#include "samples/dataset_schema.h"

namespace tidemill::evaluator {
namespace {

constexpr std::chrono::hours kLongWait{24};
// A process without connections gives its GPU back after this time.
constexpr std::chrono::seconds kLongestIdleOnGpu{10};

// Answers one connection until its other end closes it.
absl::Status Answer(rpc::MessageSocket connection, const v1::PredictingModel& model,
                    RecordAnswers& answers) {
  v1::PredictionReply reply;
  *reply.mutable_response()->mutable_model() = model;
  RETURN_IF_ERROR(connection.Send(reply));
  for (v1::PredictionRecords records;;) {
    RETURN_IF_ERROR(connection.Receive(records));
    absl::StatusOr<v1::Predictions> predictions = answers.Answer(records);
    const absl::Status status = predictions.status();
    reply.Clear();
    if (status.ok()) {
      *reply.mutable_response()->mutable_predictions() = *std::move(predictions);
    } else {
      reply.set_failure(ShortReason(status));
      reply.set_failure_code(status.raw_code());
    }
    RETURN_IF_ERROR(connection.Send(reply));
    RETURN_IF_ERROR(status);
  }
}

absl::StatusOr<v1::PredictingModel> Describe(const model_store::v1::Model& stored,
                                             const std::vector<std::string>& classes,
                                             const ScoredModel& model, RecordAnswers& answers) {
  v1::PredictingModel described;
  described.set_model_id(model.model_id);
  described.set_run_id(stored.run_id());
  described.set_trigger(model.trigger);
  described.set_is_class(model.graph->graph.target()->type == batch::DataType::kInt64);
  described.mutable_classes()->Add(classes.begin(), classes.end());
  ASSIGN_OR_RETURN(const int64_t width, answers.Width());
  described.set_num_outputs(static_cast<int32_t>(width));
  return described;
}

}  // namespace

absl::Status RunPredictions(const v1::EvaluationJob& job, const Arithmetic& arithmetic,
                            const std::function<void(const v1::JobReport&)>& report) {
  const v1::PredictionJob& prediction = job.prediction();
  const ModelId id{prediction.model_id()};
  ASSIGN_OR_RETURN(const auto peers, rpc::JobPeers::Open(job.endpoints()));
  ASSIGN_OR_RETURN(const rpc::Peer store_peer, peers.PeerOf("model_store"));
  arithmetic.set_threads(1);
  model_store::ModelStoreClient store(store_peer);
  ASSIGN_OR_RETURN(const model_store::v1::Model stored, store.GetModel(id));
  ASSIGN_OR_RETURN(const std::string part, store.ReadPart(id, std::string(models::kSpecPart)));
  ASSIGN_OR_RETURN(const auto spec, models::DecodeArtefactSpec(part));
  ASSIGN_OR_RETURN(const LocalSocket listening,
                   rpc::MessageSocket::Listen(prediction.folder(), prediction.socket()));
  ModelCache models(
      store, spec.dataset,
      {.make_predictor = arithmetic.make_predictor,
       .enter_sandbox =
           [&](const transform::GraphSpec& graph) {
             return arithmetic.enter_sandbox({.readable = {peers.TokenFolder()}, .graph = graph});
           },
       .max_bytes = job.model_bytes()});
  ASSIGN_OR_RETURN(const std::vector<ScoredModel*> only, models.GetFirst({&id.value, 1}));
  ScoredModel& model = *only.front();
  RETURN_IF_ERROR(WhyUnusable(model.status));
  ASSIGN_OR_RETURN(
      RecordAnswers answers,
      RecordAnswers::Make(spec.graph, samples::SchemaOf(spec.dataset), model, job.num_threads()));
  ASSIGN_OR_RETURN(const v1::PredictingModel described,
                   Describe(stored, storage::EffectiveLabel(spec.dataset).classes, model, answers));
  v1::JobReport message;
  message.mutable_listening();
  report(message);
  const bool has_gpu = !job.device().id().empty();
  for (;;) {
    std::optional<LocalSocket> connection = listening.Accept();
    if (!connection) {
      const bool is_wanted = listening.Await(has_gpu ? kLongestIdleOnGpu : kLongWait);
      if (has_gpu && !is_wanted) return absl::OkStatus();
      continue;
    }
    // The end of a connection concerns only its other end, which notices it.
    Answer(rpc::MessageSocket(*std::move(connection)), described, answers).IgnoreError();
  }
}

}  // namespace tidemill::evaluator
