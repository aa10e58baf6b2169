#include "trainer_server/job/program_checkpoint.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "nlohmann/json.hpp"

#include "plugin/spec/json_fields.h"

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

// A point is {samples, loss, samples trained} and, where there is one, the validation loss.
std::optional<LossCurve::Point> PointOf(const json& said) {
  if (!said.is_array() || said.size() < 3 || said.size() > 4) return std::nullopt;
  if (!std::ranges::all_of(said, [](const json& number) { return number.is_number(); })) {
    return std::nullopt;
  }
  LossCurve::Point point{.num_samples = said[0], .loss = said[1], .num_trained = said[2]};
  if (said.size() == 4) point.validation_loss = said[3].get<double>();
  return point;
}

// Reads the fields of an object, and remembers whether all were there.
class Fields {
 public:
  explicit Fields(json object) : object_(std::move(object)) {}

  void Read(const char* name, int64_t& value) {
    const auto found = plugin::CountAt(object_, name);
    if (found) value = *found;
    is_whole_ = is_whole_ && found.has_value();
  }
  void Read(const char* name, double& value) {
    const auto found = plugin::NumberAt(object_, name);
    if (found) value = *found;
    is_whole_ = is_whole_ && found.has_value();
  }
  bool is_whole() const { return is_whole_; }

 private:
  const json object_;
  bool is_whole_ = true;
};

bool ReadCounters(const json& said, TrainingCounters& counters) {
  Fields fields(said);
  for (const auto& [name, member] : kIntegers) fields.Read(name, counters.*member);
  for (const auto& [name, member] : kNumbers) fields.Read(name, counters.*member);
  return fields.is_whole();
}

bool ReadCurve(const json& said, LossCurve& curve) {
  LossCurve::State state;
  Fields fields(said);
  fields.Read("stride", state.stride);
  fields.Read("num_batches", state.num_batches);
  fields.Read("num_trained", state.num_trained);
  fields.Read("num_samples", state.num_samples);
  fields.Read("loss_sum", state.loss_sum);
  for (const json& one : plugin::ListAt(said, "points")) {
    const std::optional<LossCurve::Point> point = PointOf(one);
    if (!point) return false;
    state.points.push_back(*point);
  }
  curve = LossCurve(std::move(state));
  return fields.is_whole();
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
  const json head = json::parse(bytes.substr(0, end), nullptr, /*allow_exceptions=*/false);
  if (!head.is_object()) return DataLoss("the head of the checkpoint cannot be read");
  ProgramState state;
  Fields fields(head);
  fields.Read("num_unreported", state.num_unreported);
  state.ends_epoch = plugin::BoolAt(head, "ends_epoch");
  if (!fields.is_whole() || !ReadCounters(plugin::ObjectAt(head, "counters"), state.counters) ||
      !ReadCurve(plugin::ObjectAt(head, "curve"), state.curve)) {
    return DataLoss("the head of the checkpoint is not whole");
  }
  state.of_program = bytes.substr(end + 1);
  return state;
}

}  // namespace tidemill::trainer_server
