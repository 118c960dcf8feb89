#include "cli/batch/unquoted.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace sluice::cli {
namespace {

/// Means something to a shell unless it is quoted.
bool is_special(char c) {
  return std::string_view("|&;<>()$`*?[]{}#~!^\n").find(c) != std::string_view::npos;
}

/// Backslash escapes only these in double quotes.
bool is_escaped_in_double(char c) {
  return std::string_view("$`\"\\\n").find(c) != std::string_view::npos;
}

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// In the form, bytes that mean themselves stand alone. All others follow a NUL, which no command
/// has, and a letter that says how they stood.
class Unquoting {
 public:
  explicit Unquoting(std::string_view text) : text_(text) {}

  std::string form() && {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (contexts_.back().quotes == Quotes::doubled) {
        take_in_double(c);
      } else {
        take_plain(c);
      }
    }
    end_word();
    if (contexts_.size() > 1) mark('x', "");
    return std::move(form_);
  }

 private:
  enum class Quotes { none, doubled };
  struct Context {
    Quotes quotes = Quotes::none;
    int parentheses = 0;    ///< Open ones, without quotes.
    std::size_t begin = 0;  ///< Of what is in these quotes, in the form.
  };

  void take_plain(char c) {
    if (c == ' ' || c == '\t') return end_word();
    if (c == '\'') return take_single();
    if (c == '"') return open(Quotes::doubled, 0);
    if (c == '\\') return take_escaped();
    if (!is_special(c) && !continues_name(c)) return literal(c);
    active('u', c);
    if (c == '(') ++contexts_.back().parentheses;
    const bool closes = c == ')' && --contexts_.back().parentheses == 0;
    if (closes && contexts_.size() > 1) contexts_.pop_back();
  }

  void take_in_double(char c) {
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '"') return close_double();
    if (c == '\\' && is_escaped_in_double(next)) return take_escaped();
    if (c != '$' && c != '`' && !continues_name(c)) return literal(c);
    active('d', c);
    if (c != '$' || next != '(') return;
    ++at_;
    active('d', next);
    open(Quotes::none, 1);
  }

  void open(Quotes quotes, int parentheses) {
    name_ = Name::none;
    contexts_.push_back({quotes, parentheses, form_.size()});
  }

  void close_double() {
    name_ = Name::none;
    if (form_.size() == contexts_.back().begin) empty_quotes();
    contexts_.pop_back();
  }

  void take_single() {
    name_ = Name::none;
    const std::size_t end = text_.find('\'', at_);
    const std::string_view quoted = text_.substr(at_, end - at_);
    if (quoted.empty()) empty_quotes();
    for (const char c : quoted) literal(c);
    at_ += quoted.size() + 1;
    if (end == std::string_view::npos) mark('x', "");
  }

  /// A backslash at the end of a line joins it to the next.
  void take_escaped() {
    if (at_ == text_.size()) return literal('\\');
    const char c = text_[at_++];
    if (c != '\n') literal(c);
  }

  void literal(char c) {
    separate();
    form_ += c;
    has_empty_ = false;
    is_after_literal_ = true;
    name_ = Name::none;
  }

  void active(char how, char c) {
    const bool goes_on = continues_name(c) && (is_of_name(c) || c == '{');
    name_ = c == '$' || c == '~' ? Name::begins : goes_on ? Name::goes_on : Name::none;
    end_empty();
    mark(how, {&c, 1});
    is_after_literal_ = false;
  }

  /// `$x'y'` is not `$xy`.
  bool continues_name(char c) const {
    return name_ == Name::begins || (name_ == Name::goes_on && is_of_name(c));
  }

  /// They make a word of nothing, or end a name; beside a literal they say nothing.
  void empty_quotes() { has_empty_ = has_empty_ || !is_after_literal_; }

  void end_empty() {
    if (std::exchange(has_empty_, false)) mark('e', "");
  }

  void end_word() {
    end_empty();
    has_blank_ = true;
    is_after_literal_ = false;
    name_ = Name::none;
  }

  void separate() {
    if (std::exchange(has_blank_, false) && !form_.empty()) form_ += std::string_view("\0 ", 2);
  }

  void mark(char how, std::string_view text) {
    separate();
    form_ += '\0';
    form_ += how;
    form_ += text;
  }

  enum class Name { none, begins, goes_on };

  std::string_view text_;
  std::size_t at_ = 0;
  std::string form_;
  std::vector<Context> contexts_{{}};
  bool has_blank_ = false;         ///< Before what comes next.
  bool has_empty_ = false;         ///< Quotes with nothing in them were last.
  bool is_after_literal_ = false;  ///< In the same word.
  Name name_ = Name::none;         ///< Of a variable or, after ~, a user.
};

}  // namespace

std::string unquoted_form(std::string_view command) { return Unquoting(command).form(); }

}  // namespace sluice::cli
