// Every service, started manually on TCP, with certificates that both sides verify, and the
// quickstart run through them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "base/testing/tree.h"
#include "db/private_postgres.h"
#include "rpc/access/tokens.h"
#include "rpc/testing/certificates.h"
#include "tests/service_command.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

constexpr const char* kServices[] = {"storage",    "selector",          "model_store",
                                     "preprocess", "preprocess_worker", "trainer_server",
                                     "evaluator",  "supervisor"};

// A port on which no process listens.
int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(probe, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(probe);
  return ntohs(address.sin_port);
}

class TlsStackTest : public ::testing::Test {
 protected:
  TlsStackTest()
      : root_(MakeRoot()), ours_(testing::InTree("deploy/certificates.sh"), root_ + "/authority") {
    EXPECT_TRUE(rpc::Tokens::Create(root_ + "/tokens").ok());
    auto postgres = db::PrivatePostgres::Start(root_ + "/postgres", root_ + "/pg");
    EXPECT_TRUE(postgres.ok()) << postgres.status();
    postgres_ = *std::move(postgres);
    for (const char* service : kServices) ports_[service] = FreePort();
    for (const char* service : kServices) {
      rpc::TlsConfig tls = ours_.Issue(service);
      tls.client_ca = tls.ca;
      processes_.push_back(Launch(service, WriteConfig(service, tls)));
    }
  }

  ~TlsStackTest() override {
    for (const pid_t process : processes_) kill(process, SIGTERM);
    for (const pid_t process : processes_) waitpid(process, nullptr, 0);
    postgres_->Stop().IgnoreError();
    fs::remove_all(root_);
  }

  static std::string MakeRoot() {
    std::string root = "/tmp/tidemill-tls-XXXXXX";
    EXPECT_NE(mkdtemp(root.data()), nullptr);
    // PostgreSQL's unprivileged user has to pass through.
    fs::permissions(root, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
    return root;
  }

  // A system configuration with these certificates.
  std::string WriteConfig(const std::string& name, const rpc::TlsConfig& tls) const {
    std::string text = fmt::format(
        "cluster:\n  state_folder: {0}/state\n  database: \"{1}\"\n  token_file: {0}/tokens\n"
        "  endpoints:\n",
        root_, postgres_->ConnectionString());
    for (const auto& [service, port] : ports_) {
      text += fmt::format("    {}: \"127.0.0.1:{}\"\n", service, port);
    }
    if (!tls.empty()) {
      text += fmt::format(
          "  tls: {{certificate: \"{}\", key: \"{}\", ca: \"{}\", client_ca: \"{}\"}}\n",
          tls.certificate, tls.key, tls.ca, tls.client_ca);
    }
    text += fmt::format("storage: {{allowed_roots: [\"{}\"]}}\n", root_ + "/quickstart");
    const std::string path = root_ + "/" + name + ".yaml";
    EXPECT_TRUE(files::WriteAtomically(path, text).ok());
    return path;
  }

  pid_t Launch(const std::string& service, const std::string& config) const {
    std::string program = "tidemill-" + service;
    std::replace(program.begin(), program.end(), '_', '-');
    return StartService(
        {.program = program, .config = config, .log = root_ + "/" + service + ".log"});
  }

  CommandResult Tidemill(std::vector<std::string> words, const std::string& config) const {
    words.insert(words.end(), {"--config", config});
    return RunTidemill(words, {}, root_);
  }

  std::string Logs() const {
    std::string text;
    for (const char* service : kServices) {
      text += files::Read(root_ + "/" + service + ".log").value_or("");
    }
    return text;
  }

  const std::string root_;
  const rpc::testing::Certificates ours_;
  std::unique_ptr<db::PrivatePostgres> postgres_;
  std::map<std::string, int> ports_;
  std::vector<pid_t> processes_;
};

TEST_F(TlsStackTest, ThePipelineRunsThroughThemAndStrangersAreRefused) {
  const std::string config = WriteConfig("operator", ours_.Issue("operator"));
  // Samples are prepared by the worker, over TLS like everything else.
  const std::string folder = root_ + "/quickstart";
  fs::copy(testing::InTree("pipelines/quickstart"), folder);
  std::string text = files::Read(folder + "/pipeline.yaml").value();
  const std::string section = "preprocess:\n";
  text.insert(text.find(section) + section.size(), "  workers: {transport: frames}\n");
  ASSERT_TRUE(files::WriteAtomically(folder + "/pipeline.yaml", text).ok());
  const CommandResult run = Tidemill({"run", folder + "/pipeline.yaml", "--json"}, config);
  ASSERT_EQ(run.exit_code, 0) << run.err << Logs();
  EXPECT_EQ(run.Json().at("state"), "succeeded");
  EXPECT_EQ(run.Json().at("triggers").size(), 12);
  int64_t samples = 0;
  const auto shown = run.Json();
  for (const auto& value : shown.at("composite").at("active")) {
    if (value.at("measure") == "accuracy") samples += value.at("samples").get<int64_t>();
  }
  EXPECT_EQ(samples, 1341);
  EXPECT_EQ(Tidemill({"doctor"}, config).exit_code, 0);

  // The supervisor alone is enough for runs, not for datasets.
  const rpc::TlsConfig mine = ours_.Issue("operator");
  const std::vector<std::string> server = {
      "--server",          fmt::format("127.0.0.1:{}", ports_.at("supervisor")),
      "--token-file",      root_ + "/tokens",
      "--tls-ca",          mine.ca,
      "--tls-certificate", mine.certificate,
      "--tls-key",         mine.key};
  std::vector<std::string> words = {"runs", "list"};
  words.insert(words.end(), server.begin(), server.end());
  EXPECT_EQ(RunTidemill(words, {}, root_).exit_code, 0);
  words[0] = "datasets";
  EXPECT_EQ(RunTidemill(words, {}, root_).exit_code, 7);

  rpc::TlsConfig expired = ours_.Issue("late", /*days=*/-1);
  rpc::TlsConfig other_authority = mine;
  const rpc::testing::Certificates theirs(testing::InTree("deploy/certificates.sh"),
                                          root_ + "/theirs");
  theirs.Issue("stranger");
  other_authority.ca = theirs.ca();
  for (const rpc::TlsConfig& refused :
       {expired, other_authority, theirs.Issue("stranger"), rpc::TlsConfig{}}) {
    const CommandResult answer =
        Tidemill({"runs", "list", "--timeout", "500ms"}, WriteConfig("refused", refused));
    EXPECT_EQ(answer.exit_code, 5) << refused.certificate << answer.out;
    EXPECT_EQ(answer.out, "");
  }
}

}  // namespace
}  // namespace tidemill::tests
