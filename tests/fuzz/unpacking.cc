#include "tests/fuzz/unpacking.h"

#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace tidemill::fuzz {

namespace {

constexpr size_t kMax = 1 << 20;

// The unpacked bytes as far as kMax, nothing where the input is refused.
std::optional<std::string> Unpack(storage::StreamDecoder& decoder, std::string_view input,
                                  size_t piece, size_t room) {
  std::string bytes;
  std::vector<char> out(room);
  while (bytes.size() < kMax) {
    const std::string_view part = input.substr(0, piece);
    const auto progress = decoder.Decode(part, out);
    if (!progress.ok()) {
      Promise(absl::IsDataLoss(progress.status()) || absl::IsResourceExhausted(progress.status()),
              "a refusal says that the file is at fault");
      return std::nullopt;
    }
    Promise(progress->taken <= part.size() && progress->made <= out.size(), "it keeps in bounds");
    input.remove_prefix(progress->taken);
    bytes.append(out.data(), progress->made);
    if (progress->taken == 0 && progress->made == 0) {
      if (!input.empty() || !decoder.at_end()) return std::nullopt;
      return bytes;
    }
  }
  return bytes.substr(0, kMax);
}

}  // namespace

void TryDecoder(absl::StatusOr<std::unique_ptr<storage::StreamDecoder>> (*make)(),
                std::string_view input) {
  const auto at_once = make();
  const auto in_pieces = make();
  Promise(at_once.ok() && in_pieces.ok(), "there is a decoder");
  const auto whole = Unpack(**at_once, input, input.size(), 1 << 16);
  const auto pieces = Unpack(**in_pieces, input, 7, 61);
  // zstd is stricter on one of the two ways with frames that no packer writes, such as one with an
  // empty run of a byte.
  if (whole && pieces) Promise(*whole == *pieces, "pieces give what the whole gives");
}

}  // namespace tidemill::fuzz
