#include "base/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace sluice {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

/// A well-formed sequence of two or three bytes, as one escape: "\u009b".
void append_escape(std::string& out, std::string_view sequence) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(sequence[at]); };
  unsigned code = sequence.size() == 2 ? byte(0) & 0x1f : byte(0) & 0x0f;
  for (std::size_t at = 1; at < sequence.size(); ++at) code = code << 6 | (byte(at) & 0x3f);
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexDigits[(code >> shift) & 15];
}

void append_control(std::string& out, char c) {
  constexpr std::string_view named = "\n\t\r", letters = "ntr";
  if (const std::size_t at = named.find(c); at != named.npos) {
    out += {'\\', letters[at]};
    return;
  }
  out += "\\u00";
  out += kHexDigits[static_cast<unsigned char>(c) >> 4];
  out += kHexDigits[static_cast<unsigned char>(c) & 15];
}

/// Number of bytes at the front that JSON has as they are.
std::size_t plain_bytes(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
  return static_cast<std::size_t>(end - text.begin());
}

void append_text(std::string& out, std::string_view text) {
  while (true) {
    // At once, as most texts are plain.
    const std::size_t plain = plain_bytes(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      append_control(out, c);
    } else if (is_control_sequence(text.substr(0, length))) {
      append_escape(out, text.substr(0, length));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace

std::string shown_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(json), 1);
    const std::string_view sequence = json.substr(0, length);
    if (length > 1 && is_control_sequence(sequence)) {
      append_escape(out, sequence);
    } else if (json.front() == 0x7f) {
      append_control(out, json.front());
    } else {
      out += sequence;
    }
    json.remove_prefix(length);
  }
  return out;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  out_ += '"';
  append_text(out_, name);
  out_ += "\":";
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  out_ += '"';
  append_text(out_, text);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return raw(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

}  // namespace sluice
