#include "preprocess/ring/ring_packets.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "preprocess/ring/ring_memory.h"

namespace tidemill::preprocess {

namespace {

constexpr uint32_t kMaxCode = 16;
constexpr size_t kMaxTextBytes = 4096;

struct RequestHead {
  char magic[8] = {'T', 'M', 'R', 'I', 'N', 'G', '0', '1'};
  uint32_t version = kRingVersion;
  uint32_t token_bytes = 0;
  int64_t ring_bytes = 0;
};

struct AnswerHead {
  char magic[8] = {'T', 'M', 'R', 'I', 'N', 'G', '0', '1'};
  uint32_t version = kRingVersion;
  uint32_t code = 0;
  uint32_t may_use_frames = 0;
  uint32_t reserved = 0;
};
static_assert(sizeof(RequestHead) == 24 && sizeof(AnswerHead) == 24);

template <typename Head>
bool TakeHead(std::string_view& bytes, Head& head) {
  if (bytes.size() < sizeof(head)) return false;
  std::memcpy(&head, bytes.data(), sizeof(head));
  bytes.remove_prefix(sizeof(head));
  return std::memcmp(head.magic, kRingMagic, sizeof(head.magic)) == 0 &&
         head.version == kRingVersion;
}

template <typename Head>
std::string BytesOf(const Head& head) {
  return {reinterpret_cast<const char*>(&head), sizeof(head)};
}

}  // namespace

absl::Status SendPacket(const LocalSocket& socket, std::string_view bytes, int descriptor) {
  const std::span<const int> descriptors(&descriptor, descriptor >= 0 ? 1 : 0);
  ASSIGN_OR_RETURN(const size_t sent, socket.Send(std::as_bytes(std::span(bytes)), descriptors));
  return sent > 0 ? absl::OkStatus() : Unavailable("the other end does not read");
}

absl::StatusOr<std::optional<Packet>> ReceivePacket(const LocalSocket& socket) {
  Packet packet{.bytes = std::string(kMaxPacketBytes, '\0')};
  std::vector<Descriptor> descriptors;
  ASSIGN_OR_RETURN(const size_t received,
                   socket.Receive(std::as_writable_bytes(std::span(packet.bytes)), descriptors));
  if (received == 0) return std::optional<Packet>();
  if (descriptors.size() > 1) {
    return DataLoss("a packet came with {} descriptors", descriptors.size());
  }
  packet.bytes.resize(received);
  if (!descriptors.empty()) packet.descriptor = std::move(descriptors[0]);
  return std::optional<Packet>(std::move(packet));
}

absl::StatusOr<std::string> Encode(const RingRequest& request) {
  const RequestHead head{.token_bytes = static_cast<uint32_t>(request.token.size()),
                         .ring_bytes = request.ring_bytes};
  std::string bytes = BytesOf(head) + request.token + request.open.SerializeAsString();
  if (bytes.size() > kMaxPacketBytes) return InvalidArgument("too many lanes for a ring");
  return bytes;
}

absl::StatusOr<RingRequest> DecodeRingRequest(std::string_view bytes) {
  RequestHead head;
  RingRequest request;
  if (!TakeHead(bytes, head) || bytes.size() < head.token_bytes) {
    return InvalidArgument("this is not a request for a ring of version {}", kRingVersion);
  }
  request.token = bytes.substr(0, head.token_bytes);
  request.ring_bytes = head.ring_bytes;
  bytes.remove_prefix(head.token_bytes);
  if (!request.open.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidArgument("the request for a ring names no job");
  }
  return request;
}

std::string Encode(const RingAnswer& answer) {
  const AnswerHead head{.code = static_cast<uint32_t>(answer.status.code()),
                        .may_use_frames = answer.may_use_frames ? 1U : 0U};
  const std::string text(answer.status.message());
  return BytesOf(head) + text.substr(0, kMaxTextBytes);
}

absl::StatusOr<RingAnswer> DecodeRingAnswer(std::string_view bytes) {
  AnswerHead head;
  if (!TakeHead(bytes, head) || head.code > kMaxCode || head.may_use_frames > 1) {
    return DataLoss("this is not an answer of version {} about a ring", kRingVersion);
  }
  RingAnswer answer{.may_use_frames = head.may_use_frames == 1};
  if (head.code != 0) {
    answer.status = absl::Status(static_cast<absl::StatusCode>(head.code), std::string(bytes));
  }
  return answer;
}

}  // namespace tidemill::preprocess
