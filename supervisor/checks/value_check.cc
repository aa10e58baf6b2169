#include "supervisor/checks/value_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/times/unix_time.h"
#include "records/csv_header.h"
#include "records/text.h"
#include "records/time_reader.h"
#include "storage/spec/label_reader.h"
#include "supervisor/checks/time_guess.h"

// The path of one record, and the key of the remark for each kind of mistake.
//
//   record --> a field for each column? --no--> counts_        format
//                        |
//                       yes --> label readable? --no--> labels_bad_     label, label.kind or
//                        |                                              label.classes
//                        `----> time readable? ---no--> times_bad_      event_time.format
//
// Each kind makes one remark, with the first line that has it. They are errors when the bad records
// are more than max_bad_fraction of all.

namespace tidemill::supervisor {
namespace {

constexpr size_t kMaxClasses = 50;
constexpr char kNameMissing[] = "name \"\" in label.missing if such samples have no label yet";

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool IsRealLabel(std::string_view text) {
  storage::LabelSpec real;
  real.kind = storage::LabelKind::kReal;
  real.missing.clear();
  return storage::LabelReader(real).FromText(text).ok();
}

// A text as YAML takes it for one.
std::string Written(const std::string& text) {
  const bool plain = !text.empty() && !IsRealLabel(text) &&
                     text.find_first_of(" ,:#[]{}'\"&*!|>%@`\\") == std::string::npos;
  return plain ? text : fmt::format("\"{}\"", text);
}

// "1,5": a number once the comma is a point.
bool HasDecimalComma(const std::string& text) {
  const size_t comma = text.find(',');
  if (comma == std::string::npos || text.find('.') != std::string::npos) return false;
  std::string with_point = text;
  with_point[comma] = '.';
  return IsRealLabel(with_point);
}

// Records that share a mistake.
struct Mistakes {
  int64_t first_line = 0;
  std::vector<std::string> values;  // The values of all.

  void Add(int64_t line, std::string value) {
    if (values.empty()) first_line = line;
    values.push_back(std::move(value));
  }
};

// Tries the records of one file.
class Trial {
 public:
  Trial(const FirstRecords& records, const storage::DatasetSpec& spec)
      : records_(records),
        spec_(spec),
        label_(storage::EffectiveLabel(spec)),
        labels_(label_, records.dialect.numbers.Of(label_.column.value_or(""))),
        header_(records.columns, records.dialect.quote),
        time_fields_(spec.event_time.TimeFields()) {}

  TriedValues Run() {
    if (!MakeTimes()) return std::move(tried_);
    const std::optional<size_t> label = LabelPlace();
    int64_t num_bad = 0;
    for (const FirstRecord& record : records_.records) {
      if (Try(record, label)) continue;
      ++num_bad;
      if (!other_header_ && HasOtherNames(record)) other_header_ = record;
    }
    num_bad += std::ssize(records_.headers);
    const auto num_records =
        static_cast<double>(std::ssize(records_.records) + std::ssize(records_.headers));
    is_error_ = static_cast<double>(num_bad) > spec_.max_bad_fraction * num_records;
    TellHeaders();
    TellCounts();
    TellTimes();
    TellLabels();
    return std::move(tried_);
  }

 private:
  size_t PlaceOf(const std::string& column) const {
    return static_cast<size_t>(std::ranges::find(records_.columns, column) -
                               records_.columns.begin());
  }

  // A row of a series may lack its label.
  std::optional<size_t> LabelPlace() const {
    if (!label_.column || spec_.series) return std::nullopt;
    return PlaceOf(*label_.column);
  }

  // False when the spec's own words for times cannot be read.
  bool MakeTimes() {
    for (const std::string& field : time_fields_) time_places_.push_back(PlaceOf(field));
    const TimeFormat format = spec_.event_time.Format();
    auto reader = TimeReader::Create(format);
    if (reader.ok()) {
      times_ = *std::move(reader);
      return true;
    }
    const bool zone = TimeReader::Create({.format = format.format}).ok();
    const char* const key = spec_.event_time.path ? "event_time.path" : "event_time.format";
    Note(zone ? "event_time.time_zone" : key, std::string(reader.status().message()),
         zone ? "write a name such as Europe/Zurich, or an offset such as +08:00" : "", true);
    return false;
  }

  // False for a record that the ingest would not take.
  bool Try(const FirstRecord& record, std::optional<size_t> label) {
    if (record.fields.size() != records_.columns.size()) {
      counts_.Add(record.line, fmt::format("{} fields", record.fields.size()));
      return false;
    }
    bool good = true;
    if (label) {
      const std::string& text = record.fields[*label];
      const auto read = labels_.FromText(text);
      if (!read.ok()) {
        labels_bad_.Add(record.line, text);
        good = false;
      } else if (read->class_label || read->real_label) {
        ++num_labels_;
      }
    }
    return TryTime(record) && good;
  }

