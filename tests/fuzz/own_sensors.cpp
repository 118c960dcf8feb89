// Input of users' own sensors: the number in a file, the output of a command.
#include "sensors/command.h"
#include "sensors/number_file.h"
#include "support/reading.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto number = parse_single_number(text);
  if (value_in(number)) {
    check(number_reading(*value_in(number), 40, "/run/licences"));
  } else {
    check(failure_in(number));
  }
  for (const int status : {0, 1, 2}) {
    check(command_reading({status, std::string(text)}, std::nullopt, "check"));
    check(command_reading({status, std::string(text)}, 40, "check"));
  }
}
