// The options of tidemill-plugin-host.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::plugin::host {

// The descriptors defined in docs/formats/plugin_protocol.md.
inline constexpr int kSocket = 3;
inline constexpr int kRequests = 4;
inline constexpr int kAnswers = 5;
inline constexpr int kFile = 6;
// The first of the data files.
inline constexpr int kFirstData = 7;

// At this signal, the host makes the plug-in print where it is, and ends.
inline constexpr int kTellWhere = SIGUSR2;

// The exit code when the host could not run the plug-in at all; the reason is on descriptor 2.
inline constexpr int kCannotRun = 125;

struct Options {
  // "c++" or "python".
  std::string language = {};
  std::string python = "python3";
  // The number of data files.
  int num_files = 0;
  // The threads of its arithmetic.
  int num_threads = 1;
  // Bytes; 0 for no limit.
  uint64_t memory = 0;
  // "auto", "bwrap", "landlock" or "none".
  std::string sandbox = "auto";
  // The folder with the package `tidemill`; empty: beside the folder of the program.
  std::string modules = {};
  // Whether this is an inner process, which the host starts as a copy of itself.
  bool is_inner = false;
  bool is_trial = false;
  // For an inner process: "bwrap", "landlock" or "plain".
  std::string inside = {};
  // For an inner process with Landlock: the folders that it may read in addition to the system's.
  std::vector<std::string> folders = {};
};

}  // namespace tidemill::plugin::host