  bool TryTime(const FirstRecord& record) {
    if (time_places_.empty()) return true;
    std::vector<std::string_view> fields;
    for (const size_t place : time_places_) fields.emplace_back(record.fields[place]);
    std::string text = fmt::format("{}", fmt::join(fields, " "));
    const bool has_comma =
        records_.dialect.numbers.decimal == ',' && spec_.event_time.format.starts_with("unix");
    if (has_comma) std::ranges::replace(text, ',', '.');
    const auto time = times_->Read(text);
    all_times_.push_back(text);
    if (time.ok()) {
      tried_.times.push_back(*time);
    } else {
      if (times_bad_.values.empty()) reason_ = std::string(time.status().message());
      times_bad_.Add(record.line, std::move(text));
    }
    return time.ok();
  }

  bool HasOtherNames(const FirstRecord& record) const {
    std::vector<CsvField> fields;
    for (const std::string& field : record.fields) fields.push_back({.text = field});
    return header_.KindOfBad(fields) == CsvHeader::Kind::kOther;
  }

  // Headers among the records: concatenated files.
  void TellHeaders() {
    const auto tell = [&](const FirstRecord& header, std::string_view columns) {
      Note("files",
           fmt::format("line {} of {} is a second header with {}: {}; what follows is left out",
                       header.line, records_.file, columns, fmt::join(header.fields, ", ")),
           "write the parts of the file with the same columns in the same order", true);
    };
    if (records_.moved_header) {
      tell(*records_.moved_header, "the columns in another order");
    } else if (other_header_) {
      tell(*other_header_, "other columns");
    } else if (!records_.headers.empty()) {
      Note("files",
           fmt::format("line {} of {} is a {}header", records_.headers.front(), records_.file,
                       records_.has_header ? "second " : ""),
           records_.has_header ? "it is left out" : "write header: true if each file has one",
           is_error_);
    }
  }

  void Note(std::string path, std::string message, std::string hint, bool is_error) {
    tried_.remarks.push_back({.path = std::move(path),
                              .message = std::move(message),
                              .hint = std::move(hint),
                              .is_error = is_error});
  }

  // "line 2 of data.csv (and 4 more of 500 records)"
  std::string Where(const Mistakes& mistakes) const {
    std::string where = fmt::format("line {} of {}", mistakes.first_line, records_.file);
    if (mistakes.values.size() > 1) {
      where += fmt::format(" (as in {} of the first {} records)", mistakes.values.size(),
                           records_.records.size());
    }
    return where;
  }

  void TellCounts() {
    if (counts_.values.empty()) return;
    Note("format",
         fmt::format("{} has {} where {} columns are expected", Where(counts_),
                     counts_.values.front(), records_.columns.size()),
         is_error_ ? "check delimiter, quote and columns" : "such records are left out", is_error_);
  }

  // Seconds that are milliseconds, or the other way round, where the times are not so far away that
  // they cannot be read.
  void TellAbsurdTimes() {
    constexpr int64_t kYear1900 = -2'208'988'800'000'000, kYear2200 = 7'258'118'400'000'000;
    const std::string& format = spec_.event_time.format;
    if (!UnixUnitOf(format) || spec_.event_time.any_year || tried_.times.empty()) return;
    const std::vector<std::string> guesses = GuessTimeFormats(all_times_);
    const bool other =
        guesses.size() == 1 && UnixUnitOf(guesses.front()) && guesses.front() != format;
    const bool absurd = std::ranges::all_of(tried_.times, [](const Timestamp& time) {
      return time.micros > kYear2200 || time.micros < kYear1900;
    });
    if (!absurd && !other) return;
    Note("event_time.format",
         fmt::format("the first time of {} reads as {}", records_.file,
                     FormatTimestamp(tried_.times.front())),
         other ? fmt::format("these seem to be {}: write format: {}",
                             UnixUnitOf(guesses.front())->name, guesses.front())
               : "write unix for seconds, unix_ms for milliseconds, unix_us for microseconds, "
                 "unix_ns for nanoseconds",
         false);
  }

  void TellTimes() {
    TellAbsurdTimes();
    if (times_bad_.values.empty()) return;
    Note("event_time.format",
         fmt::format("{} has in {} no time that can be read: {}", Where(times_bad_),
                     fmt::join(time_fields_, ", "), AsText(reason_)),
         HintForTimes(), is_error_);
  }

