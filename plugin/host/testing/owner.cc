#include "plugin/host/testing/owner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"

#include "base/process/program_folder.h"

namespace tidemill::plugin::host::testing {
namespace {

constexpr size_t kMemoryBytes = size_t{1} << 20;
constexpr int kSealFutureWrite = 0x0010;

std::string ReadAll(int descriptor) {
  std::string text;
  char bytes[4096];
  ssize_t size = 0;
  while ((size = read(descriptor, bytes, sizeof bytes)) > 0) text.append(bytes, size);
  return text;
}

Descriptor FileInMemory(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  EXPECT_FALSE(bytes.empty()) << path;
  Descriptor file(memfd_create("file", MFD_CLOEXEC));
  EXPECT_EQ(write(file.number(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

Descriptor NewMemory() {
  Descriptor memory(memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(memory.number(), kMemoryBytes), 0);
  return memory;
}

std::span<std::byte> Mapped(const Descriptor& memory) {
  void* const mapped =
      mmap(nullptr, kMemoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.number(), 0);
  EXPECT_NE(mapped, MAP_FAILED);
  return {static_cast<std::byte*>(mapped), kMemoryBytes};
}

[[noreturn]] void BeHost(const std::vector<int>& descriptors, std::vector<std::string> arguments) {
  // Away from the numbers that they are about to have.
  std::vector<int> copies;
  for (const int number : descriptors) copies.push_back(fcntl(number, F_DUPFD, 100));
  for (size_t i = 0; i < copies.size(); ++i) dup2(copies[i], static_cast<int>(i));
  setenv("TIDEMILL_SECRET", "not for plug-ins", 1);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

Owner::Owner(const How& how) {
  int sockets[2];
  int pipes[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
  EXPECT_EQ(pipe2(pipes, O_CLOEXEC), 0);
  socket_ = Descriptor(sockets[0]);
  printed_ = Descriptor(pipes[0]);
  Descriptor theirs(sockets[1]);
  const Descriptor print(pipes[1]);
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor requests = NewMemory();
  const Descriptor answers = NewMemory();
  const Descriptor file = FileInMemory(how.file);
  memory_ = Mapped(requests);
  answers_ = Mapped(answers);
  EXPECT_EQ(fcntl(requests.number(), F_ADD_SEALS, kSealFutureWrite | F_SEAL_SHRINK), 0);
  std::vector<std::string> arguments = {process::ProgramFolder().value() + "/tidemill-plugin-host",
                                        "--language",
                                        how.language,
                                        "--memory",
                                        how.memory,
                                        "--sandbox",
                                        how.sandbox};
  arguments.insert(arguments.end(), how.more.begin(), how.more.end());
  pid_ = fork();
  if (pid_ == 0) {
    BeHost({nothing.number(), print.number(), print.number(), theirs.number(), requests.number(),
            answers.number(), file.number()},
           std::move(arguments));
  }
  // The last one that holds their end is the host.
  theirs.Close();
  hello_ = Receive();
}

Owner::~Owner() {
  End();
  munmap(memory_.data(), memory_.size());
  munmap(answers_.data(), answers_.size());
}

nlohmann::json Owner::Receive() {
  const auto read_all = [this](char* bytes, size_t size) {
    return recv(socket_.number(), bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  };
  uint32_t size = 0;
  if (!read_all(reinterpret_cast<char*>(&size), sizeof size)) return nullptr;
  std::string text(size, '\0');
  if (!read_all(text.data(), size)) return nullptr;
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

void Owner::Ask(const nlohmann::json& request) {
  std::string text = request.dump();
  const auto size = static_cast<uint32_t>(text.size());
  text.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  EXPECT_EQ(send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

nlohmann::json Owner::Call(const nlohmann::json& request) {
  Ask(request);
  return Receive();
}

int Owner::End() {
  if (pid_ == 0) return code_;
  socket_.Close();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return code_;
}

std::string Owner::Printed() {
  End();
  return ReadAll(printed_.number());
}

std::vector<pid_t> FamilyOf(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/task/{}/children", pid, pid);
  std::ifstream children(path);
  std::vector<pid_t> family = {pid};
  for (pid_t child = 0; children >> child;) {
    const std::vector<pid_t> below = FamilyOf(child);
    family.insert(family.end(), below.begin(), below.end());
  }
  return family;
}

bool Ends(pid_t pid) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_open()) return true;
  pollfd polled{.fd = process.number(), .events = POLLIN, .revents = 0};
  return poll(&polled, 1, 20'000) == 1;
}

}  // namespace tidemill::plugin::host::testing
