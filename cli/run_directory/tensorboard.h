// Event files as TensorBoard reads them.
//
//   file   = record*
//   record = u64 length | u32 masked CRC-32C of the length | bytes | u32 masked CRC-32C of the
//   bytes
//
// All little-endian; the bytes are a tidemill.tensorboard.v1.Event. A reader stops at a record that
// is cut off or damaged and keeps all before it. The framing is that of a TFRecord file
// (https://www.tensorflow.org/tutorials/load_data/tfrecord).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/supervisor/v1/supervisor.pb.h"
#include "tidemill/tensorboard/v1/event.pb.h"

namespace tidemill::cli {

// The bytes of an event file, built in memory. Thread-compatible.
class EventFile {
 public:
  // Begins with the record that names the version, at `wall_time` seconds since the epoch.
  explicit EventFile(double wall_time);

  // Adds a point of the curve `tag`.
  void AddScalar(std::string_view tag, int64_t step, double wall_time, double value);
  // Adds a text in Markdown.
  void AddText(std::string_view tag, double wall_time, std::string_view markdown);

  const std::string& bytes() const { return bytes_; }

 private:
  void Add(const tensorboard::v1::Event& event);

  std::string bytes_;
};

// The events of a file up to its end or to the first record that is cut off or damaged.
std::vector<tensorboard::v1::Event> ReadEventFile(std::string_view bytes);

// A run's curves: `loss/train` and `loss/validation` by the samples trained on over all triggers,
// `trigger/...` by trigger, `active/<measure>/<dataset>` and `trained/...` by window with the
// window's event time as wall time; and its configuration as a text.
std::string TensorBoardEvents(const supervisor::v1::GetRunResponse& run);

// "events.out.tfevents.<seconds>.<host>": the start of the run and this machine, as TensorBoard
// expects them in a file's name.
std::string EventFileName(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
