// Event files for TensorBoard.
//
//   file   = record*
//   record = u64 length | u32 masked CRC-32C of the length | bytes | u32 masked CRC-32C of the
//   bytes
//
// Numbers are little-endian. The bytes are a tidemill.tensorboard.v1.Event. A reader stops at a
// truncated or damaged record and keeps everything before it. The framing is as in a TFRecord file
// (https://www.tensorflow.org/tutorials/load_data/tfrecord).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/supervisor/v1/supervisor.pb.h"
#include "tidemill/tensorboard/v1/event.pb.h"

namespace tidemill::cli {

// The bytes of an event file, which are built in memory. Thread-compatible.
class EventFile {
 public:
  // Begins with the record of the version, at `wall_time` seconds since the epoch.
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

// Returns a run's curves and its configuration as a text. `loss/train` and `loss/validation` are by
// samples trained on, over all triggers. `trigger/...` is by trigger. `active/<measure>/<dataset>`
// and `trained/...` are by window, with the window's event time as wall time.
std::string TensorBoardEvents(const supervisor::v1::GetRunResponse& run);

// Returns "events.out.tfevents.<seconds>.<host>": the start of the run and this machine, as
// TensorBoard expects them in the name of a file.
std::string EventFileName(const supervisor::v1::GetRunResponse& run);

}  // namespace tidemill::cli
