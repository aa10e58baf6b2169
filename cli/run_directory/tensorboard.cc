#include "cli/run_directory/tensorboard.h"

#include <unistd.h>

#include <bit>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>

#include "fmt/format.h"

#include "records/crc32c.h"
#include "results/rows.h"

namespace tidemill::cli {
namespace {

namespace v1 = supervisor::v1;

constexpr int32_t kStringType = 7;

static_assert(std::endian::native == std::endian::little, "numbers are copied as raw bytes");

template <typename Number>
std::string BytesOf(Number number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

double SecondsOf(const google::protobuf::Timestamp& time) {
  return static_cast<double>(time.seconds()) + 1e-9 * time.nanos();
}

// Losses, one training after the other. A point's wall time is between the firing of its trigger
// and the storing of its model in proportion to the samples.
void AddLosses(const v1::GetRunResponse& run, EventFile& file) {
  int64_t before = 0;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (trigger.result().loss_curve().empty()) continue;
    const int64_t total = trigger.result().loss_curve().rbegin()->num_samples();
    const double begin = SecondsOf(trigger.fired_at());
    const double length = trigger.has_stored_at() ? SecondsOf(trigger.stored_at()) - begin : 0;
    for (const auto& point : trigger.result().loss_curve()) {
      const double share =
          total > 0 ? static_cast<double>(point.num_samples()) / static_cast<double>(total) : 0;
      const int64_t step = before + point.num_samples();
      file.AddScalar("loss/train", step, begin + share * length, point.loss());
      if (point.has_validation_loss()) {
        file.AddScalar("loss/validation", step, begin + share * length, point.validation_loss());
      }
    }
    before += total;
  }
}

void AddTriggers(const v1::GetRunResponse& run, EventFile& file) {
  for (const v1::Trigger& trigger : run.triggers()) {
    const double at = SecondsOf(trigger.has_stored_at() ? trigger.stored_at() : trigger.fired_at());
    file.AddScalar("trigger/samples", trigger.number(), at,
                   static_cast<double>(trigger.num_samples()));
    if (trigger.skip_reason().empty()) {
      file.AddScalar("trigger/loss", trigger.number(), at, trigger.result().loss());
    }
    const std::map<std::string, double> stages(trigger.stage_seconds().begin(),
                                               trigger.stage_seconds().end());
    for (const auto& [stage, seconds] : stages) {
      file.AddScalar("trigger/seconds_" + stage, trigger.number(), at, seconds);
    }
  }
}

void AddSeries(const std::string& name, const results::Rows& series, EventFile& file) {
  std::map<std::string, int64_t> windows;
  for (const results::Row* row : series) {
    const std::string tag = fmt::format("{}/{}/{}", name, row->measure(), row->dataset_name());
    const int64_t window = ++windows[fmt::format("{}/{}", row->evaluation(), tag)];
    if (!row->has_value()) continue;
    file.AddScalar(tag, window, 1e-6 * static_cast<double>(row->to().event_time()), row->value());
  }
}

}  // namespace

EventFile::EventFile(double wall_time) {
  tensorboard::v1::Event event;
  event.set_wall_time(wall_time);
  event.set_file_version("brain.Event:2");
  Add(event);
}

void EventFile::AddScalar(std::string_view tag, int64_t step, double wall_time, double value) {
  tensorboard::v1::Event event;
  event.set_wall_time(wall_time);
  event.set_step(step);
  auto& point = *event.mutable_summary()->add_value();
  point.set_tag(std::string(tag));
  point.set_simple_value(static_cast<float>(value));
  Add(event);
}

void EventFile::AddText(std::string_view tag, double wall_time, std::string_view markdown) {
  tensorboard::v1::Event event;
  event.set_wall_time(wall_time);
  auto& text = *event.mutable_summary()->add_value();
  text.set_tag(std::string(tag));
  text.mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  text.mutable_tensor()->set_dtype(kStringType);
  text.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(1);
  text.mutable_tensor()->add_string_val(std::string(markdown));
  Add(event);
}

void EventFile::Add(const tensorboard::v1::Event& event) {
  const std::string data = event.SerializeAsString();
  const std::string length = BytesOf<uint64_t>(data.size());
  bytes_ += length;
  bytes_ += BytesOf<uint32_t>(MaskCrc32c(Crc32c(length)));
  bytes_ += data;
  bytes_ += BytesOf<uint32_t>(MaskCrc32c(Crc32c(data)));
}

std::string TensorBoardEvents(const v1::GetRunResponse& run) {
  const double started = SecondsOf(run.run().started_at());
  EventFile file(started);
  if (!run.pipeline_text().empty()) {
    std::string indented = "    ";
    for (const char c : run.pipeline_text()) {
      indented += c;
      if (c == '\n') indented += "    ";
    }
    file.AddText("pipeline", started, indented);
  }
  AddLosses(run, file);
  AddTriggers(run, file);
  AddSeries("active", results::Active(run.results()), file);
  AddSeries("trained", results::Trained(run.results()), file);
  return file.bytes();
}

std::string EventFileName(const v1::GetRunResponse& run) {
  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  std::string name;
  for (const char* c = host; *c != '\0'; ++c) {
    name += std::isalnum(static_cast<unsigned char>(*c)) || *c == '-' || *c == '.' ? *c : '_';
  }
  return fmt::format("events.out.tfevents.{}.{}", run.run().started_at().seconds(),
                     name.empty() ? "host" : name);
}

}  // namespace tidemill::cli
