// Tables in real trainings and evaluations: a run that looks them up gives the weights and values
// of one whose data was joined by hand, also by workers and after a kill.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/time.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

constexpr int kNumSales = 1200, kNumShops = 12, kNumProducts = 5;
constexpr int64_t kFirst = 1'700'000'000'000'000, kMinute = 60'000'000;

struct Price {
  int product = 0;
  int64_t valid_from = 0;
  double price = 0;
};

// Prices before, during and after the sales. The last product has no price at first.
std::vector<Price> Prices() {
  std::mt19937_64 random(7);
  std::vector<Price> prices;
  for (int product = 0; product < kNumProducts; ++product) {
    const int64_t first = product + 1 == kNumProducts ? 300 : -10;
    for (int64_t at = first; at < kNumSales + 500;
         at += 40 + static_cast<int64_t>(random() % 200)) {
      prices.push_back({.product = product,
                        .valid_from = kFirst + at * kMinute,
                        .price = static_cast<double>(random() % 1000) / 8});
    }
  }
  std::shuffle(prices.begin(), prices.end(), random);
  return prices;
}

// A price as it was known at a time, or, with `leak`, as it became in the end; "" when unknown.
std::string PriceAt(const std::vector<Price>& prices, int product, int64_t time, bool leak) {
  const Price* newest = nullptr;
  for (const Price& price : prices) {
    if (price.product != product || (price.valid_from > time && !leak)) continue;
    if (newest == nullptr || price.valid_from > newest->valid_from) newest = &price;
  }
  return newest == nullptr ? "" : fmt::format("{}", newest->price);
}

// Two shops are in no table.
std::string HeightOf(int shop) {
  return shop + 2 < kNumShops ? fmt::format("{}", 10.25 * shop * shop) : "";
}

// Writes the tables, and sales that also hold the looked-up values in separate columns.
void WriteData(const std::string& folder) {
  const std::vector<Price> prices = Prices();
  std::ofstream shops(folder + "/shops.txt"), table(folder + "/prices.txt");
  shops << "name,id,height\n";
  for (int shop = 0; shop + 2 < kNumShops; ++shop) {
    shops << fmt::format("\"Shop, no. {}\",{},{}\n", shop, shop, HeightOf(shop));
  }
  table << "product;price;valid_from\n";
  for (const Price& price : prices) {
    table << fmt::format("P{};{};{}\n", price.product, price.price,
                         FormatTimestamp({price.valid_from}));
  }
  std::mt19937_64 random(8);
  std::ofstream sales(folder + "/sales.csv");
  sales << "time,shop,product,a,height,price,last_price,class\n";
  for (int row = 0; row < kNumSales; ++row) {
    const int shop = static_cast<int>(random() % kNumShops);
    const int product = static_cast<int>(random() % kNumProducts);
    const int64_t time = kFirst + row * kMinute;
    const double a = static_cast<double>(random() % 1000) / 8;
    const std::string price = PriceAt(prices, product, time, false);
    const bool high = a > (price.empty() ? 60 : std::stod(price));
    sales << fmt::format("{},{},P{},{},{},{},{},{}\n", FormatTimestamp({time}), shop, product, a,
                         HeightOf(shop), price, PriceAt(prices, product, time, true),
                         high ? "HIGH" : "LOW");
  }
}

constexpr char kByHand[] =
    "    - parse_csv: {columns: [a]}\n"
    "    - parse_csv: {columns: [height, price], missing: [\"\"]}\n";
constexpr char kLookedUp[] =
    "    - parse_csv: {columns: [a]}\n"
    "    - parse_csv: {columns: [shop], dtype: int64}\n"
    "    - parse_csv: {columns: [product], dtype: string}\n"
    "    - lookup: {table: shops.txt, on: {shop: id}, columns: [height]}\n"
    "    - lookup: {table: prices.txt, on: product, columns: [price], as_of: valid_from,"
    " delimiter: \";\"}\n";
// What a table without as_of would give: the last price for all.
constexpr char kLeaking[] =
    "    - parse_csv: {columns: [a]}\n"
    "    - parse_csv: {columns: [height, last_price], missing: [\"\"]}\n";

