#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace sluice::testing {

struct Answer {
  int status;        ///< Its exit status.
  std::string text;  ///< Its output, including its errors.
};

/// Runs a command in a shell.
inline Answer answer_of(const std::string& command) {
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  return {WEXITSTATUS(pclose(pipe)), text};
}

}  // namespace sluice::testing
