#include "evaluator/windows/program_predictor.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "models/program_weights.h"
#include "models/spec/program_model.h"
#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"
#include "transform/graph.h"

namespace tidemill::evaluator {
namespace {

using nlohmann::json;
using plugin::HostProcess;

// An object grows when it is loaded, so that a process takes this part of its memory as pickles.
constexpr size_t kShareOfMemory = 16;

json Describe(const models::ArtefactSpec& spec) {
  return {
      {"epochs", 1},
      {"batch_size", 1},
      {"trigger", 1},
      {"outputs", spec.model->NumOutputs()},
      {"is_of_classes", spec.class_outputs.has_value()},
      {"classes", spec.classes},
      {"answers_probabilities", spec.model->Program() == models::ProgramAnswers::kProbabilities},
      {"num_threads", 1}};
}

// A program that fails would fail again.
absl::Status OwnFault(const absl::Status& failure) {
  if (plugin::IsOfMachine(failure)) return failure;
  return plugin::WithTraceback(absl::FailedPreconditionError(failure.message()),
                               plugin::TracebackOf(failure));
}

absl::StatusOr<batch::Batch> InputsOf(const batch::Batch& rows) {
  batch::Batch inputs(rows.num_rows());
  for (const batch::Column& column : rows.columns()) {
    if (!transform::IsInput(column.name) && column.name != batch::kKeyColumn) continue;
    RETURN_IF_ERROR(inputs.Set(column));
  }
  return inputs;
}

// Turns logits into probabilities, in place.
void Softmax(std::span<float> row) {
  const float greatest = *std::ranges::max_element(row);
  float sum = 0;
  for (float& number : row) sum += number = std::exp(number - greatest);
  for (float& number : row) number /= sum;
}

class ProgramPredictor final : public Predictor {
 public:
  ProgramPredictor(std::shared_ptr<ProgramHost> host, int64_t number,
                   const models::ArtefactSpec& spec)
      : host_(std::move(host)),
        number_(number),
        outputs_(spec.model->NumOutputs()),
        class_outputs_(models::ClassOutputsOf(spec)),
        has_logits_(spec.model->Program() == models::ProgramAnswers::kLogits) {}
  ~ProgramPredictor() override { host_->Remove(number_); }
  ProgramPredictor(const ProgramPredictor&) = delete;
  ProgramPredictor& operator=(const ProgramPredictor&) = delete;

  absl::StatusOr<ClassPredictions> PredictClasses(const batch::Batch& rows,
                                                  bool with_probabilities) override {
    ASSIGN_OR_RETURN(std::vector<float> answers, host_->Ask(number_, rows));
    if (class_outputs_ == models::ClassOutputs::kSigmoid) answers = OfBothClasses(answers);
    const bool is_binary = class_outputs_ == models::ClassOutputs::kSigmoid;
    ClassPredictions predictions{.num_classes = is_binary ? 2 : outputs_};
    const auto width = static_cast<size_t>(predictions.num_classes);
    for (size_t at = 0; at < answers.size(); at += width) {
      const std::span<float> row = std::span(answers).subspan(at, width);
      if (has_logits_ && !is_binary) Softmax(row);
      predictions.classes.push_back(std::ranges::max_element(row) - row.begin());
    }
    if (with_probabilities) predictions.probabilities = std::move(answers);
    return predictions;
  }

  absl::StatusOr<std::vector<float>> PredictValues(const batch::Batch& rows) override {
    if (outputs_ != 1) {
      return FailedPrecondition("the model gives {} numbers for a sample instead of one", outputs_);
    }
    return host_->Ask(number_, rows);
  }

  absl::StatusOr<Embeddings> Embed(const batch::Batch& /*rows*/) override {
    return FailedPrecondition(
        "the model is an object of a program and gives no embeddings; a module of PyTorch with a "
        "method embed does");
  }

 private:
  // One probability, or one logit, of class 1.
  std::vector<float> OfBothClasses(const std::vector<float>& answers) const {
    std::vector<float> both;
    both.reserve(2 * answers.size());
    for (const float answer : answers) {
      const float share = has_logits_ ? 1 / (1 + std::exp(-answer)) : answer;
      both.insert(both.end(), {1 - share, share});
    }
    return both;
  }

