#include "storage/spec/formats/tar_format.h"

#include <algorithm>
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
#include "storage/formats/tar/tar_left_over.h"
#include "storage/formats/tar/tar_links.h"
#include "storage/formats/tar/tar_member_name.h"
#include "storage/formats/tar/tar_reader.h"

namespace tidemill::storage {

namespace {

// The size of a member that holds a label or a time.
constexpr int64_t kMaxText = 1 << 20;

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t from = text.find_first_not_of(kBlank);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

// The text of a member, or of fields of the JSON object that it is.
class TextMember {
 public:
  // `extension`: absent when the spec names none.
  TextMember(const std::optional<std::string>& extension, std::vector<std::string> fields)
      : names_(std::move(fields)), fields_(names_) {
    if (extension) extension_ = LowerCase(*extension);
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
  bool is_beside_damage = false;  // Members of it may be lost.
  // The members that the spec does not name.
  int64_t num_unused = 0;
  std::string first_unused;
  bool has_named_end = false;  // See TarLeftOver.

  bool is_named() const { return payload || label || time; }
};

std::vector<std::string> LabelField(const LabelSpec& spec) {
  return spec.column ? std::vector<std::string>{*spec.column} : std::vector<std::string>();
}

// Neighbouring members whose paths agree up to the first dot after the last slash are a sample:
//   train/0001.jpg train/0001.cls train/0002.jpg train/0002.cls
// What follows that dot is the member's extension; upper and lower case are the same. The payload
// is the bytes of one member, or of the member that a link leads to. Groups without any member that
// the spec names, and members without an extension, are not samples; they are counted. A damaged
// header costs the samples whose members it hides, damage within a sample costs that sample.
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
  Indexing(const TarFiles& format, const FileInput& input, const OpenFile& file, int64_t file_size,
           RecordFacts facts)
      : format_(format),
        input_(input),
        file_(file),
        file_size_(file_size),
        reader_(file, file_size),
        facts_(std::move(facts)),
        label_(format.spec_.label.member, LabelField(format.spec_.label)),
        time_(format.spec_.event_time.member, format.spec_.event_time.TimeFields()) {
    for (const std::string& extension : format.format_.payload) {
      payload_names_.push_back(LowerCase(extension));
    }
  }

  absl::StatusOr<IndexedFile> Run() {
    while (true) {
      RETURN_IF_ERROR(CheckWanted(input_));
      ASSIGN_OR_RETURN(const std::optional<TarMember> member, reader_.Next());
      if (!member) break;
      RETURN_IF_ERROR(Take(*member));
    }
    RETURN_IF_ERROR(FinishSample());
    CountDamage();
    if (!reader_.has_end_mark()) {
      found_.AddBad(found_.records_done++,
                    "the archive has no end mark; samples after this one may be missing");
    }
    left_over_.Tell(found_);
    found_.bytes_done = found_.num_bytes = file_size_;
    return std::move(found_);
  }

 private:
  // A place where no header could be found.
  struct Damage {
    int64_t offset = 0;
    int64_t size = 0;
    std::string why;
  };

  absl::Status Take(const TarMember& member) {
    switch (member.kind) {
      case TarMember::Kind::kFile:
      case TarMember::Kind::kHardLink:
      case TarMember::Kind::kSymbolicLink:
        return Add(member);
      case TarMember::Kind::kLost:
        return TakeDamage(member);
      case TarMember::Kind::kRest:
        found_.AddRemark(
            fmt::format("{} bytes from byte {} on, after the end of the archive, hold no member",
                        member.size, member.offset),
            /*num_members=*/0);
        return absl::OkStatus();
      case TarMember::Kind::kOther:
        break;
    }
    return absl::OkStatus();
  }

  // The bytes belong to the sample before or after them if that one is bad, else to their own
  // record.
  absl::Status TakeDamage(const TarMember& lost) {
    if (sample_) {
      sample_->is_beside_damage = true;
      if (lost.cuts_last && last_is_named_) sample_->problem = "the archive is damaged within it";
    }
    const int64_t num_bad = found_.num_bad;
    RETURN_IF_ERROR(FinishSample());
    CountDamage();
    damage_ = Damage{.offset = lost.offset, .size = lost.size, .why = lost.problem};
    if (found_.num_bad > num_bad) ChargeDamage();
    is_behind_damage_ = true;
    return absl::OkStatus();
  }

  // Adds the bytes to the last bad record.
  void ChargeDamage() {
    if (damage_) found_.AddLostBytes(damage_->size);
    damage_.reset();
  }

  // Adds a bad record for the bytes, if they belong to none.
  void CountDamage() {
    if (!damage_) return;
    found_.AddLost(found_.records_done++, damage_->size,
                   fmt::format("{}: {} bytes from byte {} on hold no member", damage_->why,
                               damage_->size, damage_->offset));
    damage_.reset();
  }

