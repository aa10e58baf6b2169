// The label of a dataset's samples: what a model learns to predict.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "records/missing_words.h"

namespace tidemill::storage {

enum class LabelKind { kClass, kReal };
enum class Unlabelled { kKeep, kDrop };
enum class NumberEncoding { kUnsigned, kSigned, kFloat };
enum class Endianness { kLittle, kBig };

}  // namespace tidemill::storage

template <>
struct tidemill::config::EnumNames<tidemill::storage::LabelKind> {
  using E = tidemill::storage::LabelKind;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kClass, "class"},
                                                              {E::kReal, "real"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::storage::Unlabelled> {
  using E = tidemill::storage::Unlabelled;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kKeep, "keep"},
                                                              {E::kDrop, "drop"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::storage::NumberEncoding> {
  using E = tidemill::storage::NumberEncoding;
  static constexpr std::pair<E, std::string_view> kNames[] = {
      {E::kUnsigned, "unsigned"}, {E::kSigned, "signed"}, {E::kFloat, "float"}};
};
template <>
struct tidemill::config::EnumNames<tidemill::storage::Endianness> {
  using E = tidemill::storage::Endianness;
  static constexpr std::pair<E, std::string_view> kNames[] = {{E::kLittle, "little"},
                                                              {E::kBig, "big"}};
};

namespace tidemill::storage {

// The layout of a number in bytes.
struct NumberLayout {
  int64_t width = 1;
  NumberEncoding encoding = NumberEncoding::kUnsigned;
  Endianness endianness = Endianness::kLittle;
  void Fields(auto&& field) {
    field("width", width, "Bytes of the number: 1, 2, 4 or 8.", {.min = 1, .max = 8});
    field("encoding", encoding, "What the bytes are.");
    field("endianness", endianness, "Which byte comes first.");
  }
  void Check(config::Problems& problems) const {
    if (width != 1 && width != 2 && width != 4 && width != 8) {
      problems.Add("width", "cannot be the width of a number", "use 1, 2, 4 or 8");
    }
    if (encoding == NumberEncoding::kFloat && width < 4) {
      problems.Add("width", "cannot be the width of a float", "use 4 or 8");
    }
  }
};

// A label inside each binary record.
struct RecordLabel : NumberLayout {
  int64_t offset = 0;
  void Fields(auto&& field) {
    field("offset", offset, "Bytes of the record before the label.", {.min = 0, .required = true});
    NumberLayout::Fields(field);
  }
};

// The labels of a file's records, in order, in a second file beside it.
struct LabelFile : NumberLayout {
  std::string pattern;
  std::string replacement;
  int64_t header_bytes = 0;
  void Fields(auto&& field) {
    field("pattern", pattern, "The part of the sample file's name to replace.",
          {.required = true, .example = "images-idx3"});
    field("replacement", replacement,
          "What to replace it with. The result is the name of the label file.",
          {.required = true, .example = "labels-idx1"});
    field("header_bytes", header_bytes, "Bytes before the first label.", {.min = 0});
    NumberLayout::Fields(field);
  }
};

// The source of a sample's label. There is at most one source. Without one, samples have no label.
struct LabelSpec {
  std::optional<std::string> column;
  std::optional<std::string> expression;
  std::optional<std::string> member;
  std::optional<RecordLabel> record;
  std::optional<LabelFile> file;
  std::optional<std::string> sidecar;
  bool folder = false;
  bool from_format = false;
  LabelKind kind = LabelKind::kClass;
  std::vector<std::string> classes;
  std::optional<std::string> classes_file;
  std::vector<std::string> missing = DefaultMissingWords();
  std::optional<Unlabelled> unlabelled;

  // Whether the text is one of `missing`. When a class has that name, it is a class.
  bool SaysMissing(std::string_view text) const {
    constexpr std::string_view kBlank = " \t\r\n\f\v";
    const size_t from = text.find_first_not_of(kBlank);
    const std::string_view word = from == std::string_view::npos
                                      ? std::string_view()
                                      : text.substr(from, text.find_last_not_of(kBlank) - from + 1);
    const auto same = [](char a, char b) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
      return lower(a) == lower(b);
    };
    return std::ranges::any_of(
        missing, [&](const std::string& value) { return std::ranges::equal(value, word, same); });
  }

  // Whether there is a source.
  bool is_given() const {
    return column || expression || member || record || file || sidecar || folder || from_format;
  }
  void Fields(auto&& field) {
    field("column", column,
          "Column of a CSV file, field of a JSON line (`a.b`: field b of the object a; "
          "`topics[0]`: first element of the list topics) or feature of a tf.train.Example.",
          {.example = "class"});
    field("expression", expression,
          "Computes the label from the fields of a record; docs/guides/columns.md describes the "
          "language. A boolean is class 0 or 1, so two `classes` are named in the order [false, "
          "true]; a whole number is the number of a class, a text the name of one. With `kind: "
          "real`: a number. Null means no label.",
          {.example = "\"arr_delay >= 15\""});
    field("member", member,
          "Extension of the member of a tar sample that holds the label as text. With `column`, "
          "the member is a JSON object, and the label is a field of it.",
          {.example = "cls"});
    field("record", record, "Bytes of a binary record. They are not part of the sample.");
    field("file", file, "A second file with one label for each binary record.");
    field("sidecar", sidecar, "Extension of a text file next to the sample's file.",
          {.example = ".label"});
    field("folder", folder, "The name of the folder that holds the sample's file.");
    field("from_format", from_format, "The label comes from the format's plug-in.");
    field("kind", kind, "A class, or a real number.");
    field("classes", classes,
          "Names of the classes. The number of a class is its place in this list. Empty: labels "
          "are numbers.",
          {.example = "[DOWN, UP]"});
    field(
        "classes_file", classes_file,
        "Path of a text file with the names of the classes, one a line, relative to the pipeline's "
        "folder. It may have up to 20,000 lines. It is read once, when the pipeline is checked, "
        "and its lines become `classes`.",
        {.min = 1, .example = "species.txt"});
    field("missing", missing,
          "Values that say that a sample has no label yet. Upper and lower case, and blanks around "
          "the value, make no difference. For labels in bytes, write numbers. A missing field, "
          "feature, member or file, and a JSON null, count as the empty text. If a class has such "
          "a name, the value means the class.",
          {.example = "[\"\", NA, \"-1\"]"});
    field("unlabelled", unlabelled,
          "What happens to samples without a label. keep, the default: they stay samples, but no "
          "model is trained or measured on them until their label comes. drop: they are left out "
          "and counted. In a series, only rows with a label become samples.",
          {.example = "keep"});
  }
  void Check(config::Problems& problems) const {
    const int sources = static_cast<int>(column || member) + expression.has_value() +
                        record.has_value() + file.has_value() + sidecar.has_value() +
                        static_cast<int>(folder) + static_cast<int>(from_format);
    if (sources > 1) {
      problems.Add("", "names several sources",
                   "keep one of column, expression, member, record, file, sidecar and folder");
    }
    if (sidecar && sidecar->find('/') != std::string::npos) {
      problems.Add("sidecar", "names a file outside the sample's folder",
                   "write an extension such as .label");
    }
    if (file && file->replacement.find('/') != std::string::npos) {
      problems.Add("file.replacement", "names a file outside the sample's folder",
                   "write a part of a file name");
    }
    const bool has_classes = !classes.empty() || classes_file;
    if (classes_file && !classes.empty()) {
      problems.Add("classes_file", "cannot be combined with classes", "give one of them");
    } else if (kind == LabelKind::kReal && has_classes) {
      problems.Add(classes_file ? "classes_file" : "classes", "is given for a real label",
                   "remove it, or set kind: class");
    }
    if (classes_file && !is_given()) {
      problems.Add("classes_file", "names classes, but the dataset has no label",
                   "say where the label is, or remove it");
    }
    if (folder && !has_classes) {
      problems.Add("classes", "is missing", "name the folders that are classes");
    }
    if (unlabelled && !is_given()) {
      problems.Add("unlabelled",
                   "says what happens to samples without a label, but the dataset has no label",
                   "say where the label is, or remove it");
    }
    if (unlabelled && missing.empty()) {
      problems.Add("unlabelled",
                   "says what happens to samples without a label, but `missing` names no values",
                   "name the values, or remove it");
    }
  }
};

}  // namespace tidemill::storage
