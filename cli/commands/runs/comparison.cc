#include "cli/commands/runs/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "cli/commands/runs/matched_datasets.h"
#include "cli/results/run_costs.h"
#include "cli/results/run_json.h"
#include "cli/results/run_measures.h"
#include "cli/results/worth.h"
#include "cli/terminal/text.h"
#include "config/documents/document.h"
#include "config/printed/abridged.h"
#include "results/rows.h"
#include "results/sample_mean.h"

namespace tidemill::cli {
namespace {

using nlohmann::ordered_json;
using results::Row;
using results::SampleMean;
using supervisor::v1::GetRunResponse;

// (dataset, measure, series)
using MeasureKey = std::tuple<std::string, std::string, std::string>;
using Means = std::map<MeasureKey, SampleMean>;

using Matches = std::map<std::string, MatchedDataset>;

// The name under which a dataset of a run is compared: that of the first run where they match.
std::string ComparedName(const Matches& matches, const std::string& dataset) {
  const auto found = matches.find(dataset);
  return found == matches.end() ? dataset : found->second.name;
}

// `run` knows its measures.
void AddTo(const GetRunResponse& run, const Matches& matches, const std::string& series,
           const Row& row, Means& means) {
  const MeasureKey key = {ComparedName(matches, row.dataset_name()), row.measure(), series};
  auto found = means.find(key);
  if (found == means.end()) {
    const auto of_pipeline = PluginMeasureOf(run, row.evaluation(), row.measure());
    found = means.emplace(key, SampleMean(of_pipeline)).first;
  }
  found->second.Add(row);
}

Means MeansOf(const GetRunResponse& run, const Matches& matches) {
  Means means;
  for (const Row* row : results::Active(run.results())) AddTo(run, matches, "active", *row, means);
  for (const Row* row : results::Trained(run.results())) {
    AddTo(run, matches, "trained", *row, means);
  }
  for (const Row* row : results::Baselines(run.results())) {
    AddTo(run, matches, "baseline " + row->baseline(), *row, means);
  }
  std::erase_if(means, [](const auto& entry) { return !entry.second.Mean().has_value(); });
  return means;
}

struct Totals {
  int64_t samples = 0;
  std::map<std::string, double> stages;
};

Totals TotalsOf(const GetRunResponse& run) {
  Totals totals;
  for (const auto& trigger : run.triggers()) {
    totals.samples += trigger.num_samples();
    for (const auto& [stage, seconds] : trigger.stage_seconds()) totals.stages[stage] += seconds;
  }
  return totals;
}

std::vector<ConfigDifference> ConfigsOf(const Runs& runs) {
  std::vector<std::string> documents;
  for (const GetRunResponse& run : runs) documents.push_back(run.pipeline_resolved());
  return DiffConfigs(documents);
}

// "elec2_copy of run 8 stands for elec2 of run 7: ...", a line for each.
std::string DescribeMatches(const GetRunResponse& run, const GetRunResponse& first,
                            const Matches& matches) {
  std::string text;
  for (const auto& [name, match] : matches) {
    text +=
        fmt::format("{} of run {} is compared with {} of run {}: each is {} there\n", OneLine(name),
                    run.run().run_id(), OneLine(match.name), first.run().run_id(), match.part);
  }
  return text;
}

ordered_json MatchesToJson(const Matches& matches) {
  ordered_json list = ordered_json::array();
  for (const auto& [name, match] : matches) {
    list.push_back({{"dataset", name}, {"with", match.name}, {"part", match.part}});
  }
  return list;
}

// The name of a dataset in its own run.
std::string OwnName(const Matches& matches, const std::string& compared) {
  const auto found = std::ranges::find_if(
      matches, [&](const auto& entry) { return entry.second.name == compared; });
  return found == matches.end() ? compared : found->first;
}

void Flatten(const config::Node& node, const std::string& path,
             std::map<std::string, std::string>& values) {
  using Kind = config::Node::Kind;
  if (node.kind == Kind::kScalar || node.kind == Kind::kNull || node.items.empty()) {
    values[path] = node.kind == Kind::kList  ? "[]"
                   : node.kind == Kind::kMap ? "{}"
                                             : config::Abridged(node.text);
    return;
  }
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string key = node.kind == Kind::kMap ? (path.empty() ? "" : ".") + node.keys[i]->text
                                                    : fmt::format("[{}]", i);
    Flatten(*node.items[i], path + key, values);
  }
}

// Whether two means are over samples that may well be others: "over 376 samples, not 400". Empty
// when they are not.
std::string OtherSamples(const SampleMean& mean, const SampleMean& first) {
  if (mean.num_samples() != first.num_samples()) {
    return fmt::format("over {} samples, not {}", WithThousands(mean.num_samples()),
                       WithThousands(first.num_samples()));
  }
  return mean.Extent() == first.Extent() ? "" : "over other windows";
}

std::string MeanCell(const Means& means, const MeasureKey& key, const Means& first, bool is_first) {
  const auto found = means.find(key);
  if (found == means.end()) return "-";
  std::string cell = found->second.ToString();
  const auto base = first.find(key);
  if (!is_first && base != first.end()) {
    const std::string other = OtherSamples(found->second, base->second);
    cell += fmt::format(" ({:+.4f}{}{})", *found->second.Mean() - *base->second.Mean(),
                        other.empty() ? "" : ", ", other);
  }
  return cell;
}

// "+0.0131 [-0.0010, +0.0272] on 376, may be chance": on the samples that both runs have.
std::string PairedCell(const evaluator::v1::CompareRunsResponse& paired, const Matches& matches,
                       const MeasureKey& key) {
  for (const OutcomeDifference& difference : paired.differences()) {
    if (ComparedName(matches, difference.dataset_name()) != std::get<0>(key) ||
        difference.measure() != std::get<1>(key)) {
      continue;
    }
    if (!difference.missing().empty()) return OneLine(difference.missing());
    std::string cell = fmt::format("{:+.4f}", difference.models() - difference.other());
    if (difference.has_low()) {
      cell += fmt::format(" [{:+.4f}, {:+.4f}]", difference.low(), difference.high());
    }
    cell += fmt::format(" on {}", WithThousands(difference.num_samples()));
    if (!difference.has_low()) return cell + ", too few to tell";
    return cell + (IsBeyondChance(difference) ? "" : ", may be chance");
  }
  return "-";
}

std::string InUnit(const std::vector<Means>& means, const MeasureKey& key) {
  for (const Means& of_run : means) {
    const auto found = of_run.find(key);
    if (found == of_run.end()) continue;
    const std::string unit = OneLine(found->second.Unit());
    return unit.empty() ? "" : ", in " + unit;
  }
  return "";
}

// One row of the table: what `cell` says about each run.
template <typename Cell>
void AddRow(Table& table, const std::string& name, size_t count, const Cell& cell) {
  std::vector<std::string> row = {name};
  for (size_t i = 0; i < count; ++i) row.push_back(cell(i));
  table.Add(std::move(row));
}

size_t MostPlugins(const Runs& runs) {
  int most = 0;
  for (const GetRunResponse& run : runs) most = std::max(most, run.plugins_size());
  return static_cast<size_t>(most);
}

// The plug-in at this place, with its versions.
std::string PluginOf(const GetRunResponse& run, size_t place) {
  const auto number = static_cast<int>(place);
  return number < run.plugins_size() ? OneLine(run.plugins(number)) : "-";
}

ordered_json MeasuresToJson(const Means& means, const Matches& matches, const Means& first) {
  ordered_json measures = ordered_json::array();
  for (const auto& [key, mean] : means) {
    ordered_json json = {{"dataset", OwnName(matches, std::get<0>(key))},
                         {"measure", std::get<1>(key)},
                         {"series", std::get<2>(key)},
                         {"mean", *mean.Mean()},
                         {"samples", mean.num_samples()}};
    const auto base = first.find(key);
    json["difference"] = base == first.end() ? ordered_json(nullptr)
                                             : ordered_json(*mean.Mean() - *base->second.Mean());
    if (base != first.end()) json["same_samples"] = OtherSamples(mean, base->second).empty();
    if (const auto interval = mean.Interval()) {
      json["low"] = interval->first;
      json["high"] = interval->second;
    }
    measures.push_back(std::move(json));
  }
  return measures;
}

}  // namespace

