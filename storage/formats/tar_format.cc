#include "storage/client/formats/tar_format.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "records/json_fields.h"
#include "records/text.h"
#include "storage/compression/content_hash.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/formats/record_facts.h"
#include "storage/formats/tar_member_name.h"
#include "storage/formats/tar_reader.h"

namespace tidemill::storage {

namespace {

// Of a member that holds a label or a time.
constexpr int64_t kMaxText = 1 << 20;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

// The text of a member, or what stands in fields of the JSON object that it is.
class TextMember {
 public:
  // `extension`: absent where the spec names none.
  TextMember(const std::optional<std::string>& extension, std::vector<std::string> fields)
      : names_(std::move(fields)), fields_(names_) {
    if (extension) extension_ = Lower(*extension);
  }

  bool is_named() const { return extension_.has_value(); }
  bool Is(const std::string& extension) const { return extension_ == extension; }

  absl::Status Set(std::string text) {
    text_ = std::move(text);
    if (names_.empty()) return absl::OkStatus();
    return Annotate(fields_.Read(text_), fmt::format("the member .{}", *extension_));
  }

  absl::StatusOr<std::string_view> Part(size_t part) const {
    if (names_.empty()) return Trim(text_);
    return TextOf(fields_.values()[part], names_[part]);
  }

