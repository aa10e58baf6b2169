// What tidemill-plugin-host is started with.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::plugin::host {

// Descriptors as docs/formats/plugin_protocol.md has them.
inline constexpr int kSocket = 3;
inline constexpr int kRequests = 4;
inline constexpr int kAnswers = 5;
inline constexpr int kFile = 6;

// The signal at which it has the plug-in tell where it is, and end.
inline constexpr int kTellWhere = SIGUSR2;

// What it ends with when it could not run the plug-in at all; the reason is on descriptor 2.
inline constexpr int kCannotRun = 125;

struct Options {
  // "c++" or "python".
  std::string language = {};
  std::string python = "python3";
  // Bytes; 0 for no limit.
  uint64_t memory = 0;
  // "auto", "bwrap", "landlock" or "none".
  std::string sandbox = "auto";
  // The folder with the package `tidemill`; empty: beside the folder of the program.
  std::string modules = {};
  // Of the processes that it starts of itself.
  bool is_inner = false;
  bool is_trial = false;
  // In an inner one: "bwrap", "landlock" or "plain".
  std::string inside = {};
  // In one of Landlock: the folders that it reads beside those of the system.
  std::vector<std::string> folders = {};
};

}  // namespace tidemill::plugin::host
