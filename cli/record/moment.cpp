#include "cli/record/moment.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

#include "base/parse.h"
#include "base/values.h"

namespace sluice::cli {
namespace {

using record::WallTime;
using std::chrono::year_month_day;

/// Between these years every time fits a `WallTime`.
constexpr std::chrono::year kFirstYear{1970}, kLastYear{2222};

/// A time as written: of the last day that has it unless there is a date, and local unless there is
/// an offset from UTC, which takes a date.
struct WrittenTime {
  std::optional<year_month_day> date;
  int hour = 0, minute = 0, second = 0;
  std::chrono::nanoseconds fraction{0};
  std::optional<std::chrono::minutes> offset;
};

/// Takes a text apart from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }
  bool skip(char letter) {
    if (!rest_.starts_with(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// The digits there, if they are that many.
  std::optional<std::string_view> digits(std::size_t least, std::size_t most) {
    const std::size_t size = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (size < least || size > most) return std::nullopt;
    const std::string_view found = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return found;
  }
  /// Whether there is a number of that many digits, which it sets.
  bool number(int& into, std::size_t least, std::size_t most) {
    const auto found = digits(least, most);
    const auto number = found ? parse_as<int>(*found) : std::nullopt;
    into = number.value_or(0);
    return number.has_value();
  }

 private:
  std::string_view rest_;
};

bool read_date(Scanner& scanner, WrittenTime& time) {
  int year = 0, month = 0, day = 0;
  if (!scanner.number(year, 4, 4) || !scanner.skip('-')) return false;
  if (!scanner.number(month, 1, 2) || !scanner.skip('-')) return false;
  if (!scanner.number(day, 1, 2)) return false;
  time.date = std::chrono::year(year) / month / day;
  return scanner.skip('T') || scanner.skip(' ');
}

bool read_fraction(Scanner& scanner, WrittenTime& time) {
  constexpr std::size_t kMostDigits = 9;
  const auto digits = scanner.digits(1, kMostDigits);
  if (!digits) return false;
  std::string nanoseconds(*digits);
  nanoseconds.resize(kMostDigits, '0');
  time.fraction = std::chrono::nanoseconds(parse_as<std::int64_t>(nanoseconds).value_or(0));
  return true;
}

bool read_clock(Scanner& scanner, WrittenTime& time) {
  if (!scanner.number(time.hour, 1, 2) || !scanner.skip(':')) return false;
  if (!scanner.number(time.minute, 1, 2)) return false;
  if (!scanner.skip(':')) return true;
  if (!scanner.number(time.second, 1, 2)) return false;
  return !scanner.skip('.') || read_fraction(scanner, time);
}

bool read_offset(Scanner& scanner, WrittenTime& time) {
  if (scanner.skip('Z')) {
    time.offset = std::chrono::minutes(0);
    return true;
  }
  const int sign = scanner.skip('+') ? 1 : scanner.skip('-') ? -1 : 0;
  if (sign == 0) return true;
  int hours = 0, minutes = 0;
  if (!scanner.number(hours, 2, 2) || !scanner.skip(':')) return false;
  if (!scanner.number(minutes, 2, 2) || hours > 23 || minutes > 59) return false;
  time.offset = sign * std::chrono::minutes(hours * 60 + minutes);
  return true;
}

/// nullopt unless the text has that form; there may be no such time.
std::optional<WrittenTime> written_time(std::string_view text) {
  WrittenTime time;
  Scanner scanner(text);
  const bool has_date = text.find('-') == 4;
  if (has_date && !read_date(scanner, time)) return std::nullopt;
  if (!read_clock(scanner, time)) return std::nullopt;
  if (has_date && !read_offset(scanner, time)) return std::nullopt;
  return scanner.is_at_end() ? std::optional(time) : std::nullopt;
}

/// Whole milliseconds; nullopt for what is no time of the last centuries or the next.
std::optional<WallTime> since_1970(std::string_view text) {
  constexpr double kMost = 8e9;
  const auto seconds = parse_number(text);
  if (!seconds || *seconds < 0 || *seconds > kMost) return std::nullopt;
  return WallTime(std::chrono::milliseconds(std::llround(*seconds * 1000)));
}

std::tm local_fields(WallTime time) {
  const auto since = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  const std::time_t seconds = since;
  std::tm fields{};
  localtime_r(&seconds, &fields);
  return fields;
}

WallTime utc(const year_month_day& date, const WrittenTime& time) {
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(time.hour) +
         std::chrono::minutes(time.minute) + std::chrono::seconds(time.second) + time.fraction;
}

/// In summer time (1), winter time (0) or whichever holds (-1). nullopt if there is no such time,
/// as where clocks are set forward: `mktime` gives another one.
std::optional<WallTime> local(const year_month_day& date, const WrittenTime& time, int is_summer) {
  std::tm fields{};
  fields.tm_year = int(date.year()) - 1900;
  fields.tm_mon = int(unsigned(date.month())) - 1;
  fields.tm_mday = int(unsigned(date.day()));
  fields.tm_hour = time.hour;
  fields.tm_min = time.minute;
  fields.tm_sec = time.second;
  fields.tm_isdst = is_summer;
  const WallTime found = WallTime(std::chrono::seconds(mktime(&fields))) + time.fraction;
  const bool is_same = fields.tm_mday == int(unsigned(date.day())) && fields.tm_hour == time.hour &&
                       fields.tm_min == time.minute && fields.tm_sec == time.second;
  return is_same ? std::optional(found) : std::nullopt;
}

/// The last one up to `now`. A day may lack it, where clocks are set forward, or have it twice,
/// first in summer time.
std::optional<WallTime> last_local(const WrittenTime& time, WallTime now) {
  const std::tm today = local_fields(now);
  const std::chrono::sys_days day =
      std::chrono::year(today.tm_year + 1900) / (today.tm_mon + 1) / today.tm_mday;
  for (const int ago : {0, 1, 2}) {
    for (const int is_summer : {0, 1}) {
      const auto found = local(day - std::chrono::days(ago), time, is_summer);
      if (found && *found <= now) return found;
    }
  }
  return std::nullopt;
}

std::string saying(const std::string& text, const std::string& problem) {
  return "`" + text + "` " + problem + kMomentForms;
}

std::variant<WallTime, std::string> time_of(const WrittenTime& time, const std::string& text,
                                            WallTime now) {
  const bool has_clock = time.hour <= 23 && time.minute <= 59 && time.second <= 59;
  std::optional<WallTime> found;
  if (!has_clock || (time.date && !time.date->ok())) {
    return saying(text, "does not exist: give a time such as ");
  }
  if (time.date && (time.date->year() < kFirstYear || time.date->year() > kLastYear)) {
    return saying(text, "is not of the years 1970 to 2222: give a time such as ");
  }
  if (!time.date) {
    found = last_local(time, now);
  } else if (time.offset) {
    found = utc(*time.date, time) - *time.offset;
  } else {
    found = local(*time.date, time, -1);
  }
  if (found) return *found;
  return saying(text, "does not exist in local time: give a time such as ");
}

}  // namespace

std::variant<WallTime, std::string> moment_of(const std::string& text, WallTime now) {
  const auto ago = parse_duration(text);
  if (const auto* duration = std::get_if<Duration>(&ago)) {
    if (*duration >= Duration{0}) return now - *duration;
    return saying(text, "is in the future: give a time such as ");
  }
  if (text.starts_with('@')) {
    if (const auto time = since_1970(std::string_view(text).substr(1))) return *time;
  } else if (const auto time = written_time(text)) {
    return time_of(*time, text, now);
  }
  return saying(text, "is not a time such as ");
}

std::string local_time(WallTime time) {
  const std::tm fields = local_fields(time);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &fields)};
}

std::string local_time_in_milliseconds(WallTime time) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::floor<std::chrono::milliseconds>(time - second).count();
  const std::string digits = std::to_string(rest);
  return local_time(time) + "." + std::string(3 - digits.size(), '0') + digits;
}

}  // namespace sluice::cli
