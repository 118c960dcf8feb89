#include "cli/terminal/live_lines.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::cli {
namespace {
using Lines = std::vector<std::string>;

/// A terminal that interprets the output of `LiveLines`: lines, cursor up, and erase to the end.
class Terminal {
 public:
  void write(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      if (text.compare(at, 3, "\x1b[J") == 0) {
        lines_.resize(row_);
        at += 3;
      } else if (text[at] == '\x1b') {
        const std::size_t end = text.find('A', at);
        const std::size_t up = std::stoul(text.substr(at + 2, end - at - 2));
        ASSERT_LE(up, row_);
        row_ -= up;
        at = end + 1;
      } else {
        const std::size_t end = text.find('\n', at);
        ASSERT_NE(end, std::string::npos) << "a line without an end";
        lines_.resize(std::max(lines_.size(), row_ + 1));
        lines_[row_++] = text.substr(at, end - at);
        at = end + 1;
      }
    }
  }
  const Lines& lines() const { return lines_; }

 private:
  Lines lines_;
  std::size_t row_ = 0;
};

Lines joined(Lines first, const Lines& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(LiveLines, StayBelowAllOtherTextWhateverIsWritten) {
  std::mt19937_64 random(7);
  Terminal terminal;
  LiveLines live;
  Lines above, shown;
  for (int step = 0; step < 2'000; ++step) {
    const std::string number = std::to_string(step);
    switch (random() % 3) {
      case 0:
        shown.assign(random() % 5, "live " + number);
        terminal.write(live.show(shown));
        break;
      case 1:
        above.push_back("text " + number);
        terminal.write(live.above("text " + number + "\n"));
        break;
      default:
        terminal.write(live.hide());
        EXPECT_EQ(terminal.lines(), above);
        if (random() % 2 != 0) {
          above.push_back("other " + number);
          terminal.write("other " + number + "\n");
        }
        terminal.write(live.restore());
    }
    ASSERT_EQ(terminal.lines(), joined(above, shown)) << step;
  }
}

TEST(LiveLines, AreNotPutBackAfterTheyWereHiddenForGood) {
  LiveLines live;
  live.show({"a"});
  live.hide();
  EXPECT_EQ(live.above("end\n"), "end\n");
  EXPECT_EQ(live.hide(), "");
}

}  // namespace
}  // namespace sluice::cli
