#include "storage/spec/dataset_spec.h"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "fmt/format.h"

#include "config/lines/named_lines.h"
#include "storage/spec/dataset_expressions.h"

namespace tidemill::storage {

namespace {

using Question = bool (*)(const FileFormat& format);

bool HasFields(const FileFormat& format) { return format.HasFields(); }
bool HasMembers(const FileFormat& format) { return format.Unit() == SampleUnit::kMembers; }
bool IsWholeFile(const FileFormat& format) { return format.Unit() == SampleUnit::kWholeFile; }
bool HasFixedRecords(const FileFormat& format) { return format.RecordBytes().has_value(); }
bool SaysLabels(const FileFormat& format) { return format.SaysLabels(); }
bool HasRowsOfFields(const FileFormat& format) { return format.HasRows() && format.HasFields(); }
bool HasOtherRows(const FileFormat& format) { return format.HasRows() && !format.HasFields(); }

// The types of the formats that say yes to one of the questions, in the order of these: "csv, jsonl
// and binary". `one` or `many` follows, as many as there are: "tar has".
std::string Those(std::initializer_list<Question> questions, std::string_view one,
                  std::string_view many) {
  std::vector<std::string_view> types;
  for (const Question question : questions) {
    for (const auto& format : FileFormat::Alternatives()) {
      if (question(*format.make())) types.push_back(format.type().tag);
    }
  }
  const bool is_one = types.size() == 1;
  std::string text(types.front());
  for (size_t i = 1; i < types.size(); ++i) {
    text += fmt::format("{}{}", i + 1 == types.size() ? " and " : ", ", types[i]);
  }
  return fmt::format("{} {}", text, is_one ? one : many);
}

}  // namespace

void DatasetSpec::Check(config::Problems& problems) const {
  const bool named = format->HasFields();
  const bool members = HasMembers(*format);
  const bool fixed = HasFixedRecords(*format);
  const auto needs = [&](bool given, bool fits, const char* key, auto hint) {
    if (given && !fits) problems.Add(key, "does not fit the format", hint());
  };
  const auto fields = [] {
    return fmt::format("only {} columns, and {} `member`", Those({HasFields}, "has", "have"),
                       Those({HasMembers}, "with", "with"));
  };
  const auto has_members = [] {
    return fmt::format("only {} members", Those({HasMembers}, "has", "have"));
  };
  const bool in_member = members && event_time.member;
  needs(event_time.column.has_value(), named || in_member, "event_time.column", fields);
  needs(!event_time.columns.empty(), named || in_member, "event_time.columns", fields);
  needs(label.column.has_value(), named || (members && label.member), "label.column", fields);
  needs(event_time.member.has_value(), members, "event_time.member", has_members);
  needs(event_time.exif, IsWholeFile(*format), "event_time.exif", [] {
    return fmt::format("only {} photographs that are files", Those({IsWholeFile}, "has", "have"));
  });
  needs(label.member.has_value(), members, "label.member", has_members);
  CheckSeries(problems);
  needs(label.record.has_value(), fixed, "label.record", [] {
    return fmt::format("only {} fixed records", Those({HasFixedRecords}, "has", "have"));
  });
  needs(label.file.has_value(), fixed, "label.file", [] {
    return fmt::format("only {} a file of labels", Those({HasFixedRecords}, "takes", "take"));
  });
  needs(label.sidecar.has_value(), IsWholeFile(*format), "label.sidecar",
        [] { return fmt::format("only {} sidecar labels", Those({IsWholeFile}, "has", "have")); });
  const auto says_labels = [] {
    return fmt::format("only {} labels and times", Those({SaysLabels}, "says", "say"));
  };
  needs(label.from_format, format->SaysLabels(), "label.from_format", says_labels);
  needs(event_time.from_format, format->SaysLabels(), "event_time.from_format", says_labels);
  const bool has_label = EffectiveLabel(*this).is_given();
  needs(label.missing != LabelSpec().missing, has_label, "label.missing",
        [] { return "the dataset has no label: say where the label is, or remove this key"; });
  needs(append, format->Unit() == SampleUnit::kRecord, "append",
        [] { return "a single file and an archive do not grow by records"; });
  if (fixed && label.record && label.record->offset + label.record->width > format->RecordBytes()) {
    problems.Add("label.record.offset", "is after the end of the record",
                 "see format.record_bytes");
  }
  CheckColumns(problems);
  CheckExpressions(problems);
}

void DatasetSpec::CheckExpressions(config::Problems& problems) const {
  for (const DatasetExpression& each : ExpressionsOf(*this)) {
    if (!format->HasFields()) {
      problems.Add(each.key, "does not fit the format",
                   fmt::format("only {} columns", Those({HasFields}, "has", "have")));
    } else if (const auto program = each.Compile(*this); !program.ok()) {
      problems.Add(each.key, std::string(program.status().message()));
    }
  }
  if (where && series) {
    problems.Add("where", "does not fit a series",
                 "a sample of a series is a range of rows of the file, and no row within it can be "
                 "left out; leave the rows out of the file, or choose windows by their last row: "
                 "selection.where, and slices in evaluation");
  }
}

void DatasetSpec::TakeFiles(config::NamedFiles& named, config::Problems& problems) {
  {
    const config::Problems::Scope scope(problems, "format");
    format->TakeFiles(named, problems);
  }
  if (!label.classes_file) return;
  label.classes = config::ReadLines(named, *label.classes_file, "label.classes_file",
                                    "write one class a line", problems);
  label.classes_file.reset();
}

void DatasetSpec::CheckColumns(config::Problems& problems) const {
  const std::span<const std::string> columns = format->Columns();
  if (columns.empty()) return;
  const auto check = [&](const std::string& name, const char* key) {
    if (std::ranges::find(columns, name) != columns.end()) return;
    problems.Add(key, "is not among format.columns", "check the name");
  };
  if (event_time.column) check(*event_time.column, "event_time.column");
  for (const std::string& name : event_time.columns) check(name, "event_time.columns");
  if (label.column) check(*label.column, "label.column");
  if (series && series->group) check(*series->group, "series.group");
  if (series && series->target) check(*series->target, "series.target");
}

void DatasetSpec::CheckSeries(config::Problems& problems) const {
  constexpr int64_t kLongestDelay = int64_t{36'500} * 86'400'000'000;
  if (label_delay && (label_delay->micros < 0 || label_delay->micros > kLongestDelay)) {
    problems.Add("label_delay", "must be between 0 and a hundred years",
                 "write a length such as 6h");
  }
  if (!series) return;
  const bool has_fields = HasRowsOfFields(*format);
  if (!format->HasRows()) {
    problems.Add(
        "series", "does not fit the format",
        fmt::format("only {} rows", Those({HasRowsOfFields, HasOtherRows}, "has", "have")));
  }
  if (!has_fields) {
    if (series->group) problems.Add("series.group", "does not fit the format", "leave it out");
    if (series->target) problems.Add("series.target", "does not fit the format", "use label");
  }
  if (label.record && series->history > 1) {
    problems.Add("series.history", "does not fit label.record",
                 "the labels would be inside the samples; put them in a file, see label.file");
  }
  if (series->target && label.is_given()) {
    problems.Add("series.target", "names a second source of the label",
                 "remove it, or remove the label section");
  }
  if (label.unlabelled == Unlabelled::kKeep) {
    problems.Add("label.unlabelled", "does not fit a series",
                 "in a series, only rows with a label become samples; remove it");
  }
  if (series->horizon > 0 && !series->step && !label_delay) {
    problems.Add(
        "label_delay", "is missing",
        "say how long it takes until the row `horizon` ahead arrives, or give series.step");
  }
  if (series->step && EffectiveLabelDelay(*this).micros > kLongestDelay) {
    problems.Add("series.horizon", "is more than a hundred years ahead", "check series.step");
  }
}

}  // namespace tidemill::storage

TIDEMILL_CONFIG_TYPE(tidemill::storage::DatasetSpec);
