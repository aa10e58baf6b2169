#include "cli/results/run_costs.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "cli/terminal/text.h"
#include "rpc/usage/money.h"
#include "rpc/usage/usage_message.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;
using rpc::v1::Usage;
using supervisor::v1::RunCosts;
using supervisor::v1::StageUsage;

double Seconds(int64_t nanos) { return static_cast<double>(nanos) / 1e9; }

std::string SecondsCell(int64_t nanos) { return fmt::format("{:.2f} s", Seconds(nanos)); }

std::string BytesCell(int64_t bytes) {
  const std::string text = Short(static_cast<double>(bytes));
  return text + (text.find(' ') == std::string::npos ? " B" : "B");
}

int64_t DeviceNanos(const Usage& usage) {
  int64_t nanos = 0;
  for (const auto& [kind, of_kind] : usage.device_nanos()) nanos += of_kind;
  return nanos;
}

// Small amounts of money need more digits than large ones.
std::string MoneyCell(double amount) {
  return amount != 0 && amount < 1 ? fmt::format("{:.6f}", amount) : fmt::format("{:.2f}", amount);
}

// A column of a table of usage.
struct Column {
  std::string name;
  std::function<double(const Usage&)> amount;
  std::function<std::string(const Usage&)> cell;
};

Column TimeColumn(const char* name, const std::function<int64_t(const Usage&)>& nanos) {
  return {name, [=](const Usage& usage) { return static_cast<double>(nanos(usage)); },
          [=](const Usage& usage) { return SecondsCell(nanos(usage)); }};
}

Column BytesColumn(const char* name, const std::function<int64_t(const Usage&)>& bytes) {
  return {name, [=](const Usage& usage) { return static_cast<double>(bytes(usage)); },
          [=](const Usage& usage) { return BytesCell(bytes(usage)); }};
}

std::vector<Column> ColumnsOf(const RunCosts& costs) {
  std::vector<Column> columns = {
      TimeColumn("PROCESSOR", rpc::ProcessorNanos),
      TimeColumn("JOBS", &Usage::job_nanos),
      TimeColumn("WORKERS", &Usage::worker_nanos),
      TimeColumn("SERVICES", &Usage::service_nanos),
      TimeColumn("DEVICE", DeviceNanos),
      BytesColumn("READ", &Usage::bytes_read),
      BytesColumn("SENT", &Usage::bytes_sent),
      BytesColumn("STORED", &Usage::bytes_stored),
  };
  const Usage total = TotalOf(costs);
  std::erase_if(columns, [&](const Column& column) { return column.amount(total) == 0; });
  if (!costs.has_prices()) return columns;
  const rpc::v1::Prices& prices = costs.prices();
  const auto once = [prices](const Usage& usage) { return rpc::MoneyOf(usage, prices).once; };
  columns.push_back(
      {prices.currency(), once, [once](const Usage& usage) { return MoneyCell(once(usage)); }});
  return columns;
}

using CostRows = std::vector<std::pair<std::string, Usage>>;

std::string TableOf(const char* of, const CostRows& rows, const RunCosts& costs) {
  const std::vector<Column> columns = ColumnsOf(costs);
  std::vector<std::string> header = {of};
  for (const Column& column : columns) header.push_back(column.name);
  Table table(header);
  const auto add = [&](const std::string& name, const Usage& usage) {
    std::vector<std::string> row = {name};
    for (const Column& column : columns) row.push_back(column.cell(usage));
    table.Add(std::move(row));
  };
  for (const auto& [name, usage] : rows) add(name, usage);
  add("all", TotalOf(costs));
  return table.ToString();
}

// The rows of a stage follow one another.
CostRows ByStage(const RunCosts& costs) {
  CostRows rows;
  for (const StageUsage& used : costs.stages()) {
    if (rows.empty() || rows.back().first != used.stage()) rows.emplace_back(used.stage(), Usage());
    rpc::AddUsage(used.usage(), rows.back().second);
  }
  return rows;
}

CostRows ByTrigger(const RunCosts& costs) {
  std::map<int64_t, Usage> triggers;
  for (const StageUsage& used : costs.stages()) {
    rpc::AddUsage(used.usage(), triggers[used.trigger()]);
  }
  CostRows rows;
  for (const auto& [trigger, usage] : triggers) {
    rows.emplace_back(trigger == 0 ? "none" : std::to_string(trigger), usage);
  }
  return rows;
}

