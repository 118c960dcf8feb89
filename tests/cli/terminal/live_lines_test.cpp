#include "cli/terminal/live_lines.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::cli {
namespace {
using Lines = std::vector<std::string>;

/// A terminal that interprets the output of `LiveLines`: lines, cursor up, and erase a line.
class Terminal {
 public:
  void write(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      if (text.compare(at, 3, "\x1b[K") == 0) {
        if (row_ < lines_.size()) lines_[row_].clear();
        at += 3;
      } else if (text[at] == '\x1b') {
        const std::size_t end = text.find('A', at);
        ASSERT_NE(end, std::string::npos) << "neither up nor an erased line";
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
  /// Without empty ones at the end.
  Lines lines() const {
    Lines shown = lines_;
    while (!shown.empty() && shown.back().empty()) shown.pop_back();
    return shown;
  }

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

TEST(LiveLines, AreNeverErasedAsAScreenSinceTmuxWouldKeepACopy) {
  LiveLines live;
  live.show({"a", "b"});
  for (const std::string& text : {live.show({"c"}), live.above("text\n"), live.hide()}) {
    EXPECT_NE(text.find("\x1b[K"), std::string::npos);
    EXPECT_EQ(text.find("J"), std::string::npos);
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
