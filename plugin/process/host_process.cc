#include "plugin/process/host_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "fmt/format.h"

#include "base/printable.h"
#include "base/process/program_folder.h"
#include "base/version.h"
#include "plugin/process/fault.h"
#include "plugin/process/kept_prints.h"
#include "plugin/spec/json_fields.h"

// What the host gets. A message on the socket is its length, 4 bytes, and JSON.
//
//   this process                                  descriptor of the host
//   socket_      requests -->    <-- answers      3
//   requests_    columns of requests -->          4   shared memory, written here
//   answers_     <-- columns of answers           5   shared memory, written there
//   printing_    <-- standard output and error    1, 2
//                the program, then its files      6, 7 ...   sealed memory
//                /dev/null                        0

namespace tidemill::plugin {
namespace {

using nlohmann::json;

constexpr char kProgram[] = "tidemill-plugin-host";
// A Python with numpy is large, and disks are slow when all is started at once.
constexpr Duration kLongestStart{60'000'000};
constexpr uint32_t kMaxMessageBytes = uint32_t{16} << 20;
constexpr size_t kMaxPrinted = 8192;
constexpr size_t kMaxTraceback = 6144;
// The bytes that are kept of what a plug-in says about its fault.
constexpr size_t kMaxWhat = 2000;
constexpr int kProtocol = 1;
// Has a plug-in tell where it is, and end. For that it has a moment.
constexpr int kTellWhere = SIGUSR2;
constexpr std::chrono::milliseconds kLongestLastWords{500};

// The end of a text, where the reason is, in a form that can be shown.
std::string Shown(std::string_view text, size_t most, std::string_view keep) {
  if (text.size() > most) text.remove_prefix(text.size() - most);
  return Printable(text, keep);
}

// A file without a name that can no longer be changed.
absl::StatusOr<Descriptor> Sealed(const std::string& bytes) {
  Descriptor memory(memfd_create("tidemill-plugin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.is_open()) return ResourceExhausted("cannot keep the file: {}", strerror(errno));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written =
        pwrite(memory.number(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return ResourceExhausted("cannot keep the file: {}", strerror(errno));
    at += static_cast<size_t>(written);
  }
  fcntl(memory.number(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return memory;
}

// A process about to be started, whose descriptors are laid where it expects them.
class Spawning {
 public:
  Spawning() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  // Descriptor i of the process is numbers[i].
  void Lay(std::span<const int> numbers) {
    // Away from the numbers that they are about to have, and from those that they have, so that
    // none takes another's place.
    const int away = 1 + std::ranges::max(numbers);
    for (int i = 0; i < static_cast<int>(numbers.size()); ++i) {
      posix_spawn_file_actions_adddup2(&actions_, numbers[static_cast<size_t>(i)], away + i);
    }
    for (int i = 0; i < static_cast<int>(numbers.size()); ++i) {
      posix_spawn_file_actions_adddup2(&actions_, away + i, i);
      posix_spawn_file_actions_addclose(&actions_, away + i);
    }
  }

  // errno's number; 0 for a process that runs.
  int Start(const std::string& path, std::vector<std::string> arguments, pid_t& pid) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    return posix_spawn(&pid, path.c_str(), &actions_, &attributes_, pointers.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Null for what is not JSON, or is nested more deeply than messages are: walking through it would
// need as deep a stack.
json Parsed(const std::string& body) {
  constexpr int kDeepest = 16;
  bool is_sound = true;
  const auto look = [&](int depth, json::parse_event_t, const json&) {
    is_sound = is_sound && depth <= kDeepest;
    return is_sound;
  };
  json message = json::parse(body, look, /*allow_exceptions=*/false);
  return is_sound ? message : json();
}

std::string DeathOf(int status) {
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // The host's outer process passes on what became of the inner one.
  if (signal == 0 && WEXITSTATUS(status) > 128) signal = WEXITSTATUS(status) - 128;
  if (signal == SIGKILL) {
    return "its process was killed (signal 9), by a user or by the system because memory ran out";
  }
  if (signal != 0)
    return fmt::format("its process died of signal {} ({})", signal, strsignal(signal));
  return fmt::format("its process exited with code {}", WEXITSTATUS(status));
}

}  // namespace

HostProcess::HostProcess(const HostOptions& options, std::unique_ptr<SharedMemory> requests,
                         std::shared_ptr<const SharedMemory> answers)
    : use_(options.use),
      requests_(std::move(requests)),
      answers_(std::move(answers)),
      writer_(*requests_) {}

absl::StatusOr<std::unique_ptr<HostProcess>> HostProcess::Start(const HostOptions& options) {
  auto started = TryStart(options);
  if (started.ok()) return started;
  return OfMachine(Unavailable("{}", std::string(started.status().message())), started.status());
}

absl::StatusOr<std::unique_ptr<HostProcess>> HostProcess::TryStart(const HostOptions& options) {
  using Writer = SharedMemory::Writer;
  ASSIGN_OR_RETURN(auto requests, SharedMemory::Create("tidemill-requests", options.columns_bytes,
                                                       Writer::kThisProcess));
  ASSIGN_OR_RETURN(auto answers, SharedMemory::Create("tidemill-answers", options.answers_bytes,
                                                      Writer::kTheOther));
  std::unique_ptr<HostProcess> started(
      new HostProcess(options, std::move(requests), std::move(answers)));
  std::vector<Descriptor> files;
  ASSIGN_OR_RETURN(files.emplace_back(), Sealed(options.program));
  for (const std::string& file : options.files) {
    ASSIGN_OR_RETURN(files.emplace_back(), Sealed(file));
  }
  RETURN_IF_ERROR(started->Launch(options, files));
  const auto end = Clock::now() + std::chrono::microseconds(kLongestStart.micros);
  ASSIGN_OR_RETURN(started->hello_, started->AwaitMessage(end, kLongestStart, "starting"));
  if (CountAt(started->hello_, "hello") == kProtocol) return started;
  return started->Fault(
      absl::StatusCode::kUnavailable,
      "its host uses another version of the protocol; install all programs in the same version");
}

absl::Status HostProcess::Launch(const HostOptions& options, const std::vector<Descriptor>& files) {
  ASSIGN_OR_RETURN(auto ends, LocalSocket::MakePair(LocalSocket::Kind::kStream));
  socket_ = std::move(ends.first);
  const LocalSocket theirs = std::move(ends.second);
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    return ResourceExhausted("cannot create a pipe: {}", strerror(errno));
  }
  printing_ = Descriptor(pipe_ends[0]);
  const Descriptor print(pipe_ends[1]);
  fcntl(printing_.number(), F_SETFL, O_NONBLOCK);
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  ASSIGN_OR_RETURN(const std::string folder, process::ProgramFolder());
  const std::string path = folder + "/" + kProgram;
  Spawning spawning;
  std::vector<int> numbers = {nothing.number(), print.number(),      print.number(),
                              theirs.number(),  requests_->number(), answers_->number()};
  for (const Descriptor& file : files) numbers.push_back(file.number());
  spawning.Lay(numbers);
  const int error =
      spawning.Start(path,
                     {kProgram, "--language", std::string(NameOf(options.language)), "--python",
                      options.settings.python, "--memory", std::to_string(options.memory_bytes),
                      "--files", std::to_string(options.files.size()), "--threads",
                      std::to_string(options.num_threads), "--sandbox", options.settings.sandbox},
                     pid_);
  if (error == 0) return absl::OkStatus();
  pid_ = 0;
  return NotFound("cannot start {}, which runs plug-ins: {}", path, strerror(error));
}

HostProcess::~HostProcess() {
  if (pid_ != 0) Terminate();
}

bool HostProcess::IsWaiting() const {
  if (pid_ == 0) return false;
  pollfd event{.fd = socket_.number(), .events = POLLIN | POLLRDHUP, .revents = 0};
  return poll(&event, 1, /*timeout=*/0) == 0;
}

absl::StatusOr<json> HostProcess::Call(const json& request, Duration timeout) {
  const std::string call = TextAt(request, "call");
  if (pid_ == 0) return Fault(absl::StatusCode::kUnavailable, "its process is gone");
  // A text that is not UTF-8 came from the user's file: its valid part is shown.
  const std::string body = request.dump(-1, ' ', false, json::error_handler_t::replace);
  if (body.size() > kMaxMessageBytes) {
    return Fault(absl::StatusCode::kResourceExhausted,
                 fmt::format("the request {} has {} bytes; at most {} are allowed", call,
                             body.size(), kMaxMessageBytes));
  }
  const auto length = static_cast<uint32_t>(body.size());
  std::string message(reinterpret_cast<const char*>(&length), sizeof length);
  message += body;
  const auto end = Clock::now() + std::chrono::microseconds(timeout.micros);
  for (std::span<const std::byte> left = std::as_bytes(std::span(message)); !left.empty();) {
    if (Clock::now() >= end) {
      Terminate();
      return Fault(absl::StatusCode::kDeadlineExceeded,
                   fmt::format("the plug-in does not read the request {}", call));
    }
    const auto sent = socket_.Send(left);
    if (!sent.ok()) {
      return Fault(absl::StatusCode::kUnavailable, fmt::format("{}: {}", call, Terminate()));
    }
    left = left.subspan(*sent);
    if (left.empty()) break;
    pollfd room{.fd = socket_.number(), .events = POLLOUT, .revents = 0};
    poll(&room, 1, /*timeout=*/100);
    DrainPrinted();
  }
  ASSIGN_OR_RETURN(json answer, AwaitMessage(end, timeout, call));
  if (BoolAt(answer, "ok")) {
    if (KeepsPrints()) DrainPrinted();
    return answer;
  }
  DrainPrinted();
  const json fault = ObjectAt(answer, "fault");
  const std::string where = TextAt(fault, "where");
  const std::string what = TextAt(fault, "what");
  return Fault(absl::StatusCode::kInvalidArgument,
               where.empty() ? what : fmt::format("{} ({})", what, where),
               TextAt(fault, "traceback"));
}

absl::StatusOr<json> HostProcess::AwaitMessage(Clock::time_point end, Duration timeout,
                                               std::string_view call) {
  uint32_t length = 0;
  absl::Status received = Receive(reinterpret_cast<char*>(&length), sizeof length, end);
  std::string body;
  if (received.ok() && length <= kMaxMessageBytes) {
    body.resize(length);
    received = Receive(body.data(), body.size(), end);
  }
  if (absl::IsDeadlineExceeded(received)) {
    RequestTraceback();
    Terminate();
    return Fault(absl::StatusCode::kDeadlineExceeded,
                 fmt::format("{} took longer than {}", call, FormatDuration(timeout)));
  }
  if (absl::IsCancelled(received)) {
    Terminate();
    return Fault(absl::StatusCode::kCancelled, fmt::format("{} is no longer wanted", call));
  }
  if (!received.ok()) {
    return Fault(absl::StatusCode::kUnavailable, fmt::format("{}: {}", call, Terminate()));
  }
  json message = Parsed(body);
  if (message.is_object()) return message;
  Terminate();
  return Fault(absl::StatusCode::kInvalidArgument, fmt::format("{} gave no answer", call));
}

absl::Status HostProcess::Receive(char* bytes, size_t size, Clock::time_point end) {
  absl::Status failure;
  while (size > 0) {
    std::vector<Descriptor> unwanted;
    ASSIGN_OR_RETURN(const size_t got,
                     socket_.Receive(std::as_writable_bytes(std::span(bytes, size)), unwanted));
    bytes += got;
    size -= got;
    if (got == 0 && !AwaitBytes(end, failure)) return failure;
  }
  return absl::OkStatus();
}

bool HostProcess::AwaitBytes(Clock::time_point end, absl::Status& failure) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  if (left <= 0) {
    failure = DeadlineExceeded("no answer");
    return false;
  }
  if (is_unwanted_ && is_unwanted_()) {
    failure = Cancelled("not wanted");
    return false;
  }
  // Once nothing prints any more only the socket is looked at.
  std::array<pollfd, 2> events{pollfd{.fd = socket_.number(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = printing_.number(), .events = POLLIN, .revents = 0}};
  constexpr int64_t kLongestPoll = 1000;
  const int ready =
      poll(events.data(), events.size(), static_cast<int>(std::min(left, kLongestPoll)));
  if (ready > 0 && events[1].revents != 0) DrainPrinted();
  return true;
}

void HostProcess::DrainPrinted() {
  std::array<char, 65'536> bytes{};
  while (printing_.is_open()) {
    const ssize_t got = read(printing_.number(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) printing_.Close();
    if (got <= 0) return;
    const std::string_view text(bytes.data(), static_cast<size_t>(got));
    AddPrint(text);
    printed_.append(text);
    if (printed_.size() > kMaxPrinted) printed_.erase(0, printed_.size() - kMaxPrinted);
    // So that an answer is seen between the pieces of an endless print.
    if (static_cast<size_t>(got) == bytes.size()) return;
  }
}

void HostProcess::RequestTraceback() {
  kill(pid_, kTellWhere);
  const auto end = Clock::now() + kLongestLastWords;
  siginfo_t ended{};
  while (ended.si_pid == 0 && Clock::now() < end) {
    DrainPrinted();
    if (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    poll(nullptr, 0, 1);
  }
}

std::string HostProcess::Terminate() {
  if (pid_ == 0) return "its process is gone";
  // The outer process ends the inner ones when the socket ends; it has a moment to report how a
  // plug-in died.
  socket_ = LocalSocket();
  int status = 0;
  pid_t dead = 0;
  const auto end = Clock::now() + std::chrono::seconds(2);
  while ((dead = waitpid(pid_, &status, WNOHANG)) == 0 && Clock::now() < end) {
    poll(nullptr, 0, 1);
  }
  if (dead == 0) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  }
  pid_ = 0;
  DrainPrinted();
  return DeathOf(status);
}

absl::Status HostProcess::Fault(absl::StatusCode code, const std::string& what,
                                const std::string& traceback) const {
  std::string shown = Shown(traceback, kMaxTraceback, "\n\t");
  if (!printed_.empty()) {
    const std::string printed =
        Shown(printed_, kMaxPrinted - std::min(shown.size(), kMaxTraceback), "\n\t");
    shown += fmt::format("{}it printed:\n{}", shown.empty() || shown.back() == '\n' ? "" : "\n",
                         printed);
  }
  // The plug-in chose these words, which go into events and onto terminals.
  return WithTraceback(absl::Status(code, fmt::format("{}: {}", use_, Shown(what, kMaxWhat, ""))),
                       shown);
}

}  // namespace tidemill::plugin
