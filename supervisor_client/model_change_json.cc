#include "supervisor_client/model_change_json.h"

#include "base/time.h"
#include "supervisor_client/model_change_text.h"

namespace tidemill::supervisor {
namespace {

using nlohmann::ordered_json;

std::string InstantText(const google::protobuf::Timestamp& time) {
  return FormatTimestamp({time.seconds() * 1'000'000 + time.nanos() / 1'000});
}

ordered_json NumberOrNull(int64_t number) {
  return number == 0 ? ordered_json(nullptr) : ordered_json(number);
}

ordered_json FiguresToJson(const v1::ModelComparison& comparison) {
  ordered_json json = {{"measure", comparison.measure()},
                       {"samples", comparison.num_samples()},
                       {"champion", comparison.champion()},
                       {"challenger", comparison.challenger()},
                       {"better_by", comparison.better_by()}};
  if (comparison.has_low()) json["low"] = comparison.low();
  if (comparison.has_high()) json["high"] = comparison.high();
  return json;
}

}  // namespace

ordered_json ModelInUseToJson(const v1::ModelChange& in_use) {
  ordered_json json = {{"model", in_use.model_id()},
                       {"run", in_use.run_id()},
                       {"trigger", in_use.trigger()},
                       {"since", InstantText(in_use.in_use_since())},
                       {"kind", KindText(in_use.since_kind())},
                       {"why", in_use.since_text()}};
  if (!in_use.since_command().empty()) json["command"] = in_use.since_command();
  json["pinned"] = in_use.pinned();
  return json;
}

ordered_json ModelChangeToJson(const v1::ModelChange& change) {
  ordered_json json = {{"change", change.number()},
                       {"pipeline", change.pipeline_name()},
                       {"at", InstantText(change.at())},
                       {"kind", KindText(change.kind())},
                       {"model", NumberOrNull(change.model_id())},
                       {"run", NumberOrNull(change.run_id())},
                       {"trigger", NumberOrNull(change.trigger())},
                       {"pinned", change.pinned()},
                       {"why", change.text()}};
  if (!change.command().empty()) json["command"] = change.command();
  if (change.caused_by_run() != 0) {
    json["caused_by"] = {{"run", change.caused_by_run()}, {"trigger", change.caused_by_trigger()}};
  }
  if (change.other_model_id() != 0) json["other_model"] = change.other_model_id();
  if (change.has_comparison()) json["comparison"] = FiguresToJson(change.comparison());
  return json;
}

}  // namespace tidemill::supervisor
