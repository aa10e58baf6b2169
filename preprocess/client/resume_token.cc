#include "preprocess/client/resume_token.h"

#include <charconv>

#include "absl/strings/escaping.h"

#include "base/digest.h"

// done_before = 6, done_beyond = {8, 11}:
//
//   tidemill-resume-1 0f3a9c4be17d2a65 6 JA
//   |                 |                | |
//   the format        |                | bitmap: bit i of it is batch done_before + i; here 0x24
//                     digest of job    done_before
//
// The digest leaves out the number of lanes, so that another number may resume.

namespace tidemill::preprocess {
namespace {

constexpr std::string_view kMark = "tidemill-resume-1";
constexpr size_t kDigestBytes = 16;

std::string DigestOf(JobSpec job) {
  job.num_lanes = 1;
  return Sha256(config::Print(job)).substr(0, kDigestBytes);
}

// Removes the word before the next blank from the text.
std::string_view Word(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

absl::StatusOr<std::string> Encode(const ResumeToken& token, const JobSpec& job) {
  std::string bits;
  for (const int64_t number : token.done_beyond) {
    const int64_t ahead = number - token.done_before;
    if (ahead < 0 || ahead >= ResumeToken::kMaxBeyond) {
      return InvalidArgument("batch {} is too far from {}", number, token.done_before);
    }
    const auto byte = static_cast<size_t>(ahead / 8);
    if (bits.size() <= byte) bits.resize(byte + 1);
    bits[byte] = static_cast<char>(bits[byte] | (1 << (ahead % 8)));
  }
  std::string text = fmt::format("{} {} {}", kMark, DigestOf(job), token.done_before);
  if (!bits.empty()) text += " " + absl::WebSafeBase64Escape(bits);
  return text;
}

absl::StatusOr<ResumeToken> DecodeResumeToken(std::string_view text, const JobSpec& job) {
  const auto broken = [] {
    return InvalidArgument("the text is not a resume token, because it begins with {}", kMark);
  };
  if (text.size() > ResumeToken::kMaxBytes || Word(text) != kMark) return broken();
  if (Word(text) != DigestOf(job)) {
    return FailedPrecondition(
        "the resume token was made by another job: its data, batches or order differ");
  }
  ResumeToken token;
  const std::string_view number = Word(text);
  const auto parsed =
      std::from_chars(number.data(), number.data() + number.size(), token.done_before);
  if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size() ||
      token.done_before < 0) {
    return broken();
  }
  std::string bits;
  const std::string_view rest = Word(text);
  if (!absl::WebSafeBase64Unescape({rest.data(), rest.size()}, &bits) || !text.empty() ||
      std::ssize(bits) > ResumeToken::kMaxBeyond / 8) {
    return broken();
  }
  for (size_t byte = 0; byte < bits.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      if (((static_cast<unsigned char>(bits[byte]) >> bit) & 1) == 0) continue;
      token.done_beyond.push_back(token.done_before + static_cast<int64_t>(byte) * 8 + bit);
    }
  }
  return token;
}

}  // namespace tidemill::preprocess
