#include "evaluator/testing/workers.h"

#include <optional>
#include <utility>

#include "loader/batches/batch_stream.h"
#include "models/training/orders/order_spec.h"

namespace tidemill::evaluator::testing {
namespace {

class FailingSource final : public loader::BatchSource {
 public:
  FailingSource(std::unique_ptr<loader::BatchSource> source, int64_t fails_after)
      : source_(std::move(source)), left_(fails_after) {}

  int64_t num_samples() const override { return source_->num_samples(); }
  int64_t num_batches() const override { return source_->num_batches(); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override {
    if (left_-- <= 0) return FailedPrecondition("the workers have failed");
    return source_->Next();
  }

 private:
  const std::unique_ptr<loader::BatchSource> source_;
  int64_t left_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<loader::BatchSource>> WorkersHere::Open(const RowsToPrepare& rows) {
  opened_.push_back(std::ssize(rows.keys));
  auto set = std::make_shared<loader::TrainingSet>();
  set->keys.assign(rows.keys.begin(), rows.keys.end());
  loader::SampleReader reader = loader::ReaderOf(storage_, {1});
  if (rows.ignores_labels) reader = loader::WithoutLabels(std::move(reader));
  ASSIGN_OR_RETURN(auto stream,
                   loader::BatchStream::Create({.set = std::move(set),
                                                .reader = std::move(reader),
                                                .graph = {rows.graph, &rows.graph->graph}},
                                               {.batch_size = rows.batch_size,
                                                .shuffle = {},
                                                .order = models::InStreamOrder(),
                                                .training = false,
                                                .standardize_target = false},
                                               {}));
  return std::make_unique<FailingSource>(std::move(stream), options_.fails_after);
}

rpc::Peer StorageOf(const Cluster& cluster) {
  return {.endpoint = cluster.endpoints().services().at("storage"),
          .token = cluster.tokens().TokenOf(rpc::v1::ROLE_SERVICE).value()};
}

}  // namespace tidemill::evaluator::testing
