#include "storage/testing/s3_server.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "fmt/format.h"

#include "base/files.h"
#include "base/testing/tree.h"
#include "base/threads/worker_pool.h"
#include "storage/filesystems/object_path.h"

namespace tidemill::storage::testing {

namespace {

constexpr std::chrono::seconds kPatience{30};
// Debian's, which has Swift.
constexpr char kPython[] = "/usr/bin/python3";

[[noreturn]] void Fail(const std::string& reason) {
  std::fprintf(stderr, "no object store for tests: %s\n", reason.c_str());
  std::abort();
}

std::string MakeFolder() {
  char name[] = "/tmp/tms3.XXXXXX";
  if (mkdtemp(name) == nullptr) Fail("no folder below /tmp");
  return name;
}

size_t Collect(char* bytes, size_t one, size_t size, void* text) {
  static_cast<std::string*>(text)->append(bytes, one * size);
  return one * size;
}

bool Answers(int port) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool answers =
      connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(connection);
  return answers;
}

}  // namespace

S3Server::S3Server(std::string bucket) : bucket_(std::move(bucket)), folder_(MakeFolder()) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Start();
  Send("PUT", "/" + bucket_, "");
}

S3Server::~S3Server() {
  Kill();
  std::filesystem::remove_all(folder_);
}

std::string S3Server::endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::string S3Server::tls_endpoint() const {
  const auto port = files::Read(folder_ + "/tls_port");
  if (!port.ok()) Fail("Swift does not serve TLS");
  return "https://127.0.0.1:" + *port;
}

std::string S3Server::certificate_file() const { return folder_ + "/certificate.pem"; }

ObjectStoreConfig S3Server::Config() const {
  ObjectStoreConfig config;
  config.endpoint = endpoint();
  config.region = "us-east-1";
  config.access_key_id = kAccessKey;
  config.secret_access_key = kSecret;
  return config;
}

void S3Server::Start() {
  const std::string program = tidemill::testing::InTree("storage/testing/s3_server.py");
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // What PYTHONPATH or a virtual environment names may hold another Swift, or none.
    execl(kPython, kPython, "-I", program.c_str(), folder_.c_str(), kAccessKey, kSecret, nullptr);
    _exit(127);
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const auto port = files::Read(folder_ + "/port");
    if (port.ok()) port_ = std::atoi(port->c_str());
    if (port_ > 0 && Answers(port_)) return;
    if (waitpid(process_, nullptr, WNOHANG) == process_) {
      Fail("Swift did not start; is python3-swift installed (tools/setup.sh)?");
    }
    if (std::chrono::steady_clock::now() > deadline) Fail("Swift does not answer");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void S3Server::Kill() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

void S3Server::Put(const std::string& key, std::string_view bytes) const {
  Send("PUT", fmt::format("/{}/{}", bucket_, PercentEncode(key, true)), bytes);
}

void S3Server::PutAll(const std::vector<std::string>& keys, std::string_view bytes) const {
  WorkerPool pool("put", 8);
  pool.ParallelFor(static_cast<int64_t>(keys.size()),
                   [&](int64_t i) { Put(keys[static_cast<size_t>(i)], bytes); });
}

void S3Server::Remove(const std::string& key) const {
  Send("DELETE", fmt::format("/{}/{}", bucket_, PercentEncode(key, true)), "");
}

// On its own, not through the code that is tested.
void S3Server::Send(const char* method, const std::string& target, std::string_view bytes) const {
  CURL* const handle = curl_easy_init();
  const std::string url = endpoint() + target;
  std::string answer;
  curl_slist* headers = curl_slist_append(nullptr, "x-amz-content-sha256: UNSIGNED-PAYLOAD");
  headers = curl_slist_append(headers, "Content-Type: application/octet-stream");
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(bytes.size()));
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, bytes.data());
  curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, "aws:amz:us-east-1:s3");
  curl_easy_setopt(handle, CURLOPT_USERNAME, kAccessKey);
  curl_easy_setopt(handle, CURLOPT_PASSWORD, kSecret);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, Collect);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
  const CURLcode code = curl_easy_perform(handle);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  curl_slist_free_all(headers);
  curl_easy_cleanup(handle);
  if (code != CURLE_OK || status / 100 != 2) {
    Fail(fmt::format("{} {}: {} {} {}", method, target, curl_easy_strerror(code), status, answer));
  }
}

}  // namespace tidemill::storage::testing
