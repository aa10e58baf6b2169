#!/usr/bin/env python3
"""Measures how fast a machine compiles, so that times of builds on two machines can be compared.

Usage: machine_speed.py [--short]. Compiles one fixed source of the standard library's headers, as often as there are
cores, side by side, and prints the median of three such rounds by the clock.
"""
import os
import statistics
import subprocess
import sys
import time

# It never changes, or figures of before cannot be compared.
SOURCE = """
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

std::map<std::string, std::vector<double>> Speed(const std::string& text) {
  std::map<std::string, std::vector<double>> found;
  const std::regex pattern("([a-z]+)=([0-9.]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    found[(*it)[1].str()].push_back(std::stod((*it)[2].str()));
  }
  std::mt19937_64 random(7);
  for (auto& [name, numbers] : found) {
    std::shuffle(numbers.begin(), numbers.end(), random);
    std::stable_sort(numbers.begin(), numbers.end(), std::greater<>());
  }
  return found;
}
"""
COMMAND = ["g++", "-std=c++20", "-O2", "-x", "c++", "-", "-c", "-o", "/dev/null"]


def round_seconds(cores: int) -> float:
    began = time.monotonic()
    compilers = [subprocess.Popen(COMMAND, stdin=subprocess.PIPE, text=True) for _ in range(cores)]
    for compiler in compilers:
        compiler.stdin.write(SOURCE)
        compiler.stdin.close()
    if any([compiler.wait() for compiler in compilers]):
        sys.exit("the source of this measurement does not compile")
    return time.monotonic() - began


def main() -> None:
    cores = os.cpu_count() or 1
    rounds = [round_seconds(cores) for _ in range(3)]
    said = f"compiles the fixed source on its {cores} cores in {statistics.median(rounds):.2f} s"
    print(said if "--short" in sys.argv else f"This machine {said} ({min(rounds):.2f} to {max(rounds):.2f} in three rounds).")


if __name__ == "__main__":
    main()
