#include "plugin/host/kinds/measure.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "plugin/host/calls/answer_columns.h"
#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/calls/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

// Numbers that a sample contributes.
constexpr size_t kMaxNumbers = 64;

// Rows of sums, `width` numbers each.
absl::StatusOr<std::span<const double>> SumsOf(const TidemillColumns& columns, size_t width) {
  for (int64_t i = 0; i < columns.schema->n_children; ++i) {
    const ArrowSchema* schema = columns.schema->children[i];
    const ArrowArray* array = columns.array->children[i];
    if (std::string_view(schema->name) != "sums") continue;
    size_t found = 1;
    if (std::string_view(schema->format).starts_with("+w:")) {
      found = static_cast<size_t>(std::strtoll(schema->format + 3, nullptr, 10));
      schema = schema->children[0];
      array = array->children[0];
    }
    if (found != width || std::string_view(schema->format) != "g") break;
    return std::span(static_cast<const double*>(array->buffers[1]),
                     static_cast<size_t>(columns.array->length) * width);
  }
  return InvalidArgument("the request has no sums of {} numbers", width);
}

class MeasureKind : public Kind {
 public:
  MeasureKind(const void* functions, Instance& instance, const Memories& memories)
      : functions_(Known<TidemillMeasure>(functions)),
        instance_(instance),
        requests_(memories.requests),
        answer_(memories.answers) {}

  absl::StatusOr<json> Created(const json& /*request*/) override {
    return json{{"needs", functions_.needs_probabilities != 0 ? "probabilities" : "predictions"},
                {"of", functions_.of_values != 0 ? "values" : "classes"},
                {"value", functions_.combine != nullptr ? "combined" : "mean"},
                {"higher_is_better", functions_.higher_is_better != 0},
                {"unit", functions_.unit != nullptr ? functions_.unit : ""}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "measure") return Measure(request);
    if (call == "combine" && functions_.combine != nullptr) return Combine(request);
    return InvalidArgument("the measure has no call {}", call);
  }

 private:
  absl::StatusOr<json> Measure(const json& request) {
    ASSIGN_OR_RETURN(const auto columns, RequestColumns::Read(request, requests_));
    answer_.Begin(columns->view().array->length);
    ASSIGN_OR_RETURN(
        const std::span<double> numbers,
        answer_.Add<double>("contributions", {static_cast<int64_t>(functions_.width)}));
    RETURN_IF_ERROR(instance_.Call("contribute", [&] {
      return functions_.contribute(instance_.self(), &columns->view(), numbers.data());
    }));
    for (size_t i = 0; i < numbers.size(); ++i) {
      RETURN_IF_ERROR(
          CheckFinite(fmt::format("what row {} contributes", i / functions_.width), numbers[i]));
    }
    return answer_.ToJson();
  }

  absl::StatusOr<json> Combine(const json& request) {
    ASSIGN_OR_RETURN(const auto columns, RequestColumns::Read(request, requests_));
    ASSIGN_OR_RETURN(const auto sums, SumsOf(columns->view(), functions_.width));
    const size_t num_rows = sums.size() / functions_.width;
    answer_.Begin(static_cast<int64_t>(num_rows));
    ASSIGN_OR_RETURN(const std::span<double> values, answer_.Add<double>("value"));
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    RETURN_IF_ERROR(instance_.Call("combine", [&] {
      return functions_.combine(instance_.self(), sums.data(), num_rows, values.data());
    }));
    return answer_.ToJson();
  }

  const TidemillMeasure functions_;
  Instance& instance_;
  const Memory& requests_;
  AnswerColumns answer_;
};

}  // namespace

absl::Status CheckMeasure(const void* functions) {
  const auto known = Known<TidemillMeasure>(functions);
  if (known.contribute == nullptr) return InvalidArgument("it needs the function contribute");
  const size_t most = known.combine == nullptr ? 1 : kMaxNumbers;
  if (known.width >= 1 && known.width <= most) return absl::OkStatus();
  return InvalidArgument("each sample contributes {} numbers; {} is allowed{}", known.width,
                         most == 1 ? "1" : "1 to 64",
                         most == 1 ? ", as the value is their mean" : "");
}

std::unique_ptr<Kind> MakeMeasure(const void* functions, Instance& instance,
                                  const Memories& memories) {
  return std::make_unique<MeasureKind>(functions, instance, memories);
}

}  // namespace tidemill::plugin::host
