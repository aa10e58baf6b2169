// The problems of a document. Each has its position, a sentence and, if possible, a proposed
// correction.
//
//   pipeline.yaml:14:5: error: unknown key 'sample' in trigger (type: amount)
//      14 |     sample: 500
//         |     ^^^^^^ did you mean 'samples'?
//      note: keys allowed here: type, samples
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json_fwd.hpp"

namespace tidemill::config {

struct Document;

// A place in a document. Lines and columns (of characters) count from 1.
struct Position {
  int line = 0;
  int column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// One problem.
struct Problem {
  std::string file = {};   // For an override, "--set training.optimizer.lr".
  Position position = {};  // 0:0 without the document, and for an override.
  int width = 1;           // The number of characters to underline.
  std::string path = {};   // "training.optimizer.lr", "evaluation[1].dataset", "" for the document.
  std::string message = {};
  std::string hint = {};  // Shown after the carets: "did you mean 'lr'?".
  std::string note = {};  // Shown below: the allowed keys or values.
  // For an override: its line among those of the document, and the column of the mark in it.
  Position override_mark = {};

  // "pipeline.yaml:14:5", "pipeline.yaml", "--set training.optimizer.lr"; "" for a value without a
  // source.
  std::string Place() const;
};

// The problems of one document. Copyable; thread-compatible.
class Problems {
 public:
  // Makes problems of a value without a source, such as a spec built in memory.
  Problems() = default;
  explicit Problems(std::shared_ptr<const Document> document);

  // Notes a problem at the value at `path`, or at the closest enclosing value in the document.
  // Inside a Check(), the path starts at the struct being checked: "" is the struct itself, "a.b"
  // and "list[2].x" name parts of it.
  void Add(std::string_view path, std::string_view message, std::string_view hint = "");

  // Adds a complete problem; fills in its file.
  void Add(Problem problem);

  // Keeps a line that holds a secret out of every message.
  void HideLine(int line) { hidden_lines_.insert(line); }
  bool IsHidden(int line) const { return hidden_lines_.contains(line); }

  bool empty() const { return items_.empty(); }
  const std::vector<Problem>& items() const { return items_; }

  // Returns all problems in the order of the document, the first 20 in full.
  std::string ToString() const;

  // Returns a list of {file, line, column, path, message, hint, note}, in the order of the
  // document.
  nlohmann::ordered_json ToJson() const;

  // Returns OK when there are no problems, else INVALID_ARGUMENT with ToString(), from which
  // FindingsOf() returns the problems.
  absl::Status ToStatus() const;

  // While it lives, paths given to Add start at `path` below the current start.
  class Scope {
   public:
    Scope(Problems& problems, std::string_view path);
    ~Scope() { problems_.prefix_ = std::move(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Problems& problems_;
    std::string outer_;
  };

 private:
  std::vector<Problem> InOrder() const;

  std::shared_ptr<const Document> document_;
  std::string prefix_;
  std::set<int> hidden_lines_;
  std::vector<Problem> items_;
};

// The key of the payload of a status that has findings, as JSON.
inline constexpr char kFindings[] = "tidemill/findings";

// Returns the problems that a status came from, here or in another process, in the order of the
// document. Empty when it came from none, or when they were too long to be sent.
std::vector<Problem> FindingsOf(const absl::Status& status);

// Returns a failure of reading a file, for FindingsOf(). Its message is unchanged.
absl::Status InFile(absl::Status status, std::string_view file);

// Returns the candidate that `word` most likely misspells, if one is close. It is at most max(2,
// length / 3) insertions, deletions, substitutions or swaps of neighbours away. Letter case is
// ignored.
std::optional<std::string> ClosestTo(std::string_view word,
                                     const std::vector<std::string>& candidates);

// Returns "did you mean 'x'?" for the candidate closest to `word`; "" when none is close.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

// Joins paths: JoinPath("a.b", "c") is "a.b.c", JoinPath("a", "[2]") is "a[2]".
std::string JoinPath(std::string_view path, std::string_view below);

}  // namespace tidemill::config
