// Reads facts about candidates for policies, from storage and from the run's newest model.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"
#include "batch/batch.h"
#include "samples/sample_values.h"
#include "selector/choosing/chooser.h"
#include "tidemill/evaluator/v1/evaluator.pb.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// Behaves as EvaluatorClient::ReadModelColumns.
using ModelReader = std::function<absl::Status(const evaluator::v1::ReadModelColumnsRequest&,
                                               const std::function<absl::Status(batch::Batch)>&)>;

// Serves one selection. Thread-compatible.
class StoredFacts final : public SampleFacts {
 public:
  // `read_model` may be empty when there is no evaluator. All arguments must outlive this object.
  StoredFacts(const v1::SealTrainingSetRequest& request, const samples::DatasetReader& read_samples,
              const ModelReader& read_model)
      : request_(request), read_samples_(read_samples), read_model_(read_model) {}

  absl::Status ReadColumn(std::span<const int64_t> keys, const std::string& column,
                          const Sink& sink) override;
  bool has_model() const override { return request_.model_id() > 0; }
  absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                         const Sink& sink) override;

 private:
  const v1::SealTrainingSetRequest& request_;
  const samples::DatasetReader& read_samples_;
  const ModelReader& read_model_;
  std::optional<samples::SampleValues> values_;
};

}  // namespace tidemill::selector
