#include "trainer_server/job/program_checkpoint.h"

#include <utility>

#include "nlohmann/json.hpp"

namespace tidemill::trainer_server {
namespace {

using nlohmann::json;

constexpr std::pair<const char*, int64_t TrainingCounters::*> kIntegers[] = {
    {"batches", &TrainingCounters::batches},
    {"samples", &TrainingCounters::samples},
    {"num_skipped", &TrainingCounters::num_skipped},
    {"skipped_before_epoch", &TrainingCounters::skipped_before_epoch},
    {"most_skipped", &TrainingCounters::most_skipped},
    {"filtered_in_epoch", &TrainingCounters::filtered_in_epoch},
    {"most_filtered", &TrainingCounters::most_filtered},
    {"epoch", &TrainingCounters::epoch},
    {"epoch_batches", &TrainingCounters::epoch_batches},
    {"samples_before_epoch", &TrainingCounters::samples_before_epoch},
    {"loss_samples", &TrainingCounters::loss_samples}};
constexpr std::pair<const char*, double TrainingCounters::*> kNumbers[] = {
    {"loss_sum", &TrainingCounters::loss_sum},
    {"last_epoch_loss", &TrainingCounters::last_epoch_loss}};

json ToJson(const LossCurve::State& state) {
  json points = json::array();
  for (const LossCurve::Point& point : state.points) {
    json said = {point.num_samples, point.loss, point.num_trained};
    if (point.validation_loss) said.push_back(*point.validation_loss);
    points.push_back(std::move(said));
  }
  return {{"points", std::move(points)},      {"stride", state.stride},
          {"num_batches", state.num_batches}, {"num_trained", state.num_trained},
          {"num_samples", state.num_samples}, {"loss_sum", state.loss_sum}};
}

// Throws json::exception.
LossCurve CurveOf(const json& said) {
  LossCurve::State state{.points = {},
                         .stride = said.at("stride"),
                         .num_batches = said.at("num_batches"),
                         .num_trained = said.at("num_trained"),
                         .num_samples = said.at("num_samples"),
                         .loss_sum = said.at("loss_sum")};
  for (const json& point : said.at("points")) {
    state.points.push_back(
        {.num_samples = point.at(0), .loss = point.at(1), .num_trained = point.at(2)});
    if (point.size() > 3) state.points.back().validation_loss = point.at(3).get<double>();
  }
  return LossCurve(std::move(state));
}

}  // namespace

std::string EncodeProgramState(const ProgramState& state) {
  json counters;
  for (const auto& [name, member] : kIntegers) counters[name] = state.counters.*member;
  for (const auto& [name, member] : kNumbers) counters[name] = state.counters.*member;
  const json head = {{"counters", std::move(counters)},
                     {"ends_epoch", state.ends_epoch},
                     {"num_unreported", state.num_unreported},
                     {"curve", ToJson(state.curve.state())}};
  return head.dump() + "\n" + state.of_program;
}

absl::StatusOr<ProgramState> DecodeProgramState(std::string_view bytes) {
  const size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return DataLoss("the checkpoint has no head");
  ProgramState state{.of_program = std::string(bytes.substr(end + 1))};
  try {
    const json head = json::parse(bytes.substr(0, end));
    for (const auto& [name, member] : kIntegers) {
      state.counters.*member = head.at("counters").at(name);
    }
    for (const auto& [name, member] : kNumbers) {
      state.counters.*member = head.at("counters").at(name);
    }
    state.ends_epoch = head.at("ends_epoch");
    state.num_unreported = head.at("num_unreported");
    state.curve = CurveOf(head.at("curve"));
  } catch (const json::exception& wrong) {
    return DataLoss("the head of the checkpoint cannot be read: {}", wrong.what());
  }
  return state;
}

}  // namespace tidemill::trainer_server
