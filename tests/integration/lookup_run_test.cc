// Tables in real trainings and evaluations: a run that looks them up gives the weights and values
// of one whose data was joined by hand, also by workers and after a kill.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

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

// Prices before, during and after the sales. Of the last product none is known at first.
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

// Writes the tables, and sales that hold what is looked up in columns of their own, too.
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
                                     workers, ops, price, price);
  return path;
}

// The lines of a run in a stack of its own.
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

// The lines tell one from the other.
TEST(LookupRun, DiffersFromOneThatSeesLaterPrices) { EXPECT_NE(RunOf(kLeaking), JoinedByHand()); }

TEST(LookupRun, OfWorkersIsTheSame) {
  EXPECT_EQ(RunOf(kLookedUp, "  workers: {}\n"), JoinedByHand());
}

TEST(LookupRun, ThatWasKilledAndGoesOnIsTheSame) {
  EXPECT_EQ(RunOf(kLookedUp, "", "trainer_server.after_checkpoint"), JoinedByHand());
}

}  // namespace
}  // namespace tidemill::tests
