#include "subsets/pairwise/task_text.h"

#include <type_traits>

#include "nlohmann/json.hpp"

namespace tidemill::subsets {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ImplicitGraphSpec, num_nodes, neighbors, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CsrFolder, folder)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeRange, index, from, to)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BoundsTask, range, generation, pass, most_neighbors, share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CountTask, range, generation, upper, k, second_pass)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DecideTask, range, generation, grow, threshold_bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScatterTask, range, from_set, round, num_parts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PickTask, round, part, num_parts, num_ranges, range_nodes,
                                   target, total, from_set, into_set, fixed_set)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ObjectiveTask, range, set)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LotsTask, range, set, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TaskResult, undecided, included, picked, objective)

namespace {

// A variant is the number of its alternative and what that holds.
template <typename Variant>
Json VariantToJson(const Variant& value) {
  return std::visit(
      [&](const auto& held) {
        return Json{{"kind", value.index()}, {"is", held}};
      },
      value);
}

template <typename Variant, size_t kKind = 0>
Variant VariantFromJson(const Json& json) {
  if constexpr (kKind + 1 < std::variant_size_v<Variant>) {
    if (json["kind"] != kKind) return VariantFromJson<Variant, kKind + 1>(json);
  }
  return json["is"].template get<std::variant_alternative_t<kKind, Variant>>();
}

absl::StatusOr<Json> Parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return DataLoss("{:?} is not a message between a worker and its driver", text);
  }
  return json;
}

}  // namespace

std::string EncodeProblem(const Problem& problem) {
  return Json{{"graph", VariantToJson(problem.graph)},
              {"alpha", problem.alpha},
              {"seed", problem.seed},
              {"trigger", problem.trigger}}
      .dump();
}

absl::StatusOr<Problem> DecodeProblem(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, Parse(text));
  return Problem{.graph = VariantFromJson<GraphSpec>(json["graph"]),
                 .alpha = json["alpha"],
                 .seed = json["seed"],
                 .trigger = json["trigger"]};
}

std::string EncodeTask(const Task& task) { return VariantToJson(task).dump(); }

absl::StatusOr<Task> DecodeTask(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, Parse(text));
  return VariantFromJson<Task>(json);
}

std::string EncodeResult(const TaskResult& result) { return Json(result).dump(); }

absl::StatusOr<TaskResult> DecodeResult(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, Parse(text));
  return json.get<TaskResult>();
}

std::string Describe(const Task& task) {
  if (const auto* pick = std::get_if<PickTask>(&task)) {
    return fmt::format("picking from part {} of {} in round {}", pick->part + 1, pick->num_parts,
                       pick->round);
  }
  constexpr std::string_view kDoing[] = {"bounding", "counting bounds of", "deciding",    "dealing",
                                         "",         "adding up",          "drawing from"};
  const NodeRange range = std::visit(
      [](const auto& held) {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, PickTask>) {
          return NodeRange{};
        } else {
          return held.range;
        }
      },
      task);
  return fmt::format("{} nodes {} to {}", kDoing[task.index()], range.from, range.to);
}

}  // namespace tidemill::subsets