std::vector<ConfigDifference> DiffConfigs(const std::vector<std::string>& documents) {
  std::vector<std::map<std::string, std::string>> flat(documents.size());
  std::set<std::string> keys;
  for (size_t i = 0; i < documents.size(); ++i) {
    const auto document = config::ReadDocument(
        {.text = documents[i], .name = "pipeline", .max_bytes = config::kMaxKeptBytes});
    if (document->root != nullptr && document->readable) Flatten(*document->root, "", flat[i]);
    for (const auto& [key, value] : flat[i]) keys.insert(key);
  }
  std::vector<ConfigDifference> differences;
  for (const std::string& key : keys) {
    std::vector<std::string> values;
    for (const auto& config : flat) {
      const auto found = config.find(key);
      values.push_back(found == config.end() ? "-" : found->second);
    }
    const std::set<std::string> distinct(values.begin(), values.end());
    if (distinct.size() > 1) differences.push_back({key, std::move(values)});
  }
  return differences;
}

std::string DescribeComparison(const Runs& runs, const PairedRuns& paired) {
  std::vector<std::string> header = {""};
  std::vector<Totals> totals;
  std::vector<Means> means;
  std::vector<Matches> all_matches;
  std::set<std::string> stages;
  std::set<MeasureKey> keys;
  std::string matched;
  for (const GetRunResponse& run : runs) {
    header.push_back(fmt::format("run {}", run.run().run_id()));
    totals.push_back(TotalsOf(run));
    const Matches matches = MatchDatasets(run, runs.front());
    matched += DescribeMatches(run, runs.front(), matches);
    means.push_back(MeansOf(run, matches));
    all_matches.push_back(matches);
    for (const auto& [stage, seconds] : totals.back().stages) stages.insert(stage);
    for (const auto& [key, mean] : means.back()) keys.insert(key);
  }
  Table table(header);
  AddRow(table, "pipeline", runs.size(), [&](size_t i) { return runs[i].run().pipeline_name(); });
  AddRow(table, "state", runs.size(), [&](size_t i) { return StateName(runs[i].run().state()); });
  AddRow(table, "triggers", runs.size(),
         [&](size_t i) { return WithThousands(runs[i].triggers_size()); });
  AddRow(table, "samples trained", runs.size(),
         [&](size_t i) { return WithThousands(totals[i].samples); });
  for (const std::string& stage : stages) {
    AddRow(table, "seconds in " + stage, runs.size(), [&](size_t i) {
      const auto found = totals[i].stages.find(stage);
      return found == totals[i].stages.end() ? "-" : fmt::format("{:.2f}", found->second);
    });
  }
  AddRow(table, "cost", runs.size(), [&](size_t i) { return CostsInShort(runs[i].run().costs()); });
  for (const MeasureKey& key : keys) {
    const auto& [dataset, measure, series] = key;
    AddRow(table, fmt::format("{} on {}, {}{}", measure, dataset, series, InUnit(means, key)),
           runs.size(), [&](size_t i) { return MeanCell(means[i], key, means[0], i == 0); });
    if (series != "active" || paired.empty()) continue;
    AddRow(table, "  from the first, on the samples of both", runs.size(), [&](size_t i) {
      return i == 0 || i >= paired.size() ? "-" : PairedCell(paired[i], all_matches[i], key);
    });
  }
  for (size_t place = 0; place < MostPlugins(runs); ++place) {
    AddRow(table, place == 0 ? "plug-ins" : "", runs.size(),
           [&](size_t i) { return PluginOf(runs[i], place); });
  }
  std::string text = table.ToString();
  if (!matched.empty()) text += "\n" + matched;
  const auto differences = ConfigsOf(runs);
  if (differences.empty()) return text + "\nThe pipelines are the same.\n";
  header[0] = "WHERE PIPELINES DIFFER";
  Table config(header);
  for (const ConfigDifference& difference : differences) {
    AddRow(config, difference.key, runs.size(), [&](size_t i) { return difference.values[i]; });
  }
  return text + "\n" + config.ToString();
}