  absl::Status Add(const TarMember& member) {
    last_is_named_ = false;
    const std::optional<MemberName> name = SplitName(member.path);
    if (!name) {
      left_over_.AddNameless(member.path);
      return absl::OkStatus();
    }
    if (!sample_ || sample_->key != name->key) {
      RETURN_IF_ERROR(FinishSample());
      sample_.emplace();
      sample_->key = name->key;
      sample_->is_beside_damage = std::exchange(is_behind_damage_, false);
    }
    last_is_named_ = IsNamed(name->extension);
    if (!last_is_named_) {
      if (sample_->num_unused++ == 0) sample_->first_unused = member.path;
      const size_t dot = name->extension.rfind('.') + 1;
      sample_->has_named_end |= dot > 0 && IsNamed(name->extension.substr(dot));
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const TarMember file, FileOf(member));
    const auto rank = std::ranges::find(payload_names_, name->extension) - payload_names_.begin();
    if (rank < std::ssize(payload_names_)) KeepPayload(file, static_cast<size_t>(rank));
    if (label_.Is(name->extension)) Keep(file, sample_->label);
    if (time_.Is(name->extension)) Keep(file, sample_->time);
    return absl::OkStatus();
  }

  bool IsNamed(const std::string& extension) const {
    return std::ranges::find(payload_names_, extension) != payload_names_.end() ||
           label_.Is(extension) || time_.Is(extension);
  }

  // The member itself, or the file that the link leads to.
  absl::StatusOr<TarMember> FileOf(const TarMember& member) {
    if (!member.is_link()) return member;
    if (!links_) {
      ASSIGN_OR_RETURN(TarLinks links, TarLinks::Read(file_, file_size_));
      links_.emplace(std::move(links));
    }
    return links_->Resolve(member);
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

  // Files what was found of the sample before. Fails only if the archive cannot be read.
  absl::Status FinishSample() {
    if (!sample_) return absl::OkStatus();
    left_over_.AddUnused(sample_->key, sample_->is_named(), sample_->has_named_end,
                         sample_->num_unused, sample_->first_unused);
    if (sample_->is_named()) {
      const int64_t position = found_.records_done++;
      const absl::Status status = TakeSample(position);
      if (absl::IsInvalidArgument(status) || absl::IsDataLoss(status) || absl::IsNotFound(status)) {
        found_.AddBad(position, fmt::format("'{}': {}", AsText(sample_->key, 200),
                                            std::string(status.message())));
        if (sample_->is_beside_damage) ChargeDamage();
      } else if (!status.ok()) {
        return status;
      }
      CountDamage();
    }
    sample_.reset();
    return absl::OkStatus();
  }

  absl::Status TakeSample(int64_t position) {
    NoteHalf();
    if (!sample_->problem.empty()) return InvalidArgument("{}", sample_->problem);
    RETURN_IF_ERROR(CheckDamage());
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

  // Members of a sample that are not next to each other make two halves.
  void NoteHalf() {
    if (!sample_->payload) {
      left_over_.AddWithoutPayload(sample_->key);
    } else if ((label_.is_named() && !sample_->label) || (time_.is_named() && !sample_->time)) {
      left_over_.AddPayloadAlone(sample_->key);
    }
  }

  // A sample whose label may be lost is not one without a label.
  absl::Status CheckDamage() const {
    if (!sample_->is_beside_damage || !label_.is_named() || sample_->label) return absl::OkStatus();
    return DataLoss("the archive is damaged beside it, and it has no member with its label");
  }

  // The member, if it is complete.
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
  const FileInput& input_;
  const OpenFile& file_;
  const int64_t file_size_;
  TarReader reader_;
  std::optional<TarLinks> links_;  // Once there is a link.
  RecordFacts facts_;
  std::vector<std::string> payload_names_;
  TextMember label_;
  TextMember time_;
  ContentHash hash_;
  std::optional<Sample> sample_;
  bool last_is_named_ = false;     // Whether the spec names the member before.
  bool is_behind_damage_ = false;  // Whether no sample has begun since.
  std::optional<Damage> damage_;   // That belongs to no record so far.
  TarLeftOver left_over_;
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
  return Indexing(*this, input, file, identity.size_bytes, std::move(facts)).Run();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const TarFormat& format, const DatasetSpec& spec,
                                                   UnpackedCache& files) {
  ASSIGN_OR_RETURN(TimeReader times, TimeReaderOf(spec.event_time));
  return std::make_unique<TarFiles>(format, spec, std::move(times), files);
}

}  // namespace tidemill::storage