  const std::shared_ptr<ProgramHost> host_;
  const int64_t number_;
  const int64_t outputs_;
  const models::ClassOutputs class_outputs_;
  const bool has_logits_;
};

}  // namespace

ProgramHost::ProgramHost(const models::ArtefactSpec& spec)
    : use_(spec.program->Use()),
      about_(Describe(spec).dump()),
      outputs_(spec.model->NumOutputs()),
      instance_(use_, models::kProgramKind, /*seed=*/0, plugin::HostSettingsOf(use_),
                json{{"training", Describe(spec)}}) {}

bool ProgramHost::Takes(const models::ArtefactSpec& spec, size_t pickle_bytes) const {
  if (!(spec.program->Use() == use_) || Describe(spec).dump() != about_) return false;
  const auto room = static_cast<size_t>(use_.memory.bytes) / kShareOfMemory;
  return pickles_.empty() || num_bytes_ + pickle_bytes <= room;
}

int64_t ProgramHost::Add(std::string pickle) {
  num_bytes_ += pickle.size();
  pickles_[++last_number_] = std::move(pickle);
  return last_number_;
}

void ProgramHost::Remove(int64_t number) {
  num_bytes_ -= pickles_.at(number).size();
  pickles_.erase(number);
  if (opened_.erase(number) == 0) return;
  instance_.CallOnce([number](HostProcess&) {
             return json{{"call", "close"}, {"number", number}};
           })
      .status()
      .IgnoreError();  // A process that is gone has forgotten it.
}

absl::StatusOr<std::vector<float>> ProgramHost::Ask(int64_t number, const batch::Batch& rows) {
  if (rows.num_rows() == 0) return std::vector<float>();
  absl::StatusOr<json> answer;
  for (int attempt = 0; attempt < 2; ++attempt) {
    answer = TryAsk(number, rows);
    if (!absl::IsUnavailable(answer.status()) || plugin::IsOfMachine(answer.status())) break;
    if (attempt == 0) instance_.NoteDeath(answer.status());
  }
  if (!answer.ok()) return OwnFault(answer.status());
  ASSIGN_OR_RETURN(const batch::Batch columns, instance_.Columns(*answer));
  const batch::Column* const outputs = columns.Find("outputs");
  if (outputs == nullptr || columns.num_rows() != rows.num_rows() ||
      outputs->type != batch::DataType::kFloat32 || outputs->Width() != outputs_ ||
      !outputs->validity.empty()) {
    return FailedPrecondition("{}: predict: the answer to {} rows is not {} numbers for each",
                              use_.use, rows.num_rows(), outputs_);
  }
  // Copied first: shared memory may change while it is read.
  const auto said = outputs->Values<float>();
  std::vector<float> numbers(said.begin(), said.end());
  if (std::ranges::all_of(numbers, [](float one) { return std::isfinite(one); })) {
    return numbers;
  }
  return FailedPrecondition("{}: predict: an answer is not a finite number", use_.use);
}

absl::StatusOr<json> ProgramHost::TryAsk(int64_t number, const batch::Batch& rows) {
  RETURN_IF_ERROR(instance_.Created().status());
  if (instance_.pid() != pid_) opened_.clear();
  pid_ = instance_.pid();
  if (!opened_.contains(number)) {
    const auto open = [&](HostProcess& host) -> absl::StatusOr<json> {
      batch::Batch parts(1);
      const std::string_view pickle = pickles_.at(number);
      RETURN_IF_ERROR(parts.Set(batch::MakeBinaryColumn("model", {&pickle, 1})));
      ASSIGN_OR_RETURN(json request, host.AddColumns(parts));
      request.update({{"call", "open"}, {"number", number}});
      return request;
    };
    RETURN_IF_ERROR(instance_.CallOnce(open).status());
    opened_.insert(number);
  }
  return instance_.CallOnce([&](HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(const batch::Batch inputs, InputsOf(rows));
    ASSIGN_OR_RETURN(json request, host.AddColumns(inputs));
    request.update({{"call", "predict"}, {"number", number}});
    return request;
  });
}

absl::StatusOr<std::unique_ptr<Predictor>> ProgramHosts::Make(const models::ArtefactSpec& spec,
                                                              std::string_view weights) {
  ASSIGN_OR_RETURN(models::PackedModel model, models::DecodePackedModel(weights));
  if (model.form != models::kPickleForm || !spec.program) {
    return FailedPrecondition("the model holds no object that a program has returned");
  }
  auto host = std::ranges::find_if(
      hosts_, [&](const auto& one) { return one->Takes(spec, model.bytes.size()); });
  if (host == hosts_.end()) {
    host = hosts_.insert(host, std::make_shared<ProgramHost>(spec));
  }
  const int64_t number = (*host)->Add(std::move(model.bytes));
  return std::make_unique<ProgramPredictor>(*host, number, spec);
}

}  // namespace tidemill::evaluator
