#include "costmodel/shell_words.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool separates(char c) { return std::string_view(";&|()\n").find(c) != std::string_view::npos; }
bool redirects(char c) { return c == '<' || c == '>'; }

class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  std::vector<ShellWord> split() {
    while (at_ < line_.size()) step();
    end_word();
    return std::move(words_);
  }

 private:
  void step() {
    const char c = line_[at_];
    if (c == '\'' || c == '"') return quoted(c);
    if (c == '\\') return escaped();
    if (c == '#' && !in_word_) return comment();
    if (redirects(c)) return redirection();
    if (separates(c)) return separator();
    ++at_;
    if (is_space(c)) return end_word();
    add(c);
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back({ShellWord::Kind::word, word_});
    word_.clear();
    in_word_ = false;
  }

  void quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < line_.size() && line_[at_] != quote; ++at_) {
      const bool escape = quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size();
      if (escape) ++at_;
      word_ += line_[at_];
    }
    ++at_;
  }

  void escaped() {
    ++at_;
    if (at_ < line_.size() && line_[at_] != '\n') add(line_[at_]);
    ++at_;
  }

  void comment() {
    while (at_ < line_.size() && line_[at_] != '\n') ++at_;
  }

  /// Digits right before the operator belong to it: "2>".
  void redirection() {
    const bool descriptor = in_word_ && std::all_of(word_.begin(), word_.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
    std::string text = descriptor ? std::exchange(word_, {}) : std::string();
    if (descriptor) in_word_ = false;
    end_word();
    while (at_ < line_.size() && (redirects(line_[at_]) || line_[at_] == '&')) text += line_[at_++];
    words_.push_back({ShellWord::Kind::redirection, text});
  }

  void separator() {
    end_word();
    std::string text;
    while (at_ < line_.size() && separates(line_[at_])) text += line_[at_++];
    words_.push_back({ShellWord::Kind::separator, text});
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<ShellWord> words_;
  std::string word_;
  bool in_word_ = false;
};

}  // namespace

std::vector<ShellWord> shell_words(std::string_view line) { return Splitter(line).split(); }

}  // namespace sluice
