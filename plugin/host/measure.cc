#include "plugin/host/measure.h"

#include <vector>

#include "plugin/host/contract.h"
#include "plugin/host/json_fields.h"
#include "plugin/host/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

class MeasureKind : public Kind {
 public:
  MeasureKind(const void* functions, Instance& instance, const Memory& requests)
      : functions_(Known<TidemillMeasure>(functions)), instance_(instance), requests_(requests) {}

  absl::StatusOr<json> Created() override {
    return json{{"needs", functions_.needs_probabilities != 0 ? "probabilities" : "predictions"},
                {"of", functions_.of_values != 0 ? "values" : "classes"},
                {"higher_is_better", functions_.higher_is_better != 0},
                {"unit", functions_.unit != nullptr ? functions_.unit : ""}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "measure") return Measure(request);
    if (call == "combine") return Combine(request);
    return InvalidArgument("a measure has no call {}", call);
  }

 private:
  absl::StatusOr<json> Measure(const json& request) {
    ASSIGN_OR_RETURN(const auto columns, RequestColumns::Read(request, requests_));
    const double* sums = nullptr;
    size_t count = 0;
    RETURN_IF_ERROR(instance_.Call("measure", [&] {
      return functions_.measure(instance_.self(), &columns->view(), &sums, &count);
    }));
    json said = json::array();
    for (size_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(CheckFinite(fmt::format("sum {}", i), sums[i]));
      said.push_back(sums[i]);
    }
    return json{{"sums", std::move(said)}};
  }

  absl::StatusOr<json> Combine(const json& request) {
    const json& blocks = FieldOf(request, "sums");
    if (!blocks.is_array()) return InvalidArgument("the request has no sums");
    const size_t count = blocks.empty() ? 0 : blocks.front().size();
    std::vector<double> sums;
    for (const json& block : blocks) {
      if (!block.is_array() || block.size() != count) {
        return InvalidArgument("blocks have different numbers of sums");
      }
      for (const json& sum : block) {
        if (!sum.is_number()) return InvalidArgument("a sum is no number");
        sums.push_back(sum.get<double>());
      }
    }
    double value = 0;
    int has_value = 0;
    RETURN_IF_ERROR(instance_.Call("combine", [&] {
      return functions_.combine(instance_.self(), sums.data(), blocks.size(), count, &value,
                                &has_value);
    }));
    if (has_value == 0) return json{{"value", nullptr}};
    RETURN_IF_ERROR(CheckFinite("the value", value));
    return json{{"value", value}};
  }

  const TidemillMeasure functions_;
  Instance& instance_;
  const Memory& requests_;
};

}  // namespace

absl::Status CheckMeasure(const void* functions) {
  const auto known = Known<TidemillMeasure>(functions);
  if (known.measure != nullptr && known.combine != nullptr) return absl::OkStatus();
  return InvalidArgument("it needs the functions measure and combine");
}

std::unique_ptr<Kind> MakeMeasure(const void* functions, Instance& instance,
                                  const Memories& memories) {
  return std::make_unique<MeasureKind>(functions, instance, memories.requests);
}

}  // namespace tidemill::plugin::host
