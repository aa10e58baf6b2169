#include "storage/direct/direct_session.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/failpoints.h"
#include "rpc/authentication.h"
#include "tidemill/storage/v1/storage.pb.h"

namespace tidemill::storage {

namespace {

using direct::AnswerHeader;
using direct::Greeting;
using direct::RequestHeader;

constexpr std::chrono::seconds kGreetingTime{5};
constexpr std::chrono::seconds kPatience{30};
constexpr int kSendBuffer = 1 << 20;
constexpr char kMethod[] = "/tidemill.storage.v1.StorageService/ReadSamples";

static_assert(direct::kMaxDescriptors <= LocalSocket::kMaxDescriptors);

size_t LargestMessage() {
  const RequestHeader largest{.num_keys = direct::kMaxKeys, .num_forgotten = direct::kMaxFiles};
  return sizeof(RequestHeader) + direct::BodyBytes(largest);
}

template <typename T>
T HeaderAt(const std::vector<std::byte>& bytes) {
  T header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

}  // namespace

DirectSession::DirectSession(const DirectSource& source, LocalSocket socket)
    : source_(source), socket_(std::move(socket)), received_(LargestMessage()) {
  socket_.SetSendBuffer(kSendBuffer);
}

bool DirectSession::IsStale(Clock::time_point now) const {
  const bool is_waiting = num_received_ > 0 || wants_to_send();
  if (is_admitted_ && !is_waiting) return false;
  return now - last_progress_ > (is_admitted_ ? kPatience : kGreetingTime);
}

absl::Status DirectSession::Step(SampleRows& scratch) {
  const usage::Scope scope(account_);
  if (num_sent_ == answer_.bytes.size() && HasRequest()) RETURN_IF_ERROR(Answer(scratch));
  while (num_sent_ < answer_.bytes.size()) {
    ASSIGN_OR_RETURN(const bool progress, Send());
    if (!progress) return absl::OkStatus();
  }
  // One answer at a time: other clients wait for theirs.
  if (HasRequest()) return absl::OkStatus();
  while (true) {
    ASSIGN_OR_RETURN(const bool has_message, TakeMessage());
    if (has_message) return absl::OkStatus();
    ASSIGN_OR_RETURN(const bool progress, Receive());
    if (!progress) return absl::OkStatus();
  }
}

absl::StatusOr<bool> DirectSession::Receive() {
  std::vector<Descriptor> unwanted;
  ASSIGN_OR_RETURN(const size_t count,
                   socket_.Receive(std::span(received_).subspan(num_received_), unwanted));
  if (count == 0) return false;
  num_received_ += count;
  last_progress_ = Clock::now();
  return true;
}

absl::StatusOr<bool> DirectSession::Send() {
  std::vector<int> descriptors;
  for (const Descriptor& descriptor : answer_.descriptors) {
    descriptors.push_back(descriptor.number());
  }
  ASSIGN_OR_RETURN(const size_t count,
                   socket_.Send(std::span(answer_.bytes).subspan(num_sent_), descriptors));
  if (count == 0) return false;
  answer_.descriptors.clear();
  num_sent_ += count;
  last_progress_ = Clock::now();
  return true;
}

absl::StatusOr<bool> DirectSession::TakeMessage() {
  return is_admitted_ ? TakeRequest() : TakeGreeting();
}

absl::StatusOr<bool> DirectSession::TakeGreeting() {
  if (num_received_ < sizeof(Greeting)) return false;
  const auto greeting = HeaderAt<Greeting>(received_);
  RETURN_IF_ERROR(direct::Check(greeting));
  if (num_received_ < sizeof(greeting) + greeting.token_bytes) return false;
  const std::string token(reinterpret_cast<const char*>(received_.data()) + sizeof(greeting),
                          greeting.token_bytes);
  ASSIGN_OR_RETURN(scope_, rpc::CheckToken(source_.tokens, token, kMethod));
  is_admitted_ = true;
  // A client that waits for its answer has not sent more than this.
  num_received_ = 0;
  const Greeting answer;
  answer_.bytes.resize(sizeof(answer));
  std::memcpy(answer_.bytes.data(), &answer, sizeof(answer));
  num_sent_ = 0;
  return true;
}

absl::StatusOr<bool> DirectSession::TakeRequest() {
  if (num_received_ < sizeof(RequestHeader)) return false;
  const auto header = HeaderAt<RequestHeader>(received_);
  RETURN_IF_ERROR(direct::Check(header));
  const size_t size = sizeof(header) + direct::BodyBytes(header);
  if (num_received_ < size) return false;
  keys_.resize(header.num_keys);
  std::memcpy(keys_.data(), received_.data() + sizeof(header), header.num_keys * sizeof(int64_t));
  next_key_ = 0;
  const std::byte* const forgotten =
      received_.data() + sizeof(header) + header.num_keys * sizeof(int64_t);
  for (uint32_t i = 0; i < header.num_forgotten; ++i) {
    uint32_t number = 0;
    std::memcpy(&number, forgotten + i * sizeof(number), sizeof(number));
    numbers_.Forget(number);
  }
  std::copy(received_.begin() + static_cast<ptrdiff_t>(size),
            received_.begin() + static_cast<ptrdiff_t>(num_received_), received_.begin());
  num_received_ -= size;
  v1::ReadSamplesRequest request;
  request.set_dataset_id(header.dataset);
  RETURN_IF_ERROR(scope_.Check(request));
  index_ = source_.indexes.Loaded({header.dataset});
  lookup_ = index_ == nullptr ? nullptr : std::make_unique<SampleLookup>(*index_);
  return true;
}

void DirectSession::WriteTime() {
  usage::SettleCurrent();
  const auto nanos = static_cast<uint64_t>(account_->Take().service_nanos);
  std::memcpy(answer_.bytes.data() + offsetof(AnswerHeader, nanos), &nanos, sizeof(nanos));
}

absl::Status DirectSession::Answer(SampleRows& scratch) {
  RETURN_IF_FAILPOINT("storage.send_block");
  num_sent_ = 0;
  answer_.descriptors.clear();
  if (index_ == nullptr) {
    const AnswerHeader refused{.status = direct::kNotNow};
    answer_.bytes.resize(sizeof(refused));
    std::memcpy(answer_.bytes.data(), &refused, sizeof(refused));
    next_key_ = keys_.size();
    return absl::OkStatus();
  }
  const BlockLimits limits{.max_keys = direct::kMaxKeys, .payload_bytes = source_.block_bytes};
  MakeAnswer(*index_, *lookup_, {.source = source_.files, .numbers = numbers_},
             std::span(keys_).subspan(next_key_), limits, scratch, answer_);
  WriteTime();
  next_key_ += answer_.num_keys;
  if (!HasRequest()) {
    lookup_ = nullptr;
    index_ = nullptr;
  }
  return absl::OkStatus();
}

}  // namespace tidemill::storage