 private:
  std::optional<std::string> extension_;
  std::vector<std::string> names_;
  JsonFields fields_;
  std::string text_;
};

// The members of one sample that matter.
struct Sample {
  std::string key;
  std::optional<TarMember> payload, label, time;
  size_t payload_rank = 0;
  std::string problem;
};

std::vector<std::string> LabelField(const LabelSpec& spec) {
  return spec.column ? std::vector<std::string>{*spec.column} : std::vector<std::string>();
}

// Neighbouring members whose paths agree up to the first dot behind the last slash are a sample:
//   train/0001.jpg train/0001.cls train/0002.jpg train/0002.cls
// What follows that dot is the member's extension; upper and lower case are the same. The payload
// is the bytes of one member. Groups without any member that the spec names, and members without
// an extension, are passed over. A damaged header costs the samples behind it, damage within a
// sample costs that sample.
class TarFiles final : public Format {
 public:
  TarFiles(const TarFormat& format, const DatasetSpec& spec, TimeReader times,
           UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;

 private:
  class Indexing;

  const DatasetSpec spec_;
  const TarFormat format_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

// The indexing of one archive.
class TarFiles::Indexing {
 public:
  Indexing(const TarFiles& format, const OpenFile& file, int64_t file_size, RecordFacts facts)
      : format_(format),
        reader_(file, file_size),
        facts_(std::move(facts)),
        label_(format.spec_.label.member, LabelField(format.spec_.label)),
        time_(format.spec_.event_time.member, format.spec_.event_time.TimeFields()) {
    for (const std::string& extension : format.format_.payload) {
      payload_names_.push_back(Lower(extension));
    }
  }

  absl::StatusOr<IndexedFile> Run() {
    while (true) {
      absl::StatusOr<std::optional<TarMember>> member = reader_.Next();
      if (!member.ok() && !absl::IsDataLoss(member.status())) return member.status();
      if (!member.ok() || !*member) {
        RETURN_IF_ERROR(FinishSample());
        NoteEnd(member.status());
        return std::move(found_);
      }
      if ((*member)->is_file) RETURN_IF_ERROR(Add(**member));
    }
  }

 private:
  void NoteEnd(const absl::Status& status) {
    if (!status.ok()) {
      found_.AddBad(found_.records_done++,
                    std::string(status.message()) + "; the rest of the file is lost");
    } else if (!reader_.has_end_mark()) {
      found_.AddBad(found_.records_done++,
                    "the archive has no end mark; samples after this one may be missing");
    }
  }

  absl::Status Add(const TarMember& member) {
    const std::optional<MemberName> name = SplitName(member.path);
    if (!name) return absl::OkStatus();
    if (!sample_ || sample_->key != name->key) {
      RETURN_IF_ERROR(FinishSample());
      sample_.emplace();
      sample_->key = name->key;
    }
    for (size_t rank = 0; rank < payload_names_.size(); ++rank) {
      if (payload_names_[rank] == name->extension) KeepPayload(member, rank);
    }
    if (label_.Is(name->extension)) Keep(member, sample_->label);
    if (time_.Is(name->extension)) Keep(member, sample_->time);
    return absl::OkStatus();
  }

  void KeepPayload(const TarMember& member, size_t rank) {
    if (sample_->payload && rank > sample_->payload_rank) return;
    if (sample_->payload && rank < sample_->payload_rank) sample_->payload.reset();
    sample_->payload_rank = rank;
    Keep(member, sample_->payload);
  }

  void Keep(const TarMember& member, std::optional<TarMember>& place) {
    if (place) {
      sample_->problem = fmt::format("{} is in the sample twice", AsText(member.path, 200));
    }
    place = member;
  }

  // Files what was found of the sample before. Fails only where the archive cannot be read.
  absl::Status FinishSample() {
    if (!sample_) return absl::OkStatus();
    if (sample_->payload || sample_->label || sample_->time) {
      const int64_t position = found_.records_done++;
      const absl::Status status = TakeSample(position);
      if (absl::IsInvalidArgument(status) || absl::IsDataLoss(status) || absl::IsNotFound(status)) {
        found_.AddBad(position, fmt::format("'{}': {}", AsText(sample_->key, 200),
                                            std::string(status.message())));
      } else if (!status.ok()) {
        return status;
      }
    }
    sample_.reset();
    return absl::OkStatus();
  }

  absl::Status TakeSample(int64_t position) {
    if (!sample_->problem.empty()) return InvalidArgument("{}", sample_->problem);
    ASSIGN_OR_RETURN(const TarMember* const payload, Sound(sample_->payload, "payload"));
    if (payload->size > format_.format_.max_member.bytes) {
      return InvalidArgument("the payload has {} bytes, more than format.max_member",
                             payload->size);
    }
    absl::Status label_read;
    if (label_.is_named()) label_read = ReadText(sample_->label, "label", label_);
    if (!absl::IsNotFound(label_read)) RETURN_IF_ERROR(label_read);
    if (time_.is_named()) RETURN_IF_ERROR(ReadText(sample_->time, "time", time_));
    const auto text = [&](size_t part) -> absl::StatusOr<std::string_view> {
      if (part < facts_.label_part()) return time_.Part(part);
      RETURN_IF_ERROR(label_read);
      return label_.Part(0);
    };
    ASSIGN_OR_RETURN(const Label label, facts_.LabelOf(text));
    ASSIGN_OR_RETURN(const Timestamp time, facts_.TimeOf(position, text));
    hash_.Reset();
    RETURN_IF_ERROR(reader_.Read(*payload, [&](std::string_view bytes) { hash_.Add(bytes); }));
    found_.AddHashed(position, payload->offset, payload->size, hash_.Sum(), time, label);
    return absl::OkStatus();
  }

  // The member, if it is there with all its bytes.
  static absl::StatusOr<const TarMember*> Sound(const std::optional<TarMember>& member,
                                                std::string_view what) {
    if (!member) return NotFound("the sample has no member with its {}", what);
    if (!member->problem.empty()) return DataLoss("its {}: {}", what, member->problem);
    return &*member;
  }

  absl::Status ReadText(const std::optional<TarMember>& member, std::string_view what,
                        TextMember& into) {
    ASSIGN_OR_RETURN(const TarMember* const sound, Sound(member, what));
    if (sound->size > kMaxText) {
      return InvalidArgument("its {} has {} bytes, more than {}", what, sound->size, kMaxText);
    }
    std::string text;
    RETURN_IF_ERROR(reader_.Read(*sound, [&](std::string_view bytes) { text += bytes; }));
    return into.Set(std::move(text));
  }

  const TarFiles& format_;
  TarReader reader_;
  RecordFacts facts_;
  std::vector<std::string> payload_names_;
  TextMember label_;
  TextMember time_;
  ContentHash hash_;
  std::optional<Sample> sample_;
  IndexedFile found_;
};

TarFiles::TarFiles(const TarFormat& format, const DatasetSpec& spec, TimeReader times,
                   UnpackedCache& files)
    : spec_(spec), format_(format), times_(std::move(times)), labels_(spec.label), files_(files) {}

absl::StatusOr<IndexedFile> TarFiles::Index(const FileInput& input) const {
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  ASSIGN_OR_RETURN(const FileIdentity identity, file.Identity());
  ASSIGN_OR_RETURN(RecordFacts facts,
                   RecordFacts::Create(spec_, times_, labels_, input, files_.source()));
  return Indexing(*this, file, identity.size_bytes, std::move(facts)).Run();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const TarFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  return std::make_unique<TarFiles>(format, spec, std::move(times), files);
}

}  // namespace tidemill::storage
