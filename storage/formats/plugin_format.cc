#include "storage/spec/formats/plugin_format.h"

#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/plugin_reader.h"
#include "storage/formats/record_starts.h"
#include "storage/formats/window_reader.h"

namespace tidemill::storage {
namespace {

// Times outside this range probably have another unit.
constexpr int64_t MicrosOfYear(int year) {
  const std::chrono::sys_days first = std::chrono::year(year) / 1 / 1;
  return std::chrono::microseconds(first.time_since_epoch()).count();
}
constexpr int64_t kEarliest = MicrosOfYear(1000);
constexpr int64_t kLatest = MicrosOfYear(3000);

// Labels of plug-ins, as bytes in memory.
constexpr Endianness kNative =
    std::endian::native == std::endian::little ? Endianness::kLittle : Endianness::kBig;

NumberLayout LayoutOf(const batch::Column& labels) {
  NumberLayout layout;
  layout.width = 8;
  layout.encoding =
      labels.type == batch::DataType::kFloat64 ? NumberEncoding::kFloat : NumberEncoding::kSigned;
  layout.endianness = kNative;
  return layout;
}

// Finds the records of a file by asking a plug-in for those of one piece after the other.
class PluginFiles final : public Format {
 public:
  PluginFiles(const PluginFormat& format, const DatasetSpec& spec, TimeReader times,
              std::unique_ptr<PluginReaders> readers, UnpackedCache& files)
      : spec_(spec),
        max_record_(format.max_record.bytes),
        times_(std::move(times)),
        labels_(spec.label),
        readers_(std::move(readers)),
        files_(files) {}

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }

 private:
  class Indexing;

  const DatasetSpec spec_;
  const int64_t max_record_;
  const TimeReader times_;
  const LabelReader labels_;
  const std::unique_ptr<PluginReaders> readers_;
  UnpackedCache& files_;
};

// The indexing of one file.
class PluginFiles::Indexing {
 public:
  Indexing(const PluginFiles& format, const FileInput& input, PluginReader reader)
      : format_(format), input_(input), reader_(std::move(reader)) {
    found_.bytes_done = input.from_byte;
    found_.records_done = input.from_record;
  }

  absl::StatusOr<IndexedFile> Run() {
    FileSystem& source = format_.files_.source();
    ASSIGN_OR_RETURN(file_times_, TimesOf(format_.spec_, format_.times_, input_, source));
    ASSIGN_OR_RETURN(file_label_, LabelOf(format_.spec_, format_.labels_, input_, source));
    ASSIGN_OR_RETURN(const OpenFile file,
                     format_.files_.Open(files::Join(input_.root, input_.path)));
    ASSIGN_OR_RETURN(head_, BytesAt(file, 0, static_cast<size_t>(format_.readers_->head_bytes())));
    const auto consume = [this](std::string_view window, int64_t offset, bool last) {
      return Consume(window, offset, last);
    };
    absl::Status read =
        ReadWindows(file, input_.from_byte, consume, input_.most_bytes, input_.is_unwanted)
            .status();
    if (!read.ok() && !found_.more) return read;
    return std::move(found_);
  }

 private:
  absl::StatusOr<size_t> Consume(std::string_view window, int64_t offset, bool last) {
    size_t done = 0;
    do {
      const std::string_view rest = window.substr(done);
      if (rest.empty()) break;
      ASSIGN_OR_RETURN(const size_t consumed,
                       Take(rest, offset + static_cast<int64_t>(done), last));
      done += consumed;
      if (consumed == 0 || found_.more) break;
    } while (last);
    if (found_.more) return Cancelled("the piece is full");
    const std::string_view rest = window.substr(done);
    if (std::cmp_greater_equal(rest.size(), format_.max_record_) && done == 0) {
      return reader_.Fault(fmt::format("no record ends within format.max_record, {} bytes from {}",
                                       rest.size(), offset));
    }
    found_.num_bytes = offset + static_cast<int64_t>(window.size());
    if (last && !rest.empty() && !format_.spec_.append) {
      found_.AddLost(found_.records_done++, static_cast<int64_t>(rest.size()),
                     "the file ends within a record");
      found_.bytes_done = found_.num_bytes;
    }
    return done;
  }