std::string WritePipeline(const std::string& folder, const std::string& ops,
                          const std::string& workers = "") {
  const std::string price = ops == kLeaking ? "last_price" : "price";
  const std::string path = folder + "/pipeline.yaml";
  std::ofstream(path) << fmt::format(R"(version: 1
name: sales
datasets:
  sales:
    path: .
    files: "sales.csv"
    format: {{type: csv, header: true}}
    event_time: {{column: time}}
    label: {{column: class, classes: [LOW, HIGH]}}
    settle: 0s
preprocess:
  dataset: sales
{}  graph:
{}    - fill_missing: {{columns: [height, {}], with: number, number: -1}}
    - standardize: {{columns: [a, height, {}]}}
    - stack: {{columns: [a, height, {}], into: input}}
    - label: {{into: target}}
model: {{type: mlp, hidden: [8], outputs: 2}}
trigger: {{type: amount, samples: 400}}
selection: new_data
training: {{device: cpu, epochs: 3, batch_size: 16, loss: cross_entropy, warm_start: true, seed: 11,
           checkpoint_every: 20}}
evaluation:
  - {{dataset: sales, windows: {{type: between_triggers}}, models: all, measures: [accuracy, log_loss]}}
)",
                                     workers, ops, price, price, price);
  return path;
}

// The lines of a run in its own stack.
std::vector<std::string> RunOf(const std::string& ops, const std::string& workers = "",
                               const std::string& failpoint = "") {
  const Stack stack;
  WriteData(stack.files());
  std::map<std::string, std::string> environment;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  if (!failpoint.empty()) {
    environment = {{"TIDEMILL_FAILPOINTS", failpoint + "=kill"},
                   {"TIDEMILL_FAILPOINTS_ONCE", marks}};
  }
  const CommandResult result =
      stack.Tidemill({"run", WritePipeline(stack.files(), ops, workers), "--json"}, environment);
  EXPECT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  if (!failpoint.empty()) {
    EXPECT_TRUE(std::filesystem::exists(marks + "/" + failpoint)) << "nothing passed it";
  }
  return Fingerprint(result.Json());
}

const std::vector<std::string>& JoinedByHand() {
  static const std::vector<std::string> lines = RunOf(kByHand);
  return lines;
}

TEST(LookupRun, TrainsAndMeasuresWhatAJoinByHandDoes) {
  ASSERT_EQ(JoinedByHand().front(), "succeeded");
  ASSERT_GT(JoinedByHand().size(), 8U);
  EXPECT_EQ(RunOf(kLookedUp), JoinedByHand());
}

TEST(LookupRun, CountsTheSamplesWithoutARow) {
  const Stack stack;
  WriteData(stack.files());
  const CommandResult result =
      stack.Tidemill({"run", WritePipeline(stack.files(), kLookedUp), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err << stack.Logs();
  const nlohmann::json unknown = result.Json().at("triggers").at(0).at("unknown");
  ASSERT_EQ(unknown.size(), 2U);
  EXPECT_EQ(unknown[0].at("op"), "op 4 (lookup)");
  EXPECT_GT(unknown[0].at("unknown"), 0) << "two shops are in no table";
  EXPECT_LT(unknown[0].at("unknown"), unknown[0].at("samples"));
}

// The lines tell one from the other.
TEST(LookupRun, DiffersFromOneThatSeesLaterPrices) { EXPECT_NE(RunOf(kLeaking), JoinedByHand()); }

TEST(LookupRun, OfWorkersIsTheSame) {
  EXPECT_EQ(RunOf(kLookedUp, "  workers: {}\n"), JoinedByHand());
}

TEST(LookupRun, ThatWasKilledAndContinuesIsTheSame) {
  EXPECT_EQ(RunOf(kLookedUp, "", "trainer_server.after_checkpoint"), JoinedByHand());
}

// A live run, whose samples come in two files, some of them long after their time.
class LookupLive : public ::testing::Test {
 protected:
  static constexpr int64_t kSecond = 1'000'000;
  static constexpr int kNumSeconds = 600, kNumLate = 60;
  // From when the price of product P3 is known.
  static constexpr int64_t kKnown = kFirst + 260 * kSecond;

  LookupLive() {
    std::filesystem::create_directory(stack_.files() + "/feed");
    std::ofstream(stack_.files() + "/prices.txt")
        << "product,valid_from,price\n"
        << fmt::format("P3,{},8\nP1,{},1\nP3,{},7\n", FormatTimestamp({kKnown + 40 * kSecond}),
                       FormatTimestamp({kFirst}), FormatTimestamp({kKnown}));
    std::ofstream(stack_.files() + "/pipeline.yaml") << R"(version: 1
name: live
datasets:
  feed:
    path: feed
    files: "*.csv"
    settle: 0s
    format: {type: csv, header: false, columns: [time, product, a, class]}
    event_time: {column: time}
    label: {column: class, classes: [LOW, HIGH]}
preprocess:
  dataset: feed
  graph:
    - parse_csv: {columns: [a]}
    - parse_csv: {columns: [product], dtype: string}
    - lookup: {table: prices.txt, on: product, columns: [price], as_of: valid_from, missing: bad_sample}
    - stack: {columns: [a, price], into: input}
    - label: {into: target}
model: {type: mlp, hidden: [4], outputs: 2}
trigger: {type: time, every: 100s}
live: {lateness: 5s, late: accept, idle: 2s, poll: 200ms}
training: {device: cpu, batch_size: 16, loss: cross_entropy, warm_start: true, seed: 3, max_bad_fraction: 1}
evaluation:
  - {dataset: feed, windows: {type: between_triggers}, models: active, measures: [accuracy]}
)";
  }

  // Appends a sample to a file's text, and its time to those that must be bad.
  void Add(int64_t time, bool of_p3, std::string& text) {
    text += fmt::format("{},{},{},{}\n", FormatTimestamp({time}), of_p3 ? "P3" : "P1", time % 7,
                        time % 2 == 0 ? "LOW" : "HIGH");
    if (of_p3 && time < kKnown) unknown_.insert(FormatTimestamp({time}));
  }
  void Write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(files::WriteAtomically(fmt::format("{}/feed/{}", stack_.files(), name), text).ok());
  }

  nlohmann::json Show() const {
    return stack_.Tidemill({"runs", "show", std::to_string(run_), "--json"}).Json();
  }
  // Waits until `count` triggers have a model; fails after five minutes.
  void AwaitModels(size_t count) const {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes{5};
    for (;;) {
      const nlohmann::json shown = Show();
      const nlohmann::json triggers = shown.value("triggers", nlohmann::json::array());
      if (triggers.size() >= count && triggers[count - 1].at("model").get<int64_t>() > 0) return;
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << shown.dump() << stack_.Logs();
    }
  }

  const Stack stack_;
  std::set<std::string> unknown_;
  int64_t run_ = 0;
};

