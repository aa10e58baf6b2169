#include "trainer_server/job/failure_text.h"

#include "plugin/process/fault.h"

namespace tidemill::trainer_server {

std::string TextOf(const absl::Status& failure, size_t most) {
  std::string text = std::string(failure.message()).substr(0, most);
  const std::string traceback = plugin::TracebackOf(failure);
  if (traceback.empty() || text.size() + 1 >= most) return text;
  const size_t room = most - text.size() - 1;
  if (traceback.size() <= room) return text + "\n" + traceback;
  // From the beginning of a line on, where there is one.
  const size_t from = traceback.size() - room;
  const size_t line = traceback.find('\n', from);
  return text + "\n" + traceback.substr(line == std::string::npos ? from : line + 1);
}

}  // namespace tidemill::trainer_server