  // Takes the records of a piece, up to where the piece of the input is full.
  absl::StatusOr<size_t> Take(std::string_view bytes, int64_t offset, bool last) {
    ASSIGN_OR_RETURN(const PieceRecords records,
                     reader_.Read({.bytes = bytes,
                                   .offset = offset,
                                   .is_last = last && !format_.spec_.append,
                                   .head = head_}));
    RETURN_IF_ERROR(CheckFacts(records));
    const auto size = static_cast<int64_t>(bytes.size());
    const size_t count = records.begins.size();
    auto bad = records.bad.begin();
    int64_t before = 0;
    // Each is read once, because the plug-in's process may change it at any time.
    int64_t begin = count > 0 ? records.begins[0] : 0;
    for (size_t row = 0; row < count; ++row) {
      const int64_t end = records.ends[row];
      const int64_t next = row + 1 < count ? records.begins[row + 1] : records.consumed;
      if (begin < before || end <= begin || end > size || next < end) {
        return reader_.Fault(
            fmt::format("its records do not follow one another: record {} of a piece of {} bytes "
                        "is from {} to {}, the one before ends at {}",
                        row, size, begin, end, before));
      }
      const int64_t position = found_.records_done++;
      const bool is_bad = bad != records.bad.end() && std::cmp_equal(bad->first, row);
      if (is_bad) {
        found_.AddBad(position, (bad++)->second);
      } else {
        TakeRecord(records, row, position, offset + begin,
                   bytes.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
      }
      found_.bytes_done = offset + next;
      if (IsFull(input_, found_.records_done, found_.bytes_done)) {
        found_.more = row + 1 < count || next < size || !last;
        found_.num_bytes = found_.bytes_done;
        return static_cast<size_t>(next);
      }
      before = end;
      begin = next;
    }
    if (bad != records.bad.end()) {
      return reader_.Fault(fmt::format("it rejects record {} of {}", bad->first, count));
    }
    found_.bytes_done = offset + records.consumed;
    return static_cast<size_t>(records.consumed);
  }

  // Whether the plug-in says what the spec takes from it.
  absl::Status CheckFacts(const PieceRecords& records) const {
    if (records.begins.empty()) return absl::OkStatus();
    if (format_.spec_.label.from_format && records.labels == nullptr) {
      return reader_.Fault("it gives no labels; name another source of the label");
    }
    if (format_.spec_.event_time.from_format && records.event_times == nullptr) {
      return reader_.Fault("it gives no event times; name another source of the time");
    }
    return absl::OkStatus();
  }

  void TakeRecord(const PieceRecords& records, size_t row, int64_t position, int64_t offset,
                  std::string_view bytes) {
    Timestamp time;
    if (file_times_) {
      time = file_times_->At(position);
    } else {
      const bool has_time = records.event_times->IsValid(static_cast<int64_t>(row));
      if (!has_time && !input_.present) return found_.AddBad(position, "it has no event time");
      if (!has_time) Note(position, UnknownFact::Kind::kTime, "it has no event time");
      time.micros =
          has_time ? records.event_times->data.As<int64_t>()[row] : input_.present->micros;
      if (time.micros < kEarliest || time.micros >= kLatest) {
        return found_.AddBad(position, fmt::format("its event time, {} microseconds since 1970, is "
                                                   "not between the years 1000 and 3000",
                                                   time.micros));
      }
    }
    Label label = file_label_.value_or(Label{});
    if (format_.spec_.label.from_format) {
      absl::StatusOr<Label> said = LabelAt(*records.labels, static_cast<int64_t>(row));
      std::string problem(said.status().message());
      if (said.ok()) {
        label = *said;
      } else if (!input_.present) {
        return found_.AddBad(position, std::move(problem));
      } else {
        Note(position, UnknownFact::Kind::kLabel, std::move(problem));
      }
    }
    found_.AddGood(position, offset, bytes, time, label);
  }

  void Note(int64_t position, UnknownFact::Kind kind, std::string reason) {
    found_.unknown.push_back({.record = position, .kind = kind, .reason = std::move(reason)});
  }

  absl::StatusOr<Label> LabelAt(const batch::Column& labels, int64_t row) const {
    if (!labels.IsValid(row))
      return format_.labels_.FromNothing(InvalidArgument("it has no label"));
    const NumberLayout layout = LayoutOf(labels);
    int64_t number = labels.data.As<int64_t>()[static_cast<size_t>(row)];
    const char* const bytes = reinterpret_cast<const char*>(&number);
    Label label;
    label.class_label = format_.labels_.ClassFromBytes(bytes, layout);
    if (label.class_label) return label;
    return format_.labels_.FromBytes(bytes, layout);
  }

  const PluginFiles& format_;
  const FileInput& input_;
  PluginReader reader_;
  std::string head_;
  std::optional<FileTimes> file_times_;
  std::optional<Label> file_label_;
  IndexedFile found_;
};

absl::StatusOr<IndexedFile> PluginFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(PluginReader reader, readers_->Take(input.is_unwanted));
  return Indexing(*this, input, std::move(reader)).Run();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const PluginFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  ASSIGN_OR_RETURN(std::unique_ptr<PluginReaders> readers, PluginReaders::Create(format));
  return std::make_unique<PluginFiles>(format, spec, std::move(times), std::move(readers), files);
}

}  // namespace tidemill::storage