// What follows a part of a text; all of it where the part is missing.
std::string Behind(const std::string& text, const std::string& before) {
  const size_t at = text.find(before);
  return at == std::string::npos ? text : text.substr(at + before.size());
}

TEST_F(LookupLive, ASampleThatComesLateSeesNoPriceOfAfterItsTime) {
  std::string in_time, late, last;
  for (int second = 0; second < kNumSeconds / 2; ++second) {
    Add(kFirst + second * kSecond, second % 5 == 3, in_time);
  }
  Write("1.csv", in_time);
  const CommandResult started =
      stack_.Tidemill({"run", stack_.files() + "/pipeline.yaml", "--detach", "--json"});
  ASSERT_EQ(started.exit_code, 0) << started.err << stack_.Logs();
  run_ = started.Json().at("run").get<int64_t>();
  AwaitModels(2);
  // The price is known by now. It was not when these samples happened.
  for (int i = 0; i < kNumLate; ++i) Add(kFirst + (40 + 2 * i) * kSecond + 1, i % 3 == 0, late);
  for (int second = kNumSeconds / 2; second < kNumSeconds; ++second) {
    Add(kFirst + second * kSecond, second % 5 == 3, late);
  }
  Write("2.csv", late);
  for (const int process : stack_.Processes("tidemill-supervisor")) kill(process, SIGKILL);
  Add(kFirst + 2 * kNumSeconds * kSecond, false, last);
  AwaitModels(5);
  Write("3.csv", last);
  AwaitModels(6);
  ASSERT_EQ(stack_.Tidemill({"runs", "stop", std::to_string(run_)}).exit_code, 0);
  const nlohmann::json shown = Show();
  int64_t num_late = 0;
  for (const auto& trigger : shown.at("triggers")) num_late += trigger.at("late").get<int64_t>();
  EXPECT_EQ(num_late, kNumLate);

  const CommandResult listed =
      stack_.Tidemill({"datasets", "quarantine", "feed", "--limit", "0", "--json"});
  std::set<std::string> bad;
  for (const nlohmann::json& entry : listed.Json()) {
    bad.insert(Behind(entry.at("reason").get<std::string>(), "but the sample is of "));
  }
  EXPECT_EQ(bad, unknown_);
}

}  // namespace
}  // namespace tidemill::tests