// The parts of a run that the money does not cover.
std::string DescribeRest(const RunCosts& costs) {
  if (!costs.has_prices()) return "";
  const rpc::Money money = rpc::MoneyOf(TotalOf(costs), costs.prices());
  std::string text;
  if (money.monthly > 0) {
    text = fmt::format("what it stores costs {} {} for each month that it is kept\n",
                       MoneyCell(money.monthly), OneLine(costs.prices().currency()));
  }
  if (!money.unpriced.empty()) {
    text += fmt::format(
        "no price is known for {}, which the money leaves out: add it to prices.device_hour in the "
        "system configuration\n",
        OneLine(fmt::format("{}", fmt::join(money.unpriced, ", "))));
  }
  return text;
}

ordered_json UsageToJson(const Usage& usage, const RunCosts& costs) {
  ordered_json json = {{"processor_seconds", Seconds(rpc::ProcessorNanos(usage))},
                       {"job_seconds", Seconds(usage.job_nanos())},
                       {"worker_seconds", Seconds(usage.worker_nanos())},
                       {"service_seconds", Seconds(usage.service_nanos())},
                       {"device_seconds", ordered_json::object()},
                       {"bytes_read", usage.bytes_read()},
                       {"bytes_sent", usage.bytes_sent()},
                       {"bytes_stored", usage.bytes_stored()}};
  const std::map<std::string, int64_t> devices(usage.device_nanos().begin(),
                                               usage.device_nanos().end());
  for (const auto& [kind, nanos] : devices) json["device_seconds"][kind] = Seconds(nanos);
  if (!costs.has_prices()) return json;
  const rpc::Money money = rpc::MoneyOf(usage, costs.prices());
  json["money"] = money.once;
  json["money_monthly"] = money.monthly;
  json["unpriced"] = money.unpriced;
  return json;
}

ordered_json PricesToJson(const rpc::v1::Prices& prices) {
  ordered_json json = {{"currency", prices.currency()}};
  if (prices.has_processor_hour()) json["processor_hour"] = prices.processor_hour();
  const std::map<std::string, double> devices(prices.device_hour().begin(),
                                              prices.device_hour().end());
  if (!devices.empty()) json["device_hour"] = devices;
  if (prices.has_gigabyte_sent()) json["gigabyte_sent"] = prices.gigabyte_sent();
  if (prices.has_gigabyte_stored_month()) {
    json["gigabyte_stored_month"] = prices.gigabyte_stored_month();
  }
  return json;
}

}  // namespace

Usage TotalOf(const RunCosts& costs) {
  Usage total;
  for (const StageUsage& used : costs.stages()) rpc::AddUsage(used.usage(), total);
  return total;
}

std::string DescribeCosts(const RunCosts& costs, const View& view) {
  if (costs.stages().empty()) return "";
  std::string text = TableOf("COST OF", ByStage(costs), costs);
  if (view.full) text += "\n" + TableOf("COST OF TRIGGER", ByTrigger(costs), costs);
  return text + WrappedLines(DescribeRest(costs), view);
}

std::string CostsInShort(const RunCosts& costs) {
  const Usage total = TotalOf(costs);
  std::string text = fmt::format("{:.1f} s on processors", Seconds(rpc::ProcessorNanos(total)));
  if (!costs.has_prices()) return text;
  return text + fmt::format(", {} {}", MoneyCell(rpc::MoneyOf(total, costs.prices()).once),
                            OneLine(costs.prices().currency()));
}

ordered_json CostsToJson(const RunCosts& costs) {
  ordered_json json = {{"total", UsageToJson(TotalOf(costs), costs)},
                       {"stages", ordered_json::object()},
                       {"rows", ordered_json::array()}};
  for (const auto& [stage, usage] : ByStage(costs)) {
    json["stages"][stage] = UsageToJson(usage, costs);
  }
  for (const StageUsage& used : costs.stages()) {
    ordered_json row = {{"stage", used.stage()}, {"trigger", used.trigger()}};
    row.update(UsageToJson(used.usage(), costs));
    json["rows"].push_back(std::move(row));
  }
  if (costs.has_prices()) json["prices"] = PricesToJson(costs.prices());
  return json;
}

}  // namespace tidemill::cli