ordered_json ComparisonToJson(const Runs& runs, const PairedRuns& paired) {
  ordered_json json = {{"runs", ordered_json::array()}, {"config", ordered_json::array()}};
  const Means first = runs.empty() ? Means() : MeansOf(runs.front(), {});
  for (size_t i = 0; i < runs.size(); ++i) {
    const GetRunResponse& run = runs[i];
    const Totals totals = TotalsOf(run);
    const Matches matches = MatchDatasets(run, runs.front());
    json["runs"].push_back({{"run", run.run().run_id()},
                            {"pipeline", run.run().pipeline_name()},
                            {"state", StateName(run.run().state())},
                            {"triggers", run.triggers_size()},
                            {"samples", totals.samples},
                            {"plugins", run.plugins()},
                            {"stages", totals.stages},
                            {"cost", CostsToJson(run.run().costs()).at("total")},
                            {"measures", MeasuresToJson(MeansOf(run, matches), matches, first)}});
    if (i > 0 && i < paired.size()) {
      json["runs"].back()["paired"] = DifferencesToJson(paired[i].differences());
    }
    if (!matches.empty()) json["runs"].back()["matched_datasets"] = MatchesToJson(matches);
  }
  for (const ConfigDifference& difference : ConfigsOf(runs)) {
    json["config"].push_back({{"key", difference.key}, {"values", difference.values}});
  }
  return json;
}

}  // namespace tidemill::cli
