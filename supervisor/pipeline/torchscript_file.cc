#include "supervisor/pipeline/torchscript_file.h"

#include <algorithm>

#include "transform/script_rules/script_archive.h"

namespace tidemill::supervisor {
namespace {

constexpr size_t kTailBytes = size_t{2} << 20;
constexpr std::string_view kHead("PK\x03\x04", 4);
constexpr std::string_view kEnd("PK\x05\x06", 4);
// An archive's end has 22 bytes and a comment, which torch does not write.
constexpr size_t kEndBytes = 22;

}  // namespace

void TorchScriptLook::Add(std::string_view bytes) {
  file_bytes_ += bytes.size();
  if (head_.size() < kHead.size()) head_ += bytes.substr(0, kHead.size() - head_.size());
  if (bytes.size() > kTailBytes) bytes.remove_prefix(bytes.size() - kTailBytes);
  tail_ += bytes;
  // Not at every piece: each byte is moved at most once.
  if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
}

absl::Status TorchScriptLook::Judge(const std::string& name) const {
  if (head_ != kHead) return InvalidArgument("{} is not a TorchScript file", name);
  if (tail_.size() < kEndBytes ||
      std::string_view(tail_).substr(tail_.size() - kEndBytes).substr(0, kEnd.size()) != kEnd) {
    return InvalidArgument("{} is cut off, or is not a TorchScript file", name);
  }
  // torch.save() writes the same kind of archive, without any code.
  if (tail_.find("/code/") == std::string::npos) {
    return InvalidArgument("{} holds no program; it may hold only weights", name);
  }
  const absl::Status checked = models::CheckScriptTail(tail_, file_bytes_);
  return checked.ok() ? checked : Annotate(checked, name);
}

}  // namespace tidemill::supervisor
