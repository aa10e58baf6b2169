#include "trainer_server/job/failure_text.h"

#include "base/printable.h"
#include "plugin/process/fault.h"

namespace tidemill::trainer_server {

std::string TextOf(const absl::Status& failure, size_t most) {
  const absl::string_view message = failure.message();
  std::string text(WholeCharacters({message.data(), message.size()}, most));
  const std::string traceback = plugin::TracebackOf(failure);
  if (traceback.empty() || text.size() + 1 >= most) return text;
  const size_t room = most - text.size() - 1;
  if (traceback.size() <= room) return text + "\n" + traceback;
  // From the beginning of a line on, if there is one, or else of a character of UTF-8.
  size_t from = traceback.size() - room;
  const size_t line = traceback.find('\n', from);
  if (line != std::string::npos) return text + "\n" + traceback.substr(line + 1);
  while (from < traceback.size() && (traceback[from] & 0xc0) == 0x80) ++from;
  return text + "\n" + traceback.substr(from);
}

}  // namespace tidemill::trainer_server
