#include "cli/commands/datasets/dataset_health.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "nlohmann/json.hpp"

#include "base/time.h"
#include "cli/command_line/action.h"
#include "cli/command_line/with_session.h"
#include "cli/terminal/text.h"
#include "config/config.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::cli {
namespace {

constexpr int kBarWidth = 40;
// Classes of a text histogram; the others are added up.
constexpr int kShownClasses = 30;

struct HealthFlags {
  std::string name;
  int intervals = 20;
};

HealthFlags& FlagsOfHealth() {
  static HealthFlags flags;
  return flags;
}

std::string Bar(int64_t count, int64_t most) {
  if (count == 0 || most == 0) return "";
  return std::string(std::max<int64_t>(1, count * kBarWidth / most), '#');
}

int Check(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const storage::StorageClient storage(session.PeerOf("storage"));
    const auto dataset = storage.GetDataset(FlagsOfHealth().name);
    if (!dataset.ok()) return Report(dataset.status());
    const bool terminal = IsTerminal(STDERR_FILENO) && !flags.quiet;
    nlohmann::ordered_json damaged = nlohmann::ordered_json::array();
    int64_t done = 0;
    int64_t column_files = 0;
    int64_t made_again = 0;
    const absl::Status status = storage.CheckDataset(
        {dataset->dataset_id()}, [&](const storage::v1::CheckDatasetResponse& message) {
          if (message.num_samples_done() < done) damaged.clear();  // It began again.
          done = message.num_samples_done();
          column_files = message.num_column_files();
          made_again = message.num_column_files_made_again();
          for (const storage::v1::MissingSample& sample : message.damaged()) {
            damaged.push_back({{"key", sample.sample_key()}, {"reason", sample.reason()}});
          }
          if (terminal) {
            fmt::print(stderr, "\r\x1b[2K{}/{} samples", WithThousands(done),
                       WithThousands(message.num_samples()));
          }
          return absl::OkStatus();
        });
    if (terminal) fmt::print(stderr, "\r\x1b[2K");
    if (!status.ok()) return Report(status);
    if (flags.json) {
      const nlohmann::ordered_json json = {{"dataset", dataset->name()},
                                           {"samples", done},
                                           {"damaged", damaged},
                                           {"column_files", column_files},
                                           {"column_files_made_again", made_again}};
      fmt::print("{}\n", json.dump());
    } else {
      for (const auto& sample : damaged) {
        fmt::print("sample {} {}\n", sample["key"].get<int64_t>(),
                   OneLine(sample["reason"].get<std::string>()));
      }
      fmt::print("{} samples read, {} damaged\n", WithThousands(done),
                 WithThousands(static_cast<int64_t>(damaged.size())));
      fmt::print("{} column files compared, {} rebuilt since the services started\n",
                 WithThousands(column_files), WithThousands(made_again));
    }
    return damaged.empty() ? kDone : kPartial;
  });
}

// The class's name, its number where it has none; "none" for samples without a label.
std::string NameOfClass(const storage::v1::GetDatasetStatisticsResponse::ClassCount& entry,
                        const std::vector<std::string>& names) {
  if (!entry.has_class_label()) return "none";
  const auto place = static_cast<size_t>(entry.class_label());
  return place < names.size() ? Printable(names[place]) : std::to_string(entry.class_label());
}

nlohmann::ordered_json StatisticsToJson(const storage::v1::GetDatasetStatisticsResponse& statistics,
                                        const std::vector<std::string>& class_names) {
  nlohmann::ordered_json json = {{"dataset", statistics.dataset().name()},
                                 {"samples", statistics.dataset().num_samples()},
                                 {"bytes", statistics.size_bytes()},
                                 {"classes", nlohmann::ordered_json::array()},
                                 {"intervals", nlohmann::ordered_json::array()},
                                 {"real_labels", nullptr},
                                 {"files", nlohmann::ordered_json::array()}};
  for (const auto& entry : statistics.classes()) {
    json["classes"].push_back(
        {{"class", entry.has_class_label() ? nlohmann::ordered_json(entry.class_label())
                                           : nlohmann::ordered_json(nullptr)},
         {"name", NameOfClass(entry, class_names)},
         {"samples", entry.num_samples()}});
  }
  for (const auto& interval : statistics.intervals()) {
    json["intervals"].push_back({{"from", FormatTimestamp({interval.from()})},
                                 {"to", FormatTimestamp({interval.to()})},
                                 {"samples", interval.num_samples()}});
  }
  if (statistics.has_real_labels()) {
    const auto& labels = statistics.real_labels();
    json["real_labels"] = {{"samples", labels.num_samples()},
                           {"min", labels.min()},
                           {"max", labels.max()},
                           {"mean", labels.mean()},
                           {"standard_deviation", labels.standard_deviation()}};
  }
  for (const auto& file : statistics.files()) {
    json["files"].push_back({{"file", file.path()},
                             {"samples", file.num_samples()},
                             {"bytes", file.size_bytes()},
                             {"filtered", file.num_filtered()}});
  }
  return json;
}

