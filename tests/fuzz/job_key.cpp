// Command lines, parsed for the key under which their needs are learned.
#include "costmodel/job_key.h"

#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  static const KeyPlace place{"/home/ci/build", {"/tmp"}};
  const std::string key = job_key(std::vector<std::string>{"sh", "-c", std::string(text)}, place);
  require(key.size() <= 128, "a key is short");
  for (const char c : key) require(c > ' ' && c < 0x7f, "a key is printable, without space");
}
