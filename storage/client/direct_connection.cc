#include "storage/client/direct_connection.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/usage/account.h"
#include "storage/gather/block_pool.h"

namespace tidemill::storage::direct {

namespace {

using Clock = std::chrono::steady_clock;

// How often a wait checks whether the caller still wants it.
constexpr std::chrono::milliseconds kPatience{100};
// A server answers within milliseconds; then again it may be stopped in a debugger.
constexpr std::chrono::seconds kLongestSilence{5};

template <typename T>
std::span<const T> ColumnAt(const batch::Buffer& body, size_t offset, size_t count) {
  return {reinterpret_cast<const T*>(body.data() + offset), count};
}

void AppendBytes(std::vector<std::byte>& bytes, const void* from, size_t size) {
  const auto* const first = static_cast<const std::byte*>(from);
  bytes.insert(bytes.end(), first, first + size);
}

// The parts of an answer, each number of which is checked once, here.
absl::Status Interpret(Answer& answer, std::span<const MappedFile* const> files) {
  const AnswerHeader& header = answer.header;
  const AnswerLayout layout(header);
  const size_t rows = header.num_rows;
  Extents& extents = answer.extents;
  extents.byte_from = ColumnAt<int64_t>(answer.body, layout.byte_from, rows);
  extents.hash = ColumnAt<uint64_t>(answer.body, layout.hash, rows);
  extents.cut = {header.cut_offset, header.cut_size};
  if ((header.flags & kOneFile) != 0) {
    extents.files = files.subspan(header.one_file, 1);
  } else {
    extents.files = files;
    extents.file = ColumnAt<uint32_t>(answer.body, layout.file, rows);
    for (const uint32_t file : extents.file) {
      if (file > kNoFile) return InvalidArgument("a row names file {}", file);
    }
  }
  if ((header.flags & kOneSize) != 0) {
    extents.record_bytes = header.record_bytes;
  } else {
    extents.size = ColumnAt<uint32_t>(answer.body, layout.size, rows);
    for (const uint32_t size : extents.size) {
      if (size > kMaxRecordBytes) return InvalidArgument("a record of {} bytes", size);
    }
  }
  answer.problems = ColumnAt<ProblemEntry>(answer.body, layout.problems, header.num_problems);
  answer.text = answer.body.view().substr(layout.text, header.text_bytes);
  int64_t next_position = 0;
  uint64_t text_bytes = 0;
  for (const ProblemEntry& problem : answer.problems) {
    if (problem.position < next_position || problem.position >= header.num_keys) {
      return InvalidArgument("a problem names key {} of {}", problem.position, header.num_keys);
    }
    next_position = int64_t{problem.position} + 1;
    text_bytes += problem.text_bytes;
  }
  if (text_bytes != header.text_bytes) {
    return InvalidArgument("the lengths of the reasons do not add up");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> SharedMappings::Map(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return Unavailable("a descriptor is not valid");
  const FileKey key = {status.st_dev, status.st_ino};
  MutexLock lock(mutex_);
  // An inode is not used again while it is mapped.
  std::weak_ptr<const MappedFile>& known = mappings_[key];
  if (std::shared_ptr<const MappedFile> mapped = known.lock();
      mapped != nullptr && !mapped->is_damaged() &&
      mapped->size() == static_cast<size_t>(status.st_size)) {
    return mapped;
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> mapped, MappedFile::Map(descriptor));
  known = mapped;
  absl::erase_if(mappings_, [](const auto& entry) { return entry.second.expired(); });
  return mapped;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path,
                                                             const std::string& token,
                                                             const std::stop_token& stop,
                                                             SharedMappings& mappings) {
  ASSIGN_OR_RETURN(LocalSocket socket, LocalSocket::Connect(path, LocalSocket::Kind::kStream));
  if (socket.PeerUid() != geteuid()) {
    return PermissionDenied("{} belongs to another user", path);
  }
  std::unique_ptr<Connection> connection(new Connection(std::move(socket), mappings));
  RETURN_IF_ERROR(connection->Greet(token, stop));
  return connection;
}

absl::Status Connection::Greet(const std::string& token, const std::stop_token& stop) {
  const Greeting ours{.token_bytes = static_cast<uint32_t>(token.size())};
  AppendBytes(unsent_, &ours, sizeof(ours));
  AppendBytes(unsent_, token.data(), token.size());
  Greeting theirs;
  if (!Fill(std::as_writable_bytes(std::span(&theirs, 1)), stop).ok()) {
    return PermissionDenied("storage refuses direct reads");
  }
  return Check(theirs);
}

void Connection::Ask(DatasetId dataset, std::span<const int64_t> keys) {
  std::sort(forgotten_.begin(), forgotten_.end());
  forgotten_.erase(std::unique(forgotten_.begin(), forgotten_.end()), forgotten_.end());
  const RequestHeader header{.dataset = dataset.value,
                             .num_keys = static_cast<uint32_t>(keys.size()),
                             .num_forgotten = static_cast<uint32_t>(forgotten_.size())};
  if (forgotten_.size() % 2 != 0) forgotten_.push_back(0);  // Padding.
  AppendBytes(unsent_, &header, sizeof(header));
  AppendBytes(unsent_, keys.data(), keys.size_bytes());
  AppendBytes(unsent_, forgotten_.data(), forgotten_.size() * sizeof(uint32_t));
  forgotten_.clear();
  Flush().IgnoreError();  // What is broken shows when an answer is waited for.
}

absl::Status Connection::Flush() {
  while (num_sent_ < unsent_.size()) {
    ASSIGN_OR_RETURN(const size_t sent, socket_.Send(std::span(unsent_).subspan(num_sent_)));
    if (sent == 0) return absl::OkStatus();
    num_sent_ += sent;
  }
  unsent_.clear();
  num_sent_ = 0;
  return absl::OkStatus();
}

absl::Status Connection::Fill(std::span<std::byte> into, const std::stop_token& stop) {
  Clock::time_point last_byte = Clock::now();
  while (!into.empty()) {
    RETURN_IF_ERROR(Flush());
    ASSIGN_OR_RETURN(const size_t received, socket_.Receive(into, received_));
    if (received > 0) {
      into = into.subspan(received);
      if (into.empty()) break;
      last_byte = Clock::now();
      continue;
    }
    if (stop.stop_requested()) return Cancelled("the caller stopped");
    if (Clock::now() - last_byte > kLongestSilence) return Unavailable("storage does not answer");
    socket_.Await(kPatience, /*to_send=*/!unsent_.empty());
  }
  return absl::OkStatus();
}

absl::Status Connection::TakeFiles(std::span<const uint32_t> numbers) {
  if (numbers.size() != received_.size()) {
    return InvalidArgument("{} files came with {} descriptors", numbers.size(), received_.size());
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint32_t number = numbers[i];
    if (number >= kMaxFiles) return InvalidArgument("file {}", number);
    // One that cannot be mapped has no rows that can be read.
    auto mapped = mappings_.Map(received_[i].number());
    files_[number] = mapped.ok() ? *std::move(mapped) : nullptr;
    mapped_[number] = files_[number].get();
  }
  received_.clear();
  return absl::OkStatus();
}

absl::StatusOr<Answer> Connection::Receive(const std::stop_token& stop) {
  Answer answer;
  RETURN_IF_ERROR(Fill(std::as_writable_bytes(std::span(&answer.header, 1)), stop));
  RETURN_IF_ERROR(Check(answer.header));
  usage::Add({.service_nanos = static_cast<int64_t>(answer.header.nanos)});
  if (answer.header.status != kAnswered) return answer;
  const AnswerLayout layout(answer.header);
  answer.body = TakeBlock(layout.total);
  RETURN_IF_ERROR(Fill({answer.body.mutable_data(), layout.total}, stop));
  RETURN_IF_ERROR(
      TakeFiles(ColumnAt<uint32_t>(answer.body, layout.new_files, answer.header.num_files)));
  RETURN_IF_ERROR(Interpret(answer, mapped_));
  return answer;
}

}  // namespace tidemill::storage::direct