  std::string HintForTimes() const {
    std::vector<std::string> texts;
    bool blanks = true;
    for (const std::string& value : times_bad_.values) {
      const std::string_view text = Trimmed(value);
      if (text.empty()) continue;
      blanks &= value.starts_with(' ');
      texts.emplace_back(text);
    }
    if (texts.empty()) return "give every record a time, or remove those without one";
    const std::vector<std::string> guesses = GuessTimeFormats(texts);
    if (guesses.empty()) return "describe it in `format`: strptime's codes such as %d.%m.%Y %H:%M";
    std::vector<std::string> written;
    for (const std::string& guess : guesses) {
      const std::string plain = guess.empty() && blanks ? "%Y-%m-%d" : guess;
      const std::string format = blanks ? " " + plain : plain;
      if (!ReadsAllTimes(format)) continue;
      if (format.empty()) return "leave out `format`; the times can then be read";
      written.push_back(fmt::format("format: \"{}\"", format));
    }
    if (written.empty()) {
      return "no common format matches every time: correct the times in the file";
    }
    return fmt::format("write {}", fmt::join(written, " or "));
  }

  bool ReadsAllTimes(const std::string& format) const {
    TimeFormat tried = spec_.event_time.Format();
    tried.format = format;
    const auto reader = TimeReader::Create(tried);
    return reader.ok() && std::ranges::all_of(all_times_, [&](const std::string& text) {
             return reader->Read(text).ok();
           });
  }

  void TellLabels() {
    if (labels_bad_.values.empty()) return;
    if (!label_.classes.empty()) return TellUnknownClasses();
    const bool is_class = label_.kind == storage::LabelKind::kClass;
    Note(is_class ? "label" : "label.kind",
         fmt::format("{} has the label {} in {}, which is not a {}", Where(labels_bad_),
                     Quoted(labels_bad_.values.front()), *label_.column,
                     is_class ? "whole number of 0 or more" : "number"),
         is_class ? HintForClasses() : HintForReals(), is_error_);
  }

  // Frequent values are reported one by one, with what was meant (csv_check.cc).
  void TellUnknownClasses() {
    const std::set<std::string> names(labels_bad_.values.begin(), labels_bad_.values.end());
    Note("label.classes",
         fmt::format("{} has the label {}, one of {} that {} not among the classes",
                     Where(labels_bad_), Quoted(labels_bad_.values.front()), names.size(),
                     names.size() == 1 ? "is" : "are"),
         is_error_ ? "name every class, or raise max_bad_fraction to leave such records out"
                   : "such records are left out; name them in label.missing to keep them without "
                     "a label",
         is_error_);
  }

  std::string HintForClasses() const {
    std::set<std::string> names;
    bool reals = true;
    for (const std::string& value : labels_bad_.values) {
      if (Trimmed(value).empty()) continue;
      names.insert(value);
      reals &= IsRealLabel(value);
    }
    if (names.empty()) return kNameMissing;
    if (reals) return "write kind: real to learn a number; classes are numbered from 0";
    if (names.size() > kMaxClasses) return "name the classes, or write kind: real for a number";
    if (num_labels_ > 0) return "such records are left out, unless `classes` names every label";
    std::vector<std::string> shown;
    for (const std::string& name : names) shown.push_back(Written(name));
    return fmt::format("name the classes: classes: [{}]", fmt::join(shown, ", "));
  }

  std::string HintForReals() const {
    const std::string& first = labels_bad_.values.front();
    if (Trimmed(first).empty()) return kNameMissing;
    if (HasDecimalComma(first)) {
      return "this is a decimal comma: write decimal: \",\" in the format";
    }
    if (Trimmed(first).size() < first.size()) {
      return "there are blanks around it: write trim: true in the format";
    }
    return "write kind: class and name the classes, or leave such records out";
  }

  const FirstRecords& records_;
  const storage::DatasetSpec& spec_;
  const storage::LabelSpec label_;
  const storage::LabelReader labels_;
  const CsvHeader header_;
  const std::vector<std::string> time_fields_;
  std::vector<size_t> time_places_;
  std::optional<TimeReader> times_;
  std::vector<std::string> all_times_;
  std::string reason_;  // Why the first bad time is one.
  int64_t num_labels_ = 0;
  std::optional<FirstRecord> other_header_;
  bool is_error_ = false;
  Mistakes counts_, times_bad_, labels_bad_;
  TriedValues tried_;
};

}  // namespace

TriedValues TryValues(const FirstRecords& records, const storage::DatasetSpec& spec) {
  return Trial(records, spec).Run();
}

}  // namespace tidemill::supervisor