std::string DescribeClasses(const storage::v1::GetDatasetStatisticsResponse& statistics,
                            const std::vector<std::string>& names) {
  std::vector<storage::v1::GetDatasetStatisticsResponse::ClassCount> classes(
      statistics.classes().begin(), statistics.classes().end());
  if (classes.empty()) return "";
  int64_t most = 0;
  for (const auto& entry : classes) most = std::max(most, entry.num_samples());
  if (static_cast<int>(classes.size()) > kShownClasses) {
    std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) {
      return a.num_samples() > b.num_samples();
    });
  }
  Table table({"CLASS", "SAMPLES", ""});
  int64_t rest = 0;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (i >= kShownClasses) {
      rest += classes[i].num_samples();
      continue;
    }
    table.Add({NameOfClass(classes[i], names), WithThousands(classes[i].num_samples()),
               Bar(classes[i].num_samples(), most)});
  }
  if (rest > 0) {
    table.Add({fmt::format("{} others", classes.size() - kShownClasses), WithThousands(rest), ""});
  }
  return "\n" + table.ToString();
}

std::string DescribeTimes(const storage::v1::GetDatasetStatisticsResponse& statistics) {
  int64_t most = 0;
  for (const auto& interval : statistics.intervals()) {
    most = std::max(most, interval.num_samples());
  }
  Table table({"FROM", "SAMPLES", ""});
  for (const auto& interval : statistics.intervals()) {
    table.Add({FormatTimestampShort({interval.from()}), WithThousands(interval.num_samples()),
               Bar(interval.num_samples(), most)});
  }
  return "\n" + table.ToString();
}

std::string Describe(const storage::v1::GetDatasetStatisticsResponse& statistics,
                     const std::vector<std::string>& class_names) {
  std::string text = fmt::format(
      "{}: {} samples in {} files, {} bytes\n", Printable(statistics.dataset().name()),
      WithThousands(statistics.dataset().num_samples()),
      WithThousands(statistics.dataset().num_files()), WithThousands(statistics.size_bytes()));
  text += DescribeClasses(statistics, class_names);
  if (statistics.has_real_labels()) {
    const auto& labels = statistics.real_labels();
    text += fmt::format("\nlabels: mean {:.6g}, deviation {:.6g}, from {:.6g} to {:.6g}\n",
                        labels.mean(), labels.standard_deviation(), labels.min(), labels.max());
  }
  if (statistics.intervals_size() > 0) text += DescribeTimes(statistics);
  Table files({"FILE", "SAMPLES", "FILTERED", "BYTES"});
  for (int i = 0; i < std::min(10, statistics.files_size()); ++i) {
    const auto& file = statistics.files(i);
    files.Add({Printable(file.path()), WithThousands(file.num_samples()),
               WithThousands(file.num_filtered()), WithThousands(file.size_bytes())});
  }
  return statistics.files_size() == 0 ? text : text + "\n" + files.ToString();
}

int Stats(const GlobalFlags& flags) {
  return WithSession(flags, [&](const Session& session) -> int {
    const storage::StorageClient storage(session.PeerOf("storage"));
    const auto dataset = storage.GetDataset(FlagsOfHealth().name);
    if (!dataset.ok()) return Report(dataset.status());
    const auto statistics =
        storage.GetStatistics({dataset->dataset_id()}, FlagsOfHealth().intervals);
    if (!statistics.ok()) return Report(statistics.status());
    const auto spec = config::ReadKept<storage::DatasetSpec>(dataset->spec(), dataset->name());
    const std::vector<std::string> names =
        spec.ok() ? spec->label.classes : std::vector<std::string>();
    fmt::print("{}", flags.json ? StatisticsToJson(*statistics, names).dump() + "\n"
                                : Describe(*statistics, names));
    return kDone;
  });
}

}  // namespace

void AddDatasetHealthCommands(Command& datasets) {
  Command& check = datasets.AddSubcommand(
      "check", "Read every sample again and list those that have changed since they were ingested");
  check.AddOption("name", FlagsOfHealth().name, "Dataset name").Required().TypeName("DATASET");
  SetAction(check, Check);
  check.AddExample("tidemill datasets check elec2");
  Command& stats = datasets.AddSubcommand("stats", "Count samples by class, over time and by file");
  stats.AddOption("name", FlagsOfHealth().name, "Dataset name").Required().TypeName("DATASET");
  stats
      .AddOption("--intervals", FlagsOfHealth().intervals,
                 "Number of intervals to divide the time into")
      .Between(1, 1000);
  SetAction(stats, Stats);
  stats.AddExample("tidemill datasets stats elec2 --intervals 12");
}

}  // namespace tidemill::cli
