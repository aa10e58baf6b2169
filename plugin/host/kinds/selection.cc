#include "plugin/host/kinds/selection.h"

#include <algorithm>
#include <string>

#include "plugin/host/calls/answer_columns.h"
#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/calls/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

// Whole numbers of 64 bits, zero where the request has none.
uint64_t BitsOf(const json& object, const char* name) {
  const json& field = FieldOf(object, name);
  return field.is_number_integer() ? field.get<uint64_t>() : 0;
}

class SelectionKind : public Kind {
 public:
  SelectionKind(const void* functions, Instance& instance, const Memories& memories)
      : functions_(Known<TidemillSelection>(functions)),
        instance_(instance),
        requests_(memories.requests),
        answers_(memories.answers) {}

  absl::StatusOr<json> Created(const json& request) override {
    const json& said = FieldOf(request, "lots");
    if (functions_.begin != nullptr && said.is_object()) {
      auto lots = Sized<TidemillLots>();
      lots.times = BitsOf(said, "times");
      lots.flip = BitsOf(said, "flip");
      lots.plus = BitsOf(said, "plus");
      RETURN_IF_ERROR(
          instance_.Call("begin", [&] { return functions_.begin(instance_.self(), &lots); }));
    }
    ASSIGN_OR_RETURN(json looks_at, LooksAt());
    return json{{"looks_at", std::move(looks_at)}, {"unbiased", functions_.unbiased != 0}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "add") return Add(request);
    if (call == "choose") return Choose(request);
    return InvalidArgument("a selection has no call {}", call);
  }

 private:
  absl::StatusOr<json> LooksAt() {
    json named = json::array();
    if (functions_.looks_at == nullptr) return named;
    const char* const* facts = nullptr;
    RETURN_IF_ERROR(instance_.Call("looks_at", [&] {
      facts = functions_.looks_at(instance_.self());
      return 0;
    }));
    for (; facts != nullptr && *facts != nullptr; ++facts) named.push_back(*facts);
    return named;
  }

  absl::StatusOr<json> Add(const json& request) {
    ASSIGN_OR_RETURN(const auto columns, RequestColumns::Read(request, requests_));
    auto chosen = Sized<TidemillChosen>();
    RETURN_IF_ERROR(instance_.Call(
        "add", [&] { return functions_.add(instance_.self(), &columns->view(), &chosen); }));
    return chosen.count == 0 ? json::object() : Told(chosen);
  }

  absl::StatusOr<json> Choose(const json& request) {
    auto wanted = Sized<TidemillWanted>();
    ASSIGN_OR_RETURN(wanted.num_candidates, WholeOf(request, "num_candidates"));
    ASSIGN_OR_RETURN(wanted.most_rows, WholeOf(request, "most_rows"));
    wanted.target = -1;
    if (request.contains("target")) {
      ASSIGN_OR_RETURN(wanted.target, WholeOf(request, "target"));
    }
    auto chosen = Sized<TidemillChosen>();
    RETURN_IF_ERROR(instance_.Call(
        "choose", [&] { return functions_.choose(instance_.self(), &wanted, &chosen); }));
    if (std::cmp_greater(chosen.count, wanted.most_rows)) {
      return InvalidArgument("choose: it returned {} rows; at most {} are allowed", chosen.count,
                             wanted.most_rows);
    }
    ASSIGN_OR_RETURN(json said, Told(chosen));
    said["done"] = chosen.is_done != 0;
    return said;
  }

  // The chosen rows, in the memory for answers. The owner checks them.
  absl::StatusOr<json> Told(const TidemillChosen& chosen) {
    if (chosen.rows == nullptr && chosen.count > 0) {
      return InvalidArgument("it chose {} rows but did not return them", chosen.count);
    }
    answers_.Begin(static_cast<int64_t>(chosen.count));
    ASSIGN_OR_RETURN(const std::span<int64_t> rows, answers_.Add<int64_t>("row"));
    std::copy_n(chosen.rows, chosen.count, rows.begin());
    if (chosen.weights == nullptr) return answers_.ToJson();
    ASSIGN_OR_RETURN(const std::span<float> weights, answers_.Add<float>("weight"));
    std::copy_n(chosen.weights, chosen.count, weights.begin());
    return answers_.ToJson();
  }

  const TidemillSelection functions_;
  Instance& instance_;
  const Memory& requests_;
  AnswerColumns answers_;
};

}  // namespace

absl::Status CheckSelection(const void* functions) {
  const auto known = Known<TidemillSelection>(functions);
  if (known.add != nullptr && known.choose != nullptr) return absl::OkStatus();
  return InvalidArgument("it needs the functions add and choose");
}

std::unique_ptr<Kind> MakeSelection(const void* functions, Instance& instance,
                                    const Memories& memories) {
  return std::make_unique<SelectionKind>(functions, instance, memories);
}

}  // namespace tidemill::plugin::host
